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

/// The tables of names of a trace that is being written: gives equal strings
/// and functions one id and collects what is new.
class NameTable {
public:
  /// The id of Text; 0 for the empty string.
  uint32_t string(llvm::StringRef Text);
  /// The same without making it: 0 when it has none.
  uint32_t find(llvm::StringRef Text) const { return Strings.lookup(Text); }
  uint32_t function(const Function &F);
  /// The symbols of Frame, to be added to Pending.
  void addSymbols(uint32_t Frame, llvm::ArrayRef<SourceLocation> Locations);

  /// Takes over what a dictionary section defines, as if written from here.
  void learn(const Dictionary &D);

  /// What was added and not yet written: Strings, Functions and Symbols.
  Dictionary Pending;

private:
  llvm::StringMap<uint32_t> Strings;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Functions;
  uint32_t NumStrings = 0, NumFunctions = 0;
};

struct SymbolizeStats {
  uint64_t Frames = 0;   ///< native frames that had no symbols
  uint64_t Resolved = 0; ///< of them, how many have now
};

/// Copies the trace In to Out and adds symbols of the frames that have none, as
/// far as the binaries are on this machine with the same build-id. Finishes
/// Out.
llvm::Expected<SymbolizeStats> symbolizeTrace(SectionStream &In,
                                              TraceWriter &Out);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
