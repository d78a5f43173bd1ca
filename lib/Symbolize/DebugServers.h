// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug files from servers.

#ifndef MEMKIT_LIB_SYMBOLIZE_DEBUGSERVERS_H
#define MEMKIT_LIB_SYMBOLIZE_DEBUGSERVERS_H

#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace memkit {

/// Asks the servers of the variable DEBUGINFOD_URLS for files by build-id,
/// through the library libdebuginfod, which is loaded when it is needed. The
/// library keeps the files in its own cache, and has its own limits of time:
/// DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT and others. One thread at a time.
class DebugServers {
public:
  enum class FileKind { DebugInfo, Executable };

  /// The library's name in the packages of distributions.
  static constexpr llvm::StringLiteral UsualLibrary = "libdebuginfod.so.1";

  /// Loads Library. An error if there is no such library, or if
  /// DEBUGINFOD_URLS names no server.
  static llvm::Expected<std::unique_ptr<DebugServers>>
  open(ProgressCallback OnProgress = {},
       const std::string &Library = UsualLibrary.str());
  ~DebugServers();

  /// The path of the file in the library's cache; empty if the servers have no
  /// such file, or after a failure. Does not compare the file's build-id.
  std::string find(FileKind Kind, llvm::ArrayRef<uint8_t> BuildId);

  /// The last failure, with the servers: a server could not be reached, or did
  /// not answer. Empty: all questions had an answer. After a failure of the
  /// only server, or after several, no server is asked again.
  llvm::StringRef failure() const { return Failure; }

private:
  class Library;
  explicit DebugServers(std::unique_ptr<Library> L);
  std::unique_ptr<Library> Lib;
  std::string Failure;
  unsigned Failures = 0; ///< since the last answer
  bool IsOff = false;    ///< no server is asked any more
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_DEBUGSERVERS_H
