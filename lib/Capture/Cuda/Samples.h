// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device says is in use.

#ifndef MEMKIT_CAPTURE_CUDA_SAMPLES_H
#define MEMKIT_CAPTURE_CUDA_SAMPLES_H

#include "Cuda/Contexts.h"

#include <atomic>

namespace memkit::capture::cuda {

/// What the driver said was the most that something had, when it was last
/// asked.
struct HighWater {
  std::atomic<uint64_t> Used, Reserved;

  /// Takes what it says now. True: it had more meanwhile than it has. (The
  /// program may set both back.)
  bool take(uint64_t MaxUsed, uint64_t Max, uint64_t UsedNow,
            uint64_t ReservedNow) {
    bool HasMore = MaxUsed != Used.exchange(MaxUsed) && MaxUsed > UsedNow;
    HasMore |= Max != Reserved.exchange(Max) && Max > ReservedNow;
    return HasMore;
  }
};

/// Looks how much of the device of \p P is in use, at most ten times a second
/// and device. The context of \p P is the thread's, and it captures no graph.
void sampleDevice(const ContextPlace &P);
/// Whether that is to come.
bool isSampleDue(const ContextPlace &P);

/// The same before modules are loaded or go, at most so often as the clock
/// below changes. False: it was not looked at.
bool sampleBeforeModules(const ContextPlace &P);
/// And after it, when it was looked at before.
void sampleAfterModules(const ContextPlace &P);
/// Modules came or went, and nobody looked: the next look is for them, too.
void noteModules(const ContextPlace &P);

/// In whole milliseconds or so: cheap, and no system call.
uint64_t coarseNs();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_SAMPLES_H
