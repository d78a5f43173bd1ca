// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strings and functions of a trace that is being written.

#ifndef MEMKIT_LIB_TRACE_NAMETABLE_H
#define MEMKIT_LIB_TRACE_NAMETABLE_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace memkit {

/// A place in source code. Empty and 0: not known.
struct SourceLocation {
  std::string Function;   ///< demangled
  std::string File;       ///< of the function's definition, or of Line
  uint32_t Line = 0;      ///< of the address
  uint32_t StartLine = 0; ///< of the function's definition
};

/// The name tables of a trace that is being written. Gives equal strings and
/// functions one id and collects new entries.
class NameTable {
public:
  /// The id of Text; 0 for the empty string.
  uint32_t string(llvm::StringRef Text);
  /// The id of Text; 0 if Text has none. Adds nothing.
  uint32_t find(llvm::StringRef Text) const { return Strings.lookup(Text); }
  uint32_t function(const Function &F);
  /// Adds the symbols of Frame to Pending.
  void addSymbols(uint32_t Frame, llvm::ArrayRef<SourceLocation> Locations);

  /// Adds the definitions of a dictionary section that is already written.
  void learn(const Dictionary &D);

  /// Entries not yet written: Strings, Functions and Symbols.
  Dictionary Pending;

private:
  llvm::StringMap<uint32_t> Strings;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Functions;
  uint32_t NumStrings = 0, NumFunctions = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_NAMETABLE_H
