// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocator to replay with, and what a replay gives.

#ifndef MEMKIT_LIB_SIMULATE_HOSTALLOCATOR_H
#define MEMKIT_LIB_SIMULATE_HOSTALLOCATOR_H

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

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_HOSTALLOCATOR_H
