//===- Sums.cpp - The sums of a part of a trace -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/Sums.h"
#include "memkit/Model/Replay.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Replays the events of what is selected.
static Expected<Summary> replaySelected(const Trace &T, const Selection &Sel) {
  // Each part of a summary gives them all.
  uint64_t Events = T.summary().empty() ? 0 : T.summary().back().Events;
  uint64_t Held = 0;
  for (const BlockInfo &B : T.reader().blocks())
    Held += B.Events;
  if (Held < Events)
    return makeError(T.name() +
                     ": a selection by size, thread or context needs "
                     "all events, and the trace holds " +
                     Twine(Held) + " of " + Twine(Events));
  ReplayOptions Options;
  Options.Select = [&](const Birth &B) {
    return B.Size >= Sel.minSize() && Sel.hasImage(B.Image) &&
           Sel.hasHeap(B.Heap) && Sel.hasStack(B.Stack) &&
           Sel.hasThread(B.Thread) && Sel.hasContext(B.Context);
  };
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader(), Options);
  if (!R)
    return R.takeError();
  if (Error E = (*R)->run())
    return E;
  return (*R)->accounts().summary(1, (*R)->endNs());
}

Expected<Sums> Sums::create(const Trace &T, Selection Selected) {
  Sums S(T, std::move(Selected));
  ArrayRef<Summary> Parts = T.summary();
  if (S.Sel.needsEvents()) {
    Expected<Summary> Replayed = replaySelected(T, S.Sel);
    if (!Replayed)
      return Replayed.takeError();
    S.Replayed.push_back(std::move(*Replayed));
    Parts = S.Replayed;
  }
  for (const Summary &Part : Parts)
    for (const SumRows &R : Part.Stacks)
      if (S.Sel.hasImage(R.Image))
        S.Rows.push_back(&R);
  stable_sort(S.Rows, [](const SumRows *A, const SumRows *B) {
    return A->Image < B->Image;
  });
  return S;
}

size_t Sums::numRows() const {
  size_t Count = 0;
  for (const SumRows *Part : Rows)
    Count += Part->Rows.size();
  return Count;
}

void Sums::forEach(function_ref<void(uint32_t Image, const SumRow &)> F) const {
  for (const SumRows *Part : Rows)
    for (const SumRow &R : Part->Rows)
      if (Sel.hasHeap(R.Heap) && Sel.hasStack(R.Key))
        F(Part->Image, R);
}

Error SelectedTrace::open(StringRef Path, const SelectionSpec &Spec) {
  Expected<std::unique_ptr<Trace>> Opened = Trace::open(Path);
  if (!Opened)
    return Opened.takeError();
  T = std::move(*Opened);
  Expected<Selection> Selected = Selection::create(*T, Spec);
  if (!Selected)
    return Selected.takeError();
  Expected<Sums> Made = Sums::create(*T, std::move(*Selected));
  if (!Made)
    return Made.takeError();
  S.emplace(std::move(*Made));
  if (!Spec.AllFrames)
    T->foldFrames();
  return Error::success();
}

} // namespace memkit
