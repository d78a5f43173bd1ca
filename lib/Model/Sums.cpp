// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a part of a trace.

#include "memkit/Model/Sums.h"
#include "memkit/Model/ReplayProgress.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

/// Makes a row one of a moment in the run. Gone: its process had ended. Alone:
/// what lives then is all that counts.
static void atMoment(SumRow &Row, bool Gone, bool Alone) {
  if (Gone)
    Row.LiveBlocks = Row.LiveBytes = Row.LiveExclusive = 0;
  if (!Alone)
    return;
  Row.Allocations = Row.HeapPeakBlocks = Row.SpacePeakBlocks = Row.LiveBlocks;
  Row.AllocatedBytes = Row.PeakBytes = Row.HeapPeakBytes = Row.LiveBytes;
  Row.SpacePeakBytes = Row.LiveExclusive;
  Row.Splits = Row.Temporaries = 0;
}

/// Whether the replay has what the selection needs: all events, or for a moment
/// those around it.
Error Sums::checkEvents() const {
  const std::optional<Moment> &At = Sel.times().At;
  return requireEvents(*T,
                       By == SumsOf::Contexts
                           ? "a selection by size, thread, time or stack, "
                             "grouped by context, needs"
                           : "a selection by size, thread, time or context "
                             "needs",
                       At && !Sel.needsAllocationTimes(By) ? &*At : nullptr);
}

/// Replays the events of what is selected.
Error Sums::replaySelected(std::function<uint32_t(const Allocation &)> KeyOf) {
  if (Error E = checkEvents())
    return E;
  ReplayOptions Options;
  Options.KeyOf = std::move(KeyOf);
  if (Sel.needsAllocationTimes(By))
    Options.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  ReplayProgress Bar("replaying " + T->name(), T->reader());
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T->reader(), Options, &Bar);
  if (!R)
    return R.takeError();
  const TimeWindow &W = Sel.times();
  // What lived before the beginning is refused, or nothing but what lives
  // counts.
  const std::optional<Moment> &From = W.Since ? W.Since : W.At;
  if (From && !From->IsEnd && Sel.canStartNear() && By != SumsOf::Groups)
    if (Error E = (*R)->startNear(From->TimeNs))
      return E;
  if (Error E = runTo(**R, W.last()))
    return E;
  auto Pack = [&](SumRows Rows, std::vector<PackedRows> &To) {
    bool Gone = W.last() && (*R)->accounts().isEnded(Rows.Process);
    if (W.At || Gone)
      for (SumRow &Row : Rows.Rows)
        atMoment(Row, Gone, W.At.has_value());
    PackedRows::pack(Rows, To);
  };
  auto Take = [&](const Summary &Part) {
    for (const SumRows &Rows : Part.Stacks)
      Pack(Rows, Replayed.Stacks);
    for (const SumRows &Rows : Part.Contexts)
      Pack(Rows, Replayed.Contexts);
    return Error::success();
  };
  return (*R)->accounts().summary(1, (*R)->endNs(), Take);
}

/// The rows of the summary, of which what lives at the end alone counts.
void Sums::takeEnds() {
  auto Take = [](ArrayRef<PackedRows> From, std::vector<PackedRows> &To) {
    for (const PackedRows &Piece : From) {
      SumRows Rows = Piece.unpack();
      for (SumRow &Row : Rows.Rows)
        atMoment(Row, /*Gone=*/false, /*Alone=*/true);
      PackedRows::pack(Rows, To);
    }
  };
  Take(T->stackRows(), Replayed.Stacks);
  Take(T->contextRows(), Replayed.Contexts);
}

/// The rows of the context 0: by process and heap, what rows of stacks have and
/// those of contexts have not.
static void addRest(ArrayRef<PackedRows> Stacks, ArrayRef<PackedRows> Contexts,
                    std::vector<PackedRows> &Out) {
  static constexpr uint64_t SumRow::*Added[] = {
      &SumRow::Allocations,     &SumRow::AllocatedBytes, &SumRow::Splits,
      &SumRow::Temporaries,     &SumRow::LiveBlocks,     &SumRow::LiveBytes,
      &SumRow::LiveExclusive,   &SumRow::HeapPeakBlocks, &SumRow::HeapPeakBytes,
      &SumRow::SpacePeakBlocks, &SumRow::SpacePeakBytes};
  std::map<uint32_t, std::map<uint32_t, SumRow>> Rest;
  auto ForEach = [&](ArrayRef<PackedRows> Pieces, auto Change) {
    for (const PackedRows &Piece : Pieces) {
      std::map<uint32_t, SumRow> &Heaps = Rest[Piece.process()];
      for (size_t I = 0; I != Piece.size(); ++I) {
        SumRow R = Piece[I], &To = Heaps[R.Heap];
        for (uint64_t SumRow::*Field : Added)
          To.*Field = Change(To.*Field, R.*Field);
      }
    }
  };
  ForEach(Stacks, [](uint64_t Sum, uint64_t More) { return Sum + More; });
  // What a file says need not add up.
  ForEach(Contexts, [](uint64_t Sum, uint64_t Less) {
    return Sum < Less ? 0 : Sum - Less;
  });
  for (auto &[Process, Heaps] : Rest) {
    SumRows Rows;
    Rows.Process = Process;
    for (auto &[Heap, Row] : Heaps) {
      Row.Heap = Heap;
      Rows.Rows.push_back(Row);
    }
    if (!Rows.Rows.empty())
      PackedRows::pack(Rows, Out);
  }
}

Expected<Sums> Sums::create(const Trace &T, Selection Selected, SumsOf By) {
  Sums S(T, std::move(Selected), By);
  if (Error E = S.gather({}))
    return E;
  return S;
}

Expected<Sums>
Sums::createGrouped(const Trace &T, Selection Selected,
                    std::function<uint32_t(const Allocation &)> KeyOf) {
  Sums S(T, std::move(Selected), SumsOf::Groups);
  if (Error E = S.gather(std::move(KeyOf)))
    return E;
  return S;
}

Error Sums::gather(std::function<uint32_t(const Allocation &)> KeyOf) {
  ArrayRef<PackedRows> Stacks = T->stackRows(), Contexts = T->contextRows();
  if (Sel.needsEvents(By)) {
    if (Error E = replaySelected(std::move(KeyOf)))
      return E;
  } else if (Sel.times().At) {
    takeEnds();
  }
  if (Sel.needsEvents(By) || Sel.times().At) {
    Stacks = Replayed.Stacks;
    Contexts = Replayed.Contexts;
  }
  if (By == SumsOf::Contexts && Sel.hasContext(0))
    addRest(Stacks, Contexts, Rest);
  auto Add = [&](ArrayRef<PackedRows> Rows) {
    for (const PackedRows &R : Rows)
      if (Sel.hasProcess(R.process()))
        this->Rows.push_back(&R);
  };
  Add(By == SumsOf::Contexts ? Contexts : Stacks);
  Add(Rest);
  stable_sort(this->Rows, [](const PackedRows *A, const PackedRows *B) {
    return A->process() < B->process();
  });
  return Error::success();
}

size_t Sums::numRows() const {
  size_t Count = 0;
  for (const PackedRows *Piece : Rows)
    Count += Piece->size();
  return Count;
}

void Sums::forEachKey(
    function_ref<void(RowId, uint32_t Heap, uint32_t Key)> F) const {
  for (uint32_t At = 0; At != Rows.size(); ++At) {
    const PackedRows &Piece = *Rows[At];
    for (uint32_t I = 0; I != Piece.size(); ++I) {
      uint32_t Heap = Piece.heap(I), Key = Piece.key(I);
      bool Has =
          By == SumsOf::Groups ||
          (By == SumsOf::Stacks ? Sel.hasStack(Key) : Sel.hasContext(Key));
      if (Has && Sel.hasHeap(Heap))
        F({At, I}, Heap, Key);
    }
  }
}

void Sums::forEach(
    function_ref<void(uint32_t Process, const SumRow &)> F) const {
  forEachKey([&](RowId Id, uint32_t, uint32_t) { F(processOf(Id), row(Id)); });
}

Error SelectedTrace::open(StringRef Path, const SelectionSpec &Spec,
                          SumsOf By) {
  Expected<std::unique_ptr<Trace>> Opened = Trace::open(Path);
  if (!Opened)
    return Opened.takeError();
  T = std::move(*Opened);
  Expected<Selection> Selected = Selection::create(*T, Spec);
  if (!Selected)
    return Selected.takeError();
  Expected<Sums> Made = Sums::create(*T, std::move(*Selected), By);
  if (!Made)
    return Made.takeError();
  S.emplace(std::move(*Made));
  if (!Spec.AllFrames)
    T->foldFrames();
  return Error::success();
}

std::vector<std::string> answeredSpaces(const Trace &T, const Selection &Sel) {
  BitVector Spaces(T.devices().size() + 1, !Sel.isOuterView());
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id)
    if (isAnswered(Sel, Id))
      Spaces.set(T.heap(Id).Space);
  std::vector<std::string> Names;
  for (unsigned Space : Spaces.set_bits())
    Names.push_back(T.spaceName(Space).str());
  return Names;
}

std::vector<std::string> spacesAndHeaps(const Trace &T, const Selection &Sel) {
  std::vector<std::string> Names = answeredSpaces(T, Sel);
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id)
    if (isAnswered(Sel, Id))
      Names.push_back(T.heapName(Id).str());
  return Names;
}

} // namespace memkit
