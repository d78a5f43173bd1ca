// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heaps that a program tells of.
//
// Regions that a program registers by NVTX's memory extension: blocks of the
// heap `nvtx.NAME`. They lie in memory that other heaps count, of the host or
// of a device, and stand outside of the totals. A heap may lie in a region of
// another, so that a region is known by its address and its heap's number.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

static constexpr unsigned NumberShift = 56;
static uint64_t keyOf(uint64_t Address, uint32_t Number) {
  return Address | uint64_t(Number) << NumberShift;
}

/// The key of the region at an address, in the heap of a number or, for 0, the
/// newest that has one there; 0: there is none.
uint64_t ProcessState::findRegion(uint64_t Address, uint32_t Number) const {
  if (Number)
    return Regions.contains(keyOf(Address, Number)) ? keyOf(Address, Number)
                                                    : 0;
  for (uint32_t N = wire::MaxPools; N != 0; --N)
    if (Pools[N - 1].Heap && Regions.contains(keyOf(Address, N)))
      return keyOf(Address, N);
  return 0;
}

void ProcessState::poolRecord(const wire::Record &Rec, uint32_t RingIndex) {
  if (!R.Wanted.Pools)
    return;
  makeThread(RingIndex);
  switch (RecordKind(Rec.kind())) {
  case RecordKind::PoolBegin:
    return beginPool(Rec);
  case RecordKind::PoolEnd:
    return Rec.Stack && Rec.Stack <= wire::MaxPools ? endPool(Rec, RingIndex)
                                                    : bad();
  default:
    break;
  }
  uint64_t Address = Rec.Address;
  if (!isAddress(Address) || Rec.Extra > wire::MaxPools)
    return bad();
  if (Rec.kind() == uint8_t(RecordKind::PoolAllocate))
    return Rec.Extra && Pools[Rec.Extra - 1].Heap
               ? putRegion(keyOf(Address, Rec.Extra), Rec, RingIndex)
               : bad();
  uint64_t Key = findRegion(Address, Rec.Extra);
  if (!Key) {
    // From before a fork, or before recording was started.
    if (Forked && Rec.kind() == uint8_t(RecordKind::PoolFree))
      R.Stats.inheritedFree(Id);
    return;
  }
  if (Rec.kind() == uint8_t(RecordKind::PoolName))
    return nameRegion(Key, Rec, RingIndex);
  freeRegion(Key, Rec.Tsc, RingIndex);
  if (Rec.kind() == uint8_t(RecordKind::PoolResize))
    putRegion(Key, Rec, RingIndex);
}

void ProcessState::beginPool(const wire::Record &Rec) {
  std::string Name;
  if (!Rec.Stack || Rec.Stack > wire::MaxPools ||
      (Rec.Extra && !Shared->text(Rec.Extra, Name)))
    return bad();
  if (Rec.Stack == 1)
    Name = "(process)";
  else if (Rec.Stack == wire::MaxPools)
    Name = "(more)";
  Pool &P = Pools[Rec.Stack - 1];
  P.Heap = R.poolHeap(Name);
  P.Bytes = Rec.size();
  reservePool(P, int64_t(P.Bytes), Rec.Tsc);
}

/// What the heap's range holds is reserved.
void ProcessState::reservePool(const Pool &P, int64_t Bytes, uint64_t Tsc) {
  if (!P.Bytes)
    return;
  uint64_t &Reserved = PoolReserved[P.Heap];
  Reserved += uint64_t(Bytes);
  Mark M;
  M.Kind = MarkKind::HeapReserved;
  M.Process = Id;
  M.TimeNs = R.boundaryNs(R.Clock.toNs(Tsc));
  M.Heap = P.Heap;
  M.Values = {Reserved, R.Stats.heapLiveBytes(P.Heap)};
  R.Stats.setReserved(Id, P.Heap, Reserved);
  Scopes.noteReserved(P.Heap, Reserved, M.Values[1]);
  R.addMark(std::move(M));
}

void ProcessState::endPool(const wire::Record &Rec, uint32_t RingIndex) {
  Pool &P = Pools[Rec.Stack - 1];
  std::vector<std::pair<uint64_t, uint64_t>> Keys; // by allocation id
  for (unsigned Shard = 0; Shard != LiveTable::NumShards; ++Shard)
    Regions.forEachInShard(Shard, [&](const LiveEntry &E, uint64_t Key) {
      if (Key >> NumberShift == Rec.Stack)
        Keys.push_back({E.AllocationId, Key});
    });
  llvm::sort(Keys);
  for (const auto &[AllocationId, Key] : Keys)
    freeRegion(Key, Rec.Tsc, RingIndex);
  if (!Rec.Address || !P.Heap)
    return;
  reservePool(P, -int64_t(P.Bytes), Rec.Tsc);
  P = Pool();
}

void ProcessState::putRegion(uint64_t Key, const wire::Record &Rec,
                             uint32_t RingIndex) {
  // Its end was not told.
  if (Regions.contains(Key)) {
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    freeRegion(Key, Rec.Tsc, RingIndex);
  }
  makeRoom(RingIndex);
  const Ring &S = Rings[RingIndex];
  uint32_t Heap = Pools[(Key >> NumberShift) - 1].Heap;
  uint32_t Stack = Stacks.stack(Rec.Stack, 0);
  LiveEntry E;
  E.AllocationId = NextAllocationId++;
  E.Size = Rec.size();
  E.AllocatedTick = R.nextTick(Rec.Tsc, Id);
  E.Row = R.Stats.stackRow(Id, Heap, Stack);
  E.ScopeRow = S.ScopePath ? scopeRow(Heap, S.ScopePath) : 0;
  Regions.insert(Key, E);
  R.Stats.allocate({E.AllocationId, E.Row, E.ScopeRow}, E.Size,
                   E.AllocatedTick * TimeUnitNs, S.Thread);
  Log.allocate(S.Lane, E.AllocatedTick, E.Size, Stack,
               R.Stats.scopePathOf(E.ScopeRow), Heap);
}

void ProcessState::freeRegion(uint64_t Key, uint64_t Tsc, uint32_t RingIndex) {
  LiveEntry E;
  if (!Regions.take(Key, E))
    return;
  Snapshots.onTake(E, 3 * LiveTable::NumShards + LiveTable::shardOf(Key));
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Stats.free({E.AllocationId, E.Row, E.ScopeRow}, E.Size, Tick * TimeUnitNs,
               Rings[RingIndex].Thread, 0);
  Log.free(Rings[RingIndex].Lane, Tick, E.AllocationId);
}

/// Stack: the text.
void ProcessState::nameRegion(uint64_t Key, const wire::Record &Rec,
                              uint32_t RingIndex) {
  std::string Name;
  LiveEntry E;
  if (!Shared->text(Rec.Stack, Name) || !Regions.get(Key, &E))
    return bad();
  Mark M;
  M.Kind = MarkKind::BlockName;
  M.Process = Id;
  M.Thread = Rings[RingIndex].Thread;
  M.TimeNs = R.timeOf(Rec.Tsc);
  M.Name = R.Names.Names.string(Name);
  M.Heap = Pools[(Key >> NumberShift) - 1].Heap;
  M.Id = E.AllocationId;
  R.addMark(std::move(M));
}
