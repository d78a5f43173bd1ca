// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's allocator of CUDA memory.

#ifndef MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H
#define MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H

#include "Wire/Layout.h"

namespace memkit::capture {

struct CudaAllocator {
  /// Tracked: the other fields are valid; else the reason why no tracker can be
  /// attached.
  wire::CudaState Is;
  void *Object;
  /// The allocator's attachAllocatorTraceTracker; takes the object and the
  /// address of a std::function.
  void (*AttachTracker)(void *, void *);
  bool HasPools; ///< trace entries name their pool
};

/// Looks up the allocator's variable, if the library is loaded. Called early,
/// because findCudaAllocator() runs below the allocator's lock, where the
/// loader's lock is better not taken.
void lookUpCudaAllocator();

/// The allocator in use. Reads a file, so call this once.
CudaAllocator findCudaAllocator();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_CUDAALLOCATOR_H
