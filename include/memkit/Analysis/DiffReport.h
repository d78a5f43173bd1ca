// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of a comparison.

#ifndef MEMKIT_ANALYSIS_DIFFREPORT_H
#define MEMKIT_ANALYSIS_DIFFREPORT_H

#include "memkit/Analysis/DiffPlaces.h"
#include "memkit/Analysis/Findings.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include <optional>

namespace memkit {

/// A stack of one of the runs.
struct DiffStack {
  uint32_t Run = 0;
  uint32_t Stack = 0;
};

/// A (heap, stack) that differs between the groups. Stacks with equal functions
/// and binaries are the same; one stack of each group stands for all.
struct Difference {
  uint32_t Heap = 0;                    ///< DiffRuns::heaps()
  std::optional<DiffStack> StackBefore; ///< none: in no run before
  std::optional<DiffStack> StackAfter;
  StackMetrics Before, After; ///< on average

  DiffStack shown() const { return StackAfter ? *StackAfter : *StackBefore; }
};

struct DiffOptions {
  /// The metric that is compared with the noise and orders the findings.
  /// Without By, bytes at the peak and bytes live at the end are compared (and,
  /// of single stacks, their own peak), and bytes at the peak give the order.
  std::optional<Metric> By;
  /// Changes below Noise are not shown. A fraction is one of the larger of the
  /// two peaks of the memory space (By Allocated, Count or Temporary: of all
  /// allocations). With 0, every change is shown.
  Threshold Noise;
  /// Whether to report differences of single stacks, and also those below the
  /// noise.
  bool WantsStacks = true;
  bool KeepAll = false;
  /// For groups: the confidence of intervals, and whether to show changes that
  /// may be zero.
  double Confidence = 0.95;
  bool Uncertain = false;
  /// Whether to look for lines that grow in only one run of a pair.
  bool Growth = true;
};

struct DiffStats {
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBytes = 0;
  uint64_t LiveBlocks = 0;
  uint64_t PeakBytes = 0;
  /// None for a part of a trace, and for means.
  std::optional<uint64_t> PeakTimeNs;
  /// For a memory space of whole traces: the number of steps of all processes,
  /// and the medians over these steps.
  uint64_t Steps = 0;
  uint64_t StepPeakBytes = 0;
  uint64_t StepAllocatedBytes = 0;
  SampleVariances Variances; ///< zero except in sampled heaps
};

/// The totals of each run, runs before first, and the mean of each group.
struct DiffStatsOfRuns {
  std::vector<DiffStats> Runs;
  DiffStats Before, After;
};

struct HeapChange {
  uint32_t Heap = 0; ///< DiffRuns::heaps()
  DiffStatsOfRuns Stats;
};

/// A memory space with the same name in all runs.
struct SpaceChange {
  std::string Name;
  DiffStatsOfRuns Stats; ///< of the selection
  uint64_t Noise = 0;    ///< DiffOptions::Noise, in bytes or allocations
};

struct DiffReport {
  /// Of the memory space `host`, or of the selection.
  DiffStatsOfRuns TotalStats;
  /// Every memory space with recorded memory, and always `host`, first. Values
  /// of different memory spaces are never added.
  std::vector<SpaceChange> Spaces;
  /// The selected heaps with recorded memory, the largest peak first.
  std::vector<HeapChange> Heaps;
  uint64_t NoiseValue = 0;           ///< of the first space
  std::vector<uint64_t> NoiseOfHeap; ///< DiffRuns::heaps()
  DiffPlaces Places;
  DiffDetails Details;
  FindingReport Changes;
  /// The first Shown are above the noise, largest change first; the others
  /// follow, if requested, in no order.
  std::vector<Difference> Differences;
  size_t Shown = 0;
  size_t BelowNoise = 0; ///< the number below the noise
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFREPORT_H
