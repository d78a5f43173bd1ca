// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output file of a recording.

#ifndef MEMKIT_LIB_RECORD_TRACEOUTPUT_H
#define MEMKIT_LIB_RECORD_TRACEOUTPUT_H

#include "Record/Shared/Launchers.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace memkit {

/// The values for the patterns of an output name.
struct NameFields {
  uint32_t Pid = 0;     ///< %p
  std::string Host;     ///< %h
  int32_t Rank = -1;    ///< %r
  std::time_t Time = 0; ///< %t, as 20240131-235959 in local time
};

/// Expands %p %h %r %t %q{VAR} %% in Pattern. Errors: an unknown pattern, an
/// unset rank or variable.
llvm::Expected<std::string> expandName(llvm::StringRef Pattern,
                                       const NameFields &Fields, GetEnv Env);

/// What happens to a file that exists.
struct OutputPolicy {
  bool Force = false; ///< overwrite a file that is no trace
  /// Old traces to keep: FILE.old, the newest, then FILE.old.2, FILE.old.3, ...
  unsigned Keep = 1;
  uint64_t KeepBytes = 0; ///< of all old traces together; 0: any number
  static constexpr unsigned MaxKeep = 1000;
};

/// An output open for writing; the destructor closes it.
class TraceOutput {
public:
  /// Opens Path, `-` for standard output. A regular file that is a trace
  /// becomes the newest old trace; another regular file is refused unless empty
  /// or forced; devices and pipes are opened as they are. Regular files are
  /// created with mode 0600 and locked while open. Errors contain the path.
  static llvm::Expected<TraceOutput> open(llvm::StringRef Path,
                                          const OutputPolicy &Policy = {});

  TraceOutput(TraceOutput &&Other);
  TraceOutput &operator=(TraceOutput &&) = delete;
  ~TraceOutput();

  int fd() const { return Fd; }
  const std::string &name() const { return Name; }
  bool isStdout() const { return Name == "-"; }
  /// Whether the output is a regular file, which keeps the written bytes.
  bool isRegular() const { return Regular; }

  /// Closes the output. Errors: bytes that the system could not write.
  llvm::Error close();

private:
  TraceOutput(int Fd, std::string Name, bool Regular)
      : Fd(Fd), Name(std::move(Name)), Regular(Regular) {}
  static llvm::Expected<TraceOutput> openRegular(llvm::StringRef Path,
                                                 const OutputPolicy &Policy);
  static llvm::Expected<TraceOutput> makePrivate(TraceOutput Out);
  int Fd;
  std::string Name;
  bool Regular;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TRACEOUTPUT_H
