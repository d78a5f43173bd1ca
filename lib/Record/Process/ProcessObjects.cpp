// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of an interpreter.
//
// The blocks of an interpreter's own allocators: heap python.object. They come
// in order, because the interpreter's lock is held, so that none waits for
// another. One that is not known was allocated before we could see it, or by a
// parent.
//
// Nearly each lies in another block: an arena that the interpreter has mapped,
// or, if it is large, a block of malloc. Which arena it is follows from its
// address whenever it is asked, so that nothing need be kept for it: what was
// there when the object was allocated is older than it. A block of malloc may
// be freed or reallocated before the object, and is kept.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

/// How far into a block of malloc an object lies: the interpreter's debug
/// functions put theirs behind 16 bytes, in one memory space or in both.
static constexpr uint64_t Offsets[] = {0, 16, 32};

/// The block of malloc in which the object lies.
bool ProcessState::findMallocOf(uint64_t Address, const LiveEntry &E,
                                BlockRef &Out) const {
  for (uint64_t Offset : Offsets) {
    LiveEntry In;
    if (Address < Offset || !Live.get(Address - Offset, &In) ||
        In.AllocationId >= E.AllocationId || In.Size < E.Size + Offset)
      continue;
    Out = {In.AllocationId, In.Row, In.ScopeRow};
    return true;
  }
  return false;
}

/// The allocation id + 1 of the block in which the live object lies; 0: none.
uint64_t ProcessState::outerOf(uint64_t Address, const LiveEntry &E) {
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    return OuterOf.lookup(E.AllocationId);
  BlockRef Outer;
  return findMapOf(Address, E, Outer) ? Outer.AllocationId + 1 : 0;
}

/// The same of one that is freed.
uint64_t ProcessState::takeOuterOf(uint64_t Address, const LiveEntry &E) {
  uint64_t Outer = outerOf(Address, E);
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    OuterOf.erase(E.AllocationId);
  return LLVM_LIKELY(Outer || Enclosing.empty())
             ? Outer
             : takeEnclosing(E.AllocationId);
}

/// The mapping in which the block lies.
bool ProcessState::findMapOf(uint64_t Address, const LiveEntry &E,
                             BlockRef &Out) {
  const MapTable::Block *In = Maps.enclosing(Address);
  if (!In || !In->Entry.Row)
    return false;
  if (LLVM_UNLIKELY(In->Entry.AllocationId > E.AllocationId))
    return false; // It lay in what was here before.
  Out = {In->Entry.AllocationId, In->Entry.Row, In->Entry.ScopeRow};
  return true;
}

/// Addresses leave a mapping that lives on: what lies there stays in it for the
/// sums, but cannot be found by its address any more.
void ProcessState::keepOuterOf(MapTable::Range Gone) {
  for (unsigned Shard = 0; Shard != LiveTable::NumShards; ++Shard)
    Objects.forEachInShard(Shard, [&](LiveEntry E, uint64_t Address) {
      if (Gone.contains(Address) && !(E.ScopeRow & InMallocBit))
        if (uint64_t Outer = outerOf(Address, E))
          Enclosing[E.AllocationId] = Outer;
    });
}

//===----------------------------------------------------------------------===//
// Many at once
//===----------------------------------------------------------------------===//

/// Puts the object into the table or takes it out. False: it is not usual, and
/// nothing was done.
bool ProcessState::noteObject(const wire::Record &Rec, const Ring &S,
                              ObjectChange &To) {
  LiveEntry &E = To.E;
  To.Outer = BlockRef();
  if (Rec.kind() == uint8_t(RecordKind::ObjectFree)) {
    if (!takeObject(Rec.Address, E))
      return false;
    // Of a free only the allocation id is asked for.
    if (uint64_t Outer = takeOuterOf(Rec.Address, E))
      To.Outer = {Outer - 1, 1, 0};
    E.ScopeRow &= InMallocBit - 1;
    To.IsFree = true;
    return true;
  }
  E = {NextAllocationId, Rec.size(), To.Tick,
       Stacks.objectRow(Rec.Stack, Rec.function()), S.ObjectScopeRow};
  if (LLVM_UNLIKELY(Rec.Extra && findMallocOf(Rec.Address, E, To.Outer)))
    E.ScopeRow |= InMallocBit;
  if (LLVM_UNLIKELY(!Objects.insert(Rec.Address, E)))
    return false;
  ++NextAllocationId;
  if (LLVM_UNLIKELY(E.ScopeRow & InMallocBit))
    OuterOf[E.AllocationId] = To.Outer.AllocationId + 1;
  else
    findMapOf(Rec.Address, E, To.Outer);
  E.ScopeRow &= InMallocBit - 1;
  To.IsFree = false;
  return true;
}

/// Counts them and writes them to the log, which has room.
void ProcessState::applyObjects(ArrayRef<ObjectChange> Changes) {
  uint32_t Heap = R.hostHeap(HostHeap::PythonObject);
  for (const ObjectChange &C : Changes) {
    BlockRef B{C.E.AllocationId, C.E.Row, C.E.ScopeRow};
    uint64_t Ns = C.Tick * TimeUnitNs;
    if (C.IsFree) {
      R.Stats.free(B, C.E.Size, Ns, C.Thread,
                   C.Outer.Row ? C.Outer.AllocationId + 1 : 0);
      Log.free(C.Lane, C.Tick, B.AllocationId);
      continue;
    }
    if (C.Outer.Row) {
      R.Stats.allocateIn(B, C.Outer, C.E.Size, Ns, C.Thread);
      noteEnclosing(C.Outer.AllocationId);
    } else {
      R.Stats.allocate(B, C.E.Size, Ns, C.Thread);
    }
    Log.allocate(C.Lane, C.Tick, C.E.Size, R.Stats.stackOf(B.Row),
                 R.Stats.scopePathOf(B.ScopeRow), Heap);
  }
}

/// As takeUsual(), of objects. What a step touches is fetched in the one
/// before.
size_t ProcessState::takeObjects(ArrayRef<MergedRecord> Records,
                                 const RingOfProcess *Of) {
  if (!R.Wanted.wants(HostHeap::PythonObject))
    return 0;
  if (Log.full())
    R.emptyLogs();
  constexpr size_t MaxChanges = 128;
  std::vector<ObjectChange> &Changes = ObjectChanges;
  Changes.resize(MaxChanges);
  size_t Max = std::min<size_t>(
      {Records.size(), MaxChanges, MaxSectionRows - Log.size()});
  size_t At = 0;
  for (; At != Max; ++At) {
    if (At + Ahead < Records.size()) {
      const MergedRecord &Next = Records[At + Ahead];
      Of[Next.Source].Process->prefetch(Next.R);
    }
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    if (LLVM_UNLIKELY(From.Process != this) || !isAddress(Rec.Address) ||
        (Rec.kind() != uint8_t(RecordKind::ObjectAllocate) &&
         Rec.kind() != uint8_t(RecordKind::ObjectFree)))
      break;
    Ring &S = Rings[From.Ring];
    if (LLVM_UNLIKELY(!isLogged(S))) {
      if (!S.Thread || Log.numThreads() >= MaxSectionThreads)
        break;
      addLane(S);
    }
    ObjectChange &To = Changes[At];
    To.Tick = R.tickAt(Rec.Tsc, Id);
    if (!noteObject(Rec, S, To))
      break;
    To.Thread = S.Thread;
    To.Lane = S.Lane;
    R.setTick(To.Tick, Id);
    R.Stats.prefetchRow(To.E.Row);
  }
  applyObjects(ArrayRef(Changes).take_front(At));
  return At;
}

/// The block with this allocation id ends. An interpreter that is finished
/// gives its arenas back, and blocks of malloc, with what has leaked in them.
/// What such an object lay in can be told for as long as that is there: a
/// snapshot that runs has to be done with it.
void ProcessState::beforeFree(uint64_t Outer) {
  if (Snapshots.active() && (Objects.size() || Tensors.size()) &&
      R.Stats.holdsOthers(Id, Outer))
    finishSnapshot();
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

void ProcessState::objectRecord(const wire::Record &Rec, uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  RecordKind Kind = RecordKind(Rec.kind());
  bool IsEnd = Kind == RecordKind::ObjectReallocEnd;
  if (IsEnd && Rec.Address <= wire::Unrecorded) {
    // One that failed is where it was: it was freed when it began.
    if (uint64_t At = std::exchange(S.ObjectAddress, 0); At && !Rec.Address)
      putObject(At, S.Object, Rec.Tsc, RingIndex,
                S.Object.ScopeRow & InMallocBit);
    return;
  }
  if (!isAddress(Rec.Address) ||
      !R.Wanted.wants(HostHeap::PythonObject)) // nobody has asked for it
    return bad();
  if (IsEnd || Kind == RecordKind::ObjectAllocate) {
    S.ObjectAddress = 0;
    LiveEntry E;
    E.Size = Rec.size();
    E.Row = Stacks.objectRow(Rec.Stack, Rec.function());
    E.ScopeRow = S.ObjectScopeRow;
    return putObject(Rec.Address, E, Rec.Tsc, RingIndex, Rec.Extra != 0);
  }
  LiveEntry E;
  if (!takeObject(Rec.Address, E)) {
    if (Forked)
      R.Stats.inheritedFree(Id);
    return;
  }
  if (Kind == RecordKind::ObjectReallocBegin) {
    S.ObjectAddress = Rec.Address;
    S.Object = E;
  }
  emitObjectFree(Rec.Address, E, Rec.Tsc, RingIndex);
}

bool ProcessState::takeObject(uint64_t Address, LiveEntry &E) {
  if (!Objects.take(Address, E))
    return false;
  if (LLVM_UNLIKELY(Snapshots.holds(E.AllocationId))) {
    LiveEntry Block = E;
    Block.ScopeRow &= InMallocBit - 1;
    Snapshots.onTake(Block, LiveTable::NumShards + LiveTable::shardOf(Address),
                     outerOf(Address, E));
  }
  return true;
}

/// E: all but its allocation id and its allocation time.
void ProcessState::putObject(uint64_t Address, LiveEntry E, uint64_t Tsc,
                             uint32_t RingIndex, bool InMalloc) {
  // Its free was not seen: others stood in the table of allocators meanwhile.
  if (LiveEntry Old; LLVM_UNLIKELY(Objects.contains(Address))) {
    takeObject(Address, Old);
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    emitObjectFree(Address, Old, Tsc, RingIndex);
  }
  // A flush writes what was there before.
  makeRoom(RingIndex);
  E.AllocationId = NextAllocationId++;
  E.AllocatedTick = R.nextTick(Tsc, Id);
  E.ScopeRow &= InMallocBit - 1;
  BlockRef B{E.AllocationId, E.Row, E.ScopeRow}, Outer;
  if (InMalloc && findMallocOf(Address, E, Outer))
    E.ScopeRow |= InMallocBit;
  Objects.insert(Address, E);
  if (Outer.Row)
    OuterOf[E.AllocationId] = Outer.AllocationId + 1;
  const Ring &S = Rings[RingIndex];
  uint64_t Ns = E.AllocatedTick * TimeUnitNs;
  if (Outer.Row || findMapOf(Address, E, Outer)) {
    R.Stats.allocateIn(B, Outer, E.Size, Ns, S.Thread);
    noteEnclosing(Outer.AllocationId);
  } else {
    R.Stats.allocate(B, E.Size, Ns, S.Thread);
  }
  Log.allocate(S.Lane, E.AllocatedTick, E.Size, R.Stats.stackOf(E.Row),
               R.Stats.scopePathOf(B.ScopeRow),
               R.hostHeap(HostHeap::PythonObject));
}

void ProcessState::emitObjectFree(uint64_t Address, const LiveEntry &E,
                                  uint64_t Tsc, uint32_t RingIndex) {
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Stats.free({E.AllocationId, E.Row, E.ScopeRow & (InMallocBit - 1)}, E.Size,
               Tick * TimeUnitNs, Rings[RingIndex].Thread,
               takeOuterOf(Address, E));
  Log.free(Rings[RingIndex].Lane, Tick, E.AllocationId);
}
