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
  Blocks[Block].Searches = Searches;
  Sides[Blocks[Block].Side].Free.insert(keyOf(Block));
}

void TorchAllocator::removeFree(uint32_t Block) {
  const CacheBlock &B = Blocks[Block];
  Sides[B.Side].Free.erase(B.Size, B.Address);
}

/// Whether Neighbour, which may be none, is free, and both blocks are mapped or
/// neither is.
bool TorchAllocator::canMerge(uint32_t Block, uint32_t Neighbour) const {
  return Neighbour != NoBlock && Blocks[Neighbour].isFree() &&
         Blocks[Neighbour].isMapped() == Blocks[Block].isMapped();
}

/// Makes Neighbour, which is in no list, a part of Block.
void TorchAllocator::absorb(uint32_t Block, uint32_t Neighbour) {
  CacheBlock &B = Blocks[Block];
  const CacheBlock &N = Blocks[Neighbour];
  if (B.Before == Neighbour) {
    B.Address = N.Address;
    link(N.Before, Block);
  } else {
    link(Block, N.After);
  }
  B.Size += N.Size;
  dropBlock(Neighbour);
}

/// Makes the free neighbours of a block, which is in no list, a part of it.
void TorchAllocator::mergeAround(uint32_t Block) {
  for (uint32_t Neighbour : {Blocks[Block].Before, Blocks[Block].After}) {
    if (!canMerge(Block, Neighbour))
      continue;
    if (Blocks[Neighbour].isMapped())
      removeFree(Neighbour);
    else
      removeUnmapped(Neighbour);
    absorb(Block, Neighbour);
  }
}

/// In expandable segments a block counts with the unmapped memory behind it: a
/// block that can grow less is a better fit.
FreeBlocks::FreePlace
TorchAllocator::skipRanges(const FreeBlocks &In,
                           FreeBlocks::FreePlace P) const {
  auto Grown = [&](FreeBlocks::FreePlace At) {
    const CacheBlock &B = Blocks[In.block(At)];
    bool Grows = B.After != NoBlock && !Blocks[B.After].isMapped();
    return B.Size + (Grows ? Blocks[B.After].Size : 0);
  };
  for (FreeBlocks::FreePlace Next = In.next(P);
       !In.isEnd(Next) && Grown(Next) < Grown(P); Next = In.next(P))
    P = Next;
  return P;
}

/// Whether the best free block, of Size, is for the request: an oversize block
/// is for oversize requests that nearly fill it.
bool TorchAllocator::fits(const AllocationRequest &R, uint64_t Size) const {
  return R.Size >= C.MaxSplit ? Size - R.Size < C.MaxNonSplitRounding
                              : Size < C.MaxSplit;
}

/// Takes Size bytes from the front of a free block that is in no list, as a new
/// block.
uint32_t TorchAllocator::splitFront(uint32_t Block, uint64_t Size) {
  uint32_t Front = newBlock(Blocks[Block].Side, Blocks[Block].Address, Size,
                            Blocks[Block].Range);
  CacheBlock &Rest = Blocks[Block];
  link(Rest.Before, Front);
  link(Front, Block);
  Rest.Address += Size;
  Rest.Size -= Size;
  Rest.Searches = Searches;
  return Front;
}

/// Takes the best free block, or its first bytes, out of the free blocks;
/// NoBlock: none fits.
uint32_t TorchAllocator::takeFree(const AllocationRequest &R) {
  PoolSide &S = Sides[R.Side];
  if (!isSmall(R.Side) && !S.Pool)
    ++Searches;
  FreeBlocks::FreePlace P = S.Free.find(R.Size);
  if (S.Free.isEnd(P))
    return NoBlock;
  if (C.Expandable)
    P = skipRanges(S.Free, P);
  if (!fits(R, S.Free.size(P)))
    return NoBlock;
  uint32_t Block = S.Free.block(P);
  if (!shouldSplit(Blocks[Block], R.Size)) {
    S.Free.erase(P);
    return Block;
  }
  uint32_t Front = splitFront(Block, R.Size);
  S.Free.replace(P, keyOf(Block));
  return Front;
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
  uint32_t Block = takeFree(R);
  if (Block == NoBlock)
    Block = takeSegment(R);
  if (Block != NoBlock) {
    Blocks[Block].State = IsLive;
    Stats.Allocated += Blocks[Block].Size;
  }
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
  CacheBlock &B = Blocks[Block];
  B.State = IsFree;
  B.IsUsed = false;
  B.Searches = Searches;
  FreeBlocks &Free = Sides[B.Side].Free;
  FreeBlock Keys[2];
  unsigned NumKeys = 0;
  for (uint32_t Neighbour : {B.Before, B.After})
    if (canMerge(Block, Neighbour)) {
      Keys[NumKeys++] = keyOf(Neighbour);
      absorb(Block, Neighbour);
    }
  if (!NumKeys)
    return Free.insert(keyOf(Block));
  if (NumKeys == 2)
    Free.erase(Keys[0].Size, Keys[0].Address);
  const FreeBlock &Last = Keys[NumKeys - 1];
  Free.replace(Free.find(Last.Size, Last.Address), keyOf(Block));
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
      Largest = std::max(Largest, S.Free.size(S.Free.largest()));
  return Largest;
}
