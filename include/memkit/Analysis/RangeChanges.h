// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a range of time, exact at its edges.

#ifndef MEMKIT_ANALYSIS_RANGECHANGES_H
#define MEMKIT_ANALYSIS_RANGECHANGES_H

#include "memkit/Model/Intervals.h"
#include "memkit/Support/ProgressCallback.h"
#include <deque>

namespace memkit {

/// The part of a range that the intervals of a process know exactly, and its
/// edges, which only events know.
struct KnownRange {
  uint32_t Process = 0;
  size_t First = 0, Last = 0; ///< the heads [First, Last) of the process
  /// The events before BeginNs and from EndNs on are in no such interval.
  uint64_t BeginNs = 0, EndNs = 0;
};

/// The known part of the range from BeginNs to before EndNs, by index in
/// Intervals.processes(). A part is known between the ends of two intervals
/// with all rows (IntervalDetail::Whole), and from the start of a process or to
/// its end.
std::vector<KnownRange> knownRanges(const IntervalSeries &Intervals,
                                    uint64_t BeginNs, uint64_t EndNs);

/// What happened to the blocks of a (process, heap, stack) in a part of a
/// range. Bytes include inner blocks, and what resizing adds or takes away.
struct RangeChange {
  uint32_t Process = 0, Heap = 0, Stack = 0;
  uint64_t Allocations = 0, AllocatedBytes = 0, FreedBytes = 0;
  uint64_t Temporaries = 0; ///< as IntervalRow::Temporaries
};

/// Replays the edges of a range, on the calling thread, and appends each
/// changed row to Out, which has no row twice. A temporary allocation older
/// than the snapshot before an edge does not count as temporary. Errors:
/// TraceError.
llvm::Error readRangeEdges(TraceReader &R, uint64_t BeginNs, uint64_t EndNs,
                           llvm::ArrayRef<KnownRange> Known,
                           const ProgressCallback &Tell,
                           std::deque<RangeChange> &Out);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_RANGECHANGES_H
