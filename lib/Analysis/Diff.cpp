//===- Diff.cpp - What changed between two traces -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Diff.h"
#include "memkit/Model/StackKeys.h"
#include "memkit/Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

double varianceOf(const StackMetrics &M, Metric By, uint64_t SampleBytes) {
  if (!SampleBytes || !isInBytes(By))
    return 0;
  uint64_t Bytes = metricOf(M, By);
  if (By == Metric::Live || By == Metric::Leaked)
    return sampleVariance(Bytes, M.LiveBlocks, SampleBytes);
  return sampleVariance(Bytes, M.AllocatedBytes, M.Allocations, SampleBytes);
}

uint64_t metricOf(const StackMetrics &M, Metric By) {
  switch (By) {
  case Metric::Peak:
    return M.AtPeakBytes;
  case Metric::Live:
  case Metric::Leaked:
    return M.LiveBytes;
  case Metric::Allocated:
    return M.AllocatedBytes;
  case Metric::Count:
    return M.Allocations;
  case Metric::Temporary:
    break;
  }
  llvm_unreachable("no such metric of a difference");
}

namespace {

/// A row of one trace. Those of a pair hang together, the last one first: most
/// are alone, and what they have in sum is made when it is asked for.
struct Entry {
  Sums::RowId Row;
  uint32_t Before; ///< the entry + 1 before it of the same pair, 0 none
};

/// A (heap, stack) in both traces: its last entries, counted from 1, 0 where it
/// has none.
struct Pair {
  uint64_t Key = 0;
  uint32_t Before = 0;
  uint32_t After = 0;
};

/// Finds pairs by key. Most look-ups miss the cache, so that what they will
/// read is asked for long before.
class Matcher {
public:
  /// Adds the rows of S, of the Keys that rowKeys() gives.
  void add(const Sums &S, ArrayRef<uint64_t> Keys, bool IsAfter,
           std::vector<Entry> &Out);
  std::vector<Pair> Pairs;

private:
  void reserve(size_t Rows);
  Pair &find(uint64_t Key);

  /// Open addressing; a number in Pairs counted from 1, 0 is free.
  std::vector<uint32_t> Slots;
};

/// How many rows ahead memory is fetched, for each of two steps.
constexpr size_t Ahead = 12;

} // namespace

/// Makes room for as many pairs more; at most half of the slots are taken.
void Matcher::reserve(size_t Rows) {
  Pairs.reserve(Pairs.size() + Rows);
  size_t Wanted = PowerOf2Ceil(std::max<size_t>(2 * (Pairs.size() + Rows), 64));
  if (Wanted <= Slots.size())
    return;
  Slots.assign(Wanted, 0);
  for (size_t I = 0; I != Pairs.size(); ++I) {
    size_t At = Pairs[I].Key & (Wanted - 1);
    while (Slots[At])
      At = (At + 1) & (Wanted - 1);
    Slots[At] = I + 1;
  }
}

Pair &Matcher::find(uint64_t Key) {
  size_t Mask = Slots.size() - 1;
  size_t At = Key & Mask;
  for (; Slots[At]; At = (At + 1) & Mask)
    if (Pairs[Slots[At] - 1].Key == Key)
      return Pairs[Slots[At] - 1];
  Pairs.push_back({Key, 0, 0});
  Slots[At] = Pairs.size();
  return Pairs.back();
}

void Matcher::add(const Sums &S, ArrayRef<uint64_t> Keys, bool IsAfter,
                  std::vector<Entry> &Out) {
  reserve(Keys.size());
  Out.reserve(Keys.size());
  size_t Mask = Slots.size() - 1, I = 0;
  S.forEachKey([&](Sums::RowId Row, uint32_t, uint32_t) {
    if (I + 2 * Ahead < Keys.size()) {
      __builtin_prefetch(&Slots[Keys[I + 2 * Ahead] & Mask]);
      if (uint32_t Next = Slots[Keys[I + Ahead] & Mask])
        __builtin_prefetch(&Pairs[Next - 1]);
    }
    Pair &P = find(Keys[I++]);
    uint32_t &Last = IsAfter ? P.After : P.Before;
    Out.push_back({Row, Last});
    Last = Out.size();
  });
}

/// A key for each row that forEach() of S gives: the same for rows of the same
/// heap and stack.
static std::vector<uint64_t> rowKeys(const Sums &S) {
  const Trace &T = S.trace();
  std::vector<uint64_t> HeapKeys{0};
  for (uint32_t H = 1; H <= T.heaps().size(); ++H)
    HeapKeys.push_back(xxh3_64bits(T.heapName(H)));
  // Rows come heap by heap, each with stacks all over the tree: look-ups stay
  // in less memory by stack.
  std::vector<uint64_t> OfStack(T.numStacks() + 1), Keys;
  {
    std::vector<uint64_t> OfNode = nodeKeys(T, SameFrame::Function);
    for (uint32_t Stack = 0; Stack != OfStack.size(); ++Stack)
      OfStack[Stack] = OfNode[T.view().leaf(Stack)];
  }
  Keys.reserve(S.numRows());
  S.forEachKey([&](Sums::RowId, uint32_t Heap, uint32_t Stack) {
    Keys.push_back(OfStack[Stack] ^ HeapKeys[Heap]);
  });
  return Keys;
}

namespace {
/// One of both traces.
struct Side {
  const Sums &S;
  std::vector<Entry> Entries;

  /// The sum of a pair's entries. First becomes what the first of them is of,
  /// none when there is none.
  StackMetrics metricsOf(uint32_t Last, std::optional<SumRow> &First) const;
  /// Asks for what metricsOf() will read, first the one, then the other.
  void prefetchEntry(uint32_t Last) const {
    if (Last)
      __builtin_prefetch(&Entries[Last - 1]);
  }
  void prefetchRow(uint32_t Last) const {
    if (Last)
      S.prefetch(Entries[Last - 1].Row);
  }
};
} // namespace

StackMetrics Side::metricsOf(uint32_t Last,
                             std::optional<SumRow> &First) const {
  StackMetrics M;
  bool Outer = S.selection().isOuterView();
  // Peaks of stacks that are one here add up, those of processes do not.
  uint32_t Image = 0;
  uint64_t Peak = 0;
  First.reset();
  for (; Last; Last = Entries[Last - 1].Before) {
    const Entry &E = Entries[Last - 1];
    const SumRow &R = First.emplace(S.row(E.Row));
    M.Allocations += R.Allocations;
    M.Frees += R.Allocations + R.Splits - R.LiveBlocks;
    M.AllocatedBytes += R.AllocatedBytes;
    M.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
    M.LiveBlocks += R.LiveBlocks;
    M.AtPeakBytes += Outer ? R.HeapPeakBytes : R.DomainPeakBytes;
    Peak = (Image == S.imageOf(E.Row) ? Peak : 0) + R.PeakBytes;
    Image = S.imageOf(E.Row);
    M.PeakBytes = std::max(M.PeakBytes, Peak);
  }
  return M;
}

static DiffTotals wholeTotals(const Totals &T) {
  return {T.Allocations, T.Frees,      T.AllocatedBytes,
          T.FreedBytes,  T.LiveBytes,  T.LiveBlocks,
          T.PeakBytes,   T.PeakTimeNs, {}};
}

/// Sums of what was selected.
static DiffTotals partTotals(const Sums &S) {
  bool Outer = S.selection().isOuterView();
  DiffTotals Sum;
  S.forEach([&](uint32_t, const SumRow &R) {
    if (!Outer && S.trace().heap(R.Heap).Domain != 0)
      return;
    Sum.Allocations += R.Allocations;
    Sum.Frees += R.Allocations + R.Splits - R.LiveBlocks;
    Sum.AllocatedBytes += R.AllocatedBytes;
    Sum.FreedBytes += R.AllocatedBytes - R.LiveBytes;
    Sum.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
    Sum.LiveBlocks += R.LiveBlocks;
    Sum.PeakBytes += Outer ? R.HeapPeakBytes : R.DomainPeakBytes;
  });
  return Sum;
}

static uint64_t distance(uint64_t A, uint64_t B) {
  return A > B ? A - B : B - A;
}

static uint64_t noiseOf(const DiffReport &R, const DiffOptions &Options) {
  auto Larger = [&](uint64_t DiffTotals::*Field) {
    return Options.Noise.bytesOf(std::max(R.Before.*Field, R.After.*Field));
  };
  if (Options.By == Metric::Allocated)
    return Larger(&DiffTotals::AllocatedBytes);
  if (Options.By == Metric::Count)
    return Larger(&DiffTotals::Allocations);
  return Larger(&DiffTotals::PeakBytes);
}

static bool isShown(const Difference &D, const DiffOptions &Options,
                    uint64_t Noise) {
  auto Exceeds = [&](uint64_t Before, uint64_t After) {
    uint64_t Change = distance(Before, After);
    return Change && Change >= Noise;
  };
  if (Options.By)
    return Exceeds(metricOf(D.Before, *Options.By),
                   metricOf(D.After, *Options.By));
  return Noise == 0 || Exceeds(D.Before.AtPeakBytes, D.After.AtPeakBytes) ||
         Exceeds(D.Before.LiveBytes, D.After.LiveBytes) ||
         Exceeds(D.Before.PeakBytes, D.After.PeakBytes);
}

/// Puts the differences that are shown in order: the largest change first.
static void sortShown(std::vector<Difference> &Shown, Metric By) {
  auto Change = [](const Difference &D, Metric M) {
    return distance(metricOf(D.Before, M), metricOf(D.After, M));
  };
  stable_sort(Shown, [&](const Difference &A, const Difference &B) {
    return std::pair(Change(A, By), Change(A, Metric::Live)) >
           std::pair(Change(B, By), Change(B, Metric::Live));
  });
}

/// How far the totals of a side may be off: as partTotals() takes them.
static SampleVariances totalVariances(const Sums &S) {
  SampleVariances Sum;
  const Trace &T = S.trace();
  if (none_of(T.heaps(), [](const Heap &H) { return H.estimateBytes() != 0; }))
    return Sum;
  bool Outer = S.selection().isOuterView();
  S.forEach([&](uint32_t, const SumRow &R) {
    const Heap &H = T.heap(R.Heap);
    if (H.estimateBytes() && (Outer || H.Domain == 0))
      Sum.add(R, H.estimateBytes());
  });
  // What is shown is one or the other.
  if (Outer)
    Sum.DomainPeak = Sum.HeapPeak;
  else
    Sum.Live = Sum.LiveExclusive;
  return Sum;
}

DiffReport diffTraces(const Sums &Before, const Sums &After, bool Whole,
                      const DiffOptions &Options) {
  const Trace &TB = Before.trace(), &TA = After.trace();
  DiffReport R;
  R.Before = Whole ? wholeTotals(TB.hostTotals()) : partTotals(Before);
  R.After = Whole ? wholeTotals(TA.hostTotals()) : partTotals(After);
  R.Before.Variances = totalVariances(Before);
  R.After.Variances = totalVariances(After);
  R.NoiseValue = noiseOf(R, Options);

  Matcher M;
  Side SideB{Before, {}}, SideA{After, {}};
  {
    std::vector<uint64_t> KeysBefore, KeysAfter;
    runBoth([&] { KeysBefore = rowKeys(Before); },
            [&] { KeysAfter = rowKeys(After); });
    M.add(Before, KeysBefore, /*IsAfter=*/false, SideB.Entries);
    M.add(After, KeysAfter, /*IsAfter=*/true, SideA.Entries);
  }

  std::vector<Difference> Quiet;
  for (size_t I = 0; I != M.Pairs.size(); ++I) {
    if (I + 2 * Ahead < M.Pairs.size()) {
      SideA.prefetchEntry(M.Pairs[I + 2 * Ahead].After);
      SideA.prefetchRow(M.Pairs[I + Ahead].After);
    }
    const Pair &P = M.Pairs[I];
    Difference D;
    std::optional<SumRow> First;
    D.Before = SideB.metricsOf(P.Before, First);
    if (First) {
      D.StackBefore = First->Key;
      D.Heap = TB.heapName(First->Heap);
      D.SampleBefore = TB.heap(First->Heap).estimateBytes();
    }
    D.After = SideA.metricsOf(P.After, First);
    if (First) {
      D.StackAfter = First->Key;
      D.Heap = TA.heapName(First->Heap);
      D.SampleAfter = TA.heap(First->Heap).estimateBytes();
    }
    if (D.Before == D.After)
      continue;
    if (isShown(D, Options, R.NoiseValue)) {
      R.Differences.push_back(D);
      continue;
    }
    R.BelowNoise += 1;
    if (Options.KeepAll)
      Quiet.push_back(D);
  }
  sortShown(R.Differences, Options.By.value_or(Metric::Peak));
  R.Shown = R.Differences.size();
  R.Differences.insert(R.Differences.end(), Quiet.begin(), Quiet.end());
  return R;
}

} // namespace memkit
