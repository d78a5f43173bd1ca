// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: blocks that a program reports itself, and those of allocators that
// are built into a binary.

#include "Sources/ReportedPools.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/CudaDriver.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"

using namespace llvm;
using namespace memkit;

static constexpr unsigned PoolShift = 56;

ReportedPools::ReportedPools(EventSink &Sink, BlockSnapshots &Snapshots,
                             CudaNumbers &Numbers, OuterMemory In)
    : Sink(Sink), Snapshots(Snapshots), Devices(Numbers), In(In),
      Table(Snapshots.add(Live, ~0u, [this](const LiveEntry &E, uint64_t) {
        return OuterOf.lookup(E.AllocationId);
      })) {
  Snapshots.addOthers([] { return size_t(0); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        for (const RunningResize &R : Resizes)
                          if (R.Key)
                            To.push_back(R.Block);
                      });
}

/// The heap of a new pool; 0: it names no device.
uint32_t ReportedPools::heapOf(PoolName Pool, StringRef Name) {
  if (Pool.Kind == PoolKind::Device) {
    auto [Device, Of] = Name.split('.');
    uint32_t Space = Devices.spaceNamed(Device);
    return Space ? Sink.heaps().deviceHeap(Space, Of) : 0;
  }
  // The estimate for malloc includes a program's pools already; of a private
  // allocator the program samples.
  uint32_t Flags = !Sink.wanted().SampleBytes ? HF_None
                   : Pool.isPrivate()         ? HF_Estimates
                                              : HF_OutsideTotals;
  return Sink.heaps().pool(Pool.isPrivate() ? "private" : "pool", Name, Flags);
}

/// The number of a pool; 0: it has no name, or names no device.
uint32_t ReportedPools::numberOf(PoolName Pool) {
  if (auto It = Numbers.find(Pool.key()); It != Numbers.end())
    return It->second;
  std::string Name;
  if (!Pool.Text || !Sink.shared().text(Pool.Text, Name))
    return 0;
  // The census may have named it already.
  if (auto It = PrivateNumbers.find(Name);
      Pool.isPrivate() && It != PrivateNumbers.end())
    return Numbers[Pool.key()] = It->second;
  uint32_t Number = numberOf(Pool, Name);
  if (Number && Number != MaxNumber) {
    Numbers[Pool.key()] = Number;
    if (Pool.isPrivate())
      PrivateNumbers[Name] = Number;
  }
  return Number;
}

/// The number of a pool that has none yet; 0: it names no device.
uint32_t ReportedPools::numberOf(PoolName Pool, StringRef Name) {
  if (Heaps.size() >= MaxNumber - 1 && Pool.Kind == PoolKind::Device)
    return 0;
  if (Heaps.size() == MaxNumber)
    return MaxNumber;
  if (Heaps.size() == MaxNumber - 1)
    Name = "(more)";
  if (Heaps.empty())
    In.Host.indexChunks();
  uint32_t Heap = heapOf(Pool, Name);
  if (!Heap)
    return 0;
  Heaps.push_back(Heap);
  return uint32_t(Heaps.size());
}

/// The key of a block; 0: pools are not wanted, or the record is bad.
uint64_t ReportedPools::keyOf(PoolName Pool, uint64_t Address) {
  if (!(Pool.isPrivate() ? Sink.wanted().Private : Sink.wanted().Pools))
    return 0;
  uint32_t Number = numberOf(Pool);
  if (Number && isAddress(Address))
    return Address | uint64_t(Number) << PoolShift;
  Sink.bad();
  return 0;
}

/// Finds the block around a block of a pool. While malloc is sampled, its
/// blocks are unknown.
bool ReportedPools::findOuter(PoolName Pool, uint64_t Address,
                              const LiveEntry &E, BlockRef &Out) {
  if (Pool.Kind == PoolKind::Device)
    return In.Driver.findOuter(Address, E, Out) &&
           Sink.stats().spaceOf(Sink.stats().heapOf(Out.Row)) ==
               Sink.stats().spaceOf(Sink.stats().heapOf(E.Row));
  if (Sink.wanted().SampleBytes)
    return Pool.isPrivate() && In.Maps.findOuter(Address, E, Out);
  return In.Host.findOuter(Address, E, Out) ||
         In.Maps.findOuter(Address, E, Out);
}

void ReportedPools::allocate(PoolName Pool, uint64_t Address, uint64_t Size,
                             uint32_t Stack, RecordOrigin From) {
  uint64_t Key = keyOf(Pool, Address);
  if (!Key)
    return;
  // The program has not reported the end of the old block.
  LiveEntry Old;
  if (Live.take(Key, Old)) {
    // One that was adopted may have been freed just then.
    if (!Adopted.has(Old.AllocationId))
      Sink.doubleAllocate();
    end(Key, Old, From);
  }
  add(Key,
      Sink.newBlock(From, Heaps[(Key >> PoolShift) - 1],
                    Sink.stacks().stack(Stack, 0), Size),
      Pool, From);
}

void ReportedPools::adopt(StringRef Name, uint64_t Address, uint64_t Bytes,
                          uint32_t Stack, RecordOrigin From) {
  PoolName Pool{0, PoolKind::Private};
  auto [It, IsNew] = PrivateNumbers.try_emplace(Name, 0);
  if (IsNew)
    It->second = numberOf(Pool, Name);
  uint64_t Key = Address | uint64_t(It->second) << PoolShift;
  if (!isAddress(Address) || Live.contains(Key) || Adopted.hasEnded(Key))
    return;
  LiveEntry E = Sink.newBlockIn(From, Heaps[It->second - 1], Stack, Bytes,
                                /*ScopePath=*/0);
  add(Key, E, Pool, From);
  Adopted.add(E.AllocationId);
}

void ReportedPools::add(uint64_t Key, const LiveEntry &E, PoolName Pool,
                        RecordOrigin From) {
  Live.insert(Key, E);
  uint64_t Address = Key & (MaxAddress - 1);
  BlockRef Outer;
  if (findOuter(Pool, Address, E, Outer))
    OuterOf[E.AllocationId] = Outer.AllocationId + 1;
  else if (Pool.isPrivate())
    In.Maps.leaveTouched(Address, From);
  Sink.allocate(From, E, Outer);
}

void ReportedPools::free(PoolName Pool, uint64_t Address, RecordOrigin From) {
  uint64_t Key = keyOf(Pool, Address);
  LiveEntry E;
  Adopted.noteEnd(Key);
  if (Key && Live.take(Key, E))
    end(Key, E, From);
  else if (Key && !Pool.isPrivate())
    Sink.unknownFree();
  // Of a private allocator: from before its detours, or below --min-size.
}

/// The block, which is not in Live any more, ends.
void ReportedPools::end(uint64_t Key, const LiveEntry &E, RecordOrigin From) {
  uint64_t Outer = OuterOf.lookup(E.AllocationId);
  Snapshots.taken(Table, Key, E, Outer);
  OuterOf.erase(E.AllocationId);
  Sink.free(From, E, Outer);
}

void ReportedPools::take(const wire::ReportedAllocateRecord &Rec,
                         RecordOrigin From) {
  allocate({Rec.Pool}, Rec.Address, Rec.Size, Rec.Stack, From);
}

void ReportedPools::take(const wire::ReportedFreeRecord &Rec,
                         RecordOrigin From) {
  free({Rec.Pool}, Rec.Address, From);
}

void ReportedPools::take(const wire::DevicePoolAllocateRecord &Rec,
                         RecordOrigin From) {
  allocate({Rec.Heap, PoolKind::Device}, Rec.Address, Rec.Size, Rec.Stack,
           From);
}

void ReportedPools::take(const wire::DevicePoolFreeRecord &Rec,
                         RecordOrigin From) {
  free({Rec.Heap, PoolKind::Device}, Rec.Address, From);
}

void ReportedPools::take(const wire::PrivateAllocateRecord &Rec,
                         RecordOrigin From) {
  allocate({Rec.Pool, PoolKind::Private}, Rec.Address, Rec.Size, Rec.Stack,
           From);
}

void ReportedPools::take(const wire::PrivateFreeRecord &Rec,
                         RecordOrigin From) {
  free({Rec.Pool, PoolKind::Private}, Rec.Address, From);
}

void ReportedPools::take(const wire::PrivateResizeBeginRecord &Rec,
                         RecordOrigin From) {
  if (From.Ring >= Resizes.size())
    Resizes.resize(From.Ring + 1);
  RunningResize &Begun = Resizes[From.Ring];
  // A signal handler has left the call: the block is still there.
  if (Begun.Key)
    Live.insert(Begun.Key, Begun.Block);
  Begun.Key = keyOf({Rec.Pool, PoolKind::Private}, Rec.Address);
  Adopted.noteEnd(Begun.Key);
  if (Begun.Key && !Live.take(Begun.Key, Begun.Block))
    Begun.Key = 0;
  if (!Begun.Key)
    return;
  uint64_t Outer = OuterOf.lookup(Begun.Block.AllocationId);
  Snapshots.taken(Table, Begun.Key, Begun.Block, Outer);
  if (Outer)
    Snapshots.setOuter(Begun.Block.AllocationId, Outer - 1);
}

void ReportedPools::take(const wire::PrivateResizeEndRecord &Rec,
                         RecordOrigin From) {
  RunningResize Begun;
  if (From.Ring < Resizes.size())
    std::swap(Begun, Resizes[From.Ring]);
  if (Begun.Key)
    Snapshots.takeOuter(Begun.Block.AllocationId);
  if (Begun.Key && !Rec.Address)
    Live.insert(Begun.Key, Begun.Block);
  else if (Begun.Key)
    end(Begun.Key, Begun.Block, From);
  if (Rec.Address && Rec.Address != wire::Unrecorded &&
      Rec.Size >= Sink.wanted().MinSize)
    allocate({Rec.Pool, PoolKind::Private}, Rec.Address, Rec.Size, Rec.Stack,
             From);
}
