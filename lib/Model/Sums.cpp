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
static Expected<std::vector<PackedRows>> replaySelected(const Trace &T,
                                                        const Selection &Sel) {
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
  std::vector<PackedRows> Out;
  auto Take = [&](const Summary &Part) {
    for (const SumRows &Rows : Part.Stacks)
      PackedRows::pack(Rows, Out);
    return Error::success();
  };
  if (Error E = (*R)->accounts().summary(1, (*R)->endNs(), Take))
    return E;
  return Out;
}

Expected<Sums> Sums::create(const Trace &T, Selection Selected) {
  Sums S(T, std::move(Selected));
  ArrayRef<PackedRows> Rows = T.stackRows();
  if (S.Sel.needsEvents()) {
    Expected<std::vector<PackedRows>> Replayed = replaySelected(T, S.Sel);
    if (!Replayed)
      return Replayed.takeError();
    S.Replayed = std::move(*Replayed);
    Rows = S.Replayed;
  }
  for (const PackedRows &R : Rows)
    if (S.Sel.hasImage(R.image()))
      S.Rows.push_back(&R);
  stable_sort(S.Rows, [](const PackedRows *A, const PackedRows *B) {
    return A->image() < B->image();
  });
  return S;
}

size_t Sums::numRows() const {
  size_t Count = 0;
  for (const PackedRows *Piece : Rows)
    Count += Piece->size();
  return Count;
}

void Sums::forEachKey(
    function_ref<void(RowId, uint32_t Heap, uint32_t Stack)> F) const {
  for (uint32_t At = 0; At != Rows.size(); ++At) {
    const PackedRows &Piece = *Rows[At];
    for (uint32_t I = 0; I != Piece.size(); ++I) {
      uint32_t Heap = Piece.heap(I), Stack = Piece.key(I);
      if (Sel.hasHeap(Heap) && Sel.hasStack(Stack))
        F({At, I}, Heap, Stack);
    }
  }
}

void Sums::forEach(function_ref<void(uint32_t Image, const SumRow &)> F) const {
  forEachKey([&](RowId Id, uint32_t, uint32_t) { F(imageOf(Id), row(Id)); });
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
