//===- AccountSlices.cpp - When slices are cut, and what they hold -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyOrder.h"
#include "memkit/Account/Accounts.h"
#include <algorithm>
#include <utility>
#include <vector>

using namespace memkit;

namespace {
/// The first interval of a process without steps.
constexpr uint64_t FirstSliceNs = 50'000'000;
/// After this many slices the interval doubles, and again after each more.
constexpr uint64_t FirstDoubling = 4096, NextDoublings = 2048;
/// What slices and lifetimes may cost before intervals double: a row, or an
/// entry of the queue of late frees, for so many events, and so many more after
/// each doubling. Each length has so many intervals at least: else there would
/// be too few to tell anything.
constexpr uint64_t EventsPerWork = 32, WorkPerDoubling = 1 << 14;
constexpr uint64_t LeastOfLength = 6;
/// What rows that live as before may cost: one for so many events, and so many
/// more.
constexpr uint64_t EventsPerChurn = 128, FreeChurn = 1 << 14;
/// How many rows ahead memory is fetched.
constexpr size_t RowsAhead = 16;
} // namespace

void Accounts::beginSlices(ProcessState &I, uint64_t StartNs) {
  I.Open.BeginNs = StartNs;
  if (!SlicesOn)
    return;
  I.Intervals.begin({0, StartNs, 0});
  I.SliceFrom = 1;
  I.SliceNs = FirstSliceNs;
  I.NextSliceNs = StartNs + FirstSliceNs;
}

bool Accounts::timeSliceDue(uint32_t Process, uint64_t NowNs) {
  ProcessState &I = *Processes[Process];
  if (NowNs < I.NextSliceNs || I.Stepping)
    return false;
  if (!I.Dirty.empty())
    return true;
  I.NextSliceNs += ((NowNs - I.NextSliceNs) / I.SliceNs + 1) * I.SliceNs;
  return false;
}

bool Accounts::stepSliceDue(uint32_t Process) const {
  const ProcessState &I = *Processes[Process];
  // What comes before the first step is a slice of its own.
  bool First = I.Open.FirstStep != I.Step && I.Steps.empty();
  return First || I.StepsOpen >= I.SliceSteps;
}

SliceSums Accounts::dueSums(uint32_t Process) const {
  const ProcessState &I = *Processes[Process];
  uint64_t Most = I.Events / EventsPerChurn + FreeChurn;
  return I.ChurnRows + I.Dirty.size() + I.NumWaiting <= Most
             ? SliceSums::Whole
             : SliceSums::Changed;
}

/// Slices become twice as long once there are many, or once they cost more
/// than the events and the doublings so far allow.
void Accounts::doubleSlices(ProcessState &I, uint64_t Cut) {
  bool Many =
      Cut == FirstDoubling ||
      (Cut > FirstDoubling && (Cut - FirstDoubling) % NextDoublings == 0);
  bool Costly = I.SliceWork > I.Events / EventsPerWork +
                                  WorkPerDoubling * (I.Doublings + uint64_t(1));
  Costly &= Cut - I.LastDoubling >= LeastOfLength;
  I.Doublings += Costly;
  if (Many || Costly)
    I.LastDoubling = Cut;
  if (Many || Costly) {
    I.SliceNs *= 2;
    I.SliceSteps *= 2;
  }
}

/// The slice that ends at TimeNs without its rows; the next begins.
Slice Accounts::nextSlice(ProcessState &I, uint64_t TimeNs,
                          uint64_t NextOrdinal, SliceSums Sums) {
  Slice Head;
  Head.Sums = Sums;
  Head.Index = I.Open.Index;
  Head.FirstStep = I.Open.FirstStep;
  Head.LastStep = I.Stepping && I.StepBeginNs == TimeNs ? I.StepBefore : I.Step;
  Head.BeginNs = I.Open.BeginNs;
  Head.EndNs = TimeNs;
  I.SliceFrom = SlicesOn ? Now + 1 : 0;
  I.StepsOpen = 0;

  uint64_t Cut = ++I.Open.Index;
  I.Open.FirstStep = I.Step;
  I.Open.BeginNs = TimeNs;
  if (SlicesOn) {
    I.Intervals.begin({NextOrdinal, TimeNs, I.Step});
    I.LateBefore = NextOrdinal;
  }
  doubleSlices(I, Cut);
  if (I.NextSliceNs != UINT64_MAX && TimeNs >= I.NextSliceNs)
    I.NextSliceNs += ((TimeNs - I.NextSliceNs) / I.SliceNs + 1) * I.SliceNs;
  return Head;
}

//===----------------------------------------------------------------------===//
// The rows of a slice
//===----------------------------------------------------------------------===//

/// Lets the sums of a row wait for a whole slice. False when they are too
/// large.
bool Accounts::letWait(ProcessState &I, uint32_t Row, const SliceRow &Sums) {
  if (!Sums.AllocatedBytes && !Sums.Allocations && !Sums.Temporaries)
    return true;
  uint32_t &Waits = StackRows.rest(Row).Waits;
  WaitingRow W = Waits ? I.Waiting[Waits - 1] : WaitingRow{Row};
  uint64_t Bytes = W.AllocatedBytes + Sums.AllocatedBytes;
  uint64_t Allocations = W.Allocations + Sums.Allocations;
  uint64_t Temporaries = W.Temporaries + Sums.Temporaries;
  if (std::max({Bytes, Allocations, Temporaries}) > UINT32_MAX ||
      Bytes < Sums.AllocatedBytes || Allocations < Sums.Allocations)
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

/// Adds what waits to a row that is written.
void Accounts::takeWaiting(ProcessState &I, WaitingRow &W, SliceRow &To) {
  I.NumWaiting -= W.any();
  To.AllocatedBytes += W.AllocatedBytes;
  To.Allocations += W.Allocations;
  To.Temporaries += W.Temporaries;
  W = {W.Row};
}

/// A row that was Before when the slice began and is At at its end. False when
/// the slice does not have it.
bool Accounts::sliceRow(ProcessState &I, SliceSums Sums, const DirtyRow &Before,
                        const DirtyRow &At, SliceRow &Out) {
  AccountRow &R = StackRows[At.Row];
  AccountRowRest &Rest = StackRows.rest(At.Row);
  R.Temporaries -= At.Temporaries;
  Rest.Temporaries += At.Temporaries;
  Out = {Cells[R.Cell].Heap,
         R.Key,
         At.LiveBlocks,
         At.LiveBytes,
         At.Allocations - Before.Allocations,
         At.AllocatedBytes - Before.AllocatedBytes,
         At.Temporaries};
  bool IsSame = At.livesAs(Before);
  if (IsSame && Sums != SliceSums::Whole && letWait(I, At.Row, Out))
    return false;
  if (Rest.Waits)
    takeWaiting(I, I.Waiting[Rest.Waits - 1], Out);
  if (IsSame && !Out.AllocatedBytes && !Out.Allocations && !Out.Temporaries)
    return false;
  I.ChurnRows += IsSame;
  return true;
}

/// A row that waits and is At when a whole slice ends, in which no event
/// touched it.
SliceRow Accounts::waitingRow(ProcessState &I, WaitingRow &W,
                              const DirtyRow &At) {
  SliceRow Out{heapOf(W.Row), stackOf(W.Row), At.LiveBlocks, At.LiveBytes};
  takeWaiting(I, W, Out);
  I.ChurnRows += 1;
  return Out;
}

static void sortRows(std::vector<SliceRow> &Rows) {
  std::vector<KeyedPlace> Order;
  Order.reserve(Rows.size());
  for (const SliceRow &R : Rows)
    Order.push_back({uint64_t(R.Heap) << 32 | R.Stack, uint32_t(Order.size())});
  sortByKey(Order);
  std::vector<SliceRow> Sorted;
  Sorted.reserve(Rows.size());
  for (const KeyedPlace &K : Order)
    Sorted.push_back(Rows[K.At]);
  Rows.swap(Sorted);
}

//===----------------------------------------------------------------------===//
// A cut, in steps
//===----------------------------------------------------------------------===//

void Accounts::beginCut(uint32_t Process, uint64_t TimeNs, uint64_t NextOrdinal,
                        SliceSums Sums) {
  ProcessState &I = *Processes[Process];
  assert(!I.Cut && "a cut is under way");
  I.Cut = std::make_unique<CutState>();
  std::swap(I.Cut->Rows, I.Dirty);
  I.Cut->Late = I.Late.take();
  noteLevels(I);
  I.Cut->Head = nextSlice(I, TimeNs, NextOrdinal, Sums);
}

/// A row as it was at the cut: as it is, or as it was when an event touched it
/// since.
Accounts::DirtyRow Accounts::stateAtCut(const ProcessState &I,
                                        uint32_t Row) const {
  const AccountRow &R = StackRows[Row];
  return R.LastChange < I.SliceFrom ? stateOf(Row, R)
                                    : I.Dirty[I.Cut->Since.lookup(Row)];
}

/// Whether rows that wait are still to be given.
bool Accounts::givesWaiting(const ProcessState &I) {
  return I.Cut->Head.Sums == SliceSums::Whole && I.NumWaiting != 0;
}

bool Accounts::cutPart(uint32_t Process, size_t MostRows, Slice &Out) {
  ProcessState &I = *Processes[Process];
  CutState &C = *I.Cut;
  auto Interval = static_cast<uint32_t>(C.Head.Index);
  if (C.Next == C.Rows.size() && !givesWaiting(I) && C.Any) {
    size_t End = C.NextLate + std::min(C.Late.size() - C.NextLate, MostRows);
    applyLate(I, C.Late, C.NextLate, End, Interval);
    C.NextLate = End;
    finishCut(I);
    return false;
  }
  // What has changed since the cut stands in Dirty as it was then.
  for (; C.Noted != I.Dirty.size(); ++C.Noted)
    C.Since[I.Dirty[C.Noted].Row] = uint32_t(C.Noted);
  Out = C.Head;
  // Each row is two cache misses away, so those that follow are fetched.
  size_t Room = MostRows;
  SliceRow Row;
  for (; C.Next != C.Rows.size() && Room; ++C.Next, --Room) {
    if (C.Next + RowsAhead < C.Rows.size()) {
      prefetchRow(C.Rows[C.Next + RowsAhead].Row);
      prefetchRest(C.Rows[C.Next + RowsAhead].Row);
    }
    const DirtyRow &Before = C.Rows[C.Next];
    DirtyRow At = stateAtCut(I, Before.Row);
    addBorn(I, Interval, Before, At, !C.Late.empty());
    if (sliceRow(I, C.Head.Sums, Before, At, Row))
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

/// Ends the cut when all of it is done.
void Accounts::finishCut(ProcessState &I) {
  const CutState &C = *I.Cut;
  if (C.Next == C.Rows.size() && !givesWaiting(I) &&
      C.NextLate == C.Late.size())
    I.Cut.reset();
}

void Accounts::cutSlice(uint32_t Process, uint64_t TimeNs, uint64_t NextOrdinal,
                        SliceSums Sums, Slice &Out) {
  beginCut(Process, TimeNs, NextOrdinal, Sums);
  cutPart(Process, SIZE_MAX, Out);
  Slice None;
  while (isCutting(Process))
    cutPart(Process, SIZE_MAX, None);
}
