// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes differences as a trace.

#ifndef MEMKIT_ANALYSIS_DIFFTRACE_H
#define MEMKIT_ANALYSIS_DIFFTRACE_H

#include "memkit/Analysis/Diff.h"
#include "memkit/Trace/Sink.h"

namespace memkit {

/// Writes the differences as a trace with a summary and without events. For
/// each heap H, growth is in a heap `H.more`, and shrinkage in a heap `H.less`
/// outside the totals. So the totals are the sum of all growth. The values are
/// those of StackStats: bytes at the memory space's peak, bytes live at the
/// end, allocated bytes and allocations; of groups, on average. Of one stack,
/// some values may have grown and others shrunk. Command: the command in the
/// trace's header.
llvm::Error writeDiffTrace(Sink &Out, const DiffRuns &Runs,
                           llvm::ArrayRef<Difference> Differences,
                           llvm::ArrayRef<std::string> Command);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFTRACE_H
