// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as a trace.

#ifndef MEMKIT_ANALYSIS_DIFFTRACE_H
#define MEMKIT_ANALYSIS_DIFFTRACE_H

#include "memkit/Analysis/Diff.h"
#include "memkit/Trace/Sink.h"

namespace memkit {

/// Writes the differences as a trace of sums without events: for each heap H,
/// what grew stands in a heap `H.more` and what shrank in `H.less`, which lies
/// outside the totals; so the totals are the sum of all growth. The values are
/// those of StackStats: bytes at the memory space's peak, live at the end,
/// allocated, and allocations, each grown or shrunk on its own; of groups, on
/// average. Command: as the trace's header gives it.
llvm::Error writeDiffTrace(Sink &Out, const DiffRuns &Runs,
                           llvm::ArrayRef<Difference> Differences,
                           llvm::ArrayRef<std::string> Command);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFTRACE_H
