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

/// What one trace has of the stacks that are the same to us, in order of
/// appearance.
struct Side {
  std::vector<StackMetrics> Metrics;
  std::vector<uint32_t> Stacks; ///< the first of each
  std::vector<uint32_t> Heaps;  ///< of the trace
};

/// A (heap, stack) in both traces: where it stands in their sides, counted from
/// 1, 0 where it does not.
struct Pair {
  uint64_t Key = 0;
  uint32_t Before = 0;
  uint32_t After = 0;
};

/// Finds pairs by key. Most look-ups miss the cache, so they come in groups:
/// all slots of a group are asked for before the first is used.
class Matcher {
public:
  /// Keys: of the trace's nodes.
  void add(const Sums &S, ArrayRef<uint64_t> Keys, bool IsAfter, Side &Out);
  std::vector<Pair> Pairs;

private:
  struct Waiting {
    uint64_t Key;
    uint32_t Image;
    const SumRow *Row;
  };
  void reserve(size_t Rows);
  Pair &find(uint64_t Key);
  void addRow(const Waiting &W, bool Outer, bool IsAfter, Side &Out);

  /// Open addressing; a number in Pairs counted from 1, 0 is free.
  std::vector<uint32_t> Slots;
  /// Peaks of stacks that are one here add up, those of processes do not.
  struct ProcessPeak {
    uint32_t Image = 0;
    uint64_t Bytes = 0;
  };
  std::vector<ProcessPeak> Peaks; ///< by entry of the side that is added
};

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

void Matcher::addRow(const Waiting &W, bool Outer, bool IsAfter, Side &Out) {
  const SumRow &R = *W.Row;
  Pair &P = find(W.Key);
  uint32_t &Entry = IsAfter ? P.After : P.Before;
  if (!Entry) {
    Out.Metrics.emplace_back();
    Out.Stacks.push_back(R.Key);
    Out.Heaps.push_back(R.Heap);
    Peaks.emplace_back();
    Entry = Out.Metrics.size();
  }
  StackMetrics &M = Out.Metrics[Entry - 1];
  M.Allocations += R.Allocations;
  M.Frees += R.Allocations + R.Splits - R.LiveBlocks;
  M.AllocatedBytes += R.AllocatedBytes;
  M.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
  M.LiveBlocks += R.LiveBlocks;
  M.AtPeakBytes += Outer ? R.HeapPeakBytes : R.DomainPeakBytes;
  ProcessPeak &Peak = Peaks[Entry - 1];
  if (Peak.Image != W.Image)
    Peak = {W.Image, 0};
  Peak.Bytes += R.PeakBytes;
  M.PeakBytes = std::max(M.PeakBytes, Peak.Bytes);
}

void Matcher::add(const Sums &S, ArrayRef<uint64_t> Keys, bool IsAfter,
                  Side &Out) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  std::vector<uint64_t> HeapKeys{0};
  for (uint32_t H = 1; H <= T.heaps().size(); ++H)
    HeapKeys.push_back(xxh3_64bits(T.heapName(H)));
  // Room that is not used costs nothing, growing costs a copy.
  size_t Rows = S.numRows();
  reserve(Rows);
  Out.Metrics.reserve(Rows);
  Out.Stacks.reserve(Rows);
  Out.Heaps.reserve(Rows);
  Peaks.clear();
  Peaks.reserve(Rows);
  SmallVector<Waiting, 32> Group;
  auto Flush = [&] {
    for (const Waiting &W : Group)
      addRow(W, Outer, IsAfter, Out);
    Group.clear();
  };
  S.forEach([&](uint32_t Image, const SumRow &R) {
    uint64_t Key = Keys[T.leaf(R.Key)] ^ HeapKeys[R.Heap];
    __builtin_prefetch(&Slots[Key & (Slots.size() - 1)]);
    Group.push_back({Key, Image, &R});
    if (Group.size() == 32)
      Flush();
  });
  Flush();
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

  std::vector<uint64_t> KeysBefore, KeysAfter;
  runBoth([&] { KeysBefore = nodeKeys(TB, SameFrame::Function); },
          [&] { KeysAfter = nodeKeys(TA, SameFrame::Function); });
  Matcher M;
  Side B, A;
  M.add(Before, KeysBefore, /*IsAfter=*/false, B);
  M.add(After, KeysAfter, /*IsAfter=*/true, A);

  std::vector<Difference> Quiet;
  for (const Pair &P : M.Pairs) {
    Difference D;
    if (P.Before) {
      D.Before = B.Metrics[P.Before - 1];
      D.StackBefore = B.Stacks[P.Before - 1];
      D.Heap = TB.heapName(B.Heaps[P.Before - 1]);
      D.SampleBefore = TB.heap(B.Heaps[P.Before - 1]).estimateBytes();
    }
    if (P.After) {
      D.After = A.Metrics[P.After - 1];
      D.StackAfter = A.Stacks[P.After - 1];
      D.Heap = TA.heapName(A.Heaps[P.After - 1]);
      D.SampleAfter = TA.heap(A.Heaps[P.After - 1]).estimateBytes();
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
