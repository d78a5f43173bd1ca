//===- Growth.h - What grows with each step -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks through the slices of a trace for stacks, and nodes of the tree of
// stacks, whose live bytes grow to the end of the run. Reads the slices twice
// and replays no event. Memory, beside that of SliceSeries: 40 bytes for each
// (image, heap, stack), 4 a node, and the series of at most MaxSeries nodes.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_ANALYSIS_GROWTH_H
#define MEMKIT_ANALYSIS_GROWTH_H

#include "memkit/Analysis/Trend.h"
#include "memkit/Model/Slices.h"
#include <string>
#include <vector>

namespace memkit {

struct GrowthOptions {
  /// The part of a run's steps (without steps: of its time) that is not looked
  /// at: what a program fills while it starts is no leak.
  double WarmUp = 0.2;
  uint64_t WarmUpSteps = 0; ///< at least so many, where there are steps
  /// What rises by less, over all that is measured, is not looked at.
  uint64_t LeastBytes = 1024;
  /// The most of p-value times number of series.
  double MostChance = 0.001;
  /// How many series are looked at; of more, those that rise most.
  size_t MaxSeries = 8192;
};

/// What was measured of a process.
struct GrowthSpan {
  uint32_t Image = 0;
  bool HasSteps = false;
  size_t Points = 0;
  uint64_t FirstStep = 0, LastStep = 0; ///< of those with HasSteps
  uint64_t BeginNs = 0, EndNs = 0;
  /// How much a point of a series stands for: steps, or seconds.
  double PerPoint = 0;
};

/// A node of the shown tree below which the live bytes of a heap grow.
struct Growth {
  uint32_t Span = 0; ///< in GrowthReport::Spans
  uint32_t Heap = 0;
  uint32_t Node = 0;   ///< of Trace::view(), where all of it hangs
  uint32_t Stack = 0;  ///< the one of them that has grown most
  uint64_t Stacks = 0; ///< that have grown, at or below the node
  /// Live at the end of the span, of those stacks alone; what other findings
  /// have is not in it.
  uint64_t Bytes = 0, Blocks = 0;
  uint64_t Rise = 0; ///< in bytes, from the span's begin to its end
  /// Bytes for each step, or second, and the interval that has it with 95 %.
  double Rate = 0, Low = 0, High = 0;
  /// The chance that any of the series that were looked at is taken for one
  /// that grows by such a trend and does not.
  double PValue = 1;
  /// The first step, or time, after which it was never again as low as at the
  /// begin; 0: it was so from the begin on.
  uint64_t SinceStep = 0, SinceNs = 0;
};

struct GrowthReport {
  std::vector<Growth> Found;     ///< highest rise first
  std::vector<GrowthSpan> Spans; ///< of the images that were looked at
  /// Images with too few slices to say anything.
  size_t TooShort = 0;
  size_t Series = 0;  ///< how many were looked at
  size_t LeftOut = 0; ///< how many more there were
};

/// Looks through the slices of what S selects, in processes that no exec
/// replaced. Without chosen heaps, a stack most of whose bytes lie in blocks of
/// inner heaps is theirs. Errors: those of reading slices.
llvm::Expected<GrowthReport> findGrowth(SliceSeries &Slices, const Sums &S,
                                        const GrowthOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTH_H
