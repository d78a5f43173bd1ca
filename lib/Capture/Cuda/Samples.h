// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples the used memory of a device.

#ifndef MEMKIT_CAPTURE_CUDA_SAMPLES_H
#define MEMKIT_CAPTURE_CUDA_SAMPLES_H

#include "Cuda/CoarseClock.h"
#include "Cuda/Contexts.h"

#include <atomic>

namespace memkit::capture::cuda {

/// The driver's high-water marks at the last question.
struct HighWater {
  std::atomic<uint64_t> Used, Reserved;

  /// Takes the present values. True: a high-water mark has changed since the
  /// last question, and is above the memory in use or reserved now. (The
  /// program may reset the driver's marks.)
  bool take(uint64_t MaxUsed, uint64_t Max, uint64_t UsedNow,
            uint64_t ReservedNow) {
    bool HasMore = MaxUsed != Used.exchange(MaxUsed) && MaxUsed > UsedNow;
    HasMore |= Max != Reserved.exchange(Max) && Max > ReservedNow;
    return HasMore;
  }
};

/// Records the used memory of the device of \p P, at most ten times a second
/// and device. \p P is of the thread's current context, and no thread captures
/// a graph.
void sampleDevice(const ContextPlace &P);
/// Will sampleDevice() measure?
bool isSampleDue(const ContextPlace &P);

/// Measures before modules are loaded or unloaded, at most once for each step
/// of coarseNs(). False: not measured.
bool sampleBeforeModules(const ContextPlace &P);
/// Measures after the change of modules, if sampleBeforeModules() measured.
void sampleAfterModules(const ContextPlace &P);
/// Notes a change of modules without a measurement; the next measurement covers
/// the change.
void noteModules(const ContextPlace &P);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_SAMPLES_H
