// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold blocks.

#include "Sources/BlockHolders.h"
#include "Sources/HostHeap.h"
#include "Sources/PythonObjects.h"
#include "Sources/Tensors.h"

using namespace llvm;
using namespace memkit;

/// Where an object may begin in its block: behind nothing, behind the
/// collector's words, and behind words for an instance's values or of a
/// debugging allocator, too.
static constexpr uint64_t ObjectOffsets[] = {0, 16, 32, 48};

template <class SourceT>
static bool findBlock(const SourceT &In, uint64_t Address, LiveEntry &Out) {
  for (uint64_t Offset : ObjectOffsets)
    if (Address > Offset && In.findLive(Address - Offset, Out))
      return true;
  return false;
}

void BlockHolders::take(const wire::BlockHeldRecord &Rec, RecordOrigin From) {
  if (Rec.Flags &
      ~(wire::HF_Cycle | wire::HF_NoName | wire::HF_Stopped | wire::HF_AtEnd))
    return Sink.bad();
  if (!Rec.Address) {
    Mark M = Sink.markOf(MarkKind::HeldBy, From);
    M.Values = {Rec.Objects, Rec.Flags, Rec.Microseconds,
                std::exchange(Found, 0)};
    return Sink.add(std::move(M));
  }
  std::string Text;
  if (!isAddress(Rec.Address) || !Sink.shared().text(Rec.Text, Text) ||
      Text.empty())
    return Sink.bad();
  uint32_t Name = Sink.string(Text);
  // The block of an object may lie in a block of malloc: both have the name.
  LiveEntry E;
  bool Any = false;
  auto Take = [&](bool IsThere) {
    if (IsThere)
      addMark(E, Name, Rec.Flags, From);
    Any |= IsThere;
  };
  Take(Torch.findLive(Rec.Address, E));
  Take(findBlock(Objects, Rec.Address, E));
  Take(findBlock(Host, Rec.Address, E));
  Found += Any;
}

void BlockHolders::addMark(const LiveEntry &Block, uint32_t Name, uint8_t Flags,
                           RecordOrigin From) {
  Mark M = Sink.markOf(MarkKind::HeldBy, From);
  M.Name = Name;
  M.Id = Block.AllocationId;
  M.Heap = Sink.stats().heapOf(Block.Row);
  M.Stack = Sink.stats().stackOf(Block.Row);
  M.Values = {Block.Size, Flags};
  Sink.add(std::move(M));
}
