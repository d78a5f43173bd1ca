// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists blocks of a trace one by one.

#ifndef MEMKIT_MODEL_LIVEBLOCKS_H
#define MEMKIT_MODEL_LIVEBLOCKS_H

#include "memkit/Model/Profile.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

class Replay;

/// Replays T up to At and calls Do for each selected process in its state at
/// At; if At is the end, in the state at the process's end. Starts at the
/// snapshot before At, unless the selection needs sizes or threads, which
/// snapshots lack. Needs: the start of the error message, as for
/// requireEvents().
llvm::Error
replayTo(const Trace &T, const Selection &Sel, const TimePoint &At,
         llvm::StringRef Needs,
         llvm::function_ref<llvm::Error(uint32_t Process, const Replay &)> Do);

/// A live block, with its part of the bytes of its memory space.
struct LivePart {
  uint64_t AllocatedNs = 0;
  /// Without the bytes of inner blocks, so that parts can be added; an estimate
  /// where the heap is sampled. 0: inner blocks fill the block.
  uint64_t Bytes = 0;
  uint64_t AllBytes = 0;     ///< with the bytes of inner blocks
  uint64_t AllocationId = 0; ///< in its process
  uint32_t Process = 0, Heap = 0, Stack = 0, ScopePath = 0;
};

/// Calls Do for each selected block that is live at At, by process, then in the
/// order of allocation ids. The selection has no chosen heaps. Replays from the
/// snapshot before At. Needs: as for replayTo().
llvm::Error forEachLivePart(const Trace &T, const Selection &Sel,
                            const TimePoint &At, llvm::StringRef Needs,
                            llvm::function_ref<void(const LivePart &)> Do);

/// As forEachLivePart() for several times, rising, in one replay of the trace:
/// Do gets all parts of a time, after all earlier events and before all others,
/// and may swap the vector. An error of Do ends the replay.
llvm::Error forEachLiveMoment(
    const Trace &T, const Selection &Sel, llvm::ArrayRef<uint64_t> TimesNs,
    llvm::StringRef Needs,
    llvm::function_ref<llvm::Error(uint64_t TimeNs, std::vector<LivePart> &)>
        Do);

/// A value for each selected block that is live at the time point --at, or at
/// the peak, in order of allocation. Without chosen heaps, a block of the
/// memory space `host` counts without its inner blocks, so the values sum to
/// the memory space's peak. Replays from the snapshot before the time point.
/// By: keys are stacks or scope paths.
llvm::Expected<Profile> liveBlocks(const Trace &T, const Selection &Sel,
                                   StatsBy By);

/// The number of selected allocations that were freed within AgeNs. Replays all
/// events.
llvm::Expected<Profile> shortLived(const Trace &T, const Selection &Sel,
                                   StatsBy By, uint64_t AgeNs);

} // namespace memkit

#endif // MEMKIT_MODEL_LIVEBLOCKS_H
