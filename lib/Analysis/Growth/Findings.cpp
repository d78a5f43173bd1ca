// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes at the lowest place that explains them.

#include "memkit/Analysis/Findings.h"
#include "Analysis/Device/HeapParts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// The confidence interval of the change, from the variation between runs or
/// from the errors of estimates.
static std::optional<ConfidenceInterval>
intervalOf(const DiffRuns &Runs, const Finding &F, double Confidence) {
  if (Runs.isPair()) {
    const DiffRuns::HeapInfo &H = Runs.heaps()[F.Heap];
    double Variance = varianceOf(F.Before, F.By, H.Before) +
                      varianceOf(F.After, F.By, H.After);
    if (!Variance)
      return std::nullopt;
    return differenceOfEstimates(double(metricOf(F.Before, F.By)),
                                 double(metricOf(F.After, F.By)), Variance,
                                 Confidence);
  }
  std::vector<double> Values;
  for (const StackMetrics &M : F.Runs)
    Values.push_back(double(metricOf(M, F.By)));
  return differenceOfMeans(Runs.before<double>(Values),
                           Runs.after<double>(Values), Confidence);
}

static Finding makeFinding(const DiffRuns &Runs, const DiffCells &Cells,
                           uint32_t Heap, Metric By, DiffPart &From) {
  Finding F;
  F.Heap = Heap;
  F.By = By;
  F.Place = Cells.Places[From.Place].Shown;
  F.IsInner = From.IsInner;
  F.Parts = From.Count;
  for (auto [Change, Place] : From.Largest)
    F.Largest.push_back({Cells.Places[Place].Shown, Change});
  F.Runs = std::move(From.Runs);
  F.Before = meanOf(Runs.before<StackMetrics>(F.Runs));
  F.After = meanOf(Runs.after<StackMetrics>(F.Runs));
  return F;
}

static Move makeMove(const DiffCells &Cells, uint32_t Heap, Metric By,
                     const HeapParts &All, const MovedParts &From) {
  const size_t Max = 6;
  Move M;
  M.Heap = Heap;
  M.By = By;
  M.Place = Cells.Places[From.Place].Shown;
  for (uint32_t P : From.Parts) {
    const DiffPart &Moved = All.Parts[P];
    M.Parts.push_back({Cells.Places[Moved.Place].Shown, Moved.Change});
    M.Value += std::max(Moved.Change, 0.0);
  }
  stable_sort(M.Parts,
              [](const Finding::MergedPart &A, const Finding::MergedPart &B) {
                return std::fabs(A.Change) > std::fabs(B.Change);
              });
  if (M.Parts.size() > Max)
    M.Parts.resize(Max);
  return M;
}

static void sortFindings(std::vector<Finding> &Findings, Metric First) {
  auto Change = [](const Finding &F, Metric M) {
    uint64_t Before = metricOf(F.Before, M), After = metricOf(F.After, M);
    return After > Before ? After - Before : Before - After;
  };
  stable_sort(Findings, [&](const Finding &A, const Finding &B) {
    return std::tuple(A.By == First, Change(A, A.By)) >
           std::tuple(B.By == First, Change(B, B.By));
  });
}

static bool isOneArena(const Finding &F) {
  uint64_t Before = metricOf(F.Before, F.By), After = metricOf(F.After, F.By);
  return F.Place.IsArenas && isInBytes(F.By) &&
         (Before > After ? Before - After : After - Before) <= OneArena;
}

FindingReport findChanges(const DiffRuns &Runs, const FindingOptions &Options) {
  DiffCells Cells = makeDiffCells(Runs, Options);
  FindingReport Report;
  std::vector<uint32_t> SpotOf(Cells.Places.size());
  ArrayRef<DiffCell> Left = Cells.Cells;
  while (!Left.empty()) {
    uint32_t Heap = Left.front().Heap;
    ArrayRef<DiffCell> Mine =
        Left.take_while([&](const DiffCell &C) { return C.Heap == Heap; });
    Left = Left.drop_front(Mine.size());
    DenseSet<uint32_t> Found;
    HeapParts Parts(Runs, Cells, Mine, SpotOf);
    for (Metric By : Options.Metrics) {
      Parts.find(By, Options.NoiseOfHeap[Heap]);
      if (By == Options.Metrics.front() && Runs.heaps()[Heap].CountsInHost)
        Report.Rest += Parts.Rest;
      for (const MovedParts &M : Parts.Moves)
        Report.Moves.push_back(makeMove(Cells, Heap, By, Parts, M));
      for (uint32_t P : Parts.Left) {
        Finding F = makeFinding(Runs, Cells, Heap, By, Parts.Parts[P]);
        if (!Found.insert(Parts.Parts[P].Place).second)
          continue;
        if (isOneArena(F) && Options.NoiseOfHeap[Heap])
          continue;
        F.Change = intervalOf(Runs, F, Options.Confidence);
        if (F.Change && F.Change->hasZero() && !Options.Uncertain)
          Report.Uncertain += 1;
        else
          Report.Findings.push_back(std::move(F));
      }
    }
  }
  if (!Options.Metrics.empty())
    sortFindings(Report.Findings, Options.Metrics.front());
  stable_sort(Report.Moves,
              [](const Move &A, const Move &B) { return A.Value > B.Value; });
  return Report;
}

} // namespace memkit
