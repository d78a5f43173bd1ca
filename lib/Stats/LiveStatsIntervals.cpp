// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cuts between intervals, and the rows of intervals.

#include "KeyOrder.h"
#include "memkit/Stats/LiveStats.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>
#include <vector>

using namespace memkit;

namespace {
/// The first interval of a process without steps.
constexpr uint64_t FirstIntervalNs = 50'000'000;
/// After this many intervals the interval doubles, and again after each
/// NextDoublings more.
constexpr uint64_t FirstDoubling = 4096, NextDoublings = 2048;
/// Limits of the cost of intervals and lifetimes, above which intervals double:
/// one row or one entry of the queue of late frees for each EventsPerWork
/// events, and WorkPerDoubling more after each doubling. Intervals keep each
/// length at least MinOfLength times; fewer would be too few to show anything.
constexpr uint64_t EventsPerWork = 32, WorkPerDoubling = 1 << 14;
constexpr uint64_t MinOfLength = 6;
/// Limits of the cost of rows with unchanged live blocks: one row for each
/// EventsPerChurn events, and FreeChurn more.
constexpr uint64_t EventsPerChurn = 128, FreeChurn = 1 << 14;
/// Distance in rows of memory prefetches.
constexpr size_t RowsAhead = 16;
} // namespace

void LiveStats::beginIntervals(LiveProcess &I, uint64_t StartNs) {
  I.Open.BeginNs = StartNs;
  if (!IntervalsOn)
    return;
  I.Intervals.begin({0, StartNs, 0, 0});
  I.IntervalFrom = 1;
  I.IntervalNs = FirstIntervalNs;
  I.NextIntervalNs = llvm::SaturatingAdd<uint64_t>(StartNs, FirstIntervalNs);
}

/// The first time after NowNs of those from FirstNs on, StepNs apart. At most
/// UINT64_MAX, which is never due: a made-up trace has any times.
static uint64_t firstAfter(uint64_t FirstNs, uint64_t StepNs, uint64_t NowNs) {
  return llvm::SaturatingAdd(NowNs, StepNs - (NowNs - FirstNs) % StepNs);
}

bool LiveStats::timeIntervalDue(uint32_t Process, uint64_t NowNs) {
  LiveProcess &I = *Processes[Process];
  if (NowNs < I.NextIntervalNs)
    return false;
  if (!I.Dirty.empty())
    return true;
  I.NextIntervalNs = firstAfter(I.NextIntervalNs, I.IntervalNs, NowNs);
  return false;
}

bool LiveStats::stepIntervalDue(uint32_t Process) const {
  const LiveProcess &I = *Processes[Process];
  // The time before the first step is an interval of its own.
  bool First = I.Open.FirstStep != I.Step && I.Steps.empty();
  return First || I.StepsOpen >= I.IntervalSteps;
}

IntervalDetail LiveStats::dueDetail(uint32_t Process) const {
  const LiveProcess &I = *Processes[Process];
  uint64_t Max = I.Events / EventsPerChurn + FreeChurn;
  return I.ChurnRows + I.Dirty.size() + I.NumWaiting <= Max
             ? IntervalDetail::Whole
             : IntervalDetail::Changed;
}

/// Doubles the length of intervals once there are many, or once they cost more
/// than the number of events and the doublings so far allow.
void LiveStats::doubleIntervals(LiveProcess &I, uint64_t Cut) {
  bool Many =
      Cut == FirstDoubling ||
      (Cut > FirstDoubling && (Cut - FirstDoubling) % NextDoublings == 0);
  bool Costly =
      I.IntervalWork >
      I.Events / EventsPerWork + WorkPerDoubling * (I.Doublings + uint64_t(1));
  Costly &= Cut - I.LastDoubling >= MinOfLength;
  I.Doublings += Costly;
  if (Many || Costly)
    I.LastDoubling = Cut;
  if (Many || Costly) {
    I.IntervalNs *= 2;
    I.IntervalSteps *= 2;
  }
}

/// The begin of the interval that ends at TimeNs. Without steps, time without
/// changes before the interval's first change is quiet time and of no interval,
/// if it is longer than an interval.
uint64_t LiveStats::activeFrom(const LiveProcess &I, uint64_t TimeNs) {
  uint64_t BeginNs = I.Open.BeginNs;
  // Whether a step begins at TimeNs is known only later in a replay.
  bool ByTime = I.Open.FirstStep == 0;
  uint64_t FirstNs = std::min(I.FirstNs, TimeNs);
  return ByTime && FirstNs > llvm::SaturatingAdd(BeginNs, I.IntervalNs)
             ? FirstNs
             : BeginNs;
}

/// Begins the next interval. Returns the interval that ends at TimeNs, without
/// its rows.
Interval LiveStats::nextInterval(LiveProcess &I, uint64_t TimeNs,
                                 uint64_t NextAllocationId,
                                 IntervalDetail Detail) {
  Interval Head;
  Head.Detail = Detail;
  Head.Index = I.Open.Index;
  Head.FirstStep = I.Open.FirstStep;
  Head.LastStep = I.Stepping && I.StepBeginNs == TimeNs ? I.StepBefore : I.Step;
  Head.BeginNs = activeFrom(I, TimeNs);
  Head.EndNs = TimeNs;
  I.IntervalFrom = IntervalsOn ? Now + 1 : 0;
  I.StepsOpen = 0;

  uint64_t Cut = ++I.Open.Index;
  I.Open.FirstStep = I.Step;
  I.Open.BeginNs = TimeNs;
  if (IntervalsOn) {
    uint64_t ActiveNs = I.Intervals[I.Intervals.current()].ActiveNs;
    I.Intervals.begin(
        {NextAllocationId, TimeNs, ActiveNs + (TimeNs - Head.BeginNs), I.Step});
    I.LateBefore = NextAllocationId;
  }
  doubleIntervals(I, Cut);
  if (I.NextIntervalNs != UINT64_MAX && TimeNs >= I.NextIntervalNs)
    I.NextIntervalNs = firstAfter(I.NextIntervalNs, I.IntervalNs, TimeNs);
  return Head;
}

//===----------------------------------------------------------------------===//
// The rows of an interval
//===----------------------------------------------------------------------===//

/// Defers the counts of a row until the next whole interval. False when the
/// counts are too large to defer.
bool LiveStats::letWait(LiveProcess &I, uint32_t Row, const IntervalRow &More) {
  if (!More.AllocatedBytes && !More.Allocations && !More.Temporaries)
    return true;
  uint32_t &Waits = StackRows.cold(Row).Waits;
  WaitingRow W = Waits ? I.Waiting[Waits - 1] : WaitingRow{Row};
  uint64_t Bytes = W.AllocatedBytes + More.AllocatedBytes;
  uint64_t Allocations = W.Allocations + More.Allocations;
  uint64_t Temporaries = W.Temporaries + More.Temporaries;
  if (std::max({Bytes, Allocations, Temporaries}) > UINT32_MAX ||
      Bytes < More.AllocatedBytes || Allocations < More.Allocations)
    return false;
  I.NumWaiting += !W.any();
  if (!Waits) {
    I.Waiting.emplace_back();
    Waits = static_cast<uint32_t>(I.Waiting.size());
  }
  I.Waiting[Waits - 1] = {Row, uint32_t(Bytes), uint32_t(Allocations),
                          uint32_t(Temporaries)};
  return true;
}

/// Adds the deferred counts to a row that is written.
void LiveStats::takeWaiting(LiveProcess &I, WaitingRow &W, IntervalRow &To) {
  I.NumWaiting -= W.any();
  To.AllocatedBytes += W.AllocatedBytes;
  To.Allocations += W.Allocations;
  To.Temporaries += W.Temporaries;
  W = {W.Row};
}

/// Computes the row of an interval from its state Before, at the begin, and At,
/// at the end. False when the interval does not include the row.
bool LiveStats::intervalRow(LiveProcess &I, IntervalDetail Detail,
                            const DirtyRow &Before, const DirtyRow &At,
                            IntervalRow &Out) {
  StatsRow &R = StackRows[At.Row];
  StatsRowCold &Cold = StackRows.cold(At.Row);
  R.Temporaries -= At.Temporaries;
  Cold.Temporaries += At.Temporaries;
  Out = {Cells[R.Cell].Heap,
         R.Key,
         At.LiveBlocks,
         At.LiveBytes,
         At.Allocations - Before.Allocations,
         At.AllocatedBytes - Before.AllocatedBytes,
         At.Temporaries};
  bool IsSame = At.livesAs(Before);
  if (IsSame && Detail != IntervalDetail::Whole && letWait(I, At.Row, Out))
    return false;
  if (Cold.Waits)
    takeWaiting(I, I.Waiting[Cold.Waits - 1], Out);
  if (IsSame && !Out.AllocatedBytes && !Out.Allocations && !Out.Temporaries)
    return false;
  I.ChurnRows += IsSame;
  return true;
}

/// The row of a whole interval with deferred counts but no event in the
/// interval. At: its state at the end.
IntervalRow LiveStats::waitingRow(LiveProcess &I, WaitingRow &W,
                                  const DirtyRow &At) {
  IntervalRow Out{heapOf(W.Row), stackOf(W.Row), At.LiveBlocks, At.LiveBytes};
  takeWaiting(I, W, Out);
  I.ChurnRows += 1;
  return Out;
}

static void sortRows(std::vector<IntervalRow> &Rows) {
  std::vector<KeyedPlace> Order;
  Order.reserve(Rows.size());
  for (const IntervalRow &R : Rows)
    Order.push_back({uint64_t(R.Heap) << 32 | R.Stack, uint32_t(Order.size())});
  sortByKey(Order);
  std::vector<IntervalRow> Sorted;
  Sorted.reserve(Rows.size());
  for (const KeyedPlace &K : Order)
    Sorted.push_back(Rows[K.At]);
  Rows.swap(Sorted);
}

//===----------------------------------------------------------------------===//
// A cut, in steps
//===----------------------------------------------------------------------===//

void LiveStats::beginCut(uint32_t Process, uint64_t TimeNs,
                         uint64_t NextAllocationId, IntervalDetail Detail) {
  LiveProcess &I = *Processes[Process];
  assert(!I.Cut && "a cut is under way");
  I.Cut = std::make_unique<CutState>();
  std::swap(I.Cut->Rows, I.Dirty);
  I.Cut->Late = I.Late.take();
  if (I.Cut->Rows.empty())
    I.FirstNs = TimeNs;
  noteLevels(I);
  I.Cut->Head = nextInterval(I, TimeNs, NextAllocationId, Detail);
}

/// The state of a row at the cut: its present state, or the state saved when an
/// event changed the row after the cut.
LiveStats::DirtyRow LiveStats::stateAtCut(const LiveProcess &I,
                                          uint32_t Row) const {
  const StatsRow &R = StackRows[Row];
  return R.LastChange < I.IntervalFrom ? stateOf(Row, R)
                                       : I.Dirty[I.Cut->Since.lookup(Row)];
}

/// Whether rows with deferred counts remain to be written.
bool LiveStats::givesWaiting(const LiveProcess &I) {
  return I.Cut->Head.Detail == IntervalDetail::Whole && I.NumWaiting != 0;
}

bool LiveStats::cutPart(uint32_t Process, size_t MaxRows, Interval &Out) {
  LiveProcess &I = *Processes[Process];
  CutState &C = *I.Cut;
  auto Interval = static_cast<uint32_t>(C.Head.Index);
  if (C.Next == C.Rows.size() && !givesWaiting(I) && C.Any) {
    size_t End = C.NextLate + std::min(C.Late.size() - C.NextLate, MaxRows);
    applyLate(I, C.Late, C.NextLate, End, Interval);
    C.NextLate = End;
    finishCut(I);
    return false;
  }
  // Rows changed since the cut have their state at the cut in Dirty.
  for (; C.Noted != I.Dirty.size(); ++C.Noted)
    C.Since[I.Dirty[C.Noted].Row] = uint32_t(C.Noted);
  Out = C.Head;
  // Each row costs two cache misses, so later rows are prefetched.
  size_t Room = MaxRows;
  Out.Rows.reserve(std::min(Room, C.Rows.size() - C.Next));
  IntervalRow Row;
  for (; C.Next != C.Rows.size() && Room; ++C.Next, --Room) {
    if (C.Next + RowsAhead < C.Rows.size()) {
      prefetchRow(C.Rows[C.Next + RowsAhead].Row);
      prefetchCold(C.Rows[C.Next + RowsAhead].Row);
    }
    const DirtyRow &Before = C.Rows[C.Next];
    DirtyRow At = stateAtCut(I, Before.Row);
    addAllocated(I, Interval, Before, At, !C.Late.empty());
    if (intervalRow(I, C.Head.Detail, Before, At, Row))
      Out.Rows.push_back(Row);
  }
  for (; givesWaiting(I) && Room; ++C.NextWaiting, --Room)
    if (WaitingRow &W = I.Waiting[C.NextWaiting]; W.any())
      Out.Rows.push_back(waitingRow(I, W, stateAtCut(I, W.Row)));
  sortRows(Out.Rows);
  bool Last = C.Next == C.Rows.size() && !givesWaiting(I);
  bool Counts = !Out.Rows.empty() || (Last && !C.Any);
  C.Any |= Counts;
  finishCut(I);
  return Counts;
}

/// Ends the cut when no work is left.
void LiveStats::finishCut(LiveProcess &I) {
  const CutState &C = *I.Cut;
  if (C.Next == C.Rows.size() && !givesWaiting(I) &&
      C.NextLate == C.Late.size())
    I.Cut.reset();
}

void LiveStats::cutInterval(uint32_t Process, uint64_t TimeNs,
                            uint64_t NextAllocationId, IntervalDetail Detail,
                            Interval &Out) {
  beginCut(Process, TimeNs, NextAllocationId, Detail);
  cutPart(Process, SIZE_MAX, Out);
  Interval None;
  while (isCutting(Process))
    cutPart(Process, SIZE_MAX, None);
}
