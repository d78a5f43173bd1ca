// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contexts of CUDA in a process.
//
// Gives each context its device and a small number. Any thread looks up a
// context at every allocation, without a lock.

#ifndef MEMKIT_CAPTURE_CUDA_CONTEXTS_H
#define MEMKIT_CAPTURE_CUDA_CONTEXTS_H

#include "Cuda/Cupti.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture::cuda {

struct ContextPlace {
  uint32_t Device = wire::CudaPlace::NoDevice; ///< the device's ordinal
  uint32_t Number = 0; ///< from 1, unique among live contexts; 0: none

  uint32_t in(wire::CudaHeap H) const {
    return wire::CudaPlace::pack(Device, uint32_t(H), Number);
  }
};

class Contexts {
public:
  /// The place of a context. Notes a new context, with the device of DeviceOf,
  /// or no device.
  ContextPlace place(CUcontext C) {
    // A removed entry has a null handle, too.
    if (!C)
      return {};
    uint32_t Max = Used.load(std::memory_order_acquire);
    for (uint32_t I = 0; I != Max; ++I)
      if (Table[I].Handle.load(std::memory_order_relaxed) == C)
        return placeAt(I);
    return ask(C);
  }
  /// The place of a context of \p Device.
  ContextPlace place(CUcontext C, uint32_t Device);
  /// The place of a noted context; number 0: not noted.
  ContextPlace known(CUcontext C) const;
  void remove(CUcontext C);

private:
  static constexpr uint32_t MaxContexts = 1024;
  struct ContextEntry {
    std::atomic<CUcontext> Handle;
    std::atomic<uint32_t> Device;
  };
  ContextPlace placeAt(uint32_t I) const {
    return {Table[I].Device.load(std::memory_order_relaxed), I + 1};
  }
  ContextPlace ask(CUcontext C);
  ContextPlace note(CUcontext C, uint32_t Device);
  ContextEntry Table[MaxContexts];
  std::atomic<uint32_t> Used; ///< the end of the entries that were ever used
};
extern Contexts TheContexts;

/// The device of a context; set before the first look-up.
extern uint32_t (*DeviceOf)(CUcontext);

/// Reports a device to the recorder, once.
void introduceDevice(uint32_t Ordinal);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CONTEXTS_H
