// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats by stack, line, library, scope, layer, ..., of the whole run, of a
// moment or of a range.

#ifndef MEMKIT_MODEL_STATSQUERY_H
#define MEMKIT_MODEL_STATSQUERY_H

#include "memkit/Model/ScopeView.h"
#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// What the rows of one group say of one heap, over all processes. Bytes of
/// blocks with the blocks in them, unless they are exclusive.
struct GroupedStats {
  uint32_t Heap = 0;
  uint32_t Key = 0; ///< one of the group's stacks, or scope paths
  /// Of the group: `train.py:42 step`, `libtorch.so`, a layer. Of a stack its
  /// innermost frame.
  std::string Name;
  uint64_t Allocations = 0, Frees = 0, Temporaries = 0;
  uint64_t AllocatedBytes = 0, FreedBytes = 0;
  /// When their processes ended, or at the moment that was asked for.
  uint64_t LiveBlocks = 0, LiveBytes = 0, LiveExclusive = 0;
  uint64_t HeapPeakBlocks = 0, HeapPeakBytes = 0; ///< at the heap's peak
  /// At the peak of the heap's memory space, exclusive.
  uint64_t SpacePeakBlocks = 0, SpacePeakBytes = 0;
};

/// What S has of the heaps that Chooses takes (null: all of S), a row for each
/// heap and group: by heap, then the most bytes at the heap's peak first. By: a
/// stack that is shown alike, Function, File, Binary, Line (the innermost line
/// of Python where Python called, else the innermost frame whose line is known,
/// else the function), Library, Heap; of scope paths ScopePath or Layer, for
/// which S has to be of StatsBy::ScopePaths. Takes time in proportion to the
/// rows and, of Stack and Library, to the nodes of the trace.
std::vector<GroupedStats>
groupStats(const SelectedStats &S, GroupBy By,
           llvm::function_ref<bool(uint32_t Heap)> Chooses = nullptr);

/// The answer of queryStats().
struct StatsReport {
  std::vector<GroupedStats> Rows;
  TimeWindow Times; ///< what was asked for, as it was found in the trace
};
/// Of what Spec chooses. Without Spec's times, all sizes and threads no event
/// is read. Needs TP_All. Errors: those of Selection and of reading.
llvm::Expected<StatsReport> queryStats(const Trace &T,
                                       const SelectionSpec &Spec, GroupBy By);
/// What lived at a point of time: LiveBytes and all other values are those of
/// then.
llvm::Expected<StatsReport> queryMoment(const Trace &T, const TimePoint &At,
                                        SelectionSpec Spec, GroupBy By);
/// What was allocated from Since to before Until (none: the begin, the end):
/// AllocatedBytes is what was allocated then, LiveBytes what of it lived at
/// Until.
llvm::Expected<StatsReport> queryRange(const Trace &T,
                                       std::optional<TimePoint> Since,
                                       std::optional<TimePoint> Until,
                                       SelectionSpec Spec, GroupBy By);

} // namespace memkit

#endif // MEMKIT_MODEL_STATSQUERY_H
