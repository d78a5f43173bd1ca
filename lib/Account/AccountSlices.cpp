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

using namespace memkit;

namespace {
/// The first interval of an image without steps.
constexpr uint64_t FirstSliceNs = 100'000'000;
/// After this many slices the interval doubles, and again after each more.
constexpr uint64_t FirstDoubling = 4096, NextDoublings = 2048;
/// Slices by time hold at most one row for so many events.
constexpr uint64_t EventsPerRow = 16;
/// How many rows ahead memory is fetched.
constexpr size_t RowsAhead = 16;
} // namespace

void Accounts::beginSlices(ImageState &I, uint64_t StartNs) {
  I.Open.BeginNs = StartNs;
  if (!SlicesOn)
    return;
  I.SliceFrom = 1;
  I.SliceNs = FirstSliceNs;
  I.NextSliceNs = StartNs + FirstSliceNs;
}

bool Accounts::timeSliceDue(uint32_t Image, uint64_t NowNs) {
  ImageState &I = *Images[Image];
  if (NowNs < I.NextSliceNs || I.Stepping)
    return false;
  if (!I.Dirty.empty() && I.SliceRows * EventsPerRow <= I.Events)
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

void Accounts::cutSlice(uint32_t Image, uint64_t TimeNs, Slice &Out) {
  Out.Rows.clear();
  cutSlice(Image, TimeNs, SIZE_MAX, [&](Slice &All) { std::swap(Out, All); });
}

/// The slice that ends at TimeNs without its rows; the next begins.
Slice Accounts::nextSlice(ImageState &I, uint64_t TimeNs) {
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
  if (Cut == FirstDoubling ||
      (Cut > FirstDoubling && (Cut - FirstDoubling) % NextDoublings == 0)) {
    I.SliceNs *= 2;
    I.SliceSteps *= 2;
  }
  if (I.NextSliceNs != UINT64_MAX && TimeNs >= I.NextSliceNs)
    I.NextSliceNs += ((TimeNs - I.NextSliceNs) / I.SliceNs + 1) * I.SliceNs;
  return Head;
}

void Accounts::cutSlice(uint32_t Image, uint64_t TimeNs, size_t MostRows,
                        llvm::function_ref<void(Slice &)> Take) {
  ImageState &I = *Images[Image];
  assert(!I.Cut && "a cut is under way");
  // The rows are many where stacks are: they are sorted where they stand. Each
  // is a cache miss away, so those that follow are fetched.
  auto Changed = I.Dirty.begin(), Ahead = Changed;
  for (size_t N = std::min(RowsAhead, I.Dirty.size()); N != 0; --N, ++Ahead)
    prefetchRow(Ahead->Row);
  for (const DirtyRow &D : I.Dirty) {
    if (Ahead != I.Dirty.end())
      prefetchRow((Ahead++)->Row);
    const AccountRow &R = StackRows[D.Row];
    if (R.LiveBytes == D.LiveBytes && R.LiveBlocks == D.LiveBlocks)
      continue;
    uint64_t Key = uint64_t(Cells[R.Cell].Heap) << 32 | R.Key;
    *Changed++ = {D.Row, 0, Key};
  }
  std::sort(I.Dirty.begin(), Changed, [](const DirtyRow &A, const DirtyRow &B) {
    return A.LiveBytes < B.LiveBytes;
  });
  const Slice Head = nextSlice(I, TimeNs);
  Slice Part;
  auto D = I.Dirty.begin();
  do {
    Part = Head;
    size_t Count = std::min(size_t(Changed - D), MostRows);
    Part.Rows.reserve(Count);
    for (auto End = D + Count; D != End; ++D) {
      if (size_t(Changed - D) > RowsAhead)
        prefetchRow(D[RowsAhead].Row);
      const AccountRow &R = StackRows[D->Row];
      Part.Rows.push_back({static_cast<uint32_t>(D->LiveBytes >> 32), R.Key,
                           R.LiveBlocks, R.LiveBytes});
    }
    I.SliceRows += Count;
    Take(Part);
  } while (D != Changed);
  I.Dirty.clear();
}

void Accounts::beginCut(uint32_t Image, uint64_t TimeNs) {
  ImageState &I = *Images[Image];
  assert(!I.Cut && "a cut is under way");
  I.Cut = std::make_unique<CutState>();
  std::swap(I.Cut->Rows, I.Dirty);
  I.Cut->Head = nextSlice(I, TimeNs);
}

bool Accounts::cutPart(uint32_t Image, size_t MostRows, Slice &Out) {
  ImageState &I = *Images[Image];
  CutState &C = *I.Cut;
  // What has changed since the cut stands in Dirty as it was then.
  for (; C.Noted != I.Dirty.size(); ++C.Noted)
    C.Since[I.Dirty[C.Noted].Row] = uint32_t(C.Noted);
  Out = C.Head;
  size_t End = std::min(C.Rows.size(), C.Next + MostRows);
  Out.Rows.reserve(End - C.Next);
  constexpr size_t Ahead = 16;
  for (; C.Next != End; ++C.Next) {
    if (C.Next + Ahead < End)
      __builtin_prefetch(&StackRows[C.Rows[C.Next + Ahead].Row]);
    const DirtyRow &Before = C.Rows[C.Next];
    const AccountRow &R = StackRows[Before.Row];
    uint32_t Blocks = uint32_t(R.LiveBlocks);
    uint64_t Bytes = R.LiveBytes;
    if (R.LastChange >= I.SliceFrom) {
      const DirtyRow &Then = I.Dirty[C.Since.lookup(Before.Row)];
      Blocks = Then.LiveBlocks;
      Bytes = Then.LiveBytes;
    }
    if (Blocks != Before.LiveBlocks || Bytes != Before.LiveBytes)
      Out.Rows.push_back(
          {heapOf(Before.Row), stackOf(Before.Row), Blocks, Bytes});
  }
  std::sort(Out.Rows.begin(), Out.Rows.end(),
            [](const SliceRow &A, const SliceRow &B) {
              return std::tie(A.Heap, A.Stack) < std::tie(B.Heap, B.Stack);
            });
  I.SliceRows += Out.Rows.size();
  bool Last = End == C.Rows.size();
  bool Counts = !Out.Rows.empty() || (Last && !C.Any);
  C.Any |= Counts;
  if (Last)
    I.Cut.reset();
  return Counts;
}
