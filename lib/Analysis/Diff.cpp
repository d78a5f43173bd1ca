//===- Diff.cpp - What changed between two groups of runs -*- C++ -*-
//------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Diff.h"
#include "DiffStacks.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

static constexpr uint64_t DiffTotals::*Averaged[] = {
    &DiffTotals::Allocations,    &DiffTotals::Frees,
    &DiffTotals::AllocatedBytes, &DiffTotals::FreedBytes,
    &DiffTotals::Temporaries,    &DiffTotals::LiveBytes,
    &DiffTotals::LiveBlocks,     &DiffTotals::PeakBytes};

static DiffTotals wholeTotals(const Totals &T) {
  return {T.Allocations, T.Frees,     T.AllocatedBytes, T.FreedBytes,
          T.Temporaries, T.LiveBytes, T.LiveBlocks,     T.PeakBytes,
          T.PeakTimeNs,  {}};
}

static void addRow(DiffTotals &Sum, const SumRow &R, bool Outer) {
  Sum.Allocations += R.Allocations;
  Sum.Frees += R.Allocations + R.Splits - R.LiveBlocks;
  Sum.AllocatedBytes += R.AllocatedBytes;
  Sum.FreedBytes += R.AllocatedBytes - R.LiveBytes;
  Sum.Temporaries += R.Temporaries;
  Sum.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
  Sum.LiveBlocks += R.LiveBlocks;
  Sum.PeakBytes += Outer ? R.HeapPeakBytes : R.DomainPeakBytes;
}

/// Sums of what was selected: by heap, and under 0 of all that count.
static std::vector<DiffTotals> partTotals(const Sums &S) {
  bool Outer = S.selection().isOuterView();
  const Trace &T = S.trace();
  std::vector<DiffTotals> Sums(T.heaps().size() + 1);
  S.forEach([&](uint32_t, const SumRow &R) {
    addRow(Sums[R.Heap], R, true);
    if (Outer || T.heap(R.Heap).Domain == 0)
      addRow(Sums[0], R, Outer);
  });
  return Sums;
}

static std::vector<DiffTotals> wholeTotals(const Sums &S) {
  const Trace &T = S.trace();
  std::vector<DiffTotals> Sums{wholeTotals(T.hostTotals())};
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    Sums.push_back(wholeTotals(T.heapTotals(Heap)));
  return Sums;
}

/// How far totals may be off: by heap, and under 0 of all that count, as
/// partTotals() takes them.
static void addVariances(const Sums &S, MutableArrayRef<DiffTotals> Sums) {
  const Trace &T = S.trace();
  if (none_of(T.heaps(), [](const Heap &H) { return H.estimateBytes() != 0; }))
    return;
  bool Outer = S.selection().isOuterView();
  S.forEach([&](uint32_t, const SumRow &R) {
    const Heap &H = T.heap(R.Heap);
    if (!H.estimateBytes())
      return;
    Sums[R.Heap].Variances.add(R, H.estimateBytes());
    if (Outer || H.Domain == 0)
      Sums[0].Variances.add(R, H.estimateBytes());
  });
  // What is shown is one or the other.
  for (size_t I = 0; I != Sums.size(); ++I) {
    SampleVariances &V = Sums[I].Variances;
    if (I || Outer)
      V.DomainPeak = V.HeapPeak;
    else
      V.Live = V.LiveExclusive;
  }
}

static std::vector<DiffTotals> totalsOf(const DiffRuns &Runs, size_t Run) {
  const Sums &S = Runs.run(Run);
  std::vector<DiffTotals> Sums =
      Runs.isWhole() ? wholeTotals(S) : partTotals(S);
  addVariances(S, Sums);
  return Sums;
}

static DiffTotals meanOf(ArrayRef<DiffTotals> Runs) {
  DiffTotals Mean = Runs.front();
  if (Runs.size() == 1)
    return Mean;
  for (uint64_t DiffTotals::*Field : Averaged) {
    uint64_t Sum = 0;
    for (const DiffTotals &T : Runs)
      Sum += T.*Field;
    Mean.*Field = Sum / Runs.size() + (Sum % Runs.size() * 2 >= Runs.size());
  }
  Mean.PeakTimeNs.reset();
  for (const DiffTotals &T : Runs.drop_front())
    Mean.Variances.add(T.Variances);
  double Share = 1 / double(Runs.size() * Runs.size());
  for (double SampleVariances::*V :
       {&SampleVariances::Allocated, &SampleVariances::Live,
        &SampleVariances::LiveExclusive, &SampleVariances::HeapPeak,
        &SampleVariances::DomainPeak})
    Mean.Variances.*V *= Share;
  return Mean;
}

static DiffSums sumsOf(const DiffRuns &Runs, std::vector<DiffTotals> All) {
  DiffSums S;
  S.Before = meanOf(Runs.before<DiffTotals>(All));
  S.After = meanOf(Runs.after<DiffTotals>(All));
  S.Runs = std::move(All);
  return S;
}

/// The totals of the whole and of each heap.
static void addTotals(const DiffRuns &Runs, DiffReport &R) {
  std::vector<std::vector<DiffTotals>> All(Runs.size());
  Runs.forEachRun([&](size_t Run) { All[Run] = totalsOf(Runs, Run); });
  auto Column = [&](auto IdOf) {
    std::vector<DiffTotals> Values;
    for (size_t Run = 0; Run != Runs.size(); ++Run) {
      std::optional<uint32_t> Id = IdOf(Run);
      Values.push_back(Id ? All[Run][*Id] : DiffTotals());
    }
    return Values;
  };
  R.Totals = sumsOf(Runs, Column([](size_t) { return std::optional(0u); }));
  for (uint32_t Heap = 0; Heap != Runs.heaps().size(); ++Heap) {
    DiffSums S = sumsOf(Runs, Column([&](size_t Run) {
                          uint32_t Id = Runs.heapId(Run, Heap);
                          bool Has =
                              Id && Runs.run(Run).selection().hasHeap(Id);
                          return Has ? std::optional(Id) : std::nullopt;
                        }));
    if (S.Before.Allocations || S.After.Allocations)
      R.Heaps.push_back({Heap, std::move(S)});
  }
  stable_sort(R.Heaps, [](const HeapChange &A, const HeapChange &B) {
    auto Larger = [](const DiffSums &S) {
      return std::max(S.Before.PeakBytes, S.After.PeakBytes);
    };
    return Larger(A.Sums) > Larger(B.Sums);
  });
}

static uint64_t noiseOf(const DiffReport &R, const Threshold &Noise,
                        Metric By) {
  auto Larger = [&](uint64_t DiffTotals::*Field) {
    return Noise.bytesOf(
        std::max(R.Totals.Before.*Field, R.Totals.After.*Field));
  };
  if (By == Metric::Allocated)
    return Larger(&DiffTotals::AllocatedBytes);
  if (!isInBytes(By))
    return Larger(&DiffTotals::Allocations);
  return Larger(&DiffTotals::PeakBytes);
}

/// What is looked at: the metric that was asked for; else what is live, and all
/// that can change when everything is to be shown.
static std::vector<Metric> metricsOf(const DiffOptions &Options,
                                     uint64_t Noise) {
  if (Options.By)
    return {*Options.By};
  if (Noise == 0)
    return {Metric::Peak, Metric::Live, Metric::Allocated, Metric::Count};
  return {Metric::Peak, Metric::Live};
}

std::optional<Interval> changeOfTotal(const DiffRuns &Runs, const DiffSums &S,
                                      uint64_t DiffTotals::*Field,
                                      double SampleVariances::*Error,
                                      double Confidence) {
  if (!Runs.isPair()) {
    std::vector<double> Values;
    for (const DiffTotals &T : S.Runs)
      Values.push_back(double(T.*Field));
    return differenceOfMeans(Runs.before<double>(Values),
                             Runs.after<double>(Values), Confidence);
  }
  double Variance =
      Error ? S.Before.Variances.*Error + S.After.Variances.*Error : 0;
  if (!Variance)
    return std::nullopt;
  return differenceOfEstimates(double(S.Before.*Field), double(S.After.*Field),
                               Variance, Confidence);
}

DiffReport diffTraces(const DiffRuns &Runs, const DiffOptions &Options) {
  DiffReport R;
  addTotals(Runs, R);
  R.NoiseValue = noiseOf(R, Options.Noise, Options.By.value_or(Metric::Peak));
  FindingOptions Wanted;
  for (Metric M : metricsOf(Options, R.NoiseValue))
    Wanted.Metrics.push_back({M, double(R.NoiseValue)});
  Wanted.Confidence = Options.Confidence;
  Wanted.Uncertain = Options.Uncertain;
  R.Changes = findChanges(Runs, Wanted);
  if (Options.WantsStacks)
    findDifferences(Runs, Options, R);
  return R;
}

} // namespace memkit
