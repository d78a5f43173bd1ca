// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contexts of CUDA in a process.
//
// Which device a context is of, and a small number for it. Looked up at every
// allocation, by any thread: nothing is locked.

#ifndef MEMKIT_CAPTURE_CUDA_CONTEXTS_H
#define MEMKIT_CAPTURE_CUDA_CONTEXTS_H

#include "Cuda/Cupti.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture::cuda {

struct ContextPlace {
  uint32_t Device = wire::CudaPlace::NoDevice; ///< its ordinal
  uint32_t Number = 0; ///< from 1, one for each that lives; 0: none

  uint32_t in(wire::CudaHeap H) const {
    return wire::CudaPlace::pack(Device, uint32_t(H), Number);
  }
};

class Contexts {
public:
  /// A context that is not known is noted: one of \p Device, or of no device.
  ContextPlace place(CUcontext C) {
    // (An entry that was given back has none.)
    if (!C)
      return {};
    uint32_t Max = Used.load(std::memory_order_acquire);
    for (uint32_t I = 0; I != Max; ++I)
      if (Table[I].Handle.load(std::memory_order_relaxed) == C)
        return placeAt(I);
    return ask(C);
  }
  /// The same of one that is known to be of \p Device.
  ContextPlace place(CUcontext C, uint32_t Device);
  /// The same, without noting one.
  ContextPlace known(CUcontext C) const;
  void remove(CUcontext C);

private:
  static constexpr uint32_t MaxContexts = 1024;
  struct Entry {
    std::atomic<CUcontext> Handle;
    std::atomic<uint32_t> Device;
  };
  ContextPlace placeAt(uint32_t I) const {
    return {Table[I].Device.load(std::memory_order_relaxed), I + 1};
  }
  ContextPlace ask(CUcontext C);
  ContextPlace note(CUcontext C, uint32_t Device);
  Entry Table[MaxContexts];
  std::atomic<uint32_t> Used; ///< entries from here on were never used
};
extern Contexts TheContexts;

/// Which device a context is of; set before the first is looked up.
extern uint32_t (*DeviceOf)(CUcontext);

/// Tells the recorder of a device, once.
void introduceDevice(uint32_t Ordinal);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CONTEXTS_H
