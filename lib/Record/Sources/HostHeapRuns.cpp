// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes runs of usual records of malloc.
//
// Nearly all records are allocations of addresses that are free, and frees of
// live blocks. A run takes each step together (live table, stats, log), so that
// the memory a step touches is prefetched and stays in the cache.
//
// On a machine with many processors, processes take turns in the order of time
// after one or two events. A run goes on over such turns: the live tables take
// the events in their order, stats and logs take them process by process.

#include "Scopes/ProcessScopes.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/ProcessState.h"
#include "Sources/SharedSources.h"
#include <optional>

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

static bool isScope(const wire::Record &Rec) {
  return Rec.is(RecordKind::ScopeBegin) || Rec.is(RecordKind::ScopeEnd);
}

/// Notes what does not change in a run. False: the process cannot take part.
bool HostHeap::beginRun() {
  LiveStats &Stats = Sink.stats();
  uint32_t Id = Sink.process();
  Turn.Whole = Snapshots.active();
  Turn.HasNested = Stats.hasNested(Id);
  // A record that must wait ends the run.
  Turn.HasHeld = !Held.empty();
  Turn.LateBefore = Stats.lateBefore(Id);
  Turn.NumRings = Sink.rings().size();
  return !Snapshots.hasOuters() && !(Turn.HasNested && Turn.Whole) &&
         !SampleBytes && !Adopted.isExpected();
}

/// Joins the run that Shared.Mixed describes.
bool HostHeap::joinRun() {
  MixedRoom &Mixed = Shared.Mixed;
  if (Turn.Run == Mixed.Run)
    return true;
  if (Mixed.Heaps.size() == MixedRoom::MaxProcesses ||
      Sink.stats().isEnded(Sink.process()) || !Sink.hasRoom(BatchRoom::Max) ||
      !beginRun())
    return false;
  Turn.Run = Mixed.Run;
  Turn.Number = uint8_t(Mixed.Heaps.size());
  Mixed.Heaps.push_back(this);
  return true;
}

/// Logs events that the stats have: their rows are in the cache now.
void HostHeap::logRun(ArrayRef<Change> Changes,
                      MutableArrayRef<EventLog::FastEvent> Logged,
                      bool AnyScope) {
  LiveStats &Stats = Sink.stats();
  uint32_t *ScopePaths = AnyScope ? Shared.Room.ScopePaths : nullptr;
  for (size_t I = 0; I != Changes.size(); ++I)
    if (Changes[I].Kind == Change::Allocate)
      Logged[I].Stack = Stats.stackOf(Changes[I].Row);
  if (LLVM_UNLIKELY(AnyScope))
    for (size_t I = 0; I != Changes.size(); ++I)
      ScopePaths[I] = Stats.scopePathOf(Changes[I].ScopeRow);
  Sink.log().append(Logged, Heap, ScopePaths);
}

/// Counts and logs Size events of this process in the batch, from Begin on.
void HostHeap::countRun(size_t Begin, size_t Size, bool AnyScope) {
  if (!Size)
    return;
  BatchRoom &Room = Shared.Room;
  ArrayRef<Change> Changes(Room.Changes + Begin, Size);
  Sink.stats().apply(Sink.process(), Changes, Room.TimesNs + Begin);
  logRun(Changes, MutableArrayRef(Room.Logged + Begin, Size), AnyScope);
}

/// As countRun(), for the events of all processes of the run, process by
/// process.
void HostHeap::countPart(size_t Begin, size_t Size, bool AnyScope) {
  if (!Size)
    return;
  BatchRoom &Room = Shared.Room;
  MixedRoom &Mixed = Shared.Mixed;
  uint16_t Ends[MixedRoom::MaxProcesses + 1] = {};
  for (size_t I = Begin; I != Begin + Size; ++I)
    ++Ends[Mixed.NumberOf[I] + 1];
  for (size_t I = 0; I != Mixed.Heaps.size(); ++I)
    Ends[I + 1] = uint16_t(Ends[I + 1] + Ends[I]);
  for (size_t I = Begin; I != Begin + Size; ++I) {
    uint16_t To = Ends[Mixed.NumberOf[I]]++;
    Mixed.Changes[To] = Room.Changes[I];
    Mixed.TimesNs[To] = Room.TimesNs[I];
    Mixed.Logged[To] = Room.Logged[I];
  }
  LiveStats &Stats = Sink.stats();
  uint16_t First = 0;
  for (size_t I = 0; I != Mixed.Heaps.size(); First = Ends[I++]) {
    size_t Count = Ends[I] - First;
    if (!Count)
      continue;
    HostHeap &Of = *Mixed.Heaps[I];
    ArrayRef<Change> Changes(Mixed.Changes + First, Count);
    Stats.applyPart(Of.Sink.process(), Changes, Mixed.TimesNs + First);
    Of.logRun(Changes, MutableArrayRef(Mixed.Logged + First, Count), AnyScope);
  }
  size_t Last = Begin + Size - 1;
  Stats.endPart(Room.Changes[Last].Row, Room.TimesNs[Last]);
}

/// Counts and logs the first N events of the batch, of several processes.
void HostHeap::countMixed(size_t N, bool AnyScope) {
  MixedRoom &Mixed = Shared.Mixed;
  Outlook Is = Sink.stats().outlook(ArrayRef(Shared.Room.Changes, N));
  if (LLVM_LIKELY(!Is.Crosses)) {
    countPart(0, Is.PeakAfter, AnyScope);
    countPart(Is.PeakAfter, N - Is.PeakAfter, AnyScope);
    return;
  }
  for (size_t Begin = 0, At = 0; At != N; Begin = At) {
    uint8_t Number = Mixed.NumberOf[Begin];
    while (At != N && Mixed.NumberOf[At] == Number)
      ++At;
    Mixed.Heaps[Number]->countRun(Begin, At - Begin, AnyScope);
  }
}

size_t HostHeap::takeFast(ArrayRef<MergedRecord> Records,
                          const RingOfProcess *Of, const ProcessState *Self) {
  LiveStats &Stats = Sink.stats();
  Sink.makeRoom();
  if (LLVM_UNLIKELY(!beginRun()))
    return 0;
  BatchRoom &Room = Shared.Room;
  MixedRoom &Mixed = Shared.Mixed;
  Turn.Run = ++Mixed.Run;
  Turn.Number = 0;
  Mixed.Heaps.assign(1, this);
  size_t Max = std::min<size_t>(
      {Records.size(), BatchRoom::Max, MaxSectionRows - Sink.log().size()});
  uint32_t Epoch = Sink.epoch();
  EventTimes::TickRun Ticks = Sink.tickRun();
  HostHeap *H = this; ///< of the current turn
  // A freed block that has enclosed others; ends the run.
  std::optional<LiveEntry> Outer;
  size_t At = 0, N = 0, TurnBegin = 0; // records, events, event
  uint32_t InScopeRow = 0;
  for (; At != Max; ++At) {
    ProcessState::prefetchAhead(Records, At, Of);
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    if (LLVM_UNLIKELY(From.Process != Self)) {
      // After a long turn a run of its own costs less than to sort events.
      if (N - TurnBegin > MixedRoom::LongTurn && Mixed.Heaps.size() == 1)
        break;
      HostHeap *Next = &From.Process->hostHeap();
      if (!Next->joinRun())
        break;
      H = Next;
      Self = From.Process;
      TurnBegin = N;
      Ticks.setProcess(H->Sink.process());
    }
    if (LLVM_UNLIKELY(From.Ring >= H->Turn.NumRings))
      break;
    EventSink &To = H->Sink;
    RingThread &S = To.knownRing(From.Ring);
    if (LLVM_UNLIKELY(S.Epoch != Epoch) && !To.hasLane(S))
      break;
    if (LLVM_UNLIKELY(isScope(Rec))) {
      To.setTick(Ticks);
      if (!H->Scopes.takeOperator(Rec, From.Ring))
        break;
      To.setScopePath(From.Ring, H->Scopes.scopePath(From.Ring),
                      To.clockNs(Rec.Tsc));
      Ticks = To.tickRun();
      continue;
    }
    if (LLVM_UNLIKELY(!isAddress(Rec.Address)) ||
        (LLVM_UNLIKELY(H->Turn.HasHeld) && H->Held.count(Rec.Address)))
      break;
    uint64_t Tick = Ticks.at(Rec.Tsc);
    if (Rec.is(RecordKind::Allocate)) {
      uint32_t Row = To.stacks().row(Rec.Stack, Rec.function());
      uint64_t Size = Rec.size(), Id = To.nextId();
      if (LLVM_UNLIKELY(H->Maps.enclosing(Rec.Address) || Size >= H->ChunkMin ||
                        !H->Live.insert(Rec.Address, {Id, Size, Tick, Row,
                                                      S.MallocScopeRow})))
        break;
      Stats.prefetchRow(Row);
      Room.Changes[N] = {Size, Row, S.MallocScopeRow, Change::Allocate};
      InScopeRow |= S.MallocScopeRow;
      Stats.noteAllocation(S.Thread, Id, Size);
      Room.Logged[N] = {Tick, Size, 0, uint16_t(S.Lane), false};
      To.setNextId(Id + 1);
    } else if (Rec.is(RecordKind::Free)) {
      LiveEntry E;
      if (LLVM_UNLIKELY(!H->Live.take(Rec.Address, E, H->Turn.Whole))) {
        // Most likely a block too small to be recorded.
        if (MinSize)
          continue;
        break;
      }
      H->dropChunk(Rec.Address, E.Size);
      if (LLVM_UNLIKELY(H->Turn.HasNested) &&
          Stats.encloses(To.process(), E.AllocationId)) {
        Outer = E;
        break;
      }
      if (LLVM_UNLIKELY(H->Turn.Whole))
        H->Snapshots.taken(H->Table, Rec.Address, E);
      Stats.prefetchRow(E.Row);
      if (LLVM_UNLIKELY(E.AllocationId < H->Turn.LateBefore))
        Stats.noteLateFree(To.process(), E.Row, E.AllocationId, E.Size);
      bool Temporary = Stats.lastAllocation(S.Thread) == E.AllocationId + 1;
      Room.Changes[N] = {E.Size, E.Row, E.ScopeRow,
                         Temporary ? Change::FreeTemporary : Change::Free};
      Room.Logged[N] = {Tick, E.AllocationId, 0, uint16_t(S.Lane), true};
    } else {
      break;
    }
    Ticks.set(Tick);
    Mixed.NumberOf[N] = H->Turn.Number;
    Room.TimesNs[N++] = Tick * TimeUnitNs;
  }
  Sink.setTick(Ticks);
  if (LLVM_LIKELY(Mixed.Heaps.size() == 1))
    countRun(0, N, InScopeRow != 0);
  else
    countMixed(N, InScopeRow != 0);
  if (Outer) {
    const MergedRecord &M = Records[At++];
    H->emitFree({M.R.Tsc, Of[M.Source].Ring}, *Outer);
  }
  return At;
}
