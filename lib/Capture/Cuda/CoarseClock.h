// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cheap clock.

#ifndef MEMKIT_CAPTURE_CUDA_COARSECLOCK_H
#define MEMKIT_CAPTURE_CUDA_COARSECLOCK_H

#include <cstdint>
#include <ctime>

namespace memkit::capture::cuda {

/// A clock with steps of a millisecond or more, without a system call.
inline uint64_t coarseNs() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &T);
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_COARSECLOCK_H
