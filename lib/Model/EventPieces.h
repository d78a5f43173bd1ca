// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a trace in pieces, each replayed on its own.

#ifndef MEMKIT_LIB_MODEL_EVENTPIECES_H
#define MEMKIT_LIB_MODEL_EVENTPIECES_H

#include "PieceCuts.h"
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace memkit {

/// Pieces that follow each other in time and together have all events of a
/// trace. A piece starts at the snapshots before the piece, so live bytes and
/// blocks are those of a replay of the whole; what snapshots lack (threads, and
/// sizes at allocation) is unknown of blocks from before the piece.
class EventPieces {
public:
  /// Divides R, which must stay, into at most NumPieces. Nothing: a replay in
  /// pieces would differ (too few snapshots, damage, sampled blocks).
  static std::optional<EventPieces> divide(TraceReader &R, unsigned NumPieces);
  /// At least 2.
  size_t size() const { return Cuts.size() + 1; }

  /// Replays the events of piece At, in order. Select: as for ReplayOptions;
  /// may be empty. OnEvent is called with the stats after the event; false: the
  /// run ends. Any thread; the memory of a replay. Unknown values count as read
  /// by R.
  llvm::Error
  replay(size_t At, std::function<bool(const Allocation &)> Select,
         std::function<bool(const LiveStats &, const ReplayedEvent &)> OnEvent)
      const;

private:
  explicit EventPieces(TraceReader &R) : R(&R) {}
  TraceReader *R;
  std::unique_ptr<std::mutex> Lock = std::make_unique<std::mutex>(); ///< for R
  std::vector<uint64_t> Cuts; ///< times; events up to a time are before the cut
};

/// The number of pieces for EventPieces that pay for R on this machine; 1:
/// none. The variable MEMKIT_REPLAY_PIECES decides in place of the machine.
unsigned wantedEventPieces(const TraceReader &R);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_EVENTPIECES_H
