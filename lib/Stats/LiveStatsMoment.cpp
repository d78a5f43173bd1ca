// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows as they are at one event, read while events go on.

#include "memkit/Stats/LiveStats.h"
#include <algorithm>
#include <cassert>

using namespace memkit;

void LiveStats::beginMoment(uint64_t Since) {
  Moment = std::make_unique<MomentRows>();
  Moment->Since = Since;
  Moment->At = MomentAt = Now;
  Moment->Stacks.Count = StackRows.size();
  Moment->ScopePaths.Count = ScopeRows.size();
  Moment->Cells.reserve(Cells.size());
  for (const Cell &C : Cells)
    Moment->Cells.push_back(cellNow(C));
}

std::vector<MomentCell> LiveStats::momentCells() const {
  std::vector<MomentCell> Out;
  for (const MomentRows::CellAt &C : Moment->Cells)
    Out.push_back(
        {C.Process, C.Heap, C.HeapPeakAt, C.SpacePeakAt, C.EndAt, C.Outside});
  return Out;
}

void LiveStats::endMoment() {
  Moment.reset();
  MomentAt = 0;
}

Summary LiveStats::totals(uint32_t Number, uint64_t EndNs) const {
  Summary S;
  S.Number = Number;
  S.EndNs = EndNs;
  S.Events = Now;
  S.Marks = Marks;
  S.Complete = true;
  fillTotals(S, EndNs);
  return S;
}

/// Rows that are read already are not needed again.
void LiveStats::saveForMoment(bool OfScopePaths, uint32_t Row) {
  MomentRows::OfKind &K = OfScopePaths ? Moment->ScopePaths : Moment->Stacks;
  if (Row < K.Next || Row > K.Count)
    return;
  const StatsRows &Rows = OfScopePaths ? ScopeRows : StackRows;
  const auto &Splits = OfScopePaths ? ScopeSplits : StackSplits;
  if (!K.Saved.find(Row))
    K.Saved.add(Row, {Rows[Row], Rows.cold(Row), Splits.lookup(Row)});
}

bool LiveStats::momentPart(size_t MaxRows, std::vector<MomentRow> &Out) {
  assert(Moment && "no moment has begun");
  // A row that is left out costs no more than a look at its last change.
  constexpr size_t RowCost = 8;
  size_t Left = MaxRows * RowCost;
  for (bool OfScopePaths : {false, true}) {
    MomentRows::OfKind &K = OfScopePaths ? Moment->ScopePaths : Moment->Stacks;
    const StatsRows &Rows = OfScopePaths ? ScopeRows : StackRows;
    const auto &Splits = OfScopePaths ? ScopeSplits : StackSplits;
    for (; K.Next <= K.Count && Left; ++K.Next) {
      const StatsRow *R = &Rows[K.Next];
      if (R->LastChange <= Moment->Since) {
        --Left;
        continue;
      }
      Left -= std::min(Left, RowCost);
      const StatsRowCold *Cold = &Rows.cold(K.Next);
      uint64_t NumSplits = 0;
      if (R->LastChange > Moment->At) {
        const MomentRows::SavedRow *Saved = K.Saved.find(K.Next);
        if (!Saved)
          continue; // no event of the row was before the moment
        R = &Saved->Row;
        Cold = &Saved->Cold;
        NumSplits = Saved->Splits;
        if (R->LastChange <= Moment->Since)
          continue;
      } else if (!Splits.empty()) {
        NumSplits = Splits.lookup(K.Next);
      }
      if (!R->Allocations)
        continue;
      const MomentRows::CellAt &C = Moment->Cells[R->Cell];
      Out.push_back({C.Process, OfScopePaths, statsAt(*R, *Cold, C)});
      Out.back().Stats.Splits = NumSplits;
    }
  }
  if (Moment->Stacks.Next <= Moment->Stacks.Count ||
      Moment->ScopePaths.Next <= Moment->ScopePaths.Count)
    return true;
  MomentAt = 0;
  if (Moment->Stacks.Saved.release() || Moment->ScopePaths.Saved.release())
    return true;
  Moment.reset();
  return false;
}
