// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, by what only events know: threads and scope paths.

#ifndef MEMKIT_ANALYSIS_GROUPCURVES_H
#define MEMKIT_ANALYSIS_GROUPCURVES_H

#include "memkit/Analysis/Series.h"
#include "memkit/Model/Replay.h"
#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/BitVector.h"

namespace memkit {

/// What readGroupCurves() needs to know of a trace.
struct GroupCurveSpec {
  /// The group of an allocation, from 0 to NumGroups - 1.
  std::function<uint32_t(const Allocation &)> GroupOf;
  uint32_t NumGroups = 0;
  /// If set, only blocks for which Select returns true count.
  std::function<bool(const Allocation &)> Select;
  /// By heap id: the heaps that count, all of the memory space Space. A block
  /// counts without its inner blocks that Select accepts.
  llvm::BitVector Heaps;
  uint32_t Space = 0;
  uint32_t Heap = 0;  ///< the only heap that counts; 0: none
  uint64_t EndNs = 0; ///< of the run
};

struct GroupCurves {
  /// By group: live bytes, each point up to the next. Most points are at equal
  /// distances; the first behind PeakNs is at PeakNs + 1.
  std::vector<std::vector<SeriesPoint>> Groups;
  /// By group: the live bytes at the highest sum of all groups.
  std::vector<uint64_t> AtPeak;
  uint64_t PeakNs = 0;  ///< the time of the highest sum
  uint64_t EveryNs = 0; ///< the distance of points
};

/// Replays all events of R on the calling thread. Memory: as for a replay, and
/// 16 bytes for each change of a group from point to point. Errors: TraceError.
llvm::Expected<GroupCurves> readGroupCurves(TraceReader &R,
                                            const GroupCurveSpec &Spec,
                                            const ProgressCallback &Tell);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROUPCURVES_H
