// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changed between two groups of runs.

#ifndef MEMKIT_ANALYSIS_DIFF_H
#define MEMKIT_ANALYSIS_DIFF_H

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

/// A (heap, stack) of which the groups differ. Stacks are the same when their
/// functions and binaries are; one of each group stands for all.
struct Difference {
  uint32_t Heap = 0;                    ///< DiffRuns::heaps()
  std::optional<DiffStack> StackBefore; ///< none: no run has such a stack
  std::optional<DiffStack> StackAfter;
  StackMetrics Before, After; ///< on average

  DiffStack shown() const { return StackAfter ? *StackAfter : *StackBefore; }
};

struct DiffOptions {
  /// What is compared with the noise and orders what is found. Without it,
  /// bytes at the peak and live at the end are (and of single stacks their own
  /// peak), and bytes at the peak order.
  std::optional<Metric> By;
  /// Changes below it are not shown. A part is one of the larger of the two
  /// peaks of the memory space (By Allocated, Count or Temporary: of what was
  /// allocated in all). With 0, every change of anything is shown.
  Threshold Noise;
  /// Whether differences of single stacks are wanted, and those below the noise
  /// too.
  bool WantsStacks = true;
  bool KeepAll = false;
  /// Of groups: how sure intervals are, and whether what may be no change is
  /// shown.
  double Confidence = 0.95;
  bool Uncertain = false;
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
  std::optional<uint64_t> PeakTimeNs; ///< none for a part of a trace, and means
  /// Of a memory space of whole traces: how many steps all processes had, and
  /// the medians over them.
  uint64_t Steps = 0;
  uint64_t StepPeakBytes = 0;
  uint64_t StepAllocatedBytes = 0;
  SampleVariances Variances; ///< zeros but for sampled heaps
};

/// The totals of each run, those before first, and of each group on average.
struct DiffStatsOfRuns {
  std::vector<DiffStats> Runs;
  DiffStats Before, After;
};

struct HeapChange {
  uint32_t Heap = 0; ///< DiffRuns::heaps()
  DiffStatsOfRuns Stats;
};

/// A memory space, of the same name in all runs.
struct SpaceChange {
  std::string Name;
  DiffStatsOfRuns Stats; ///< of what was selected
  uint64_t Noise = 0;    ///< DiffOptions::Noise, in bytes or allocations
};

struct DiffReport {
  DiffStatsOfRuns
      TotalStats; ///< of the memory space `host`, or of what was selected
  /// Of each memory space of which anything was recorded; at least `host`,
  /// first. What they have is never added.
  std::vector<SpaceChange> Spaces;
  /// Of the selected heaps that something was recorded of, the largest peak
  /// first.
  std::vector<HeapChange> Heaps;
  uint64_t NoiseValue = 0;           ///< of the first space
  std::vector<uint64_t> NoiseOfHeap; ///< DiffRuns::heaps()
  FindingReport Changes;
  /// The first Shown are above the noise, the largest change first; then, when
  /// they are wanted, the others in no order.
  std::vector<Difference> Differences;
  size_t Shown = 0;
  size_t BelowNoise = 0; ///< how many others there are
};

/// What a total is off by, where it is not exact: of groups from how their runs
/// vary, of sampled runs from what their samples stand for (Error; null for
/// what is no estimate).
std::optional<ConfidenceInterval> changeOfTotal(const DiffRuns &Runs,
                                                const DiffStatsOfRuns &S,
                                                uint64_t DiffStats::*Field,
                                                double SampleVariances::*Error,
                                                double Confidence);

DiffReport queryDifferences(const DiffRuns &Runs, const DiffOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFF_H
