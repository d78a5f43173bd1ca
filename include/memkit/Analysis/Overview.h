// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that one page says of a trace.

#ifndef MEMKIT_ANALYSIS_OVERVIEW_H
#define MEMKIT_ANALYSIS_OVERVIEW_H

#include "memkit/Analysis/DeviceGaps.h"
#include "memkit/Analysis/Fragmentation.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Analysis/LayerHolds.h"
#include "memkit/Analysis/Suggestions.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/StatsQuery.h"

namespace memkit {

/// The answer of memstat.
struct Overview {
  std::vector<HeapOverview> Heaps;
  /// Of the heaps of devices, and of those of the host that CUDA gives out
  /// (`cuda.pinned`, ...), by library.
  std::vector<GroupedStats> Libraries;
  std::vector<HeapFragmentation> Fragmentation;
  std::vector<DeviceGap> Gaps;
  std::vector<Suggestion> Suggestions;
  std::vector<LayerStats> Layers; ///< those that hold most first
  LayerHolds Held;                ///< what they hold
  std::vector<StepReport> Steps;
  std::vector<ThreadStats> Threads;
  std::vector<CategorySum> Categories;
  LiveSeries Live;                  ///< where something needed intervals
  std::optional<HeapCurves> Curves; ///< where OverviewOptions::Columns asks
};

struct OverviewOptions {
  size_t Top = 3;       ///< stacks of each peak; 0: all
  unsigned Columns = 0; ///< of Overview::Curves; 0: none are wanted
};

/// Reads marks, and intervals where they are needed; no events. Errors:
/// TraceError.
llvm::Expected<Overview> queryOverview(const SelectedStats &S,
                                       const OverviewOptions &Options);

/// By how many bytes live memory grew in a step.
inline int64_t growthOf(const SpaceShare &S) {
  return static_cast<int64_t>(S.AllocatedBytes - S.FreedBytes);
}
inline int64_t growthOf(const StepStats &S) {
  return static_cast<int64_t>(S.AllocatedBytes - S.FreedBytes);
}

} // namespace memkit

#endif // MEMKIT_ANALYSIS_OVERVIEW_H
