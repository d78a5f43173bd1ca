//===- AccountSlices.cpp - When slices are cut, and what they hold -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Account/Accounts.h"
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

using namespace memkit;

namespace {
/// The first interval of an image without steps.
constexpr uint64_t FirstSliceNs = 50'000'000;
/// After this many slices the interval doubles, and again after each more.
constexpr uint64_t FirstDoubling = 4096, NextDoublings = 2048;
/// What slices and lifetimes may cost before intervals double: a row or a late
/// free for so many events, and so many more after each doubling. Each length
/// has so many intervals at least: else there would be too few to tell
/// anything.
constexpr uint64_t EventsPerWork = 32, WorkPerDoubling = 1 << 14;
constexpr uint64_t LeastOfLength = 6;
/// How many rows ahead memory is fetched.
constexpr size_t RowsAhead = 16;
} // namespace

void Accounts::beginSlices(ImageState &I, uint64_t StartNs) {
  I.Open.BeginNs = StartNs;
  if (!SlicesOn)
    return;
  I.Intervals.begin({0, StartNs, 0});
  I.SliceFrom = 1;
  I.SliceNs = FirstSliceNs;
  I.NextSliceNs = StartNs + FirstSliceNs;
}

bool Accounts::timeSliceDue(uint32_t Image, uint64_t NowNs) {
  ImageState &I = *Images[Image];
  if (NowNs < I.NextSliceNs || I.Stepping)
    return false;
  if (!I.Dirty.empty())
    return true;
  I.NextSliceNs += ((NowNs - I.NextSliceNs) / I.SliceNs + 1) * I.SliceNs;
  return false;
}

bool Accounts::stepSliceDue(uint32_t Image) const {
  const ImageState &I = *Images[Image];
  // What comes before the first step is a slice of its own.
  bool First = I.Open.FirstStep != I.Step && I.Steps.empty();
  return First || I.StepsOpen >= I.SliceSteps;
}

void Accounts::cutSlice(uint32_t Image, uint64_t TimeNs, uint64_t NextOrdinal,
                        Slice &Out) {
  Out.Rows.clear();
  cutSlice(Image, TimeNs, NextOrdinal, SIZE_MAX,
           [&](Slice &All) { std::swap(Out, All); });
}

/// Slices become twice as long once there are many, or once they cost more
/// than the events and the doublings so far allow.
void Accounts::doubleSlices(ImageState &I, uint64_t Cut) {
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
Slice Accounts::nextSlice(ImageState &I, uint64_t TimeNs,
                          uint64_t NextOrdinal) {
  Slice Head;
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

namespace {
/// A row of a slice before it is read: heap << 32 | stack, and where it stands.
struct KeyedRow {
  uint64_t Key;
  uint32_t Row;
};

/// Sorts by key, a digit at a time from the lowest: comparing would guess wrong
/// at every second row, and slices of programs with many stacks are long.
void sortByKey(std::vector<KeyedRow> &Rows) {
  constexpr unsigned DigitBits = 11;
  constexpr size_t Few = 256;
  auto Less = [](const KeyedRow &A, const KeyedRow &B) {
    return A.Key < B.Key;
  };
  if (Rows.size() <= Few)
    return std::sort(Rows.begin(), Rows.end(), Less);
  uint64_t Differs = 0;
  for (const KeyedRow &R : Rows)
    Differs |= R.Key ^ Rows.front().Key;
  std::vector<KeyedRow> Other(Rows.size());
  std::vector<uint32_t> At(size_t(1) << DigitBits);
  for (unsigned Shift = 0; Shift < 64; Shift += DigitBits) {
    uint64_t Mask = At.size() - 1;
    if (!(Differs >> Shift & Mask))
      continue;
    std::fill(At.begin(), At.end(), 0);
    for (const KeyedRow &R : Rows)
      ++At[R.Key >> Shift & Mask];
    uint32_t Sum = 0;
    for (uint32_t &Count : At)
      Count = std::exchange(Sum, Sum + Count);
    for (const KeyedRow &R : Rows)
      Other[At[R.Key >> Shift & Mask]++] = R;
    Rows.swap(Other);
  }
}
} // namespace

void Accounts::cutSlice(uint32_t Image, uint64_t TimeNs, uint64_t NextOrdinal,
                        size_t MostRows,
                        llvm::function_ref<void(Slice &)> Take) {
  ImageState &I = *Images[Image];
  assert(!I.Cut && "a cut is under way");
  uint32_t Interval = static_cast<uint32_t>(I.Open.Index);
  noteLevels(I);
  // Each row is a cache miss away, so those that follow are fetched.
  std::vector<KeyedRow> Changed;
  Changed.reserve(I.Dirty.size());
  auto Ahead = I.Dirty.begin();
  for (size_t N = std::min(RowsAhead, I.Dirty.size()); N != 0; --N, ++Ahead)
    prefetchRow(Ahead->Row);
  for (const DirtyRow &D : I.Dirty) {
    if (Ahead != I.Dirty.end()) {
      prefetchRow(Ahead->Row);
      prefetchRest((Ahead++)->Row);
    }
    const AccountRow &R = StackRows[D.Row];
    addBorn(I, Interval, D, R.LiveBlocks, R.LiveBytes, !I.Late.empty());
    if (R.LiveBytes != D.LiveBytes || R.LiveBlocks != D.LiveBlocks)
      Changed.push_back({uint64_t(Cells[R.Cell].Heap) << 32 | R.Key, D.Row});
  }
  I.Dirty.clear();
  applyLate(I, I.Late, 0, I.Late.size(), Interval);
  I.Late.clear();
  sortByKey(Changed);
  const Slice Head = nextSlice(I, TimeNs, NextOrdinal);
  Slice Part;
  size_t At = 0;
  do {
    Part = Head;
    size_t End = At + std::min(Changed.size() - At, MostRows);
    Part.Rows.reserve(End - At);
    for (; At != End; ++At) {
      if (Changed.size() - At > RowsAhead)
        prefetchRow(Changed[At + RowsAhead].Row);
      const KeyedRow &C = Changed[At];
      const AccountRow &R = StackRows[C.Row];
      Part.Rows.push_back({static_cast<uint32_t>(C.Key >> 32), R.Key,
                           R.LiveBlocks, R.LiveBytes});
    }
    Take(Part);
  } while (At != Changed.size());
}

void Accounts::beginCut(uint32_t Image, uint64_t TimeNs, uint64_t NextOrdinal) {
  ImageState &I = *Images[Image];
  assert(!I.Cut && "a cut is under way");
  I.Cut = std::make_unique<CutState>();
  std::swap(I.Cut->Rows, I.Dirty);
  std::swap(I.Cut->Late, I.Late);
  noteLevels(I);
  I.Cut->Head = nextSlice(I, TimeNs, NextOrdinal);
}

bool Accounts::cutPart(uint32_t Image, size_t MostRows, Slice &Out) {
  ImageState &I = *Images[Image];
  CutState &C = *I.Cut;
  auto Interval = static_cast<uint32_t>(C.Head.Index);
  if (C.Next == C.Rows.size() && C.Any) {
    size_t End = std::min(C.Late.size(), C.NextLate + MostRows);
    applyLate(I, C.Late, C.NextLate, End, Interval);
    C.NextLate = End;
    finishCut(I);
    return false;
  }
  // What has changed since the cut stands in Dirty as it was then.
  for (; C.Noted != I.Dirty.size(); ++C.Noted)
    C.Since[I.Dirty[C.Noted].Row] = uint32_t(C.Noted);
  Out = C.Head;
  size_t End = std::min(C.Rows.size(), C.Next + MostRows);
  Out.Rows.reserve(End - C.Next);
  constexpr size_t Ahead = 16;
  for (; C.Next != End; ++C.Next) {
    if (C.Next + Ahead < End) {
      prefetchRow(C.Rows[C.Next + Ahead].Row);
      prefetchRest(C.Rows[C.Next + Ahead].Row);
    }
    const DirtyRow &Before = C.Rows[C.Next];
    const AccountRow &R = StackRows[Before.Row];
    uint32_t Blocks = uint32_t(R.LiveBlocks);
    uint64_t Bytes = R.LiveBytes;
    if (R.LastChange >= I.SliceFrom) {
      const DirtyRow &Then = I.Dirty[C.Since.lookup(Before.Row)];
      Blocks = Then.LiveBlocks;
      Bytes = Then.LiveBytes;
    }
    addBorn(I, Interval, Before, Blocks, Bytes, !C.Late.empty());
    if (Blocks != Before.LiveBlocks || Bytes != Before.LiveBytes)
      Out.Rows.push_back(
          {heapOf(Before.Row), stackOf(Before.Row), Blocks, Bytes});
  }
  std::sort(Out.Rows.begin(), Out.Rows.end(),
            [](const SliceRow &A, const SliceRow &B) {
              return std::tie(A.Heap, A.Stack) < std::tie(B.Heap, B.Stack);
            });
  bool Last = End == C.Rows.size();
  bool Counts = !Out.Rows.empty() || (Last && !C.Any);
  C.Any |= Counts;
  finishCut(I);
  return Counts;
}

/// Ends the cut when all of it is done.
void Accounts::finishCut(ImageState &I) {
  const CutState &C = *I.Cut;
  if (C.Next == C.Rows.size() && C.NextLate == C.Late.size())
    I.Cut.reset();
}
