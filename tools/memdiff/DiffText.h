// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes in words.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H

#include "DiffPrinter.h"
#include "Support/Table.h"

namespace memkit {

/// The findings that are shown.
llvm::ArrayRef<Finding> shownFindings(const DiffView &V);

/// What was lost, a line a run.
std::vector<std::string> lossLines(const DiffView &V);

/// peak, live at end, allocated, allocations: before, after, change, of each
/// memory space. With WithShare also the change in percent.
Table totalsTable(const DiffView &V, bool WithShare);
/// The heaps whose peak or live bytes changed by the noise, at most Max; empty
/// when there is but one heap.
Table heapsTable(const DiffView &V, size_t Max);

/// `+16 KiB at the peak (16 KiB -> 32 KiB), host.malloc`
std::string findingTitle(const DiffView &V, const Finding &F);
/// `1 MiB at the peak moved, host.mmap`
std::string moveTitle(const DiffView &V, const Move &M);
/// The moves that are shown.
llvm::ArrayRef<Move> shownMoves(const DiffView &V);
/// The frames of a place, innermost first, for printFrames().
std::vector<ShownFrame> placeFrames(const DiffView &V, DiffPlace P);
/// `+1 KiB g > h` for each part, the way from the place that they are below.
std::vector<std::string> partLines(const DiffView &V, DiffPlace Below,
                                   Metric By,
                                   llvm::ArrayRef<Finding::Part> Parts);

/// What is left when the findings are told, one sentence a line.
std::vector<std::string> restLines(const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H
