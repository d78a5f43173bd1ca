// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds symbols to a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace memkit {

class SectionStream;
class TraceWriter;

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
