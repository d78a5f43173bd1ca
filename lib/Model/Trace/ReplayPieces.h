// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of stats from a replay in pieces, on all processors.
//
// The trace is cut where a process has a snapshot. Each piece is a replay of
// its own, from the snapshots before its begin, and the rows of the pieces are
// joined: counts are added, live values are those of the last piece, and values
// at a peak are those of the first piece with the highest peak. The rows are
// equal to those of one replay.

#ifndef MEMKIT_LIB_MODEL_REPLAYPIECES_H
#define MEMKIT_LIB_MODEL_REPLAYPIECES_H

#include "memkit/Model/Replay.h"
#include "memkit/Support/ProgressCallback.h"
#include <optional>

namespace memkit {

/// The rows that a replay in pieces makes.
struct PieceRequest {
  /// Which blocks count; empty: all. Called in several threads.
  std::function<bool(const Allocation &)> Select;
  bool BytesCountOnce = false; ///< as ReplayOptions::BytesCountOnce
  /// What distinguishes the rows of a heap; empty: the stack. Called in several
  /// threads.
  std::function<uint64_t(const Allocation &)> GroupOf;
  /// The key of a group of GroupOf. Called in the caller's thread, in the order
  /// in which one replay would meet the groups.
  std::function<uint32_t(uint64_t)> KeyOf;
};

struct PieceRows {
  std::vector<StackStatsRows> Stacks, ScopePaths; ///< by process, heap, key
};

/// The number of pieces that pay for R on this machine; 1: replay R as a whole.
/// NumRows: of R's summary. The variable MEMKIT_REPLAY_PIECES, for tests and
/// measurements, decides in place of the machine.
unsigned wantedPieces(const TraceReader &R, size_t NumRows);

/// Replays R in at most NumPieces pieces. Memory: as for so many replays.
/// Nothing: R cannot be replayed in pieces (too few snapshots, damage, sampled
/// blocks); a replay of the whole has the reason, if there is an error.
std::optional<PieceRows> replayPieces(TraceReader &R,
                                      const PieceRequest &Wanted,
                                      unsigned NumPieces,
                                      const ProgressCallback &OnProgress);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_REPLAYPIECES_H
