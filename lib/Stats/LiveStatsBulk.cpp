// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many events at once.
//
// The kind of an event is not predictable, and a mispredicted branch costs as
// much as all other work on the event. So all kinds share one code path, with 0
// for the values that a kind lacks.

#include "memkit/Stats/LiveStats.h"
#include <algorithm>

using namespace memkit;

/// Stats of cells and memory spaces while many events of a process are applied:
/// the values that every event changes, close together. All other values are
/// computed at the end.
struct LiveStats::Lanes {
  struct SpaceLane;
  struct CellLane {
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t PeakBytes = 0;
    uint64_t Trigger = 0; ///< as in Curve
    uint64_t PeakAt = 0;  ///< number of the event
    SpaceLane *Space = nullptr;
    uint64_t RisenBytes = 0;
    uint64_t Counts = 0; ///< events of each kind, packed as in CountOf
    uint64_t PeakBlocks = 0;
    uint64_t Highest = 0;        ///< highest LiveBytes among these events
    SizeCounts *Sizes = nullptr; ///< HeapState::Sizes
    uint64_t Watched = 0;
  };
  struct SpaceLane {
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t PeakBytes = 0;
    uint64_t Trigger = 0; ///< as in Curve
    /// A row last changed at or before this event needs its values saved: the
    /// number of the peak event, or of the last event before the interval.
    uint64_t SaveUpTo = 0;
    uint64_t Highest = 0; ///< highest LiveBytes among these events
    uint64_t PeakAt = 0;
    uint64_t PeakBlocks = 0;
    Curve *Of = nullptr;
    Share *S = nullptr;
    uint64_t Watched = 0;
  };
  std::vector<CellLane> Cells; ///< by index in LiveStats::Cells; only cells of
                               ///< the process are used
  std::vector<SpaceLane> Spaces; ///< by index in ProcessState::Shares
};

namespace {
/// By kind of event: 1 in the bit field that counts the kind. A field counts
/// fewer than 2^21 events. Grow and Shrink are not counted.
constexpr uint64_t FieldBits = 21;
constexpr uint64_t CountOf[] = {
    1, uint64_t(1) << FieldBits,       0,
    0, uint64_t(1) << (2 * FieldBits), uint64_t(1) << FieldBits};
constexpr uint64_t field(uint64_t Counts, unsigned Field) {
  return Counts >> (Field * FieldBits) & ((uint64_t(1) << FieldBits) - 1);
}
/// By kind of event: the change of the number of live blocks.
constexpr uint64_t BlocksOf[] = {1, uint64_t(-1), 0, 0, 1, uint64_t(-1)};

} // namespace

LiveStats::LiveStats() : Open(std::make_unique<Lanes>()) {
  Spaces.push_back(std::make_unique<Curve>());
}
LiveStats::~LiveStats() = default;

/// Copies the values of a curve to the lane of a cell or memory space.
template <class Lane, class C> static void openCurve(Lane &L, const C &Of) {
  L.LiveBytes = Of.LiveBytes;
  L.LiveBlocks = Of.LiveBlocks;
  L.PeakBytes = Of.PeakBytes;
  L.PeakAt = Of.PeakAt;
  L.Trigger = Of.Trigger;
  L.Watched = Of.Watched;
}

void LiveStats::openLanes(LiveProcess &I) {
  Open->Cells.resize(Cells.size());
  Open->Spaces.assign(I.Shares.size(), Lanes::SpaceLane());
  for (size_t At = 0; At < I.Shares.size(); ++At) {
    if (!I.Shares[At])
      continue;
    Lanes::SpaceLane &D = Open->Spaces[At];
    D.Of = At ? Spaces[At - 1].get() : &Outside;
    D.S = I.Shares[At].get();
    openCurve(D, *D.Of);
    D.SaveUpTo =
        std::max({D.PeakAt, I.IntervalFrom ? I.IntervalFrom - 1 : 0, MomentAt});
  }
  for (uint32_t At : I.CellOfHeap) {
    if (!At)
      continue;
    const Cell &C = Cells[At - 1];
    Lanes::CellLane &L = Open->Cells[At - 1] = Lanes::CellLane();
    openCurve(L, C.H->C);
    L.Sizes = &C.H->Sizes;
    L.Space = &Open->Spaces[C.D == &Outside ? 0 : C.D->Id + size_t(1)];
  }
}

/// Copies the values of the lanes back to cells and shares. TimesNs: the times
/// of the events after number Now. Nested: the events changed no memory space.
/// IsPart: peaks are the caller's.
void LiveStats::closeLanes(LiveProcess &I, const uint64_t *TimesNs, bool Nested,
                           bool IsPart) {
  auto Close = [&](const auto &L, Curve &C) {
    C.LiveBytes = L.LiveBytes;
    C.LiveBlocks = L.LiveBlocks;
    if (IsPart)
      return;
    C.Trigger = L.Trigger;
    if (L.PeakAt <= Now)
      return;
    C.PeakBytes = L.PeakBytes;
    C.PeakBlocks = L.PeakBlocks;
    C.PeakAt = L.PeakAt;
    C.PeakTimeNs = TimesNs[L.PeakAt - Now - 1];
  };
  for (uint32_t At : I.CellOfHeap) {
    if (!At)
      continue;
    Cell &C = Cells[At - 1];
    const Lanes::CellLane &L = Open->Cells[At - 1];
    uint64_t Allocations = field(L.Counts, 0), Frees = field(L.Counts, 1),
             Splits = field(L.Counts, 2);
    uint64_t Bytes = L.LiveBytes - C.H->C.LiveBytes;
    auto Add = [&](auto &To) {
      To.Allocations += Allocations;
      To.Frees += Frees;
      To.AllocatedBytes += L.RisenBytes;
      To.LiveBytes += Bytes;
    };
    Add(C);
    if (!Nested) {
      Add(*C.S);
      C.S->LiveBlocks += Allocations + Splits - Frees;
    }
    C.S->Touched |= L.Counts | L.RisenBytes | Bytes ? C.RangeBit : 0;
    C.Splits += Splits;
    // The heap's bytes in other processes did not change.
    if (L.Highest)
      C.HighestBytes =
          std::max(C.HighestBytes, L.Highest - (L.LiveBytes - C.LiveBytes));
    Close(L, C.H->C);
  }
  for (const Lanes::SpaceLane &D : Open->Spaces) {
    if (!D.Of)
      continue;
    Close(D, *D.Of);
    // The bytes of other processes did not change.
    uint64_t Others = D.LiveBytes - D.S->LiveBytes;
    if (!D.Highest)
      continue;
    uint64_t Highest = D.Highest - Others;
    D.S->StepPeakBytes = std::max(D.S->StepPeakBytes, Highest);
    D.S->HighestBytes = std::max(D.S->HighestBytes, Highest);
  }
}

/// Does the additional work of splits and temporaries, which are rare.
void LiveStats::applyRare(const Change &C, Cell &Of, bool Nested) {
  if (C.Kind == Change::Split) {
    StackSplits[C.Row] += 1;
    if (C.ScopeRow)
      ScopeSplits[C.ScopeRow] += 1;
    return;
  }
  Of.Temporaries += 1;
  Of.S->Temporaries += !Nested;
  countTemporary(StackRows, C.Row);
  if (C.ScopeRow)
    countTemporary(ScopeRows, C.ScopeRow);
}

template <LiveStats::LaneMode Mode>
void LiveStats::applyLanes(LiveProcess &I, llvm::ArrayRef<Change> Changes,
                           const uint64_t *TimesNs) {
  constexpr bool Nested = Mode == LaneMode::Nested;
  assert(Changes.size() < uint64_t(1) << FieldBits && "too many at once");
  openLanes(I);
  if (I.Dirty.empty() && !Changes.empty())
    I.FirstNs = TimesNs[0];
  StatsRows::RowView Rows = StackRows.view();
  Lanes::CellLane *CellLanes = Open->Cells.data();
  uint64_t Number = Now;
  for (const Change &C : Changes) {
    StatsRow &R = Rows[C.Row];
    Lanes::CellLane &L = CellLanes[R.Cell];
    Lanes::SpaceLane &D = *L.Space;
    ++Number;
    if (R.LastChange <= std::max(L.PeakAt, D.SaveUpTo)) {
      noteChange(false, C.Row, R);
      savePeaks(StackRows, C.Row, L.PeakAt, D.PeakAt);
      if (R.LastChange < I.IntervalFrom)
        I.Dirty.push_back(stateOf(C.Row, R));
    }
    // All ones when live bytes fall.
    uint64_t Falls = -uint64_t(C.Kind & 1), Bytes = (C.Bytes ^ Falls) - Falls;
    uint64_t Risen = C.Bytes & ~Falls, Blocks = BlocksOf[C.Kind];
    auto Count = [&](StatsRow &R) {
      uint64_t LiveBytes = R.LiveBytes + Bytes;
      R.LastChange = Number;
      R.LiveBytes = LiveBytes;
      R.LiveExclusive += Bytes;
      R.AllocatedBytes += Risen;
      R.PeakBytes = std::max(R.PeakBytes, LiveBytes & ~Falls);
      R.Allocations += C.Kind == Change::Allocate;
      R.LiveBlocks += static_cast<uint32_t>(Blocks);
    };
    Count(R);
    if (LLVM_UNLIKELY(C.ScopeRow)) {
      noteChange(true, C.ScopeRow, ScopeRows[C.ScopeRow]);
      savePeaks(ScopeRows, C.ScopeRow, L.PeakAt, D.PeakAt);
      Count(ScopeRows[C.ScopeRow]);
    }
    L.RisenBytes += Risen;
    L.Counts += CountOf[C.Kind];
    L.Sizes->add(C.Bytes, C.Kind == Change::Allocate);
    auto Draw = [&](auto &Lane, bool IsSpace) {
      Lane.LiveBytes += Bytes;
      Lane.LiveBlocks += Blocks;
      uint64_t Height = Lane.LiveBytes & ~Falls;
      if (Mode != LaneMode::Part && Height > Lane.Trigger) {
        if (Height > Lane.PeakBytes) {
          Lane.PeakBytes = Height;
          Lane.PeakBlocks = Lane.LiveBlocks;
          Lane.PeakAt = Number;
        }
        if (LLVM_UNLIKELY(Height > Lane.Watched)) {
          const Cell &By = Cells[R.Cell];
          Curve &Of = IsSpace ? *By.D : By.H->C;
          noteCrossings(Of, By, Height, TimesNs[Number - Now - 1]);
          Lane.Watched = Of.Watched;
        }
        Lane.Trigger = std::min(Lane.PeakBytes, Lane.Watched);
      }
      return Height;
    };
    L.Highest = std::max(L.Highest, Draw(L, false));
    if constexpr (!Nested) {
      D.Highest = std::max(D.Highest, Draw(D, true));
      D.SaveUpTo = std::max(D.SaveUpTo, D.PeakAt);
    }
    if (LLVM_UNLIKELY(C.Kind >= Change::Split))
      applyRare(C, Cells[R.Cell], Nested);
  }
  closeLanes(I, TimesNs, Nested, Mode == LaneMode::Part);
  I.Events += Changes.size();
  Now = Number;
  if (!Changes.empty())
    LastNs = TimesNs[Changes.size() - 1];
}

void LiveStats::apply(uint32_t Process, llvm::ArrayRef<Change> Changes,
                      const uint64_t *TimesNs) {
  applyLanes<LaneMode::Whole>(*Processes[Process], Changes, TimesNs);
}

Outlook LiveStats::outlook(llvm::ArrayRef<Change> Changes) const {
  Outlook Result;
  if (Changes.empty())
    return Result;
  uint64_t Rise = 0, Highest = 0; // of the sum of all events so far
  size_t HighestAt = 0;
  for (size_t At = 0; At != Changes.size(); ++At) {
    const Change &C = Changes[At];
    uint64_t Falls = -uint64_t(C.Kind & 1);
    Rise += (C.Bytes ^ Falls) - Falls;
    // A sum below the first is none: the first is no new peak.
    if (int64_t(Rise) > int64_t(Highest)) {
      Highest = Rise;
      HighestAt = At + 1;
    }
  }
  const Cell &Of = Cells[StackRows[Changes.front().Row].Cell];
  for (const Curve *C : {&Of.H->C, Of.D}) {
    if (C->LiveBytes + Highest > C->Watched)
      Result.Crosses = true;
    if (C->LiveBytes + Highest > C->PeakBytes)
      Result.PeakAfter = HighestAt;
  }
  return Result;
}

void LiveStats::applyPart(uint32_t Process, llvm::ArrayRef<Change> Changes,
                          const uint64_t *TimesNs) {
  applyLanes<LaneMode::Part>(*Processes[Process], Changes, TimesNs);
}

void LiveStats::endPart(uint32_t Row, uint64_t TimeNs) {
  LastNs = TimeNs;
  Cell &Of = Cells[StackRows[Row].Cell];
  for (Curve *C : {&Of.H->C, Of.D})
    if (C->LiveBytes > C->Trigger)
      C->passTrigger(Now, TimeNs);
}

void LiveStats::applyNested(uint32_t Process, llvm::ArrayRef<Change> Changes,
                            llvm::ArrayRef<NestedSum> Outers,
                            const uint64_t *TimesNs) {
  LiveProcess &I = *Processes[Process];
  applyLanes<LaneMode::Nested>(I, Changes, TimesNs);
  // The events changed neither the memory space nor the heaps of the outer
  // blocks, so the rows of these may change after all of them.
  for (const NestedSum &S : Outers)
    addInner(S.Outer, {S.Bytes, S.Blocks, 0});
}
