// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats by stack, line, library, scope, layer, ..., of the whole run, of a
// time point or of a range.

#ifndef MEMKIT_MODEL_STATSQUERY_H
#define MEMKIT_MODEL_STATSQUERY_H

#include "memkit/Model/ScopeView.h"
#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

class Places;

/// The stats of one group in one heap, over all processes. Bytes include inner
/// blocks, except exclusive bytes.
struct GroupedStats {
  uint32_t Heap = 0;
  uint32_t Key = 0; ///< one of the group's stacks, or scope paths
  /// The group's name: `train.py:42 step`, `libtorch.so`, a layer. Of a stack
  /// the innermost frame.
  std::string Name;
  uint64_t Allocations = 0, Frees = 0, Temporaries = 0;
  uint64_t AllocatedBytes = 0, FreedBytes = 0;
  /// At the end of each process, or at the time point of queryTimePoint().
  uint64_t LiveBlocks = 0, LiveBytes = 0, LiveExclusive = 0;
  uint64_t HeapPeakBlocks = 0, HeapPeakBytes = 0; ///< at the heap's peak
  /// At the peak of the heap's memory space, exclusive.
  uint64_t SpacePeakBlocks = 0, SpacePeakBytes = 0;
};

/// A row for each heap and group of S, in the heaps that Chooses takes (null:
/// all): by heap, then the most bytes at the heap's peak first. By: Stack
/// (equal shown frames), Function, File, Binary, Line (the innermost Python
/// line, else the innermost frame with a line, else the function), Library,
/// Heap; with StatsBy::ScopePaths ScopePath or Layer. Time grows with the rows;
/// for Stack and Library with the trace's nodes, too.
std::vector<GroupedStats>
groupStats(const SelectedStats &S, GroupBy By,
           llvm::function_ref<bool(uint32_t Heap)> Chooses = nullptr);

/// The same by the places of stacks (Places.h): the lines of the user's own
/// code, and what stands for memory without such a line.
std::vector<GroupedStats> groupStats(const SelectedStats &S, const Places &Of);

/// The answer of queryStats().
struct StatsReport {
  std::vector<GroupedStats> Rows;
  TimeWindow Times; ///< the time point or range, as found in the trace
};
/// Stats of Spec's choice. A Spec of times, sizes or threads reads events.
/// Reads TP_All. Errors: of Selection and of reading.
llvm::Expected<StatsReport> queryStats(const Trace &T,
                                       const SelectionSpec &Spec, GroupBy By);
/// Blocks live at a time point: all values are values of this time point.
llvm::Expected<StatsReport> queryTimePoint(const Trace &T,
                                           const TimePointSpec &At,
                                           SelectionSpec Spec, GroupBy By);
/// Blocks allocated from Since (none: the start) to before Until (none: the
/// end): AllocatedBytes in the range, LiveBytes at Until.
llvm::Expected<StatsReport> queryRange(const Trace &T,
                                       std::optional<TimePointSpec> Since,
                                       std::optional<TimePointSpec> Until,
                                       SelectionSpec Spec, GroupBy By);

} // namespace memkit

#endif // MEMKIT_MODEL_STATSQUERY_H
