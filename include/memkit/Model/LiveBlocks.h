// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks one by one.

#ifndef MEMKIT_MODEL_LIVEBLOCKS_H
#define MEMKIT_MODEL_LIVEBLOCKS_H

#include "memkit/Model/Profile.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

class Replay;

/// Replays T up to At, and gives Do each process of the selection as it is
/// then; at the end, as it was when it ended. Starts at the snapshot before it,
/// unless the selection is by what snapshots do not tell. Needs: who asks, as
/// requireEvents() takes it.
llvm::Error
replayTo(const Trace &T, const Selection &Sel, const Moment &At,
         llvm::StringRef Needs,
         llvm::function_ref<llvm::Error(uint32_t Process, const Replay &)> Do);

/// A value for each block of the selection that lives at its moment (--at), or
/// at the peak, in order of allocation. Without chosen heaps a block of the
/// memory space `host` has the bytes that no other block in it takes, so that
/// they sum to the memory space's peak. Replays from the snapshot before. Keys:
/// stacks, or scope paths.
llvm::Expected<Profile> liveBlocks(const Trace &T, const Selection &Sel,
                                   StatsBy By);

/// How many allocations of the selection were freed within AgeNs of being made.
/// Replays all events.
llvm::Expected<Profile> shortLived(const Trace &T, const Selection &Sel,
                                   StatsBy By, uint64_t AgeNs);

} // namespace memkit

#endif // MEMKIT_MODEL_LIVEBLOCKS_H
