// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: objects of an interpreter, heap python.object.

#include "Sources/PythonObjects.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/SharedSources.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

PythonObjects::PythonObjects(EventSink &Sink, BlockSnapshots &Snapshots,
                             Mappings &Maps, HostHeap &Host,
                             SharedSources &Shared)
    : Sink(Sink), Snapshots(Snapshots), Maps(Maps), Host(Host), Shared(Shared),
      Table(Snapshots.add(Live, InMallocBit - 1,
                          [this](const LiveEntry &E, uint64_t Address) {
                            return outerOf(Address, E);
                          })) {
  Maps.onLeave([this](MapTable::MapRange Gone) { keepOuterOf(Gone); });
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

bool PythonObjects::adopt(uint64_t Address, uint64_t Bytes, uint32_t Stack,
                          RecordOrigin From) {
  if (Live.contains(Address) || Adopted.hasEnded(Address))
    return false;
  LiveEntry E =
      Sink.newBlockIn(From, Sink.heaps().host(HostHeapKind::PythonObject),
                      Stack, Bytes, /*ScopePath=*/0);
  Live.insert(Address, E);
  Sink.allocate(From, E);
  Adopted.add(E.AllocationId);
  return true;
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
  Adopted.noteEnd(Address);
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
    // One that was adopted may have been freed just then.
    if (!Adopted.has(Old.AllocationId))
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
