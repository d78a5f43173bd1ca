// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the dtype of the tensor in each block of PyTorch.
//
// PyTorch's allocators know bytes only. The first operator that takes a tensor
// as its input shows the dtype of the tensor's memory. A table remembers the
// blocks whose dtype has been recorded, until the allocator gives their
// addresses to other tensors. Blocks may push each other out of the table: then
// a dtype is recorded again. Nothing is locked.

#ifndef MEMKIT_CAPTURE_TORCH_TENSORDTYPES_H
#define MEMKIT_CAPTURE_TORCH_TENSORDTYPES_H

#include "Runtime/Thread.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// All zeros at the start. Any thread.
class TensorDtypes {
public:
  /// An operator of the thread takes a tensor whose memory begins at \p
  /// Address.
  /// \p Dtype: as wire::dtypeName() takes it.
  void note(ThreadState &T, uint64_t Address, uint16_t Dtype) {
    std::atomic<uint64_t> *Of = Table.load(std::memory_order_acquire);
    if (!__builtin_expect(
            Of && Of[slot(Address)].load(std::memory_order_relaxed) == Address,
            1))
      record(T, Address, Dtype);
  }
  /// The memory at \p Address is a new tensor's.
  void forget(uint64_t Address) {
    std::atomic<uint64_t> *Of = Table.load(std::memory_order_acquire);
    if (Of && Of[slot(Address)].load(std::memory_order_relaxed) == Address)
      Of[slot(Address)].store(0, std::memory_order_relaxed);
  }

private:
  static constexpr uint32_t NumSlots = 1 << 16;
  /// Blocks have multiples of 64 as addresses.
  static uint32_t slot(uint64_t Address) {
    return uint32_t((Address >> 6) * 0x9E3779B97F4A7C15ull >> 48) % NumSlots;
  }
  void record(ThreadState &T, uint64_t Address, uint16_t Dtype);

  std::atomic<std::atomic<uint64_t> *> Table{nullptr};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_TENSORDTYPES_H
