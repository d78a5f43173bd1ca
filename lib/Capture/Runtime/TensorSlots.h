// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of devices with tensors.

#ifndef MEMKIT_CAPTURE_RUNTIME_TENSORSLOTS_H
#define MEMKIT_CAPTURE_RUNTIME_TENSORSLOTS_H

#include "Wire/Layout.h"

namespace memkit::capture {

inline constexpr uint32_t NoTensorSlot = ~0u;

/// The number of a wire::TensorDeviceWord among those of this process, added if
/// new; NoTensorSlot: too many. Any thread.
inline uint32_t tensorSlot(wire::Control &C, uint32_t Word) {
  for (uint32_t I = 0; I != wire::MaxTensorDevices; ++I) {
    std::atomic<uint32_t> &Slot = C.TensorDevices[I];
    uint32_t Is = Slot.load(std::memory_order_relaxed);
    if (Is == Word ||
        (!Is && (Slot.compare_exchange_strong(Is, Word) || Is == Word)))
      return I;
  }
  return NoTensorSlot;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_TENSORSLOTS_H
