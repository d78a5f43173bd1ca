// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes runs of usual records of malloc.
//
// Nearly all records are allocations of addresses that are free, and frees of
// live blocks. A run takes each step together (live table, stats, log), so that
// the memory a step touches is prefetched and stays in the cache.

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

/// Counts and logs the first N events of the batch.
void HostHeap::countRun(size_t N, bool AnyScope) {
  LiveStats &Stats = Sink.stats();
  auto &[Changes, TimesNs, Logged, ScopePaths] = Shared.Room;
  if (N)
    Stats.apply(Sink.process(), ArrayRef(Changes, N), TimesNs);
  // The rows are in the cache now.
  for (size_t I = 0; I != N; ++I)
    if (Changes[I].Kind == Change::Allocate)
      Logged[I].Stack = Stats.stackOf(Changes[I].Row);
  if (LLVM_UNLIKELY(AnyScope))
    for (size_t I = 0; I != N; ++I)
      ScopePaths[I] = Stats.scopePathOf(Changes[I].ScopeRow);
  Sink.log().append(ArrayRef(Logged, N), Heap, AnyScope ? ScopePaths : nullptr);
}

size_t HostHeap::takeFast(ArrayRef<MergedRecord> Records,
                          const RingOfProcess *Of, const ProcessState *Self) {
  LiveStats &Stats = Sink.stats();
  uint32_t Id = Sink.process();
  bool Whole = Snapshots.active(), HasNested = Stats.hasNested(Id);
  if (LLVM_UNLIKELY(Snapshots.hasOuters() || (HasNested && Whole) ||
                    SampleBytes))
    return 0;
  Sink.makeRoom();
  size_t Max = std::min<size_t>(
      {Records.size(), BatchRoom::Max, MaxSectionRows - Sink.log().size()});
  auto &[Changes, TimesNs, Logged, ScopePaths] = Shared.Room;
  // Held does not change in a run: a record that must wait ends the run.
  bool HasHeld = !Held.empty();
  uint64_t LateBefore = Stats.lateBefore(Id);
  size_t NumRings = Sink.rings().size();
  uint32_t Epoch = Sink.epoch();
  uint64_t NextId = Sink.nextId();
  EventTimes::TickRun Ticks = Sink.tickRun();
  // A freed block that has enclosed others; ends the run.
  std::optional<LiveEntry> Outer;
  size_t At = 0, N = 0; // records, events
  uint32_t InScopeRow = 0;
  for (; At != Max; ++At) {
    ProcessState::prefetchAhead(Records, At, Of);
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    if (LLVM_UNLIKELY(From.Process != Self || From.Ring >= NumRings))
      break;
    RingThread &S = Sink.knownRing(From.Ring);
    if (LLVM_UNLIKELY(S.Epoch != Epoch) && !Sink.hasLane(S))
      break;
    if (LLVM_UNLIKELY(isScope(Rec))) {
      if (N)
        Sink.setTick(Ticks.last());
      if (!Scopes.takeOperator(Rec, From.Ring))
        break;
      Sink.setScopePath(From.Ring, Scopes.scopePath(From.Ring),
                        Sink.clockNs(Rec.Tsc));
      Ticks = Sink.tickRun();
      continue;
    }
    if (LLVM_UNLIKELY(!isAddress(Rec.Address)) ||
        (LLVM_UNLIKELY(HasHeld) && Held.count(Rec.Address)))
      break;
    uint64_t Tick = Ticks.at(Rec.Tsc);
    if (Rec.is(RecordKind::Allocate)) {
      uint32_t Row = Sink.stacks().row(Rec.Stack, Rec.function());
      uint64_t Size = Rec.size();
      if (LLVM_UNLIKELY(Maps.enclosing(Rec.Address) || Size >= ChunkMin ||
                        !Live.insert(Rec.Address, {NextId, Size, Tick, Row,
                                                   S.MallocScopeRow})))
        break;
      Stats.prefetchRow(Row);
      Changes[N] = {Size, Row, S.MallocScopeRow, Change::Allocate};
      InScopeRow |= S.MallocScopeRow;
      Stats.noteAllocation(S.Thread, NextId, Size);
      Logged[N] = {Tick, Size, 0, uint16_t(S.Lane), false};
      ++NextId;
    } else if (Rec.is(RecordKind::Free)) {
      LiveEntry E;
      if (LLVM_UNLIKELY(!Live.take(Rec.Address, E, Whole))) {
        // Most likely a block too small to be recorded.
        if (MinSize)
          continue;
        break;
      }
      dropChunk(Rec.Address, E.Size);
      if (LLVM_UNLIKELY(HasNested) && Stats.encloses(Id, E.AllocationId)) {
        Outer = E;
        break;
      }
      if (LLVM_UNLIKELY(Whole))
        Snapshots.taken(Table, Rec.Address, E);
      Stats.prefetchRow(E.Row);
      if (LLVM_UNLIKELY(E.AllocationId < LateBefore))
        Stats.noteLateFree(Id, E.Row, E.AllocationId, E.Size);
      bool Temporary = Stats.lastAllocation(S.Thread) == E.AllocationId + 1;
      Changes[N] = {E.Size, E.Row, E.ScopeRow,
                    Temporary ? Change::FreeTemporary : Change::Free};
      Logged[N] = {Tick, E.AllocationId, 0, uint16_t(S.Lane), true};
    } else {
      break;
    }
    Ticks.set(Tick);
    TimesNs[N++] = Tick * TimeUnitNs;
  }
  Sink.setNextId(NextId);
  if (N)
    Sink.setTick(Ticks.last());
  countRun(N, InScopeRow != 0);
  if (Outer) {
    const MergedRecord &M = Records[At++];
    emitFree({M.R.Tsc, Of[M.Source].Ring}, *Outer);
  }
  return At;
}
