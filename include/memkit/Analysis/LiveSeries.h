// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, from the intervals.

#ifndef MEMKIT_ANALYSIS_LIVESERIES_H
#define MEMKIT_ANALYSIS_LIVESERIES_H

#include "memkit/Analysis/Series.h"
#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// A (heap, stack).
using HeapStack = std::pair<uint32_t, uint32_t>;

/// How the live bytes of a stack changed from interval to interval.
struct StackChanges {
  uint64_t Rises =
      0; ///< intervals at whose end it had more than at their begin
  uint64_t Falls = 0;
};

struct LiveSeries {
  /// Live bytes of each heap (by id) at the ends of intervals, all selected
  /// processes together; times rise. What a process held is gone when it ends.
  std::vector<std::vector<SeriesPoint>> Heaps;
  llvm::DenseMap<HeapStack, StackChanges> Stacks; ///< those that were watched
  uint64_t Intervals = 0; ///< of the process that has the most
};

/// Reads all intervals of the selected processes. Watched: stacks whose changes
/// are wanted. Errors: TraceError.
llvm::Expected<LiveSeries> readLiveSeries(const SelectedStats &S,
                                          llvm::ArrayRef<HeapStack> Watched);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LIVESERIES_H
