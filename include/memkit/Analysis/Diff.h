//===- Diff.h - What changed between two traces -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_ANALYSIS_DIFF_H
#define MEMKIT_ANALYSIS_DIFF_H

#include "memkit/Model/Profile.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include <optional>

namespace memkit {

/// What one trace has of a (heap, stack), all processes together. Bytes are
/// exclusive, unless heaps were chosen.
struct StackMetrics {
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t LiveBytes = 0; ///< when each process ended
  uint64_t LiveBlocks = 0;
  uint64_t PeakBytes = 0; ///< the most that one process had of it at once
  uint64_t AtPeakBytes =
      0; ///< at the peak of its domain (of chosen heaps: theirs)
  bool operator==(const StackMetrics &) const = default;
};

/// A (heap, stack) of which the traces differ. Stacks are the same when their
/// functions and modules are; one of each trace stands for all.
struct Difference {
  llvm::StringRef Heap;
  std::optional<uint32_t> StackBefore; ///< none: the trace has no such stack
  std::optional<uint32_t> StackAfter;
  StackMetrics Before, After;
  /// Heap::estimateBytes() of the heap on either side: 0 where it is exact.
  uint64_t SampleBefore = 0, SampleAfter = 0;
};

/// The variance of what metricOf() gives in bytes, for a heap with SampleBytes;
/// 0 for what is not in bytes.
double varianceOf(const StackMetrics &M, Metric By, uint64_t SampleBytes);

/// The value of a metric in M. Leaked is as Live, Temporary not known here.
uint64_t metricOf(const StackMetrics &M, Metric By);

struct DiffOptions {
  /// What is compared with the noise and orders the differences. Without it,
  /// bytes at the peak, live at the end and the stack's own peak are compared,
  /// and bytes at the peak order.
  std::optional<Metric> By;
  /// Changes below it are not shown. A part is one of the larger of the two
  /// peaks (By Allocated or Count: of what was allocated in all). With 0, every
  /// change of anything is shown.
  Threshold Noise;
  /// Whether the changes below the noise are wanted too.
  bool KeepAll = false;
};

struct DiffTotals {
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t LiveBytes = 0;
  uint64_t LiveBlocks = 0;
  uint64_t PeakBytes = 0;
  std::optional<uint64_t> PeakTimeNs; ///< none for a part of a trace
  SampleVariances Variances;          ///< zeros but for sampled heaps
};

struct DiffReport {
  DiffTotals Before, After; ///< of the domain `host`, or of what was selected
  uint64_t NoiseValue = 0;  ///< bytes, or allocations
  /// The first Shown are above the noise, the largest change first; then, when
  /// they are wanted, the others in no order.
  std::vector<Difference> Differences;
  size_t Shown = 0;
  size_t BelowNoise = 0; ///< how many others there are
};

/// Whole: whether nothing was selected, so that the totals are the domain's.
DiffReport diffTraces(const Sums &Before, const Sums &After, bool Whole,
                      const DiffOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFF_H
