// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums as Summary sections.

#include "RowOrder.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <utility>

using namespace memkit;

/// The value of a row at a curve's peak: 0 if its process had ended, the value
/// saved at the row's first change after the peak, or the present value if the
/// row did not change since the peak.
static uint64_t atPeak(uint64_t Live, uint64_t Saved, const StatsRow &R,
                       uint64_t PeakAt, uint64_t EndAt) {
  if (PeakAt > EndAt)
    return 0;
  return R.LastChange <= PeakAt ? Live : Saved;
}

StackStats LiveStats::statsAt(const StatsRow &R, const StatsRowCold &Cold,
                              const MomentRows::CellAt &C) {
  StackStats S;
  S.Key = R.Key;
  S.Heap = C.Heap;
  S.Allocations = R.Allocations;
  S.AllocatedBytes = R.AllocatedBytes;
  S.Temporaries = Cold.Temporaries + R.Temporaries;
  S.LiveBlocks = R.LiveBlocks;
  S.LiveBytes = R.LiveBytes;
  S.LiveExclusive = R.LiveExclusive;
  S.PeakBytes = R.PeakBytes;
  auto AtPeak = [&](uint64_t Live, uint64_t Saved, uint64_t PeakAt) {
    return atPeak(Live, Saved, R, PeakAt, C.EndAt);
  };
  S.HeapPeakBytes = AtPeak(R.LiveBytes, Cold.HeapPeakBytes, C.HeapPeakAt);
  S.HeapPeakBlocks = AtPeak(R.LiveBlocks, Cold.HeapPeakBlocks, C.HeapPeakAt);
  if (C.Outside)
    return S;
  S.SpacePeakBytes =
      AtPeak(R.LiveExclusive, Cold.SpacePeakBytes, C.SpacePeakAt);
  S.SpacePeakBlocks = AtPeak(R.LiveBlocks, Cold.SpacePeakBlocks, C.SpacePeakAt);
  return S;
}

/// Visits the rows in memory order: in order of their creation within a cell,
/// each row would cost a cache miss.
LiveStats::RowOrder LiveStats::orderRows(const StatsRows &Rows) const {
  RowOrder Out;
  Out.Begin.resize(Cells.size() + 2);
  for (uint32_t Row = 1; Row <= Rows.size(); ++Row)
    Out.Begin[Rows[Row].Cell + 2] += Rows[Row].Allocations != 0;
  for (size_t At = 2; At < Out.Begin.size(); ++At)
    Out.Begin[At] += Out.Begin[At - 1];
  Out.Rows.resize(Out.Begin.back());
  // The index for a cell's next row; in the end the begin of the next cell.
  for (uint32_t Row = 1; Row <= Rows.size(); ++Row)
    if (const StatsRow &R = Rows[Row]; R.Allocations)
      Out.Rows[Out.Begin[R.Cell + 1]++] = uint64_t(R.Key) << 32 | Row;
  Out.Begin.pop_back();
  for (size_t At = 0; At != Cells.size(); ++At) {
    auto Begin = Out.Rows.begin() + Out.Begin[At],
         End = Out.Rows.begin() + Out.Begin[At + 1];
    // Keys mostly rise with age.
    if (!std::is_sorted(Begin, End))
      std::sort(Begin, End);
  }
  return Out;
}

/// Fills in everything but the rows of stacks and scope paths.
void LiveStats::fillTotals(Summary &S, uint64_t EndNs) const {
  for (size_t Id = 1; Id < Threads.size(); ++Id)
    if (const ThreadStatsOf &T = Threads[Id]; T.Allocations)
      S.Threads.push_back({static_cast<uint32_t>(Id), T.Allocations,
                           T.AllocatedBytes, T.UncountedBytes});
  for (size_t Id = 0; Id < Heaps.size(); ++Id)
    if (Heaps[Id])
      S.Heaps.push_back(heapStats(Id));
  for (size_t Id = 0; Id < Spaces.size(); ++Id)
    S.Spaces.push_back(spaceStats(Id));
  for (size_t Id = 0; Id < Processes.size(); ++Id) {
    if (!Processes[Id])
      continue;
    const LiveProcess &I = *Processes[Id];
    S.Processes.push_back(processStats(Id, EndNs));
    S.Steps.insert(S.Steps.end(), I.Steps.begin(), I.Steps.end());
    if (I.Stepping)
      S.Steps.push_back(runningStep(I, EndNs));
    for (size_t Kind = 0; Kind < NumLossCounts; ++Kind)
      if (uint64_t Count = I.Losses[Kind])
        S.Losses.push_back(
            {static_cast<uint32_t>(Id), lossKindAt(Kind), Count});
  }
}

namespace {
/// Collects rows and writes Summaries of at most MaxSectionRows rows each.
/// Parts with rows of stacks and scope paths are smaller, since a waiting row
/// takes 104 bytes.
class PartWriter {
public:
  PartWriter(const Summary &Blank,
             llvm::function_ref<llvm::Error(const Summary &)> Write)
      : Blank(Blank), Write(Write), Part(Blank) {}

  llvm::Error add(std::vector<StackStatsRows> Summary::*Field, uint32_t Process,
                  const StackStats &Row) {
    if (Used >= PartRows)
      if (llvm::Error E = flush())
        return E;
    std::vector<StackStatsRows> &Out = Part.*Field;
    if (Out.empty() || Out.back().Process != Process) {
      Out.push_back({Process, {}});
      if (!Spares.empty())
        Out.back().Rows = Spares.pop_back_val();
    }
    Out.back().Rows.push_back(Row);
    ++Used;
    return llvm::Error::success();
  }

  /// Writes parts from a list until the remainder fits the last part.
  template <class T>
  llvm::Error spill(std::vector<T> Summary::*Field, std::vector<T> &Items) {
    size_t First = 0, Fit;
    while ((Fit = rowsThatFit(Items, First, MaxSectionRows)) !=
           Items.size() - First) {
      if (llvm::Error E = flush())
        return E;
      auto Begin = Items.begin() + First;
      (Part.*Field).assign(Begin, Begin + Fit);
      First += Fit;
      Used = MaxSectionRows;
    }
    Items.erase(Items.begin(), Items.begin() + First);
    return llvm::Error::success();
  }

  llvm::Error flush() {
    if (Used == 0)
      return llvm::Error::success();
    llvm::Error E = Write(Part);
    for (std::vector<StackStatsRows> *All : {&Part.Stacks, &Part.ScopePaths})
      for (StackStatsRows &Rows : *All)
        if (Spares.size() != MaxSpares) {
          Rows.Rows.clear();
          Spares.push_back(std::move(Rows.Rows));
        }
    Part = Blank;
    Used = 0;
    return E;
  }

private:
  static constexpr size_t PartRows = MaxSectionRows / 4;
  const Summary &Blank;
  llvm::function_ref<llvm::Error(const Summary &)> Write;
  Summary Part;
  /// Memory of written rows, for reuse. A part has the rows of one large
  /// process or of several small ones.
  llvm::SmallVector<std::vector<StackStats>, 0> Spares;
  static constexpr size_t MaxSpares = 8;
  size_t Used = 0;
};
} // namespace

llvm::Error LiveStats::summary(
    uint32_t Number, uint64_t EndNs,
    llvm::function_ref<llvm::Error(const Summary &)> Write) const {
  Summary Blank;
  Blank.Number = Number;
  Blank.EndNs = EndNs;
  Blank.Complete = false;
  Blank.Events = Now;
  Blank.Marks = Marks;
  PartWriter Parts(Blank, Write);
  auto AddRows = [&](const Cell &C, llvm::ArrayRef<uint64_t> Ordered,
                     bool ScopePaths) -> llvm::Error {
    const StatsRows &Rows = ScopePaths ? ScopeRows : StackRows;
    const auto &Splits = ScopePaths ? ScopeSplits : StackSplits;
    auto Field = ScopePaths ? &Summary::ScopePaths : &Summary::Stacks;
    MomentRows::CellAt Now = cellNow(C);
    for (uint64_t KeyAndRow : Ordered) {
      uint32_t Row = uint32_t(KeyAndRow);
      StackStats S = statsAt(Rows[Row], Rows.cold(Row), Now);
      S.Splits = Splits.lookup(Row);
      if (llvm::Error E = Parts.add(Field, C.Process, S))
        return E;
    }
    return llvm::Error::success();
  };
  for (bool ScopePaths : {false, true}) {
    const RowOrder Order = orderRows(ScopePaths ? ScopeRows : StackRows);
    for (const std::unique_ptr<LiveProcess> &I : Processes) {
      if (!I)
        continue;
      for (uint32_t At : I->CellOfHeap)
        if (At)
          if (llvm::Error E =
                  AddRows(Cells[At - 1], Order.of(At - 1), ScopePaths))
            return E;
    }
  }
  Summary Last = Blank;
  Last.Complete = true;
  fillTotals(Last, EndNs);
  if (llvm::Error E = Parts.spill(&Summary::Steps, Last.Steps))
    return E;
  if (llvm::Error E = Parts.spill(&Summary::Processes, Last.Processes))
    return E;
  if (llvm::Error E = Parts.spill(&Summary::Losses, Last.Losses))
    return E;
  if (llvm::Error E = Parts.spill(&Summary::Threads, Last.Threads))
    return E;
  if (llvm::Error E = Parts.flush())
    return E;
  return Write(Last);
}

Summary LiveStats::summary(uint32_t Number, uint64_t EndNs) const {
  Summary All;
  llvm::cantFail(summary(Number, EndNs, [&](const Summary &Part) {
    auto Join = [](auto &To, const auto &From) {
      To.insert(To.end(), From.begin(), From.end());
    };
    auto JoinRows = [](std::vector<StackStatsRows> &To,
                       const std::vector<StackStatsRows> &From) {
      for (const StackStatsRows &Rows : From) {
        if (To.empty() || To.back().Process != Rows.Process)
          To.push_back({Rows.Process, {}});
        To.back().Rows.insert(To.back().Rows.end(), Rows.Rows.begin(),
                              Rows.Rows.end());
      }
    };
    JoinRows(All.Stacks, Part.Stacks);
    JoinRows(All.ScopePaths, Part.ScopePaths);
    Join(All.Steps, Part.Steps);
    Join(All.Processes, Part.Processes);
    Join(All.Losses, Part.Losses);
    Join(All.Threads, Part.Threads);
    Join(All.Heaps, Part.Heaps);
    Join(All.Spaces, Part.Spaces);
    All.Number = Part.Number;
    All.EndNs = Part.EndNs;
    All.Complete = Part.Complete;
    All.Events = Part.Events;
    All.Marks = Part.Marks;
    return llvm::Error::success();
  }));
  return All;
}
