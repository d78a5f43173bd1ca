// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of PyTorch's caching allocator of device memory.
//
// The model takes the requests of a program and keeps the blocks and segments
// that PyTorch 2.13's native allocator of one CUDA device would keep: what is
// rounded, split, cached, given back and refused, by TorchConfig. It holds no
// memory. test/simulate compares it with the real allocator, event by event.
//
// Addresses. Among free blocks of one size and stream, the allocator takes the
// lowest address. The model gives segments rising addresses and uses none
// again. A driver gives rising addresses, too, until a segment is freed, and
// may then give the freed address again: the order of equal blocks may differ
// on a device, and with it later splits.
//
// Not modelled: other allocators inside of pools, pools that serve as a reserve
// or refuse splits (`use_on_oom`, `no_split`), memory shared between processes,
// reuse inside a capture (`graph_capture_record_stream_reuse`), checkpoints of
// pools, and callbacks that free memory before a retry.
//
// One thread at a time. Sizes are bytes.

#ifndef MEMKIT_LIB_SIMULATE_TORCHALLOCATOR_H
#define MEMKIT_LIB_SIMULATE_TORCHALLOCATOR_H

#include "Simulate/FreeBlocks.h"
#include "Simulate/TorchConfig.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// The sums of a TorchAllocator.
struct TorchStats {
  uint64_t Reserved = 0;  ///< in segments, or mapped
  uint64_t Allocated = 0; ///< in blocks of the program, rounded
  /// In blocks that the program has freed and a stream still uses.
  uint64_t Waiting = 0;
  uint64_t NumMallocs = 0; ///< segments taken, or parts mapped
  uint64_t NumFrees = 0;   ///< segments given back, or parts unmapped
  /// Requests for which all cached segments were given back.
  uint64_t NumRetries = 0;
};

class TorchAllocator {
public:
  /// No block: the request failed.
  static constexpr uint32_t NoBlock = UINT32_MAX;
  /// The bytes of a device without a limit: more than any device has, and few
  /// enough for sums without overflow.
  static constexpr uint64_t Unlimited = uint64_t(1) << 48;

  /// DeviceBytes: what the process may take of the device, at most Unlimited.
  TorchAllocator(const TorchConfig &C, uint64_t DeviceBytes);

  /// Adds a stream of a pool; returns its number, from 0 on. Pool 0 is the
  /// allocator's own, others are private pools, of CUDA graphs.
  uint32_t addStream(uint32_t Pool);
  uint32_t numStreams() const { return uint32_t(Sides.size() / 2); }

  /// A block of Bytes, or NoBlock. The number stays valid until free().
  uint32_t allocate(uint64_t Bytes, uint32_t Stream);
  /// Another stream uses the block (`record_stream`): after free(), it waits
  /// until the stream is done.
  void use(uint32_t Block) { Blocks[Block].IsUsed = true; }
  /// Block: live. A block that waits is reused after isBusy ends, at the next
  /// request.
  void free(uint32_t Block);
  /// Gives all free segments back (`torch.cuda.empty_cache()`).
  void emptyCache();
  /// Whether the streams are not done with anything.
  void setBusy(bool Is) { IsBusy = Is; }
  /// Whether a stream is captured: until the end, blocks keep waiting, and a
  /// request gives no segment back.
  void setCapturing(bool Is) { IsCapturing = Is; }
  /// No graph uses the private pool any more: its segments can be given back.
  void releasePool(uint32_t Pool);

  const TorchStats &stats() const { return Stats; }
  uint64_t blockBytes(uint32_t Block) const { return Blocks[Block].Size; }
  /// Whether Reserved has had its highest value so far at the end of the last
  /// request.
  bool isNewPeak() const { return IsNewPeak; }
  /// The largest free block; 0: none.
  uint64_t largestFree() const;

private:
  static constexpr uint64_t MinBlock = 512;
  static constexpr uint64_t MaxSmall = 1 << 20;
  static constexpr uint64_t SmallSegment = 2 << 20;
  static constexpr uint64_t MinRounded = 10 << 20;
  static constexpr uint64_t SegmentUnit = 2 << 20;
  /// A longer request is one of so many bytes: no device has them.
  static constexpr uint64_t MaxRequest = uint64_t(1) << 60;
  static constexpr uint64_t MaxAddress = uint64_t(1) << 62;

  enum CacheState : uint8_t { IsFree, IsLive, IsWaiting, IsUnmapped };
  struct CacheBlock {
    uint64_t Address = 0, Size = 0;
    uint64_t Searches = 0; ///< of the large blocks, when it became free
    uint32_t Before = NoBlock, After = NoBlock; ///< in its segment
    uint32_t Side = 0;
    uint32_t Range = NoBlock; ///< of Ranges
    CacheState State = IsFree;
    bool IsUsed = false;
    bool isMapped() const { return State != IsUnmapped; }
    bool isFree() const { return State == IsFree || State == IsUnmapped; }
    bool isSplit() const { return Before != NoBlock || After != NoBlock; }
  };
  /// The small or the large blocks of a stream of a pool. The small ones have
  /// odd numbers.
  struct PoolSide {
    FreeBlocks Free;
    std::vector<uint32_t> Unmapped; ///< by address
    uint32_t Pool = 0;
  };
  /// Reserved addresses of an expandable segment, mapped page by page.
  struct ExpandableRange {
    uint64_t Address = 0, Size = 0, Page = 0;
  };
  struct AllocationRequest {
    uint64_t Size, SegmentSize;
    uint32_t Side;
  };

  // Sizes (TorchAllocator.cpp).
  uint64_t roundSize(uint64_t Bytes) const;
  uint64_t segmentSize(uint64_t Size) const;
  bool shouldSplit(const CacheBlock &B, uint64_t Size) const;
  static bool isSmall(uint32_t Side) { return Side & 1; }
  bool collectsGarbage() const {
    return C.GcThreshold > 0 && C.MemoryFraction < 1;
  }

  // Blocks (TorchAllocator.cpp).
  uint32_t newBlock(uint32_t Side, uint64_t Address, uint64_t Size,
                    uint32_t Range);
  void dropBlock(uint32_t Block) { Unused.push_back(Block); }
  void link(uint32_t Before, uint32_t After);
  void addFree(uint32_t Block);
  void removeFree(uint32_t Block);
  bool canMerge(uint32_t Block, uint32_t Neighbour) const;
  void absorb(uint32_t Block, uint32_t Neighbour);
  void mergeAround(uint32_t Block);
  uint32_t takeFree(const AllocationRequest &R);
  FreeBlocks::FreePlace skipRanges(const FreeBlocks &In,
                                   FreeBlocks::FreePlace P) const;
  bool fits(const AllocationRequest &R, uint64_t Size) const;
  uint32_t splitFront(uint32_t Block, uint64_t Size);
  FreeBlock keyOf(uint32_t Block) const {
    return {Blocks[Block].Size, Blocks[Block].Address, Block};
  }
  void freeNow(uint32_t Block);
  void endWaits(bool All);

  // Segments (TorchSegments.cpp).
  uint32_t takeSegment(const AllocationRequest &R);
  uint32_t obtainSegment(const AllocationRequest &R);
  uint32_t allocateSegment(const AllocationRequest &R);
  uint64_t takeAddresses(uint64_t Bytes);
  bool reserve(uint64_t Bytes);
  void unreserve(uint64_t Bytes);
  void releaseSegment(uint32_t Block);
  bool releaseOversize(const AllocationRequest &R);
  void releaseCached();
  void releaseSide(uint32_t Side);
  void collectGarbage();
  bool collectOlder(double Age, std::vector<uint32_t> &Segments,
                    uint64_t &Freed);

  // Expandable segments (TorchRanges.cpp).
  uint32_t expand(const AllocationRequest &R);
  uint32_t findRoom(const AllocationRequest &R);
  uint32_t reserveRange(uint32_t Side);
  bool map(uint32_t Block, uint64_t Size);
  void unmap(uint32_t Block);
  void addUnmapped(uint32_t Block);
  void removeUnmapped(uint32_t Block);
  void releaseRange(uint32_t Block);

  const TorchConfig C;
  const uint64_t DeviceBytes;
  const uint64_t AllowedBytes; ///< by C.MemoryFraction
  TorchStats Stats;
  uint64_t PeakReserved = 0;
  bool IsNewPeak = false;
  bool IsBusy = false, IsCapturing = false;
  uint64_t Searches = 0; ///< in the large blocks of the own pool
  uint64_t NextAddress = SegmentUnit;
  std::vector<CacheBlock> Blocks;
  std::vector<uint32_t> Unused; ///< places of Blocks
  std::vector<PoolSide> Sides;
  std::vector<uint32_t> FreeablePools;
  std::vector<ExpandableRange> Ranges;
  std::vector<uint32_t> UnusedRanges;
  std::vector<uint32_t> Waiting; ///< blocks
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_TORCHALLOCATOR_H
