// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The overview of a trace: the contents of one page.

#ifndef MEMKIT_ANALYSIS_OVERVIEW_H
#define MEMKIT_ANALYSIS_OVERVIEW_H

#include "memkit/Analysis/DeviceGaps.h"
#include "memkit/Analysis/Dtypes.h"
#include "memkit/Analysis/Fragmentation.h"
#include "memkit/Analysis/GrowthLines.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Analysis/LayerHolds.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Analysis/OomMoment.h"
#include "memkit/Analysis/PlaceStats.h"
#include "memkit/Analysis/Programs.h"
#include "memkit/Analysis/Rounding.h"
#include "memkit/Analysis/Suggestions.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/StatsQuery.h"
#include <functional>

namespace memkit {

/// Resident memory of the selected processes, as far as samples tell.
struct Resident {
  /// The last sample: all processes together.
  bool HasLast = false;
  uint64_t LastBytes = 0;
  /// The part of LastBytes that is code, files and shared memory.
  uint64_t LastSharedBytes = 0;
  /// The live bytes of the host then; none: not known.
  std::optional<uint64_t> LastLiveBytes;
  /// Where memory was swapped out: the most own memory (ownSeries()) of all
  /// processes together, the part of it that was swapped out, and the own
  /// memory in the last sample. All 0: nothing was swapped out.
  uint64_t OwnBytes = 0, OwnSwapped = 0, OwnNs = 0, LastOwnBytes = 0;
  /// The highest sum in each column of the curves; empty: no samples.
  std::vector<uint64_t> Highest;
  /// When the only sampled process was largest, if that is another moment than
  /// the peak of the host's live bytes; else 0.
  uint64_t HighestNs = 0;
  uint64_t AtPeakBytes = 0; ///< resident at that peak, at most
  /// The place that allocated most just before HighestNs; none: nothing did.
  std::optional<uint32_t> Ran;
};

/// The answer of memstat.
struct Overview {
  std::vector<HeapOverview> Heaps;
  /// Stats by library of the heaps of devices and of the host heaps of CUDA
  /// (`cuda.pinned`, ...).
  std::vector<GroupedStats> Libraries;
  std::vector<HeapFragmentation> Fragmentation;
  std::vector<DeviceGap> Gaps;
  std::vector<Suggestion> Suggestions;
  std::vector<LayerStats> Layers;    ///< most held bytes first
  LayerHolds Held;                   ///< the layers' held bytes
  std::vector<LayerStats> Operators; ///< longest self time first
  std::vector<StepReport> Steps;
  std::vector<ThreadStats> Threads;
  std::vector<CategorySum> Categories;
  LiveSeries Live;                  ///< empty if not needed
  std::optional<HeapCurves> Curves; ///< if OverviewOptions::Columns
  Resident Rss;
  std::vector<ResidentSeries> Residents; ///< by process; [0] is empty
  std::vector<AllocatorSays> Allocators; ///< as MarkSeries::Allocators
  std::optional<SampleCosts> Costs;      ///< as MarkSeries::Costs
  std::vector<RecorderPoint> Recorder;   ///< as MarkSeries::Recorder
  std::optional<memkit::Places> Where;   ///< the places below
  std::vector<PlaceStats> Places;        ///< by memory space, the largest first
  GrowthReport Growth;                   ///< if OverviewOptions::Growth
  std::vector<LineGrowth> Growing;       ///< of Growth, by line
  std::optional<OomMoment> Oom;          ///< the last out-of-memory event
  std::vector<RaisedAlert> Alerts;       ///< in order of time
  std::vector<HeldPath> Names; ///< that hold blocks; the most bytes first
  HeldBlocks Named;            ///< the blocks that these names hold
  std::vector<llvm::StringRef> Versions; ///< as MarkSeries::Versions
  ProgramReport Compiled;                ///< empty without heaps of JAX
  /// If OverviewOptions::Rounding.
  std::optional<std::vector<RoundingRow>> Rounding;
  /// If OverviewOptions::Dtypes.
  std::optional<std::vector<DtypeStats>> Dtypes;
  /// The intervals of the selection, if the overview needed any; for callers
  /// that read more of them.
  std::unique_ptr<IntervalSeries> Intervals;
};

struct OverviewOptions {
  size_t Top = 3;       ///< stacks of each peak; 0: all
  unsigned Columns = 0; ///< of Overview::Curves; 0: no curves
  bool Growth = true;
  GrowthOptions GrowthOf; ///< if Growth
  /// The stacks of each peak, and the libraries of devices.
  bool Stacks = true;
  bool Rounding = false; ///< reads all events
  bool Dtypes = false;   ///< replays all events
  /// Without Stacks: what folds the frames of the trace, or null. Runs beside
  /// the rest, before anything reads Trace::view(); the trace comes unfolded.
  std::function<void()> Fold;
};

/// Reads marks, and intervals if needed. Reads events only for the curves of a
/// short run. Errors: TraceError.
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
