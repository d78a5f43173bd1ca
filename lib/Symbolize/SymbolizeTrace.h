// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds symbols to a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H

#include "SymbolReport.h"
#include "Symbolize/SymbolizeOptions.h"
#include "TwinFiles.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/Sections.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace memkit {

class SectionStream;
class TraceWriter;

/// Copies the trace In, after its header H, to Out and adds symbols: for native
/// frames without symbols, lines for native frames with a function alone, and
/// names of JIT code from perf maps. Finishes Out. Errors: of In and Out, and a
/// named file that does not serve.
llvm::Expected<SymbolizeStats> symbolizeTrace(SectionStream &In,
                                              const Header &H, TraceWriter &Out,
                                              const SymbolizeOptions &Options);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLIZETRACE_H
