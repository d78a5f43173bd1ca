// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: objects of an interpreter, in runs of records.

#include "Sources/BlockSnapshots.h"
#include "Sources/Mappings.h"
#include "Sources/ProcessState.h"
#include "Sources/PythonObjects.h"
#include "Sources/SharedSources.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

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

/// A run of objects that all lie in arenas, or all in no known block. The steps
/// are those of HostHeap::takeFast().
class PythonObjects::Run {
public:
  Run(PythonObjects &Of) : Of(Of), Sink(Of.Sink), Stats(Of.Sink.stats()) {}

  enum Outcome {
    Taken,  ///< as an event of the run
    Last,   ///< the object is removed, but is not usual: freed after the run
    Refused ///< nothing has changed
  };
  Outcome allocate(const wire::Record &Rec, const RingThread &S, uint64_t Tick);
  Outcome free(const wire::Record &Rec, const RingThread &S, uint64_t Tick);
  /// Counts the events and writes them to the log.
  void count();

  LiveEntry Removed; ///< after Last

private:
  static constexpr unsigned MaxOuters = 64;
  bool enter(uint64_t Address, const LiveEntry &E, bool IsFree);

  PythonObjects &Of;
  EventSink &Sink;
  LiveStats &Stats;
  BatchRoom &Room = Of.Shared.Room;
  size_t N = 0;
  bool IsNested = false, HasScopes = false;
  unsigned NumOuters = 0;
  uint8_t At[MaxOuters] = {}; ///< places in Outers by id
  NestedSum Outers[MaxOuters];
  uint8_t OuterOf[BatchRoom::Max]; ///< by event
};

/// Prepares the event of an object at Address, and finds the block around the
/// object. False: another kind of object than the run's.
bool PythonObjects::Run::enter(uint64_t Address, const LiveEntry &E,
                               bool IsFree) {
  BlockRef Outer;
  bool Lies = Of.Maps.findOuter(Address, E, Outer);
  if (N == 0)
    IsNested = Lies;
  else if (LLVM_UNLIKELY(IsNested != Lies))
    return false;
  if (!Lies)
    // A block that is not found by address may have been kept.
    return !IsFree || !Of.Snapshots.hasOuters();
  uint8_t &Place = At[Outer.AllocationId % MaxOuters];
  if (LLVM_UNLIKELY(Place >= NumOuters ||
                    Outers[Place].Outer.AllocationId != Outer.AllocationId)) {
    if (NumOuters == MaxOuters || !Stats.nestsIn(E.Row, Outer.Row) ||
        (IsFree && !Stats.encloses(Sink.process(), Outer.AllocationId)))
      return false;
    Outers[NumOuters] = {Outer};
    Place = uint8_t(NumOuters++);
  }
  OuterOf[N] = Place;
  return true;
}

PythonObjects::Run::Outcome
PythonObjects::Run::allocate(const wire::Record &Rec, const RingThread &S,
                             uint64_t Tick) {
  if (LLVM_UNLIKELY(wire::decode<wire::ObjectAllocateRecord>(Rec).InMalloc))
    return Refused;
  LiveEntry E{Sink.nextId(), Rec.size(), Tick,
              Sink.stacks().objectRow(Rec.Stack, Rec.function()),
              S.ObjectScopeRow};
  if (LLVM_UNLIKELY(!Of.Live.insert(Rec.Address, E)))
    return Refused;
  if (LLVM_UNLIKELY(!enter(Rec.Address, E, false))) {
    Of.Live.take(Rec.Address, E);
    return Refused;
  }
  Sink.takeId();
  Stats.prefetchRow(E.Row);
  Stats.noteAllocation(S.Thread, E.AllocationId, E.Size);
  if (IsNested) {
    Stats.noteUncounted(S.Thread, E.Size);
    Outers[OuterOf[N]].Bytes += E.Size;
    Outers[OuterOf[N]].Blocks += 1;
  }
  Room.Changes[N] = {E.Size, E.Row, E.ScopeRow, Change::Allocate};
  Room.Logged[N] = {Tick, E.Size, 0, uint16_t(S.Lane), false};
  Room.TimesNs[N++] = Tick * TimeUnitNs;
  HasScopes |= E.ScopeRow != 0;
  return Taken;
}

PythonObjects::Run::Outcome PythonObjects::Run::free(const wire::Record &Rec,
                                                     const RingThread &S,
                                                     uint64_t Tick) {
  LiveEntry E;
  if (LLVM_UNLIKELY(!Of.remove(Rec.Address, E)))
    return Refused;
  if (LLVM_UNLIKELY((E.ScopeRow & InMallocBit) ||
                    !enter(Rec.Address, E, true))) {
    Removed = E;
    return Last;
  }
  Stats.prefetchRow(E.Row);
  if (LLVM_UNLIKELY(E.AllocationId < Stats.lateBefore(Sink.process())))
    Stats.noteLateFree(Sink.process(), E.Row, E.AllocationId, E.Size);
  if (IsNested) {
    Outers[OuterOf[N]].Bytes -= E.Size;
    Outers[OuterOf[N]].Blocks -= 1;
  }
  bool Temporary = Stats.lastAllocation(S.Thread) == E.AllocationId + 1;
  Room.Changes[N] = {E.Size, E.Row, E.ScopeRow,
                     Temporary ? Change::FreeTemporary : Change::Free};
  Room.Logged[N] = {Tick, E.AllocationId, 0, uint16_t(S.Lane), true};
  Room.TimesNs[N++] = Tick * TimeUnitNs;
  return Taken;
}

void PythonObjects::Run::count() {
  if (!N)
    return;
  ArrayRef Changes(Room.Changes, N);
  if (IsNested)
    Stats.applyNested(Sink.process(), Changes, ArrayRef(Outers, NumOuters),
                      Room.TimesNs);
  else
    Stats.apply(Sink.process(), Changes, Room.TimesNs);
  // The rows are in the cache now.
  for (size_t I = 0; I != N; ++I)
    if (Changes[I].Kind == Change::Allocate)
      Room.Logged[I].Stack = Stats.stackOf(Changes[I].Row);
  if (LLVM_UNLIKELY(HasScopes))
    for (size_t I = 0; I != N; ++I)
      Room.ScopePaths[I] = Stats.scopePathOf(Changes[I].ScopeRow);
  EventLog &Log = Sink.log();
  size_t First = Log.size();
  Log.append(ArrayRef(Room.Logged, N),
             Sink.heaps().host(HostHeapKind::PythonObject),
             HasScopes ? Room.ScopePaths : nullptr);
  if (!IsNested)
    return;
  std::vector<uint64_t> &Column = Log.Columns.Enclosing;
  Column.resize(First + N);
  for (size_t I = 0; I != N; ++I)
    if (Changes[I].Kind == Change::Allocate)
      Column[First + I] = Outers[OuterOf[I]].Outer.AllocationId + 1;
}

size_t PythonObjects::takeFast(ArrayRef<MergedRecord> Records,
                               const RingOfProcess *Of,
                               const ProcessState *Self) {
  if (!Sink.wanted().wants(HostHeapKind::PythonObject))
    return 0;
  Sink.makeRoom();
  size_t Max = std::min<size_t>(
      {Records.size(), BatchRoom::Max, MaxSectionRows - Sink.log().size()});
  Run R(*this);
  EventTimes::TickRun Ticks = Sink.tickRun();
  Run::Outcome Is = Run::Taken;
  size_t At = 0;
  for (; At != Max; ++At) {
    ProcessState::prefetchAhead(Records, At, Of);
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    bool IsFree = Rec.is(RecordKind::ObjectFree);
    if (LLVM_UNLIKELY(From.Process != Self) || !isAddress(Rec.Address) ||
        (!IsFree && !Rec.is(RecordKind::ObjectAllocate)))
      break;
    RingThread &S = Sink.ring(From.Ring);
    if (LLVM_UNLIKELY(!Sink.hasLane(S)))
      break;
    uint64_t Tick = Ticks.at(Rec.Tsc);
    Is = IsFree ? R.free(Rec, S, Tick) : R.allocate(Rec, S, Tick);
    if (LLVM_UNLIKELY(Is != Run::Taken))
      break;
    Ticks.set(Tick);
  }
  Sink.setTick(Ticks);
  R.count();
  if (Is == Run::Last) {
    const MergedRecord &M = Records[At++];
    emitFree(M.R.Address, R.Removed, {M.R.Tsc, Of[M.Source].Ring});
  }
  return At;
}
