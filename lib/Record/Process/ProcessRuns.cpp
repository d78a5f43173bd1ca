// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many usual records at once.
//
// Nearly all records are allocations of addresses that are free, and frees of
// blocks that live. They take each step together (live table, sums, log), so
// that what a step touches is fetched ahead and stays near.

#include "Process/ProcessState.h"

#include <optional>

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

static bool isScope(const wire::Record &Rec) {
  return Rec.kind() == uint8_t(RecordKind::ScopeBegin) ||
         Rec.kind() == uint8_t(RecordKind::ScopeEnd);
}

void ProcessState::prefetchFirst(ArrayRef<MergedRecord> Records,
                                 const RingOfProcess *Of) {
  for (const MergedRecord &M : Records.take_front(Ahead))
    Of[M.Source].Process->prefetch(M.R);
}

size_t ProcessState::takeUsual(ArrayRef<MergedRecord> Records,
                               const RingOfProcess *Of) {
  if (LLVM_UNLIKELY(isObject(Records.front().R)))
    return takeObjects(Records, Of);
  bool Whole = Snapshots.active(), HasNested = R.Stats.hasNested(Id);
  if (LLVM_UNLIKELY(!Enclosing.empty() || (HasNested && Whole) ||
                    R.Wanted.SampleBytes))
    return 0;
  if (Log.full())
    R.emptyLogs();
  size_t Max = std::min<size_t>(
      {Records.size(), UsualRoom::Max, MaxSectionRows - Log.size()});
  auto &[Changes, TimesNs, Logged, ScopePaths] = R.Room;
  // Nothing is held meanwhile: who would be ends the run.
  bool HasHeld = !Held.empty();
  uint64_t LateBefore = R.Stats.lateBefore(Id);
  std::optional<LiveEntry> Outer; // one in which others lie or lay ends the run
  size_t At = 0, N = 0;           // records, events
  uint32_t InScopeRow = 0;
  for (; At != Max; ++At) {
    if (At + Ahead < Records.size()) {
      const MergedRecord &Next = Records[At + Ahead];
      Of[Next.Source].Process->prefetch(Next.R);
    }
    const wire::Record &Rec = Records[At].R;
    const RingOfProcess &From = Of[Records[At].Source];
    if (LLVM_UNLIKELY(From.Process != this))
      break;
    Ring &S = Rings[From.Ring];
    if (LLVM_UNLIKELY(!isLogged(S))) {
      if (!S.Thread || Log.numThreads() >= MaxSectionThreads)
        break;
      addLane(S);
    }
    if (LLVM_UNLIKELY(isScope(Rec))) {
      if (!Scopes.takeOperator(Rec, From.Ring))
        break;
      setScopePath(From.Ring);
      continue;
    }
    if (LLVM_UNLIKELY(!isAddress(Rec.Address)) ||
        (LLVM_UNLIKELY(HasHeld) && Held.count(Rec.Address)))
      break;
    uint64_t Tick = R.tickAt(Rec.Tsc, Id);
    if (Rec.kind() == uint8_t(RecordKind::Allocate)) {
      uint32_t Row = Stacks.row(Rec.Stack, Rec.function());
      uint64_t Size = Rec.size();
      if (LLVM_UNLIKELY(Maps.enclosing(Rec.Address) ||
                        !Live.insert(Rec.Address, {NextAllocationId, Size, Tick,
                                                   Row, S.ScopeRow})))
        break;
      R.Stats.prefetchRow(Row);
      Changes[N] = {Size, Row, S.ScopeRow, Change::Allocate};
      InScopeRow |= S.ScopeRow;
      R.Stats.noteAllocation(S.Thread, NextAllocationId, Size);
      Logged[N] = {Tick, Size, 0, uint16_t(S.Lane), false};
      ++NextAllocationId;
    } else if (Rec.kind() == uint8_t(RecordKind::Free)) {
      LiveEntry E;
      if (LLVM_UNLIKELY(!Live.take(Rec.Address, E, Whole))) {
        // Most likely of a block too small to be recorded.
        if (R.Wanted.MinSize)
          continue;
        break;
      }
      if (LLVM_UNLIKELY(HasNested) && R.Stats.encloses(Id, E.AllocationId)) {
        Outer = E;
        break;
      }
      if (LLVM_UNLIKELY(Whole))
        Snapshots.onTake(E, LiveTable::shardOf(Rec.Address));
      R.Stats.prefetchRow(E.Row);
      if (LLVM_UNLIKELY(E.AllocationId < LateBefore))
        R.Stats.noteLateFree(Id, E.Row, E.AllocationId, E.Size);
      bool Temporary = R.Stats.lastAllocation(S.Thread) == E.AllocationId + 1;
      Changes[N] = {E.Size, E.Row, E.ScopeRow,
                    Temporary ? Change::FreeTemporary : Change::Free};
      Logged[N] = {Tick, E.AllocationId, 0, uint16_t(S.Lane), true};
    } else {
      break;
    }
    R.setTick(Tick, Id);
    TimesNs[N++] = Tick * TimeUnitNs;
  }
  if (N)
    R.Stats.apply(Id, ArrayRef(Changes, N), TimesNs);
  // The rows are near now.
  for (size_t I = 0; I != N; ++I)
    if (Changes[I].Kind == Change::Allocate)
      Logged[I].Stack = R.Stats.stackOf(Changes[I].Row);
  if (LLVM_UNLIKELY(InScopeRow))
    for (size_t I = 0; I != N; ++I)
      ScopePaths[I] = R.Stats.scopePathOf(Changes[I].ScopeRow);
  Log.append(ArrayRef(Logged, N), R.MallocHeap,
             InScopeRow ? ScopePaths : nullptr);
  if (Outer) {
    const MergedRecord &M = Records[At++];
    emitFree(*Outer, M.R.Tsc, Of[M.Source].Ring);
  }
  return At;
}
