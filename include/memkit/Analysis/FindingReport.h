// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a comparison found.

#ifndef MEMKIT_ANALYSIS_FINDINGREPORT_H
#define MEMKIT_ANALYSIS_FINDINGREPORT_H

#include "memkit/Analysis/ConfidenceInterval.h"
#include "memkit/Analysis/DiffRuns.h"

namespace memkit {

/// A change is spread when every part has less than this share.
inline constexpr double SpreadShare = 0.25;

/// The two sides of a move differ by at most this share.
inline constexpr double MoveShare = 0.005;

/// An arena of CPython's objects. Whether one more is needed, or freed at the
/// end, is chance: equal runs differ by one.
inline constexpr uint64_t OneArena = uint64_t(1) << 20;

/// A node of one of the runs, in its Trace::view().
struct DiffPlace {
  uint32_t Run = 0;
  uint32_t Node = 0;
  /// Stands for the arenas of CPython's objects instead of a node: the lines
  /// that allocate arenas mean nothing (Node is 0).
  bool IsArenas = false;
};

struct Finding {
  uint32_t Heap = 0; ///< DiffRuns::heaps()
  Metric By;         ///< what changed
  DiffPlace Place;   ///< a node of the last run with this place, if known
  /// Whether the finding includes stacks further in.
  bool IsInner = false;
  uint32_t Parts = 1; ///< number of parts merged into this finding
  struct MergedPart {
    DiffPlace Place;
    double Change;
  };
  std::vector<MergedPart> Largest; ///< the largest parts, if several
  std::vector<StackMetrics> Runs;
  StackMetrics Before, After; ///< on average
  /// Of the metric; empty when each side is one exact run.
  std::optional<ConfidenceInterval> Change;
};

/// Memory that moved to another place below a node, while the node's own value
/// stayed.
struct Move {
  uint32_t Heap = 0;
  Metric By;
  DiffPlace Place;
  double Value = 0;                       ///< the amount that moved
  std::vector<Finding::MergedPart> Parts; ///< the largest few
};

struct FindingOptions {
  /// By run: KeyRules::Counterparts; empty: none.
  llvm::ArrayRef<std::vector<uint64_t>> Counterparts;
  std::vector<Metric> Metrics; ///< a finding counts for its first metric
  /// By heap of DiffRuns::heaps(): smaller changes make no part; 0: every
  /// change makes a part.
  std::vector<double> NoiseOfHeap;
  double Confidence = 0.95;
  /// Whether to keep findings whose confidence interval includes zero.
  bool Uncertain = false;
};

struct FindingReport {
  /// Largest change of the first metric first. A node found by several metrics
  /// is listed for the first of them.
  std::vector<Finding> Findings;
  std::vector<Move> Moves; ///< largest first
  /// The change of the first metric outside all findings, over the heaps that
  /// count in the totals.
  double Rest = 0;
  /// Number of findings left out because their interval includes zero.
  size_t Uncertain = 0;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FINDINGREPORT_H
