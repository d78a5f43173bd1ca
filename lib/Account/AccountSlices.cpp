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

using namespace memkit;

namespace {
/// The first interval of an image without steps.
constexpr uint64_t FirstSliceNs = 100'000'000;
/// After this many slices the interval doubles, and again after each more.
constexpr uint64_t FirstDoubling = 4096, NextDoublings = 2048;
/// Slices by time hold at most one row for so many events.
constexpr uint64_t EventsPerRow = 16;
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
  ImageState &I = *Images[Image];
  Out.Index = I.Open.Index;
  Out.FirstStep = I.Open.FirstStep;
  Out.LastStep = I.Stepping && I.StepBeginNs == TimeNs ? I.StepBefore : I.Step;
  Out.BeginNs = I.Open.BeginNs;
  Out.EndNs = TimeNs;
  Out.Rows.clear();
  for (const DirtyRow &D : I.Dirty) {
    const AccountRow &R = StackRows[D.Row];
    if (R.LiveBytes != D.LiveBytes || R.LiveBlocks != D.LiveBlocks)
      Out.Rows.push_back(
          {Cells[R.Cell].Heap, stackOf(D.Row), R.LiveBlocks, R.LiveBytes});
  }
  auto Key = [](const SliceRow &R) { return uint64_t(R.Heap) << 32 | R.Stack; };
  std::sort(
      Out.Rows.begin(), Out.Rows.end(),
      [&](const SliceRow &A, const SliceRow &B) { return Key(A) < Key(B); });
  I.Dirty.clear();
  I.SliceFrom = SlicesOn ? Now + 1 : 0;
  I.SliceRows += Out.Rows.size();
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
}
