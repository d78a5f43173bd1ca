// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The highest live bytes in each column of a chart.

#ifndef MEMKIT_ANALYSIS_HEAPCURVES_H
#define MEMKIT_ANALYSIS_HEAPCURVES_H

#include "memkit/Analysis/LiveSeries.h"

namespace memkit {

/// The run from 0 to Trace::endNs() in equal columns.
struct HeapCurves {
  /// The highest live bytes in each column, by heap id; 0: the memory space
  /// `host`, without events empty. Empty where not known.
  std::vector<std::vector<uint64_t>> Highest;
  /// The same of each memory space, by id; 0: `host`. Without events, the sum
  /// of the heaps that lie in no other heap.
  std::vector<std::vector<uint64_t>> Spaces;
  /// Whether the values come from every event. Otherwise the values come from
  /// the ends of intervals, with the heap's peak in its column.
  bool FromEvents = false;
};

/// Live bytes of a memory space at the ends of intervals: the sum of the heaps
/// that lie in no other heap.
std::vector<SeriesPoint> spaceSeries(const Trace &T, uint32_t Space,
                                     const LiveSeries &Live);

/// Replays a short run if all processes are selected; otherwise uses the
/// intervals.
HeapCurves readHeapCurves(const SelectedStats &S, const LiveSeries &Live,
                          unsigned Columns);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_HEAPCURVES_H
