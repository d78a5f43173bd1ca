// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of blocks of PyTorch's caching allocator.

#ifndef MEMKIT_LIB_IMPORT_TORCHSIZES_H
#define MEMKIT_LIB_IMPORT_TORCHSIZES_H

#include <array>
#include <cstdint>

namespace memkit {

/// Events have the requested bytes alone. The allocator rounds a request up,
/// and cuts a free block down to the rounded size unless little would be left:
/// a block of more than SmallRequest may have up to as much at its end.
class TorchSizes {
public:
  struct SizeSettings {
    /// Divisions of each power of two from 1 MiB on; 0 or 1: none.
    std::array<uint64_t, 16> Divisions{};
    uint64_t MaxSplit = UINT64_MAX; ///< larger free blocks are not cut
  };
  explicit TorchSizes(const SizeSettings &Set) : Set(Set) {}

  /// Smaller requests have segments of their own, without such ends.
  static constexpr uint64_t SmallRequest = uint64_t(1) << 20;

  uint64_t rounded(uint64_t Requested) const;
  /// The bytes of a block of a segment that does not expand. Free: the free
  /// bytes from the block's address on.
  uint64_t inFree(uint64_t Requested, uint64_t Free) const;

private:
  SizeSettings Set;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHSIZES_H
