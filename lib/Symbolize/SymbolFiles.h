// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files with the symbols of a binary.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLFILES_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLFILES_H

#include "ElfOutline.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace memkit {

class DebugServers;

/// Folders and servers with files, besides this machine's own.
struct SymbolPlaces {
  /// Folders of debug files: by build-id, or by path or name of the binary.
  std::vector<std::string> DebugDirs;
  /// Folders with the files of the recorded machine.
  std::vector<std::string> Sysroots;
  /// Servers of debug files; null: none. Not owned.
  DebugServers *Servers = nullptr;
};

/// A file that does not serve.
struct PassedFile {
  std::string Path;
  std::string Problem;    ///< `is a directory`, `has build-id 1f2e`
  bool IsMissing = false; ///< the file does not exist
};

/// The files with the symbols of one binary.
struct SymbolFiles {
  std::string Debug;         ///< with DWARF; empty: none was found
  std::string Symbols;       ///< with a symbol table; may be Debug; empty: none
  bool HasFullTable = false; ///< Symbols has more than the dynamic symbols
  std::string Alt;        ///< shared by several debug files (dwz); empty: none
  std::string AltProblem; ///< Debug needs Alt, and Alt was not found
  /// The first file with the build-id, whatever it has; empty: none.
  std::string First;
  std::vector<PassedFile> Passed; ///< the other files, in order of the search

  bool empty() const { return Debug.empty() && Symbols.empty(); }
};

/// Finds files by build-id: only a file with the binary's build-id serves.
///
/// Looks in the debug folders, the sysroots, at the recorded path, in
/// /usr/lib/debug, and last asks the servers. Follows the links of a stripped
/// binary to its debug file, and of a debug file to a shared file.
class SymbolFinder {
public:
  explicit SymbolFinder(SymbolPlaces Places);

  /// The files of the binary with BuildId, which was at Path when it was
  /// recorded. Neither is trusted.
  SymbolFiles find(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildId);
  /// The files with the symbols of File: File itself, and the files of File's
  /// build-id.
  SymbolFiles filesOf(const std::string &File);

  /// The places where a file with the recorded Path would be: in the sysroots,
  /// then on this machine.
  std::vector<std::string> placesOf(llvm::StringRef Path) const;

private:
  class Search;
  SymbolPlaces Places;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLFILES_H
