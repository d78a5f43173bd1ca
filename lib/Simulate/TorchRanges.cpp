// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of PyTorch's caching allocator: expandable segments.
//
// A stream reserves a range of addresses somewhat longer than the device has
// bytes, and maps pages as they are wanted. A range consists of blocks that are
// live, free or unmapped; unmapped blocks begin and end at pages.

#include "TorchAllocator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

void TorchAllocator::addUnmapped(uint32_t Block) {
  std::vector<uint32_t> &In = Sides[Blocks[Block].Side].Unmapped;
  auto At = partition_point(In, [&](uint32_t Other) {
    return Blocks[Other].Address < Blocks[Block].Address;
  });
  In.insert(At, Block);
}

void TorchAllocator::removeUnmapped(uint32_t Block) {
  std::vector<uint32_t> &In = Sides[Blocks[Block].Side].Unmapped;
  In.erase(partition_point(In, [&](uint32_t Other) {
    return Blocks[Other].Address < Blocks[Block].Address;
  }));
}

/// An unmapped block of a new range; NoBlock: no addresses are left.
uint32_t TorchAllocator::reserveRange(uint32_t Side) {
  uint64_t Page = isSmall(Side) ? SmallSegment : C.LargeSegment;
  uint64_t Size = alignTo(DeviceBytes + DeviceBytes / 8, Page);
  uint64_t Address = takeAddresses(Size);
  if (!Address)
    return NoBlock;
  uint32_t Range;
  if (UnusedRanges.empty()) {
    Range = uint32_t(Ranges.size());
    Ranges.emplace_back();
  } else {
    Range = UnusedRanges.back();
    UnusedRanges.pop_back();
  }
  Ranges[Range] = {Address, Size, Page};
  uint32_t Block = newBlock(Side, Address, Size, Range);
  Blocks[Block].State = IsUnmapped;
  addUnmapped(Block);
  return Block;
}

/// Block: the whole range, unmapped.
void TorchAllocator::releaseRange(uint32_t Block) {
  removeUnmapped(Block);
  UnusedRanges.push_back(Blocks[Block].Range);
  dropBlock(Block);
}

/// The first block of the lowest addresses where the request fits into free and
/// unmapped blocks, or of a new range.
uint32_t TorchAllocator::findRoom(const AllocationRequest &R) {
  auto HasRoom = [&](uint32_t Block) {
    uint64_t Bytes = 0;
    for (; Bytes < R.Size && Block != NoBlock && Blocks[Block].isFree();
         Block = Blocks[Block].After)
      Bytes += Blocks[Block].Size;
    return Bytes >= R.Size;
  };
  for (uint32_t Block : Sides[R.Side].Unmapped) {
    uint32_t Before = Blocks[Block].Before;
    uint32_t First =
        Before != NoBlock && Blocks[Before].isFree() ? Before : Block;
    if (HasRoom(First))
      return First;
  }
  return reserveRange(R.Side);
}

/// Maps the pages of the first Size bytes of an unmapped block, which becomes
/// free and merges with its neighbours. False: the device has too few bytes.
bool TorchAllocator::map(uint32_t Block, uint64_t Size) {
  const ExpandableRange &In = Ranges[Blocks[Block].Range];
  uint64_t Mapped = alignTo(Size, In.Page);
  if (!reserve(Mapped))
    return false;
  removeUnmapped(Block);
  Blocks[Block].State = IsFree;
  if (Mapped < Blocks[Block].Size) {
    const CacheBlock B = Blocks[Block];
    uint32_t Rest =
        newBlock(B.Side, B.Address + Mapped, B.Size - Mapped, B.Range);
    Blocks[Rest].State = IsUnmapped;
    link(Rest, B.After);
    link(Block, Rest);
    Blocks[Block].Size = Mapped;
    addUnmapped(Rest);
  }
  mergeAround(Block);
  addFree(Block);
  return true;
}

/// A free block in no list that has the request's bytes, or NoBlock. What was
/// mapped before the device had no more stays mapped.
uint32_t TorchAllocator::expand(const AllocationRequest &R) {
  uint32_t Block = findRoom(R);
  if (Block == NoBlock)
    return NoBlock;
  if (!Blocks[Block].isMapped() &&
      !map(Block, std::min(Blocks[Block].Size, R.Size)))
    return NoBlock;
  while (Blocks[Block].Size < R.Size) {
    uint32_t Next = Blocks[Block].After;
    if (Next == NoBlock)
      return NoBlock;
    uint64_t Missing = R.Size - Blocks[Block].Size;
    if (!map(Next, std::min(Missing, Blocks[Next].Size)))
      return NoBlock;
    Block = Next;
  }
  removeFree(Block);
  return Block;
}

/// Unmaps the whole pages of a free block; what is left at both ends becomes
/// free blocks.
void TorchAllocator::unmap(uint32_t Block) {
  const CacheBlock B = Blocks[Block];
  const ExpandableRange &In = Ranges[B.Range];
  uint64_t Offset = B.Address - In.Address;
  uint64_t Begin = In.Address + alignTo(Offset, In.Page);
  uint64_t End = In.Address + alignDown(Offset + B.Size, In.Page);
  if (Begin >= End)
    return;
  removeFree(Block);
  auto AddPart = [&](uint64_t From, uint64_t To, uint32_t Before,
                     uint32_t After) {
    uint32_t Part = newBlock(B.Side, From, To - From, B.Range);
    link(Before, Part);
    link(Part, After);
    addFree(Part);
  };
  if (Begin != B.Address)
    AddPart(B.Address, Begin, B.Before, Block);
  if (End != B.Address + B.Size)
    AddPart(End, B.Address + B.Size, Block, B.After);
  Blocks[Block].Address = Begin;
  Blocks[Block].Size = End - Begin;
  Blocks[Block].State = IsUnmapped;
  mergeAround(Block);
  addUnmapped(Block);
  unreserve(End - Begin);
}
