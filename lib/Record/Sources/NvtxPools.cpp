// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: pools that a program registers with NVTX.

#include "Sources/NvtxPools.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

static constexpr unsigned NumberShift = 56;
static uint64_t keyOf(uint64_t Address, uint32_t Number) {
  return Address | uint64_t(Number) << NumberShift;
}

NvtxPools::NvtxPools(EventSink &Sink, BlockSnapshots &Snapshots,
                     ProcessScopes &Scopes)
    : Sink(Sink), Snapshots(Snapshots), Scopes(Scopes),
      Table(Snapshots.add(Regions)) {}

bool NvtxPools::isWanted(RecordOrigin From) {
  if (!Sink.wanted().Pools)
    return false;
  Sink.threadOf(From.Ring);
  return true;
}

const NvtxPools::RegisteredPool &NvtxPools::poolOf(uint64_t Key) const {
  return Pools[(Key >> NumberShift) - 1];
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

void NvtxPools::take(const wire::PoolBeginRecord &Rec, RecordOrigin From) {
  if (!isWanted(From))
    return;
  std::string Name;
  if (!Rec.Number || Rec.Number > wire::MaxPools ||
      (Rec.Name && !Sink.shared().text(Rec.Name, Name)))
    return Sink.bad();
  if (Rec.Number == 1)
    Name = "(process)";
  else if (Rec.Number == wire::MaxPools)
    Name = "(more)";
  RegisteredPool &P = Pools[Rec.Number - 1];
  P.Heap = Sink.heaps().pool("nvtx", Name, HF_OutsideTotals);
  P.Bytes = Rec.Size;
  reserve(P, int64_t(P.Bytes), From);
}

/// Changes the reserved bytes of the pool's heap: the range of a pool counts as
/// reserved.
void NvtxPools::reserve(const RegisteredPool &P, int64_t Bytes,
                        RecordOrigin From) {
  if (!P.Bytes)
    return;
  uint64_t &Now = Reserved[P.Heap];
  Now += uint64_t(Bytes);
  uint64_t Live = Sink.stats().heapLiveBytes(P.Heap);
  Mark M = Sink.reservedMark(From, P.Heap, Now, 0);
  M.Values = {Now, Live};
  Scopes.noteReserved(P.Heap, Now, Live);
  Sink.add(std::move(M));
}

void NvtxPools::take(const wire::PoolEndRecord &Rec, RecordOrigin From) {
  if (!isWanted(From))
    return;
  if (!Rec.Number || Rec.Number > wire::MaxPools)
    return Sink.bad();
  std::vector<std::pair<uint64_t, uint64_t>> Keys; // by allocation id
  for (unsigned Shard = 0; Shard != LiveTable::NumShards; ++Shard)
    Regions.forEachInShard(Shard, [&](const LiveEntry &E, uint64_t Key) {
      if (Key >> NumberShift == Rec.Number)
        Keys.push_back({E.AllocationId, Key});
    });
  llvm::sort(Keys);
  for (const auto &[AllocationId, Key] : Keys)
    free(Key, From);
  RegisteredPool &P = Pools[Rec.Number - 1];
  if (!Rec.EndsPool || !P.Heap)
    return;
  reserve(P, -int64_t(P.Bytes), From);
  P = RegisteredPool();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The key of the region at Address in pool Number, or, for Number 0, in the
/// newest pool with a region there; 0: none.
uint64_t NvtxPools::find(uint64_t Address, uint32_t Number) const {
  if (Number)
    return Regions.contains(keyOf(Address, Number)) ? keyOf(Address, Number)
                                                    : 0;
  for (uint32_t N = wire::MaxPools; N != 0; --N)
    if (Pools[N - 1].Heap && Regions.contains(keyOf(Address, N)))
      return keyOf(Address, N);
  return 0;
}

/// Whether Address and Number are valid; else counts a bad record.
bool NvtxPools::isRegion(uint64_t Address, uint32_t Number) {
  bool Is = isAddress(Address) && Number <= wire::MaxPools;
  if (!Is)
    Sink.bad();
  return Is;
}

void NvtxPools::take(const wire::PoolAllocateRecord &Rec, RecordOrigin From) {
  if (!isWanted(From) || !isRegion(Rec.Address, Rec.Number))
    return;
  if (!Rec.Number || !Pools[Rec.Number - 1].Heap)
    return Sink.bad();
  put(keyOf(Rec.Address, Rec.Number), Rec.Size, Rec.Stack, From);
}

/// An unknown region is from before a fork, or from before the recording.
void NvtxPools::take(const wire::PoolFreeRecord &Rec, RecordOrigin From) {
  if (!isWanted(From) || !isRegion(Rec.Address, Rec.Number))
    return;
  if (uint64_t Key = find(Rec.Address, Rec.Number))
    free(Key, From);
  else
    Sink.noteInherited();
}

void NvtxPools::take(const wire::PoolResizeRecord &Rec, RecordOrigin From) {
  if (!isWanted(From) || !isRegion(Rec.Address, Rec.Number))
    return;
  if (uint64_t Key = find(Rec.Address, Rec.Number)) {
    free(Key, From);
    put(Key, Rec.Size, Rec.Stack, From);
  }
}

void NvtxPools::put(uint64_t Key, uint64_t Size, uint32_t Node,
                    RecordOrigin From) {
  // The end of the old region was not recorded.
  if (Regions.contains(Key)) {
    Sink.doubleAllocate();
    free(Key, From);
  }
  LiveEntry E =
      Sink.newBlock(From, poolOf(Key).Heap, Sink.stacks().stack(Node, 0), Size);
  Regions.insert(Key, E);
  Sink.allocate(From, E);
}

void NvtxPools::free(uint64_t Key, RecordOrigin From) {
  LiveEntry E;
  if (!Regions.take(Key, E))
    return;
  Snapshots.taken(Table, Key, E);
  Sink.free(From, E, 0);
}

void NvtxPools::take(const wire::PoolNameRecord &Rec, RecordOrigin From) {
  if (!isWanted(From) || !isRegion(Rec.Address, Rec.Number))
    return;
  uint64_t Key = find(Rec.Address, Rec.Number);
  if (!Key)
    return;
  std::string Name;
  LiveEntry E;
  if (!Sink.shared().text(Rec.Name, Name) || !Regions.get(Key, &E))
    return Sink.bad();
  Mark M = Sink.markOf(MarkKind::BlockName, From);
  M.Name = Sink.string(Name);
  M.Heap = poolOf(Key).Heap;
  M.Id = E.AllocationId;
  Sink.add(std::move(M));
}
