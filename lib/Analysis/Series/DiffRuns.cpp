// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of a comparison.

#include "memkit/Analysis/DiffRuns.h"
#include "Support/RunBoth.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace memkit {

static constexpr uint64_t StackMetrics::*Summed[] = {
    &StackMetrics::Allocations,    &StackMetrics::Frees,
    &StackMetrics::AllocatedBytes, &StackMetrics::Temporaries,
    &StackMetrics::LiveBytes,      &StackMetrics::LiveBlocks,
    &StackMetrics::AtPeakBytes};

void StackMetrics::add(const StackMetrics &Other) {
  for (uint64_t StackMetrics::*Field : Summed)
    this->*Field += Other.*Field;
}

StackMetrics metricsOfRow(const StackStats &R, bool Outer) {
  StackMetrics M;
  M.Allocations = R.Allocations;
  M.Frees = R.Allocations + R.Splits - R.LiveBlocks;
  M.AllocatedBytes = R.AllocatedBytes;
  M.Temporaries = R.Temporaries;
  M.LiveBytes = Outer ? R.LiveBytes : R.LiveExclusive;
  M.LiveBlocks = R.LiveBlocks;
  M.AtPeakBytes = Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
  return M;
}

StackMetrics meanOf(ArrayRef<StackMetrics> Runs) {
  if (Runs.size() == 1)
    return Runs.front();
  StackMetrics Mean;
  if (Runs.empty())
    return Mean;
  for (const StackMetrics &M : Runs) {
    Mean.add(M);
    Mean.PeakBytes += M.PeakBytes;
  }
  auto Divide = [&](uint64_t &Sum) {
    Sum = Sum / Runs.size() + (Sum % Runs.size() * 2 >= Runs.size());
  };
  for (uint64_t StackMetrics::*Field : Summed)
    Divide(Mean.*Field);
  Divide(Mean.PeakBytes);
  return Mean;
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
    return M.Temporaries;
  }
  llvm_unreachable("all metrics are handled");
}

double varianceOf(const StackMetrics &M, Metric By, const SampledHeap &H) {
  if (!H || !isInBytes(By))
    return 0;
  uint64_t Bytes = metricOf(M, By);
  if (By == Metric::Live || By == Metric::Leaked)
    return H.variance(Bytes, M.LiveBlocks);
  return H.variance(Bytes, M.AllocatedBytes, M.Allocations);
}

static std::vector<const Trace *>
tracesOf(ArrayRef<const SelectedStats *> Runs) {
  std::vector<const Trace *> Traces;
  for (const SelectedStats *S : Runs)
    Traces.push_back(&S->trace());
  return Traces;
}

/// The stacks of T that a suppression hides.
static BitVector hiddenStacks(const Trace &T, const Suppressions &Hidden) {
  std::vector<uint32_t> Nodes = Hidden.matchNodes(T);
  BitVector Stacks(T.numStacks() + 1);
  for (uint32_t Stack = 1; Stack <= T.numStacks(); ++Stack)
    if (Nodes[T.leaf(Stack)])
      Stacks.set(Stack);
  return Stacks;
}

DiffRuns::DiffRuns(ArrayRef<const SelectedStats *> Left,
                   ArrayRef<const SelectedStats *> Right, bool Whole,
                   const Renames &Renamed, const Suppressions &Hidden)
    : Runs(Left.vec()), Before(Left.size()), Whole(Whole), Renamed(Renamed) {
  Runs.insert(Runs.end(), Right.begin(), Right.end());
  for (const SelectedStats *S : Runs)
    Mains.emplace_back(S->trace(), Runs.back()->trace());
  std::vector<KeyRules> Rules;
  for (size_t R = 0; R != Runs.size(); ++R)
    Rules.push_back(rules(R));
  Moved = movedBinaries(tracesOf(Runs), Rules);
  Nameless = memkit::namelessBinaries(tracesOf(Runs), Rules);
  if (!Hidden.empty())
    for (const SelectedStats *S : Runs)
      HiddenStacks.push_back(hiddenStacks(S->trace(), Hidden));
  StringMap<uint32_t> Numbers;
  for (size_t R = 0; R != Runs.size(); ++R) {
    const Trace &T = trace(R);
    std::vector<uint32_t> &Mine = Ids.emplace_back(1);
    std::vector<uint32_t> &Of = HeapOf.emplace_back();
    for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
      StringRef Name = T.heapName(Id);
      if (!isAfter(R))
        Name = Renamed.name(Name);
      auto [At, New] = Numbers.try_emplace(Name, Heaps.size());
      if (New)
        Heaps.emplace_back();
      HeapInfo &H = Heaps[At->second];
      H.Name = T.heapName(Id);
      H.Space = T.spaceName(T.heap(Id).Space);
      H.CountsInHost = T.heap(Id).Space == 0;
      SampledHeap &Errors = isAfter(R) ? H.After : H.Before;
      if (T.sampled(Id).sampleBytes() > Errors.sampleBytes())
        Errors = T.sampled(Id);
      Mine.push_back(At->second);
      Of.resize(std::max<size_t>(Of.size(), At->second + size_t(1)));
      if (!Of[At->second])
        Of[At->second] = Id;
    }
  }
}

void DiffRuns::forEachRun(function_ref<void(size_t Run)> F) const {
  auto EachSecond = [&](size_t First) {
    for (size_t R = First; R < size(); R += 2)
      F(R);
  };
  runBoth([&] { EachSecond(0); }, [&] { EachSecond(1); });
}

} // namespace memkit
