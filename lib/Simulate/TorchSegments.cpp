// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of PyTorch's caching allocator: segments from the device, and back.

#include "TorchAllocator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

/// Takes Bytes of the device; false: the device has too few.
bool TorchAllocator::reserve(uint64_t Bytes) {
  if (Bytes > DeviceBytes || Stats.Reserved > DeviceBytes - Bytes)
    return false;
  Stats.Reserved += Bytes;
  ++Stats.NumMallocs;
  return true;
}

void TorchAllocator::unreserve(uint64_t Bytes) {
  Stats.Reserved -= Bytes;
  ++Stats.NumFrees;
}

/// New addresses for Bytes; 0: no more are left.
uint64_t TorchAllocator::takeAddresses(uint64_t Bytes) {
  uint64_t Aligned = alignTo(Bytes, SegmentUnit);
  if (Aligned > MaxAddress - NextAddress)
    return 0;
  uint64_t Address = NextAddress;
  NextAddress += Aligned;
  return Address;
}

/// A free block from the device that is in no list, or NoBlock.
uint32_t TorchAllocator::allocateSegment(const AllocationRequest &R) {
  if (R.SegmentSize > AllowedBytes ||
      Stats.Reserved > AllowedBytes - R.SegmentSize)
    return NoBlock;
  if (C.Expandable)
    return expand(R);
  if (!reserve(R.SegmentSize))
    return NoBlock;
  uint64_t Address = takeAddresses(R.SegmentSize);
  if (Address)
    return newBlock(R.Side, Address, R.SegmentSize, NoBlock);
  unreserve(R.SegmentSize);
  return NoBlock;
}

/// As allocateSegment(), but gives back what is cached where the device has too
/// few bytes: first as little as may do, then all.
uint32_t TorchAllocator::obtainSegment(const AllocationRequest &R) {
  if (collectsGarbage())
    collectGarbage();
  uint32_t Block = allocateSegment(R);
  if (Block == NoBlock && releaseOversize(R))
    Block = allocateSegment(R);
  if (Block != NoBlock || IsCapturing)
    return Block;
  releaseCached();
  ++Stats.NumRetries;
  return allocateSegment(R);
}

/// A block of the request's size, where no free block fits; NoBlock: refused.
uint32_t TorchAllocator::takeSegment(const AllocationRequest &R) {
  uint32_t Block = obtainSegment(R);
  if (Block == NoBlock || !shouldSplit(Blocks[Block], R.Size))
    return Block;
  uint32_t Front = splitFront(Block, R.Size);
  addFree(Block);
  return Front;
}

//===----------------------------------------------------------------------===//
// Giving back
//===----------------------------------------------------------------------===//

/// Block: free, and a whole segment.
void TorchAllocator::releaseSegment(uint32_t Block) {
  removeFree(Block);
  unreserve(Blocks[Block].Size);
  dropBlock(Block);
}

/// Gives oversize segments of the request's stream back: one that is large
/// enough, else the largest, until they are enough together. True: they are.
bool TorchAllocator::releaseOversize(const AllocationRequest &R) {
  if (C.MaxSplit == TorchConfig::NoLimit || C.Expandable)
    return false;
  FreeBlocks &Free = Sides[R.Side].Free;
  uint64_t Wanted = std::max(R.Size, C.MaxSplit);
  FreeBlocks::FreePlace P = Free.find(Wanted);
  if (!Free.isEnd(P)) {
    releaseSegment(Free.block(P));
    return true;
  }
  uint64_t Freed = 0;
  while (Freed < Wanted && !Free.empty() &&
         Free.size(Free.largest()) >= C.MaxSplit) {
    Freed += Free.size(Free.largest());
    releaseSegment(Free.block(Free.largest()));
  }
  return Freed >= Wanted;
}

/// Gives the free segments of a side back.
void TorchAllocator::releaseSide(uint32_t Side) {
  std::vector<uint32_t> Found;
  Sides[Side].Free.forEach([&](const FreeBlock &F) {
    const CacheBlock &B = Blocks[F.Block];
    if (B.Range != NoBlock || !B.isSplit())
      Found.push_back(F.Block);
  });
  for (uint32_t Block : Found) {
    if (Blocks[Block].Range == NoBlock) {
      releaseSegment(Block);
      continue;
    }
    unmap(Block);
    if (!Blocks[Block].isSplit())
      releaseRange(Block);
  }
}

void TorchAllocator::releaseCached() {
  endWaits(/*All=*/true);
  for (uint32_t Side = 0; Side != Sides.size(); ++Side)
    if (!Sides[Side].Pool || is_contained(FreeablePools, Sides[Side].Pool))
      releaseSide(Side);
}

void TorchAllocator::emptyCache() {
  if (!IsCapturing)
    return releaseCached();
  for (uint32_t Side = 0; Side != Sides.size(); ++Side)
    if (is_contained(FreeablePools, Sides[Side].Pool))
      releaseSide(Side);
}

void TorchAllocator::releasePool(uint32_t Pool) {
  if (Pool && !is_contained(FreeablePools, Pool))
    FreeablePools.push_back(Pool);
}

//===----------------------------------------------------------------------===//
// Garbage collection
//===----------------------------------------------------------------------===//

/// Gives those of Segments back that were free for at least Age searches, and
/// removes them from Segments. False: none was.
bool TorchAllocator::collectOlder(double Age, std::vector<uint32_t> &Segments,
                                  uint64_t &Freed) {
  size_t Before = Segments.size();
  erase_if(Segments, [&](uint32_t Block) {
    if (double(Searches - Blocks[Block].Searches) < Age)
      return false;
    Freed += Blocks[Block].Size;
    releaseSegment(Block);
    return true;
  });
  return Segments.size() != Before;
}

/// Above the threshold: gives back large free segments, those first that were
/// free for longer than the average.
void TorchAllocator::collectGarbage() {
  auto Threshold = uint64_t(C.GcThreshold * double(AllowedBytes));
  if (Stats.Reserved <= Threshold || C.Expandable)
    return;
  uint64_t Target = Stats.Reserved - Threshold, Freed = 0;
  std::vector<uint32_t> Segments;
  for (uint32_t Side = 0; Side != Sides.size(); ++Side)
    if (!isSmall(Side) && !Sides[Side].Pool)
      Sides[Side].Free.forEach([&](const FreeBlock &F) {
        if (!Blocks[F.Block].isSplit())
          Segments.push_back(F.Block);
      });
  bool HasFreed = true;
  while (Freed < Target && HasFreed && !Segments.empty()) {
    uint64_t Ages = 0;
    for (uint32_t Block : Segments)
      Ages += Searches - Blocks[Block].Searches;
    HasFreed =
        collectOlder(double(Ages) / double(Segments.size()), Segments, Freed);
  }
}
