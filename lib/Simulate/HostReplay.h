// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the requests of a recorded program with other allocators.
//
// Each replay is a process of its own, memkit-replay, with the allocator
// preloaded. The process writes to each page of each block, and measures its
// own memory. The parent waits for the process in every case, and kills the
// process that makes no progress.

#ifndef MEMKIT_LIB_SIMULATE_HOSTREPLAY_H
#define MEMKIT_LIB_SIMULATE_HOSTREPLAY_H

#include "Simulate/HostAllocator.h"
#include "Simulate/HostRequests.h"
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// Whether the allocator can be loaded. Errors: what is missing.
llvm::Error checkHostAllocator(const HostAllocator &A,
                               const HostReplayLimits &Limits);

/// Replays the target. A process that dies is a HostResult::Failure. Errors: of
/// the trace, and of the start of the process.
llvm::Expected<HostResult> replayHost(const Trace &T, const HostTarget &Of,
                                      const HostAllocator &A,
                                      const HostReplayLimits &Limits);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_HOSTREPLAY_H
