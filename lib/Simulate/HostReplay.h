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

#include "Simulate/HostRequests.h"
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// An allocator with its settings.
struct HostAllocator {
  std::string Name;    ///< as the user wrote it: `glibc:arena_max=1`
  std::string Library; ///< for LD_PRELOAD; empty: malloc of libc
  std::string Package; ///< of Debian, with Library; may be empty
  /// Variables of the environment.
  std::vector<std::pair<std::string, std::string>> Variables;
};

struct HostReplayLimits {
  std::string Program;           ///< the path of memkit-replay
  uint64_t MaxResidentBytes = 0; ///< of a replay
  /// A replay that makes no progress for so long is killed; 0: never.
  uint64_t StuckNs = 60'000'000'000;
};

struct HostResult {
  wire::ReplayOutcome Outcome;
  std::string Failure;  ///< why there is no result; empty: there is one
  std::string Messages; ///< what the allocator wrote to standard error
};

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
