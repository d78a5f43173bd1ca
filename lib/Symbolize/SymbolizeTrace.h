// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds symbols to a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H

#include "Symbolizer.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace memkit {

class SectionStream;
class TraceWriter;

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

struct SymbolizeStats {
  uint64_t Frames = 0;   ///< native frames without symbols in the input
  uint64_t Resolved = 0; ///< number of those frames that have symbols now
};

/// Copies the trace In to Out and adds symbols for frames without symbols.
/// Symbols come from binaries on this machine with equal build-id. Finishes
/// Out.
llvm::Expected<SymbolizeStats> symbolizeTrace(SectionStream &In,
                                              TraceWriter &Out);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
