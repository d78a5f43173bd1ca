// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of PyTorch's caching allocator: sizes and blocks.

#include "TorchAllocator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace memkit;

TorchAllocator::TorchAllocator(const TorchConfig &C, uint64_t DeviceBytes)
    : C(C), DeviceBytes(std::min(DeviceBytes, Unlimited)),
      AllowedBytes(C.MemoryFraction < 1
                       ? uint64_t(C.MemoryFraction * double(this->DeviceBytes))
                       : Unlimited) {}

uint32_t TorchAllocator::addStream(uint32_t Pool) {
  for (int I = 0; I != 2; ++I)
    Sides.emplace_back().Pool = Pool;
  return numStreams() - 1;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The next of the sizes that part the distance between two powers of two into
/// equal divisions.
static uint64_t roundToDivision(uint64_t Bytes, uint64_t Divisions) {
  return isPowerOf2_64(Bytes) ? Bytes
                              : alignTo(Bytes, bit_floor(Bytes) / Divisions);
}

uint64_t TorchAllocator::roundSize(uint64_t Bytes) const {
  if (Bytes < MinBlock)
    return MinBlock;
  constexpr unsigned First = 20; // 2^20: the first interval
  unsigned Log = Log2_64(Bytes);
  unsigned Interval =
      std::min(Log < First ? 0 : Log - First, TorchConfig::NumIntervals - 1);
  uint64_t Divisions = C.Divisions[Interval];
  if (Divisions > 1 && Bytes / MinBlock >= Divisions &&
      Bytes > MinBlock * Divisions)
    return roundToDivision(Bytes, Divisions);
  return alignTo(Bytes, MinBlock);
}

uint64_t TorchAllocator::segmentSize(uint64_t Size) const {
  if (Size <= MaxSmall)
    return SmallSegment;
  return Size < MinRounded ? C.LargeSegment : alignTo(Size, SegmentUnit);
}

bool TorchAllocator::shouldSplit(const CacheBlock &B, uint64_t Size) const {
  uint64_t Left = B.Size - Size;
  if (isSmall(B.Side) || C.Expandable)
    return Left >= MinBlock;
  return Size < C.MaxSplit && Left > MaxSmall;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

uint32_t TorchAllocator::newBlock(uint32_t Side, uint64_t Address,
                                  uint64_t Size, uint32_t Range) {
  uint32_t Block;
  if (Unused.empty()) {
    Block = uint32_t(Blocks.size());
    Blocks.emplace_back();
  } else {
    Block = Unused.back();
    Unused.pop_back();
    Blocks[Block] = CacheBlock();
  }
  CacheBlock &B = Blocks[Block];
  B.Side = Side;
  B.Address = Address;
  B.Size = Size;
  B.Range = Range;
  return Block;
}

/// Makes two blocks neighbours; either may be none.
void TorchAllocator::link(uint32_t Before, uint32_t After) {
  if (Before != NoBlock)
    Blocks[Before].After = After;
  if (After != NoBlock)
    Blocks[After].Before = Before;
}

void TorchAllocator::addFree(uint32_t Block) {
  CacheBlock &B = Blocks[Block];
  B.Searches = Searches;
  Sides[B.Side].Free.insert({B.Size, B.Address, Block});
}

void TorchAllocator::removeFree(uint32_t Block) {
  const CacheBlock &B = Blocks[Block];
  Sides[B.Side].Free.erase(B.Size, B.Address);
}

/// Makes the free Neighbour a part of Block, where both are mapped or neither.
void TorchAllocator::merge(uint32_t Block, uint32_t Neighbour) {
  if (Neighbour == NoBlock)
    return;
  CacheBlock &B = Blocks[Block];
  const CacheBlock &N = Blocks[Neighbour];
  if (!N.isFree() || N.isMapped() != B.isMapped())
    return;
  if (N.isMapped())
    removeFree(Neighbour);
  else
    removeUnmapped(Neighbour);
  if (B.Before == Neighbour) {
    B.Address = N.Address;
    link(N.Before, Block);
  } else {
    link(Block, N.After);
  }
  B.Size += N.Size;
  dropBlock(Neighbour);
}

void TorchAllocator::mergeAround(uint32_t Block) {
  merge(Block, Blocks[Block].Before);
  merge(Block, Blocks[Block].After);
}

/// In expandable segments a block counts with the unmapped memory behind it: a
/// block that can grow less is a better fit.
FreeBlocks::FreePlace
TorchAllocator::skipRanges(const FreeBlocks &In,
                           FreeBlocks::FreePlace P) const {
  auto Grown = [&](FreeBlocks::FreePlace At) {
    const CacheBlock &B = Blocks[In.get(At).Block];
    bool Grows = B.After != NoBlock && !Blocks[B.After].isMapped();
    return B.Size + (Grows ? Blocks[B.After].Size : 0);
  };
  for (FreeBlocks::FreePlace Next = In.next(P);
       !In.isEnd(Next) && Grown(Next) < Grown(P); Next = In.next(P))
    P = Next;
  return P;
}

/// Takes the best free block out of the free blocks, or returns NoBlock.
uint32_t TorchAllocator::findFree(const AllocationRequest &R) {
  PoolSide &S = Sides[R.Side];
  if (!isSmall(R.Side) && !S.Pool)
    ++Searches;
  FreeBlocks::FreePlace P = S.Free.find(R.Size);
  if (S.Free.isEnd(P))
    return NoBlock;
  if (C.Expandable)
    P = skipRanges(S.Free, P);
  const FreeBlock &Found = S.Free.get(P);
  // An oversize block is for oversize requests that nearly fill it.
  bool IsOversize = R.Size >= C.MaxSplit;
  if (IsOversize ? Found.Size - R.Size >= C.MaxNonSplitRounding
                 : Found.Size >= C.MaxSplit)
    return NoBlock;
  uint32_t Block = Found.Block;
  S.Free.erase(P);
  return Block;
}

/// Makes the free Block live, or its first Size bytes.
uint32_t TorchAllocator::take(uint32_t Block, uint64_t Size) {
  if (shouldSplit(Blocks[Block], Size)) {
    uint32_t Rest = Block;
    Block = newBlock(Blocks[Rest].Side, Blocks[Rest].Address, Size,
                     Blocks[Rest].Range);
    link(Blocks[Rest].Before, Block);
    link(Block, Rest);
    Blocks[Rest].Address += Size;
    Blocks[Rest].Size -= Size;
    addFree(Rest);
  }
  Blocks[Block].State = IsLive;
  Stats.Allocated += Blocks[Block].Size;
  return Block;
}

uint32_t TorchAllocator::allocate(uint64_t Bytes, uint32_t Stream) {
  assert(Stream < numStreams());
  IsNewPeak = false;
  if (!IsCapturing && !Waiting.empty())
    endWaits(/*All=*/false);
  AllocationRequest R;
  R.Size = roundSize(std::min(Bytes, MaxRequest));
  R.SegmentSize = segmentSize(R.Size);
  R.Side = 2 * Stream + (R.Size <= MaxSmall);
  uint32_t Block = findFree(R);
  if (Block == NoBlock)
    Block = takeSegment(R);
  if (Block != NoBlock)
    Block = take(Block, R.Size);
  if (Stats.Reserved > PeakReserved) {
    PeakReserved = Stats.Reserved;
    IsNewPeak = true;
  }
  return Block;
}

void TorchAllocator::free(uint32_t Block) {
  CacheBlock &B = Blocks[Block];
  assert(B.State == IsLive);
  Stats.Allocated -= B.Size;
  if (!B.IsUsed)
    return freeNow(Block);
  B.State = IsWaiting;
  Stats.Waiting += B.Size;
  Waiting.push_back(Block);
}

void TorchAllocator::freeNow(uint32_t Block) {
  Blocks[Block].State = IsFree;
  Blocks[Block].IsUsed = false;
  mergeAround(Block);
  addFree(Block);
}

/// Frees what waits; All: also if streams are busy.
void TorchAllocator::endWaits(bool All) {
  if (IsBusy && !All)
    return;
  for (uint32_t Block : Waiting) {
    Stats.Waiting -= Blocks[Block].Size;
    freeNow(Block);
  }
  Waiting.clear();
}

uint64_t TorchAllocator::largestFree() const {
  uint64_t Largest = 0;
  for (const PoolSide &S : Sides)
    if (!S.Free.empty())
      Largest = std::max(Largest, S.Free.largest().Size);
  return Largest;
}
