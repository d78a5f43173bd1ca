// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's allocator of CUDA memory.

#ifndef MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H
#define MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H

#include "Wire/Layout.h"

namespace memkit::capture {

struct CudaAllocator {
  /// Tracked: the rest is good; else why there is nothing to attach to.
  wire::CudaState Is;
  void *Object;
  /// Its attachAllocatorTraceTracker: a std::function, by its address.
  void (*AttachTracker)(void *, void *);
  bool HasPools; ///< entries of its tracker say which
};

/// Looks up what findCudaAllocator() would have to, where the library is loaded
/// by now: the loader's lock is better not taken below the allocator's.
void lookUpCudaAllocator();

/// The one in use. Reads a file: once.
CudaAllocator findCudaAllocator();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H
