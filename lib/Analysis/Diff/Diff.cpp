// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes between two groups of runs.

#include "memkit/Analysis/Diff.h"
#include "DiffStacks.h"
#include "Model/Query/CensusStacks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

static constexpr uint64_t DiffStats::*Averaged[] = {
    &DiffStats::Allocations,
    &DiffStats::Frees,
    &DiffStats::AllocatedBytes,
    &DiffStats::FreedBytes,
    &DiffStats::Temporaries,
    &DiffStats::LiveBytes,
    &DiffStats::LiveBlocks,
    &DiffStats::PeakBytes,
    &DiffStats::Steps,
    &DiffStats::StepPeakBytes,
    &DiffStats::StepAllocatedBytes};

static DiffStats wholeTotals(const TotalStats &T) {
  DiffStats Sum;
  Sum.Allocations = T.Allocations;
  Sum.Frees = T.Frees;
  Sum.AllocatedBytes = T.AllocatedBytes;
  Sum.FreedBytes = T.FreedBytes;
  Sum.Temporaries = T.Temporaries;
  Sum.LiveBytes = T.LiveBytes;
  Sum.LiveBlocks = T.LiveBlocks;
  Sum.PeakBytes = T.PeakBytes;
  Sum.PeakTimeNs = T.PeakTimeNs;
  return Sum;
}

static uint64_t medianOf(std::vector<uint64_t> Values) {
  auto Middle = Values.begin() + Values.size() / 2;
  std::nth_element(Values.begin(), Middle, Values.end());
  return *Middle;
}

/// Sets the medians of each space over the steps of all processes.
static void addSteps(const Trace &T, std::vector<DiffStats> &Spaces) {
  std::vector<std::vector<uint64_t>> Peaks(Spaces.size()),
      Allocated(Spaces.size());
  auto Add = [&](uint32_t Space, uint64_t Peak, uint64_t Bytes) {
    Peaks[Space].push_back(Peak);
    Allocated[Space].push_back(Bytes);
  };
  size_t Steps = 0;
  for (const StepStats &S : T.summary().Steps) {
    ++Steps;
    Add(0, S.PeakBytes, S.AllocatedBytes);
    for (const SpaceShare &D : S.Shares)
      Add(D.Space, D.PeakBytes, D.AllocatedBytes);
  }
  for (size_t Space = 0; Space != Spaces.size(); ++Space) {
    // A space without values in a step counts as 0 in this step.
    Peaks[Space].resize(Steps);
    Allocated[Space].resize(Steps);
    if (!Steps)
      continue;
    Spaces[Space].Steps = Steps;
    Spaces[Space].StepPeakBytes = medianOf(std::move(Peaks[Space]));
    Spaces[Space].StepAllocatedBytes = medianOf(std::move(Allocated[Space]));
  }
}

static void addRow(DiffStats &Sum, const StackStats &R, bool Outer) {
  Sum.Allocations += R.Allocations;
  Sum.Frees += R.Allocations + R.Splits - R.LiveBlocks;
  Sum.AllocatedBytes += R.AllocatedBytes;
  Sum.FreedBytes += R.AllocatedBytes - R.LiveBytes;
  Sum.Temporaries += R.Temporaries;
  Sum.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
  Sum.LiveBlocks += R.LiveBlocks;
  Sum.PeakBytes += Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
}

namespace {
/// The totals of a run.
struct RunStats {
  std::vector<DiffStats> Heaps;  ///< by heap; 0: of `host`, or of chosen heaps
  std::vector<DiffStats> Spaces; ///< by memory space
};
} // namespace

static RunStats partTotals(const SelectedStats &S) {
  bool Outer = S.selection().isOuterView();
  const Trace &T = S.trace();
  RunStats Stats;
  Stats.Heaps.resize(T.heaps().size() + 1);
  Stats.Spaces.resize(T.devices().size() + 1);
  S.forEach([&](uint32_t, const StackStats &R) {
    uint32_t Space = T.heap(R.Heap).Space;
    addRow(Stats.Heaps[R.Heap], R, true);
    addRow(Stats.Spaces[Space], R, Outer);
    if (Outer || Space == 0)
      addRow(Stats.Heaps[0], R, Outer);
  });
  return Stats;
}

static RunStats wholeTotals(const SelectedStats &S) {
  const Trace &T = S.trace();
  RunStats Stats;
  Stats.Heaps.push_back(wholeTotals(T.hostStats()));
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    Stats.Heaps.push_back(wholeTotals(T.heapStats(Heap)));
  Stats.Spaces.resize(T.devices().size() + 1);
  for (const TotalStats &D : T.summary().Spaces)
    Stats.Spaces[D.Id] = wholeTotals(D);
  addSteps(T, Stats.Spaces);
  return Stats;
}

/// Adds the variances of estimated totals.
static void addVariances(const SelectedStats &S, RunStats &Stats) {
  const Trace &T = S.trace();
  if (none_of(T.heaps(), [](const Heap &H) { return H.estimateBytes() != 0; }))
    return;
  bool Outer = S.selection().isOuterView();
  S.forEach([&](uint32_t, const StackStats &R) {
    const Heap &H = T.heap(R.Heap);
    const SampledHeap &Errors = T.sampled(R.Heap);
    if (!Errors)
      return;
    Stats.Heaps[R.Heap].Variances.add(R, Errors);
    Stats.Spaces[H.Space].Variances.add(R, Errors);
    if (Outer || H.Space == 0)
      Stats.Heaps[0].Variances.add(R, Errors);
  });
  // A report shows either the heap's or the space's values.
  auto Choose = [](SampleVariances &V, bool OfHeap) {
    if (OfHeap)
      V.SpacePeak = V.HeapPeak;
    else
      V.Live = V.LiveExclusive;
  };
  for (size_t I = 0; I != Stats.Heaps.size(); ++I)
    Choose(Stats.Heaps[I].Variances, I || Outer);
  for (DiffStats &Space : Stats.Spaces)
    Choose(Space.Variances, Outer);
}

/// What lived before memrec attached to a run was not allocated in it.
static void leaveOutOld(const SelectedStats &S, RunStats &Stats) {
  const Trace &T = S.trace();
  const std::vector<CensusSum> Old = censusSums(
      T, [&](uint32_t Process) { return S.selection().hasProcess(Process); });
  auto Less = [](DiffStats &From, const CensusSum &By) {
    From.Allocations -= std::min(From.Allocations, By.Blocks);
    From.AllocatedBytes -= std::min(From.AllocatedBytes, By.Bytes);
  };
  for (uint32_t Id = 1; Id < Old.size(); ++Id) {
    const Heap &H = T.heap(Id);
    Less(Stats.Heaps[Id], Old[Id]);
    if (H.Flags & HF_OutsideTotals)
      continue;
    Less(Stats.Spaces[H.Space], Old[Id]);
    if (H.Space == 0)
      Less(Stats.Heaps[0], Old[Id]);
  }
}

static RunStats totalsOf(const DiffRuns &Runs, size_t Run) {
  const SelectedStats &S = Runs.run(Run);
  RunStats Stats = Runs.isWhole() ? wholeTotals(S) : partTotals(S);
  leaveOutOld(S, Stats);
  addVariances(S, Stats);
  return Stats;
}

static DiffStats meanOf(ArrayRef<DiffStats> Runs) {
  DiffStats Mean = Runs.front();
  if (Runs.size() == 1)
    return Mean;
  for (uint64_t DiffStats::*Field : Averaged) {
    uint64_t Sum = 0;
    for (const DiffStats &T : Runs)
      Sum += T.*Field;
    Mean.*Field = Sum / Runs.size() + (Sum % Runs.size() * 2 >= Runs.size());
  }
  Mean.PeakTimeNs.reset();
  for (const DiffStats &T : Runs.drop_front())
    Mean.Variances.add(T.Variances);
  double Share = 1 / double(Runs.size() * Runs.size());
  for (double SampleVariances::*V :
       {&SampleVariances::Allocated, &SampleVariances::Live,
        &SampleVariances::LiveExclusive, &SampleVariances::HeapPeak,
        &SampleVariances::SpacePeak})
    Mean.Variances.*V *= Share;
  return Mean;
}

static DiffStatsOfRuns sumsOf(const DiffRuns &Runs,
                              std::vector<DiffStats> All) {
  DiffStatsOfRuns S;
  S.Before = meanOf(Runs.before<DiffStats>(All));
  S.After = meanOf(Runs.after<DiffStats>(All));
  S.Runs = std::move(All);
  return S;
}

static bool hasAny(const DiffStats &T) {
  return T.Allocations || T.LiveBytes || T.PeakBytes;
}

/// Spaces of different runs are equal if their names are.
static void addSpaces(const DiffRuns &Runs, ArrayRef<RunStats> All,
                      DiffReport &R) {
  MapVector<StringRef, std::vector<DiffStats>> ByName;
  ByName["host"].resize(Runs.size());
  for (size_t Run = 0; Run != Runs.size(); ++Run)
    for (uint32_t Id = 0; Id != All[Run].Spaces.size(); ++Id) {
      std::vector<DiffStats> &Of = ByName[Runs.trace(Run).spaceName(Id)];
      Of.resize(Runs.size());
      Of[Run] = All[Run].Spaces[Id];
    }
  for (auto &[Name, Of] : ByName)
    if (any_of(Of, hasAny))
      R.Spaces.push_back({Name.str(), sumsOf(Runs, std::move(Of))});
  if (R.Spaces.empty())
    R.Spaces.push_back({"host", R.TotalStats});
}

/// Adds the totals of the whole and of each heap.
static void addTotals(const DiffRuns &Runs, DiffReport &R) {
  std::vector<RunStats> All(Runs.size());
  Runs.forEachRun([&](size_t Run) { All[Run] = totalsOf(Runs, Run); });
  auto Column = [&](auto IdOf) {
    std::vector<DiffStats> Values;
    for (size_t Run = 0; Run != Runs.size(); ++Run) {
      std::optional<uint32_t> Id = IdOf(Run);
      Values.push_back(Id ? All[Run].Heaps[*Id] : DiffStats());
    }
    return Values;
  };
  R.TotalStats = sumsOf(Runs, Column([](size_t) { return std::optional(0u); }));
  addSpaces(Runs, All, R);
  for (uint32_t Heap = 0; Heap != Runs.heaps().size(); ++Heap) {
    DiffStatsOfRuns S =
        sumsOf(Runs, Column([&](size_t Run) {
                 uint32_t Id = Runs.heapId(Run, Heap);
                 bool Has = Id && Runs.run(Run).selection().hasHeap(Id);
                 return Has ? std::optional(Id) : std::nullopt;
               }));
    if (S.Before.Allocations || S.After.Allocations)
      R.Heaps.push_back({Heap, std::move(S)});
  }
  stable_sort(R.Heaps, [](const HeapChange &A, const HeapChange &B) {
    auto Larger = [](const DiffStatsOfRuns &S) {
      return std::max(S.Before.PeakBytes, S.After.PeakBytes);
    };
    return Larger(A.Stats) > Larger(B.Stats);
  });
}

static uint64_t noiseOf(const DiffStatsOfRuns &S, const Threshold &Noise,
                        Metric By) {
  uint64_t DiffStats::*Field = By == Metric::Allocated
                                   ? &DiffStats::AllocatedBytes
                               : isInBytes(By) ? &DiffStats::PeakBytes
                                               : &DiffStats::Allocations;
  return Noise.bytesOf(std::max(S.Before.*Field, S.After.*Field));
}

/// Sets the noise of each memory space from the space's own size: a small
/// change for the host may be large for a device.
static void addNoise(const DiffRuns &Runs, const DiffOptions &Options,
                     DiffReport &R) {
  Metric By = Options.By.value_or(Metric::Peak);
  for (SpaceChange &S : R.Spaces)
    S.Noise = noiseOf(S.Stats, Options.Noise, By);
  R.NoiseValue = R.Spaces.front().Noise;
  StringMap<uint64_t> NoiseOf;
  for (const SpaceChange &S : R.Spaces)
    NoiseOf.try_emplace(S.Name, S.Noise);
  for (const DiffRuns::HeapInfo &H : Runs.heaps()) {
    auto Of = NoiseOf.find(H.Space);
    R.NoiseOfHeap.push_back(Of == NoiseOf.end() ? R.NoiseValue : Of->second);
  }
}

/// The metrics to compare: the requested metric, else live memory, and all
/// metrics that can change if every change is to be shown.
static std::vector<Metric> metricsOf(const DiffOptions &Options,
                                     uint64_t Noise) {
  if (Options.By)
    return {*Options.By};
  if (Noise == 0)
    return {Metric::Peak, Metric::Live, Metric::Allocated, Metric::Count};
  return {Metric::Peak, Metric::Live};
}

std::optional<ConfidenceInterval> changeOfTotal(const DiffRuns &Runs,
                                                const DiffStatsOfRuns &S,
                                                uint64_t DiffStats::*Field,
                                                double SampleVariances::*Error,
                                                double Confidence) {
  if (!Runs.isPair()) {
    std::vector<double> Values;
    for (const DiffStats &T : S.Runs)
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

/// The noise of bytes in each memory space, whatever is compared.
static StringMap<uint64_t> noiseOfBytes(const DiffReport &R,
                                        const DiffOptions &Options) {
  StringMap<uint64_t> Out;
  for (const SpaceChange &S : R.Spaces)
    Out[S.Name] = noiseOf(S.Stats, Options.Noise, Metric::Peak);
  return Out;
}

Expected<DiffReport> queryDifferences(const DiffRuns &Runs,
                                      const DiffOptions &Options) {
  DiffReport R;
  addTotals(Runs, R);
  addNoise(Runs, Options, R);
  R.Places = diffPlaces(Runs);
  StringMap<uint64_t> Noise = noiseOfBytes(R, Options);
  auto Details =
      diffDetails(Runs, [&](StringRef Space) { return Noise.lookup(Space); });
  if (!Details)
    return Details.takeError();
  R.Details = std::move(*Details);
  if (Options.Growth && Runs.isPair() && !Options.By) {
    auto Growing = diffGrowth(Runs, R.Places);
    if (!Growing)
      return Growing.takeError();
    R.Details.Growing = std::move(*Growing);
  }
  FindingOptions Wanted;
  Wanted.Counterparts = R.Places.Counterparts;
  for (Metric M : metricsOf(Options, R.NoiseValue))
    Wanted.Metrics.push_back(M);
  append_range(Wanted.NoiseOfHeap, R.NoiseOfHeap);
  Wanted.Confidence = Options.Confidence;
  Wanted.Uncertain = Options.Uncertain;
  R.Changes = findChanges(Runs, Wanted);
  if (Options.WantsStacks)
    findDifferences(Runs, Options, R);
  return R;
}

} // namespace memkit
