// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What snapshots lack of their blocks.
//
// A snapshot has neither the thread nor the requested size of a block, and not
// the last allocation of each thread. These are in the events before the
// snapshot. All events are read here, on all processors, without a replay:
// that takes about a third of a replay's work.

#ifndef MEMKIT_LIB_MODEL_PIECEORIGINS_H
#define MEMKIT_LIB_MODEL_PIECEORIGINS_H

#include "PieceCuts.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class PieceOrigins {
public:
  /// Whether a block is selected; called in several threads. Empty: all are.
  using Selects = std::function<bool(const Allocation &)>;

  /// Reads all events of R, which has no events left out. Sets
  /// LastAllocations of Cuts, which are in order of time; only selected
  /// allocations count. Finds the thread and size of each block in a cut's
  /// Live. False: R cannot be replayed in pieces, because of damage, blocks
  /// that stand for several blocks, or millions of splits.
  bool find(const TraceReader &R, const IdLimits &Limits,
            std::vector<PieceCut> &Cuts, const Selects &Select);
  /// Sets the thread and the size of a block of a cut, as they were at its
  /// allocation. Any thread.
  void complete(Allocation &B) const;

private:
  struct BlockOrigin {
    uint64_t Size = 0;
    uint32_t Thread = 0;
    bool IsKnown = false;
  };
  struct ProcessOrigins {
    std::vector<uint64_t> Ids;        ///< of blocks in cuts, rising
    std::vector<BlockOrigin> Origins; ///< of Ids
    /// The split block of each block that a split has made.
    llvm::DenseMap<uint64_t, uint64_t> SplitFrom;
  };
  /// A section of events, and what was found in it.
  struct EventPart {
    const SectionInfo *Section = nullptr;
    uint64_t EventsBefore = 0; ///< of the process
    uint64_t FirstId = 0, EndId = 0;
    struct LastOne {
      size_t Cut; ///< the first cut after the allocation
      uint32_t Thread;
      uint64_t Id;
    };
    std::vector<LastOne> LastOnes;
    std::vector<std::pair<uint64_t, uint64_t>> Splits; ///< new, split block
    bool IsUsable = false;
  };
  static std::vector<EventPart> partsOf(const TraceReader &R,
                                        const IdLimits &Limits);
  void wantLive(const std::vector<PieceCut> &Cuts, size_t NumProcesses);
  void readPart(EventPart &Of, const EventTable &E,
                const std::vector<PieceCut> &Cuts, const Selects &Select);
  static void noteLast(EventPart &Of, const EventTable &E,
                       const std::vector<PieceCut> &Cuts,
                       const Selects &Select);
  bool followSplits(const TraceReader &R, const std::vector<EventPart> &Parts);
  static BlockOrigin originIn(const EventTable &E, uint64_t Id);

  std::vector<ProcessOrigins> Processes; ///< by process
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_PIECEORIGINS_H
