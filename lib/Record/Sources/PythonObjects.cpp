// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: objects of an interpreter, heap python.object.

#include "Sources/PythonObjects.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

PythonObjects::PythonObjects(EventSink &Sink, BlockSnapshots &Snapshots,
                             Mappings &Maps, HostHeap &Host)
    : Sink(Sink), Snapshots(Snapshots), Maps(Maps), Host(Host),
      Table(Snapshots.add(Live, InMallocBit - 1,
                          [this](const LiveEntry &E, uint64_t Address) {
                            return outerOf(Address, E);
                          })) {
  Maps.onLeave([this](MapTable::MapRange Gone) { keepOuterOf(Gone); });
}

/// Id + 1 of the block around the live object; 0: none.
uint64_t PythonObjects::outerOf(uint64_t Address, const LiveEntry &E) {
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    return InBlocks.lookup(E.AllocationId);
  BlockRef Outer;
  return Maps.findOuter(Address, E, Outer) ? Outer.AllocationId + 1 : 0;
}

/// As outerOf(), for an object that is freed.
uint64_t PythonObjects::takeOuterOf(uint64_t Address, const LiveEntry &E) {
  uint64_t Outer = outerOf(Address, E);
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    InBlocks.erase(E.AllocationId);
  return LLVM_LIKELY(Outer || !Snapshots.hasOuters())
             ? Outer
             : Snapshots.takeOuter(E.AllocationId);
}

/// Addresses leave a mapping that lives on: keeps the outer blocks of the
/// objects there. See Mappings::onLeave().
void PythonObjects::keepOuterOf(MapTable::MapRange Gone) {
  if (!Live.size())
    return;
  for (unsigned Shard = 0; Shard != LiveTable::NumShards; ++Shard)
    Live.forEachInShard(Shard, [&](LiveEntry E, uint64_t Address) {
      if (Gone.contains(Address) && !(E.ScopeRow & InMallocBit))
        if (uint64_t Outer = outerOf(Address, E))
          Snapshots.setOuter(E.AllocationId, Outer - 1);
    });
}

//===----------------------------------------------------------------------===//
// Runs of records
//===----------------------------------------------------------------------===//

/// Adds the object to the table, or removes the object. False: the record is
/// not usual, and nothing has changed.
bool PythonObjects::note(const wire::Record &Rec, const RingThread &S,
                         ObjectChange &To) {
  LiveEntry &E = To.E;
  To.Outer = BlockRef();
  if (Rec.is(RecordKind::ObjectFree)) {
    if (!remove(Rec.Address, E))
      return false;
    // Of the outer block, a free needs only the allocation id.
    if (uint64_t Outer = takeOuterOf(Rec.Address, E))
      To.Outer = {Outer - 1, 1, 0};
    E.ScopeRow &= InMallocBit - 1;
    To.IsFree = true;
    return true;
  }
  E = {Sink.nextId(), Rec.size(), To.Tick,
       Sink.stacks().objectRow(Rec.Stack, Rec.function()), S.ObjectScopeRow};
  if (LLVM_UNLIKELY(wire::decode<wire::ObjectAllocateRecord>(Rec).InMalloc &&
                    Host.findOuter(Rec.Address, E, To.Outer)))
    E.ScopeRow |= InMallocBit;
  if (LLVM_UNLIKELY(!Live.insert(Rec.Address, E)))
    return false;
  Sink.takeId();
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    InBlocks[E.AllocationId] = To.Outer.AllocationId + 1;
  else
    Maps.findOuter(Rec.Address, E, To.Outer);
  E.ScopeRow &= InMallocBit - 1;
  To.IsFree = false;
  return true;
}

/// Counts the changes and writes them to the log, which must have room.
void PythonObjects::apply(ArrayRef<ObjectChange> Of) {
  LiveStats &Stats = Sink.stats();
  EventLog &Log = Sink.log();
  uint32_t Heap = Sink.heaps().host(HostHeapKind::PythonObject);
  for (const ObjectChange &C : Of) {
    BlockRef B{C.E.AllocationId, C.E.Row, C.E.ScopeRow};
    uint64_t Ns = C.Tick * TimeUnitNs;
    if (C.IsFree) {
      Stats.free(B, C.E.Size, Ns, C.Thread,
                 C.Outer.Row ? C.Outer.AllocationId + 1 : 0);
      Log.free(C.Lane, C.Tick, B.AllocationId);
      continue;
    }
    if (C.Outer.Row) {
      Stats.allocateIn(B, C.Outer, C.E.Size, Ns, C.Thread);
      Sink.noteOuter(C.Outer.AllocationId);
    } else {
      Stats.allocate(B, C.E.Size, Ns, C.Thread);
    }
    Log.allocate(C.Lane, C.Tick, C.E.Size, Stats.stackOf(B.Row),
                 Stats.scopePathOf(B.ScopeRow), Heap);
  }
}

/// Each step prefetches the memory of the next step.
size_t PythonObjects::takeFast(ArrayRef<MergedRecord> Records,
                               const RingOfProcess *Of,
                               const ProcessState *Self) {
  if (!Sink.wanted().wants(HostHeapKind::PythonObject))
    return 0;
  Sink.makeRoom();
  constexpr size_t MaxChanges = 128;
  Changes.resize(MaxChanges);
  size_t Max = std::min<size_t>(
      {Records.size(), MaxChanges, MaxSectionRows - Sink.log().size()});
  size_t At = 0;
  for (; At != Max; ++At) {
    ProcessState::prefetchAhead(Records, At, Of);
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    if (LLVM_UNLIKELY(From.Process != Self) || !isAddress(Rec.Address) ||
        (!Rec.is(RecordKind::ObjectAllocate) &&
         !Rec.is(RecordKind::ObjectFree)))
      break;
    RingThread &S = Sink.ring(From.Ring);
    if (LLVM_UNLIKELY(!Sink.hasLane(S)))
      break;
    ObjectChange &To = Changes[At];
    To.Tick = Sink.tickAt(Rec.Tsc);
    if (!note(Rec, S, To))
      break;
    To.Thread = S.Thread;
    To.Lane = S.Lane;
    Sink.setTick(To.Tick);
    Sink.stats().prefetchRow(To.E.Row);
  }
  apply(ArrayRef(Changes).take_front(At));
  return At;
}

//===----------------------------------------------------------------------===//
// Single records
//===----------------------------------------------------------------------===//

/// False: objects are not recorded, or the address is wrong.
bool PythonObjects::isWanted(uint64_t Address) const {
  return isAddress(Address) && Sink.wanted().wants(HostHeapKind::PythonObject);
}

template <class T>
LiveEntry PythonObjects::entryOf(const T &Rec, uint32_t Ring) {
  LiveEntry E;
  E.Size = Rec.Size;
  E.Row = Sink.stacks().objectRow(Rec.Stack, uint8_t(Rec.Function));
  E.ScopeRow = Sink.ring(Ring).ObjectScopeRow;
  return E;
}

void PythonObjects::take(const wire::ObjectAllocateRecord &Rec,
                         RecordOrigin From) {
  if (!isWanted(Rec.Address))
    return Sink.bad();
  releaseRing(From.Ring);
  put(Rec.Address, entryOf(Rec, From.Ring), From, Rec.InMalloc);
}

void PythonObjects::take(const wire::ObjectFreeRecord &Rec, RecordOrigin From) {
  LiveEntry E;
  if (!isWanted(Rec.Address))
    return Sink.bad();
  if (!remove(Rec.Address, E))
    return Sink.noteInherited();
  emitFree(Rec.Address, E, From);
}

void PythonObjects::take(const wire::ObjectReallocBeginRecord &Rec,
                         RecordOrigin From) {
  LiveEntry E;
  if (!isWanted(Rec.Address))
    return Sink.bad();
  if (!remove(Rec.Address, E))
    return Sink.noteInherited();
  if (Reallocs.size() <= From.Ring)
    Reallocs.resize(From.Ring + 1);
  Reallocs[From.Ring] = {E, Rec.Address};
  emitFree(Rec.Address, E, From);
}

void PythonObjects::take(const wire::ObjectReallocEndRecord &Rec,
                         RecordOrigin From) {
  if (Rec.Address <= wire::Unrecorded) {
    if (From.Ring >= Reallocs.size())
      return;
    // The realloc failed: put the object back, which the start of the realloc
    // has freed.
    const ObjectRealloc &Of = Reallocs[From.Ring];
    if (uint64_t At = std::exchange(Reallocs[From.Ring].Address, 0);
        At && !Rec.Address)
      put(At, Of.Object, From, Of.Object.ScopeRow & InMallocBit);
    return;
  }
  if (!isWanted(Rec.Address))
    return Sink.bad();
  releaseRing(From.Ring);
  put(Rec.Address, entryOf(Rec, From.Ring), From, Rec.InMalloc);
}

bool PythonObjects::remove(uint64_t Address, LiveEntry &E) {
  if (!Live.take(Address, E))
    return false;
  if (LLVM_UNLIKELY(Snapshots.holds(E.AllocationId)))
    Snapshots.taken(Table, Address, E, outerOf(Address, E));
  return true;
}

void PythonObjects::put(uint64_t Address, LiveEntry E, RecordOrigin From,
                        bool InMalloc) {
  // A free was not recorded: the interpreter used another table of allocators
  // meanwhile.
  if (LiveEntry Old; LLVM_UNLIKELY(Live.contains(Address))) {
    remove(Address, Old);
    Sink.doubleAllocate();
    emitFree(Address, Old, From);
  }
  // makeRoom() may write the log, so the new block is counted afterwards.
  Sink.makeRoom(From.Ring);
  E.AllocationId = Sink.takeId();
  E.AllocatedTick = Sink.tickAt(From.Tsc);
  Sink.setTick(E.AllocatedTick);
  E.ScopeRow &= InMallocBit - 1;
  LiveEntry Kept = E;
  BlockRef Outer;
  if (InMalloc && Host.findOuter(Address, E, Outer))
    Kept.ScopeRow |= InMallocBit;
  Live.insert(Address, Kept);
  if (Outer.Row)
    InBlocks[E.AllocationId] = Outer.AllocationId + 1;
  else
    Maps.findOuter(Address, E, Outer);
  Sink.allocate(From, E, Outer);
}

void PythonObjects::emitFree(uint64_t Address, LiveEntry E, RecordOrigin From) {
  uint64_t Outer = takeOuterOf(Address, E);
  E.ScopeRow &= InMallocBit - 1;
  Sink.free(From, E, Outer);
}
