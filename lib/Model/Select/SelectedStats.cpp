// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of a part of a trace.

#include "memkit/Model/SelectedStats.h"
#include "Model/Replay/ReplayProgress.h"
#include "Model/Trace/ReplayPieces.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

/// Converts a row to a time point in the run. Gone: its process had ended.
/// Alone: only the blocks that live at the time point count.
static void atTimePoint(StackStats &Row, bool Gone, bool Alone) {
  if (Gone)
    Row.LiveBlocks = Row.LiveBytes = Row.LiveExclusive = 0;
  if (!Alone)
    return;
  Row.Allocations = Row.HeapPeakBlocks = Row.SpacePeakBlocks = Row.LiveBlocks;
  Row.AllocatedBytes = Row.PeakBytes = Row.HeapPeakBytes = Row.LiveBytes;
  Row.SpacePeakBytes = Row.LiveExclusive;
  Row.Splits = Row.Temporaries = 0;
}

/// Checks that the trace has the events that the selection needs: all events,
/// or for a time point the events around it.
Error SelectedStats::checkEvents() const {
  const std::optional<TimePoint> &At = Sel.times().At;
  return requireEvents(*T,
                       By == StatsBy::ScopePaths
                           ? "a selection by size, thread, time or stack, "
                             "grouped by scope path, needs"
                           : "a selection by size, thread, time or scope path "
                             "needs",
                       At && !Sel.needsAllocationTimes(By) ? &*At : nullptr);
}

/// Replays all events on all processors. False: they must be replayed in one
/// thread.
bool SelectedStats::replayInPieces(const AllocationGroups *Groups) {
  const TimeWindow &W = Sel.times();
  if (W.Since || W.Until || W.At || (Groups && Groups->BelongsToOneThread))
    return false;
  size_t NumRows = 0;
  for (const PackedRows &Piece : T->stackRows())
    NumRows += Piece.size();
  unsigned NumPieces = wantedPieces(T->reader(), NumRows);
  if (NumPieces < 2)
    return false;
  PieceRequest Wanted;
  if (Sel.needsAllocationTimes(By))
    Wanted.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  Wanted.BytesCountOnce = !Sel.isOuterView();
  if (Groups) {
    Wanted.GroupOf = Groups->GroupOf;
    Wanted.KeyOf = Groups->KeyOf;
  }
  std::optional<PieceRows> Made =
      replayPieces(T->reader(), Wanted, NumPieces, T->onProgress());
  if (!Made)
    return false;
  for (const StackStatsRows &Rows : Made->Stacks)
    PackedRows::pack(Rows, Replayed.Stacks);
  for (const StackStatsRows &Rows : Made->ScopePaths)
    PackedRows::pack(Rows, Replayed.ScopePaths);
  return true;
}

/// Replays the events of the selection.
Error SelectedStats::replaySelected(const AllocationGroups *Groups) {
  if (Error E = checkEvents())
    return E;
  if (replayInPieces(Groups))
    return Error::success();
  ReplayOptions Options;
  if (Groups)
    Options.KeyOf = [Groups](const Allocation &B) {
      return Groups->KeyOf(Groups->GroupOf(B));
    };
  if (Sel.needsAllocationTimes(By))
    Options.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  Options.BytesCountOnce = !Sel.isOuterView();
  ReplayProgress Bar(T->onProgress(), T->reader());
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T->reader(), Options, &Bar);
  if (!R)
    return R.takeError();
  const TimeWindow &W = Sel.times();
  // The replay may start near From: earlier allocations are excluded, or only
  // live blocks count.
  const std::optional<TimePoint> &From = W.Since ? W.Since : W.At;
  if (From && !From->IsEnd && Sel.canStartNear() && By != StatsBy::Groups)
    if (Error E = (*R)->startNear(From->TimeNs))
      return E;
  if (Error E = runTo(**R, W.last()))
    return E;
  auto Pack = [&](StackStatsRows Rows, std::vector<PackedRows> &To) {
    bool Gone = W.last() && (*R)->stats().isEnded(Rows.Process);
    if (W.At || Gone)
      for (StackStats &Row : Rows.Rows)
        atTimePoint(Row, Gone, W.At.has_value());
    PackedRows::pack(Rows, To);
  };
  auto Take = [&](const Summary &Part) {
    for (const StackStatsRows &Rows : Part.Stacks)
      Pack(Rows, Replayed.Stacks);
    for (const StackStatsRows &Rows : Part.ScopePaths)
      Pack(Rows, Replayed.ScopePaths);
    return Error::success();
  };
  return (*R)->stats().summary(1, (*R)->endNs(), Take);
}

/// Takes the rows of the summary, with only the blocks that live at the end.
void SelectedStats::takeEnds() {
  auto Take = [](ArrayRef<PackedRows> From, std::vector<PackedRows> &To) {
    for (const PackedRows &Piece : From) {
      StackStatsRows Rows = Piece.unpack();
      for (StackStats &Row : Rows.Rows)
        atTimePoint(Row, /*Gone=*/false, /*Alone=*/true);
      PackedRows::pack(Rows, To);
    }
  };
  Take(T->stackRows(), Replayed.Stacks);
  Take(T->scopeRows(), Replayed.ScopePaths);
}

/// Adds the rows of the scope path 0: by process and heap, the values of stacks
/// less those of scope paths.
static void addRest(ArrayRef<PackedRows> Stacks,
                    ArrayRef<PackedRows> ScopePaths,
                    std::vector<PackedRows> &Out) {
  static constexpr uint64_t StackStats::*Added[] = {
      &StackStats::Allocations,   &StackStats::AllocatedBytes,
      &StackStats::Splits,        &StackStats::Temporaries,
      &StackStats::LiveBlocks,    &StackStats::LiveBytes,
      &StackStats::LiveExclusive, &StackStats::HeapPeakBlocks,
      &StackStats::HeapPeakBytes, &StackStats::SpacePeakBlocks,
      &StackStats::SpacePeakBytes};
  std::map<uint32_t, std::map<uint32_t, StackStats>> Rest;
  auto ForEach = [&](ArrayRef<PackedRows> Pieces, auto Change) {
    for (const PackedRows &Piece : Pieces) {
      std::map<uint32_t, StackStats> &Heaps = Rest[Piece.process()];
      for (size_t I = 0; I != Piece.size(); ++I) {
        StackStats R = Piece[I], &To = Heaps[R.Heap];
        for (uint64_t StackStats::*Field : Added)
          To.*Field = Change(To.*Field, R.*Field);
      }
    }
  };
  ForEach(Stacks, [](uint64_t Sum, uint64_t More) { return Sum + More; });
  // The rows of a file may be inconsistent.
  ForEach(ScopePaths, [](uint64_t Sum, uint64_t Less) {
    return Sum < Less ? 0 : Sum - Less;
  });
  for (auto &[Process, Heaps] : Rest) {
    StackStatsRows Rows;
    Rows.Process = Process;
    for (auto &[Heap, Row] : Heaps) {
      Row.Heap = Heap;
      Rows.Rows.push_back(Row);
    }
    if (!Rows.Rows.empty())
      PackedRows::pack(Rows, Out);
  }
}

Expected<SelectedStats> SelectedStats::create(const Trace &T,
                                              Selection Selected, StatsBy By) {
  SelectedStats S(T, std::move(Selected), By);
  if (Error E = S.gather(nullptr))
    return E;
  return S;
}

Expected<SelectedStats>
SelectedStats::createGrouped(const Trace &T, Selection Selected,
                             const AllocationGroups &Groups) {
  SelectedStats S(T, std::move(Selected), StatsBy::Groups);
  if (Error E = S.gather(&Groups))
    return E;
  return S;
}

Error SelectedStats::gather(const AllocationGroups *Groups) {
  ArrayRef<PackedRows> Stacks = T->stackRows(), ScopePaths = T->scopeRows();
  if (Sel.needsEvents(By)) {
    if (Error E = replaySelected(Groups))
      return E;
  } else if (Sel.times().At) {
    takeEnds();
  }
  if (Sel.needsEvents(By) || Sel.times().At) {
    Stacks = Replayed.Stacks;
    ScopePaths = Replayed.ScopePaths;
  }
  if (By == StatsBy::ScopePaths && Sel.hasScopePath(0))
    addRest(Stacks, ScopePaths, Rest);
  auto Add = [&](ArrayRef<PackedRows> Rows) {
    for (const PackedRows &R : Rows)
      if (Sel.hasProcess(R.process()))
        this->Rows.push_back(&R);
  };
  Add(By == StatsBy::ScopePaths ? ScopePaths : Stacks);
  Add(Rest);
  stable_sort(this->Rows, [](const PackedRows *A, const PackedRows *B) {
    return A->process() < B->process();
  });
  return Error::success();
}

size_t SelectedStats::numRows() const {
  size_t Count = 0;
  for (const PackedRows *Piece : Rows)
    Count += Piece->size();
  return Count;
}

Error SelectedTrace::open(StringRef Path, const SelectionSpec &Spec,
                          ProgressCallback OnProgress) {
  // A selection of events needs intervals of its own.
  unsigned Parts = Spec.empty() ? TP_All | TP_Intervals : TP_All;
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::open(Path, Parts, std::move(OnProgress));
  if (!Opened)
    return Opened.takeError();
  return take(std::move(*Opened), Spec);
}

Error SelectedTrace::take(std::unique_ptr<Trace> Opened,
                          const SelectionSpec &Spec) {
  T = std::move(Opened);
  Expected<Selection> Selected = Selection::create(*T, Spec);
  if (!Selected)
    return Selected.takeError();
  Expected<SelectedStats> Made =
      SelectedStats::create(*T, std::move(*Selected));
  if (!Made)
    return Made.takeError();
  S.emplace(std::move(*Made));
  T->applyRules(Spec.Names, !Spec.AllFrames);
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
