// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, from the intervals.

#ifndef MEMKIT_ANALYSIS_LIVESERIES_H
#define MEMKIT_ANALYSIS_LIVESERIES_H

#include "memkit/Analysis/Series.h"
#include "memkit/Model/Intervals.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// A (heap, stack).
using HeapStack = std::pair<uint32_t, uint32_t>;

/// How the live bytes of a stack changed from interval to interval.
struct StackChanges {
  /// Intervals with more live bytes at the end than at the start.
  uint64_t Rises = 0;
  uint64_t Falls = 0;
  /// The first and the last interval of Rises, from 0.
  uint64_t FirstRise = 0, LastRise = 0;
  /// A rise was in the last quarter of the time of its process. A process that
  /// changes no memory has no intervals.
  bool RisesLate = false;
};

struct LiveSeries {
  /// Live bytes of each heap (by id) at the ends of intervals, summed over the
  /// selected processes; times rise. When a process ends, its bytes are gone.
  std::vector<std::vector<SeriesPoint>> Heaps;
  llvm::DenseMap<HeapStack, StackChanges> Stacks; ///< the watched stacks
  uint64_t Intervals = 0; ///< of the process with most intervals
};

/// Reads all intervals of the selected processes. Watched: the stacks for
/// LiveSeries::Stacks. Also: another taker of the same pass, or null. Errors:
/// TraceError.
llvm::Expected<LiveSeries>
readLiveSeries(IntervalSeries &Intervals, const SelectedStats &S,
               llvm::ArrayRef<HeapStack> Watched,
               llvm::function_ref<void(size_t Process, size_t Interval,
                                       llvm::ArrayRef<IntervalChange> Rows)>
                   Also = nullptr);
/// The same, with the intervals of S.
llvm::Expected<LiveSeries> readLiveSeries(const SelectedStats &S,
                                          llvm::ArrayRef<HeapStack> Watched);

/// Live bytes of groups of stacks at the ends of intervals, by group, as
/// LiveSeries::Heaps. GroupOf: the group of a row, from 0; NumGroups or higher:
/// the row does not count; Process: an id. PeakNs: the time of a peak that
/// addSpike() is to add: rises of stacks in an interval around it count from
/// the time on, falls from the interval's end. Errors: TraceError.
llvm::Expected<std::vector<std::vector<SeriesPoint>>>
readGroupSeries(IntervalSeries &Intervals, const Trace &T, size_t NumGroups,
                llvm::function_ref<uint32_t(uint32_t Process, uint32_t Heap,
                                            uint32_t Stack)>
                    GroupOf,
                uint64_t PeakNs = UINT64_MAX);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LIVESERIES_H
