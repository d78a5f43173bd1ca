//===- Diff.cpp - What changed between two traces -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Diff.h"
#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

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

/// Sums up both traces by heap and stack.
class Matcher {
public:
  void add(const Sums &S, bool IsAfter);
  std::vector<Difference> take() { return std::move(Pairs); }

private:
  uint32_t find(StringRef Heap, uint32_t HeapNumber, uint64_t StackKey);

  StringMap<uint32_t> HeapNumbers;
  DenseMap<uint64_t, uint32_t> Known;
  std::vector<Difference> Pairs;
};

} // namespace

uint32_t Matcher::find(StringRef Heap, uint32_t HeapNumber, uint64_t StackKey) {
  // DenseMap keeps the two highest keys for itself.
  uint64_t Key = (StackKey + HeapNumber * 0x9E3779B97F4A7C15u) >> 1;
  auto [At, New] = Known.try_emplace(Key, Pairs.size());
  if (New) {
    Pairs.emplace_back();
    Pairs.back().Heap = Heap;
  }
  return At->second;
}

void Matcher::add(const Sums &S, bool IsAfter) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  std::vector<uint64_t> Keys = nodeKeys(T, SameFrame::Function);
  std::vector<uint32_t> Numbers{0}; // by heap
  for (uint32_t H = 1; H <= T.heaps().size(); ++H)
    Numbers.push_back(
        HeapNumbers.try_emplace(T.heapName(H), HeapNumbers.size() + 1)
            .first->second);
  // Peaks of stacks that are one here add up, those of processes do not.
  struct ProcessPeak {
    uint32_t Image = 0;
    uint64_t Bytes = 0;
  };
  std::vector<ProcessPeak> Peaks(Pairs.size());
  S.forEach([&](uint32_t Image, const SumRow &R) {
    uint32_t I = find(T.heapName(R.Heap), Numbers[R.Heap], Keys[T.leaf(R.Key)]);
    Difference &D = Pairs[I];
    auto &Stack = IsAfter ? D.StackAfter : D.StackBefore;
    if (!Stack)
      Stack = R.Key;
    StackMetrics &M = IsAfter ? D.After : D.Before;
    M.Allocations += R.Allocations;
    M.Frees += R.Allocations + R.Splits - R.LiveBlocks;
    M.AllocatedBytes += R.AllocatedBytes;
    M.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
    M.LiveBlocks += R.LiveBlocks;
    M.AtPeakBytes += Outer ? R.HeapPeakBytes : R.DomainPeakBytes;
    if (I >= Peaks.size())
      Peaks.resize(I + 1);
    if (Peaks[I].Image != Image)
      Peaks[I] = {Image, 0};
    Peaks[I].Bytes += R.PeakBytes;
    M.PeakBytes = std::max(M.PeakBytes, Peaks[I].Bytes);
  });
}

static DiffTotals wholeTotals(const Totals &T) {
  return {T.Allocations, T.Frees,      T.AllocatedBytes, T.FreedBytes,
          T.LiveBytes,   T.LiveBlocks, T.PeakBytes,      T.PeakTimeNs};
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

DiffReport diffTraces(const Sums &Before, const Sums &After, bool Whole,
                      const DiffOptions &Options) {
  DiffReport R;
  R.Before =
      Whole ? wholeTotals(Before.trace().hostTotals()) : partTotals(Before);
  R.After = Whole ? wholeTotals(After.trace().hostTotals()) : partTotals(After);
  Matcher M;
  M.add(Before, /*IsAfter=*/false);
  M.add(After, /*IsAfter=*/true);
  R.Differences = M.take();
  erase_if(R.Differences,
           [](const Difference &D) { return D.Before == D.After; });

  R.NoiseValue = noiseOf(R, Options);
  auto Middle = std::stable_partition(
      R.Differences.begin(), R.Differences.end(),
      [&](const Difference &D) { return isShown(D, Options, R.NoiseValue); });
  R.Shown = Middle - R.Differences.begin();
  Metric By = Options.By.value_or(Metric::Peak);
  auto Change = [By](const Difference &D) {
    return distance(metricOf(D.Before, By), metricOf(D.After, By));
  };
  auto LiveChange = [](const Difference &D) {
    return distance(D.Before.LiveBytes, D.After.LiveBytes);
  };
  std::stable_sort(R.Differences.begin(), Middle,
                   [&](const Difference &A, const Difference &B) {
                     return std::pair(Change(A), LiveChange(A)) >
                            std::pair(Change(B), LiveChange(B));
                   });
  return R;
}

} // namespace memkit
