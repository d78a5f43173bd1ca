// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: blocks that a program reports itself; each pool is a heap
// `pool.NAME`.

#include "Sources/ReportedPools.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/EventSink.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"

using namespace llvm;
using namespace memkit;

static constexpr unsigned PoolShift = 56;

ReportedPools::ReportedPools(EventSink &Sink, BlockSnapshots &Snapshots,
                             Mappings &Maps, HostHeap &Host)
    : Sink(Sink), Snapshots(Snapshots), Maps(Maps), Host(Host),
      Table(Snapshots.add(Live, ~0u, [this](const LiveEntry &E, uint64_t) {
        return OuterOf.lookup(E.AllocationId);
      })) {}

/// The number of the pool with the name Text; 0: Text is no name.
uint32_t ReportedPools::numberOf(uint32_t Text) {
  if (auto It = Numbers.find(Text); It != Numbers.end())
    return It->second;
  std::string Name;
  if (!Text || !Sink.shared().text(Text, Name))
    return 0;
  if (Heaps.size() == MaxNumber)
    return MaxNumber;
  if (Heaps.size() == MaxNumber - 1)
    Name = "(more)";
  if (Heaps.empty())
    Host.indexChunks();
  // The estimate for malloc includes these blocks already.
  uint32_t Flags = Sink.wanted().SampleBytes ? HF_OutsideTotals : HF_None;
  Heaps.push_back(Sink.heaps().pool("pool", Name, Flags));
  return Numbers[Text] = uint32_t(Heaps.size());
}

/// The key of a block; 0: pools are not wanted, or the record is bad.
uint64_t ReportedPools::keyOf(uint32_t Pool, uint64_t Address) {
  if (!Sink.wanted().Pools)
    return 0;
  uint32_t Number = numberOf(Pool);
  if (Number && isAddress(Address))
    return Address | uint64_t(Number) << PoolShift;
  Sink.bad();
  return 0;
}

/// Finds the block around a reported block. While malloc is sampled, its blocks
/// are unknown.
bool ReportedPools::findOuter(uint64_t Address, const LiveEntry &E,
                              BlockRef &Out) {
  if (Sink.wanted().SampleBytes)
    return false;
  return Host.findOuter(Address, E, Out) || Maps.findOuter(Address, E, Out);
}

void ReportedPools::take(const wire::ReportedAllocateRecord &Rec,
                         RecordOrigin From) {
  uint64_t Key = keyOf(Rec.Pool, Rec.Address);
  if (!Key)
    return;
  // The program has not reported the end of the old block.
  if (Live.contains(Key)) {
    Sink.doubleAllocate();
    free(Key, From);
  }
  LiveEntry E = Sink.newBlock(From, Heaps[(Key >> PoolShift) - 1],
                              Sink.stacks().stack(Rec.Stack, 0), Rec.Size);
  Live.insert(Key, E);
  BlockRef Outer;
  if (findOuter(Rec.Address, E, Outer))
    OuterOf[E.AllocationId] = Outer.AllocationId + 1;
  Sink.allocate(From, E, Outer);
}

void ReportedPools::take(const wire::ReportedFreeRecord &Rec,
                         RecordOrigin From) {
  uint64_t Key = keyOf(Rec.Pool, Rec.Address);
  if (!Key)
    return;
  if (Live.contains(Key))
    free(Key, From);
  else
    Sink.unknownFree();
}

void ReportedPools::free(uint64_t Key, RecordOrigin From) {
  LiveEntry E;
  if (!Live.take(Key, E))
    return;
  uint64_t Outer = OuterOf.lookup(E.AllocationId);
  Snapshots.taken(Table, Key, E, Outer);
  OuterOf.erase(E.AllocationId);
  Sink.free(From, E, Outer);
}
