// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the requests to PyTorch's allocator of pinned host memory.
//
// The allocator (at::HostAllocator of libtorch_cuda.so) rounds a request up,
// takes the block from a list of free blocks or from CUDA's driver, and keeps a
// freed block for the next request. So the driver's blocks show neither the
// requested size nor the line that uses a block now.
//
// libtorch_cuda.so registers the allocator by at::setHostAllocator(), which
// memkit defines, too. An allocator of the expected class gets a copy of the
// class's table of virtual functions in which allocate() is memkit's. For each
// block that is recorded, memkit's function replaces the function that frees
// the block. Layouts are those of PyTorch 2.8 to 2.13; each block's own address
// and size are compared before the block is recorded, and a block that differs
// is left as PyTorch made the block.

#ifndef MEMKIT_CAPTURE_TORCH_PINNEDALLOCATOR_H
#define MEMKIT_CAPTURE_TORCH_PINNEDALLOCATOR_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

struct CallerFrame;

/// One in a process, children of fork included.
class PinnedAllocator {
public:
  /// Takes the place of \p Allocator's allocate(), if the allocator is CUDA's.
  /// The caller registers the allocator, so no thread uses the allocator yet.
  void attach(void *Allocator);

  struct DataPtr;
  struct Block;
  /// As at::HostAllocator::allocate(). Any thread.
  void allocate(DataPtr &Result, void *Allocator, size_t Requested,
                const CallerFrame &Caller);
  /// As the function that frees a block. Any thread.
  void free(Block *B);

private:
  using PinnedAllocateFn = void *(*)(DataPtr *, void *, size_t);
  using PinnedFreeFn = void (*)(void *);
  bool record(const DataPtr &Made, size_t Requested, const CallerFrame &Caller);

  PinnedAllocateFn RealAllocate = nullptr;
  std::atomic<PinnedFreeFn> RealFree{nullptr}; ///< the same for all blocks
  /// The copy of the table: two words precede the functions.
  static constexpr unsigned Allocate = 2, MaxFunctions = 48;
  void *Functions[2 + MaxFunctions] = {};
};

extern PinnedAllocator Pinned;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_PINNEDALLOCATOR_H
