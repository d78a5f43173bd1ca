// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of heaps by stack, at chosen times of a run.

#include "HeapDumps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

HeapDumps::HeapDumps(const SelectedStats &S, const IntervalSeries &Series,
                     ArrayRef<uint32_t> PathOf, size_t Max)
    : Series(Series), PathOf(PathOf) {
  for (const ProcessIntervals &I : Series.processes())
    Processes.emplace_back().Id = I.Process;
  chooseTimes(S, Max);
  // Other selections have peaks of their own, at times that nobody knows.
  if (!S.selection().needsEvents() && !S.selection().times().At)
    addPeaks(S);
  for (DumpedProcess &P : Processes)
    stable_sort(P.Times, [](const DumpTime &A, const DumpTime &B) {
      return A.Position < B.Position;
    });
}

/// Chooses ends of intervals in the window.
void HeapDumps::chooseTimes(const SelectedStats &S, size_t Max) {
  TimelineParts Parts(S);
  size_t Limit =
      std::clamp<size_t>(Max / std::max<size_t>(S.numRows(), 1), 1, MaxDumps);
  for (auto [P, I] : zip_equal(Processes, Series.processes())) {
    std::vector<size_t> Possible;
    for (size_t At = 0; At != I.Heads.size(); ++At)
      if (Parts.isInWindow(I.Heads[At].EndNs))
        Possible.push_back(At);
    size_t Wanted = std::min(Limit, Possible.size());
    for (size_t Nth = 1; Nth <= Wanted; ++Nth) {
      size_t At = Possible[Possible.size() * Nth / Wanted - 1];
      P.Times.push_back({2 * At + 1, I.Heads[At].EndNs, 0});
    }
  }
}

/// Adds the peaks of heaps, unless a process is dumped at the same time.
void HeapDumps::addPeaks(const SelectedStats &S) {
  std::vector<DumpedProcess *> ById(S.trace().processes().size() + 1);
  for (DumpedProcess &P : Processes)
    ById[P.Id] = &P;
  S.forEach([&](uint32_t Process, const StackStats &R) {
    if (!ById[Process] || !R.HeapPeakBlocks)
      return;
    auto &[Bytes, Blocks] = ById[Process]->Heaps[R.Heap].AtPeak[PathOf[R.Key]];
    Bytes += R.HeapPeakBytes;
    Blocks += R.HeapPeakBlocks;
  });
  for (auto [P, I] : zip_equal(Processes, Series.processes())) {
    std::set<uint64_t> Dumped;
    for (const DumpTime &Known : P.Times)
      if (!Known.PeakOf)
        Dumped.insert(Known.TimeNs);
    for (const auto &[Heap, H] : P.Heaps) {
      uint64_t TimeNs = S.trace().heapStats(Heap).PeakTimeNs;
      auto At = lower_bound(I.Heads, TimeNs,
                            [](const IntervalHead &Head, uint64_t Ns) {
                              return Head.EndNs < Ns;
                            });
      if (At != I.Heads.end() && !Dumped.count(TimeNs))
        P.Times.push_back(
            {2 * static_cast<size_t>(At - I.Heads.begin()), TimeNs, Heap});
    }
  }
}

HeapDumps::DumpedValue &HeapDumps::DumpedHeap::value(uint32_t Path) {
  auto [At, New] = ByPath.try_emplace(Path, Values.size());
  if (New)
    Values.emplace_back().Path = Path;
  return Values[At->second];
}

void HeapDumps::DumpedHeap::change(uint32_t Path) {
  DumpedValue &V = value(Path);
  if (!std::exchange(V.IsChanged, true))
    Changed.push_back(static_cast<uint32_t>(&V - Values.data()));
}

void HeapDumps::take(size_t Process, size_t Interval,
                     ArrayRef<IntervalChange> Rows) {
  DumpedProcess &P = Processes[Process];
  dumpUpTo(P, 2 * Interval);
  for (const IntervalChange &R : Rows) {
    DumpedHeap &H = P.Heaps[R.Heap];
    uint32_t Path = PathOf[R.Stack];
    DumpedValue &V = H.value(Path);
    // Sums wrap, and are right.
    V.LiveBytes += R.Bytes - R.BytesBefore;
    V.LiveBlocks += R.Blocks - R.BlocksBefore;
    V.AllocatedBytes += R.AllocatedBytes;
    V.Allocations += R.Allocations;
    H.change(Path);
  }
}

void HeapDumps::dumpUpTo(DumpedProcess &P, size_t Position) {
  for (;
       P.NextTime != P.Times.size() && P.Times[P.NextTime].Position <= Position;
       ++P.NextTime) {
    const DumpTime &At = P.Times[P.NextTime];
    if (At.PeakOf)
      dumpPeak(P, At);
    else
      for (auto &[Heap, H] : P.Heaps)
        dump(P.Id, Heap, H, At.TimeNs);
  }
}

/// Dumps a heap with the live values of its peak in place of those of the last
/// interval.
void HeapDumps::dumpPeak(DumpedProcess &P, const DumpTime &At) {
  DumpedHeap &H = P.Heaps[At.PeakOf];
  for (const auto &[Path, AtPeak] : H.AtPeak)
    H.value(Path);
  std::vector<std::pair<uint64_t, uint64_t>> Before;
  for (DumpedValue &V : H.Values) {
    Before.push_back({V.LiveBytes, V.LiveBlocks});
    std::tie(V.LiveBytes, V.LiveBlocks) = H.AtPeak.lookup(V.Path);
    if (Before.back() != std::pair(V.LiveBytes, V.LiveBlocks))
      H.change(V.Path);
  }
  dump(P.Id, At.PeakOf, H, At.TimeNs);
  for (size_t I = 0; I != Before.size(); ++I) {
    DumpedValue &V = H.Values[I];
    if (Before[I] != std::pair(V.LiveBytes, V.LiveBlocks))
      H.change(V.Path);
    std::tie(V.LiveBytes, V.LiveBlocks) = Before[I];
  }
  H.AtPeak.clear();
}

/// Sums never fall, and the difference is Live.
static void raise(uint64_t &Allocated, uint64_t &Freed, uint64_t Known,
                  uint64_t Live) {
  Allocated = std::max({Allocated, Known, SaturatingAdd(Freed, Live)});
  Freed = Allocated - Live;
}

void HeapDumps::dump(uint32_t Process, uint32_t Heap, DumpedHeap &H,
                     uint64_t TimeNs) {
  HeapDump Out{Process, Heap, TimeNs, {}};
  for (uint32_t Index : H.Changed) {
    DumpedValue &V = H.Values[Index];
    V.IsChanged = false;
    HeapTotals Before = V.Written;
    raise(V.Written.AllocatedBytes, V.Written.FreedBytes, V.AllocatedBytes,
          V.LiveBytes);
    raise(V.Written.Allocations, V.Written.Frees, V.Allocations, V.LiveBlocks);
    if (V.Written != Before)
      Out.Rows.push_back({V.Path, V.Written});
  }
  H.Changed.clear();
  if (Out.Rows.empty())
    return;
  llvm::sort(Out.Rows, [](const HeapDumpRow &A, const HeapDumpRow &B) {
    return A.Path < B.Path;
  });
  Dumps.push_back(std::move(Out));
}

std::vector<HeapDump> HeapDumps::finish() {
  for (DumpedProcess &P : Processes)
    dumpUpTo(P, SIZE_MAX);
  stable_sort(Dumps, [](const HeapDump &A, const HeapDump &B) {
    return A.TimeNs < B.TimeNs;
  });
  return std::move(Dumps);
}

} // namespace memkit
