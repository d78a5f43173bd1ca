// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a trace is cut to be replayed in pieces.
//
// A cut is at a snapshot of the process with the most events. A replay of the
// piece behind a cut starts at the snapshots before the cut.

#ifndef MEMKIT_LIB_MODEL_PIECECUTS_H
#define MEMKIT_LIB_MODEL_PIECECUTS_H

#include "memkit/Model/Replay.h"
#include <memory>
#include <vector>

namespace memkit {

/// A cut of a trace in time, and the snapshots from which a replay of the
/// events after the cut starts.
struct PieceCut {
  struct CutProcess {
    uint64_t Events = 0; ///< before the snapshot; 0: there is no snapshot
    /// Allocation ids of the live blocks of the snapshot, rising.
    std::vector<uint64_t> Live;
    /// Pairs of a thread and the id of its last allocation before the snapshot.
    std::vector<std::pair<uint32_t, uint64_t>> LastAllocations;
  };
  uint64_t TimeNs = 0; ///< events up to this time are before the cut
  std::vector<CutProcess> Processes; ///< by process
};

/// The times of at most NumPieces - 1 cuts, rising, at nearly equal distances
/// in events.
std::vector<uint64_t> cutTimes(const TraceReader &R, unsigned NumPieces);

/// Opens a replay on R, which must outlive the replay. TimeNs: the replay
/// starts at the snapshots of this cut; null: at the first event. Null: a
/// replay cannot start there.
std::unique_ptr<Replay> openAt(TraceReader &R, ReplayOptions Options,
                               ReplayObserver *Observer,
                               const uint64_t *TimeNs);

/// Reads the snapshots of the cut at Cut.TimeNs from R; sets the processes'
/// Events and Live. False: a replay from there would differ from a replay of
/// the whole.
bool readCut(TraceReader &R, PieceCut &Cut);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_PIECECUTS_H
