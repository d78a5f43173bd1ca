// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes at the lowest place that explains them.
//
// The rule, for each heap and metric. The trees of all runs are one tree, by
// the keys of StackKeys.h; what a node changes by is the mean of the stacks
// through it after, less that before.
//
//  1. From the leaves to the root: a node is a part when it changes, without
//     the parts further in, by the noise or more.
//  2. From the leaves to the root: parts in and below a node that shrank by
//     what others there grew, but for MoveShare of it, are a move: what was
//     there is at another place now. They are no parts any more. Of two places
//     that both have allocations before and after none moved to the other. A
//     place whose functions another part has in another binary can have moved
//     to that part alone.
//  3. From the leaves to the root: where there are several parts in and below a
//     node, growing or shrinking, and no child has SpreadShare of what those of
//     the same sign sum to, the node is one part in their place. If what grew
//     and shrank there cancels out, none is left.
//
// What allocates arenas of CPython's objects is one node below the root, beside
// the tree: the line that needs the next arena is chance.
//
// The parts that are left are findings: each stands for all stacks through its
// node but those of findings further in. So findings and what is left at the
// roots sum to the change of the whole.

#ifndef MEMKIT_ANALYSIS_FINDINGS_H
#define MEMKIT_ANALYSIS_FINDINGS_H

#include "memkit/Analysis/ConfidenceInterval.h"
#include "memkit/Analysis/DiffRuns.h"

namespace memkit {

/// A change is spread when no part has as much of it.
inline constexpr double SpreadShare = 0.25;

/// A move has what it has on both sides, but for this share.
inline constexpr double MoveShare = 0.005;

/// A node of one of the runs, in its Trace::view().
struct DiffPlace {
  uint32_t Run = 0;
  uint32_t Node = 0;
  /// In place of a node: the arenas of CPython's objects, whose lines mean
  /// nothing (Node is 0).
  bool IsArenas = false;
};

struct Finding {
  uint32_t Heap = 0; ///< DiffRuns::heaps()
  Metric By;         ///< what changed
  DiffPlace Place;   ///< of the last run that has it, if that is known
  /// Whether it stands for stacks further in, too.
  bool IsInner = false;
  uint32_t Parts = 1; ///< how many parts it was made from
  struct Part {
    DiffPlace Place;
    double Change;
  };
  std::vector<Part> Largest; ///< the largest few of them, if several
  std::vector<StackMetrics> Runs;
  StackMetrics Before, After; ///< on average
  /// Of the metric; none where both sides are one exact run.
  std::optional<ConfidenceInterval> Change;
};

/// What is at another place now, below a node that did not change by it.
struct Move {
  uint32_t Heap = 0;
  Metric By;
  DiffPlace Place;
  double Value = 0;                 ///< what went, and came
  std::vector<Finding::Part> Parts; ///< the largest few
};

struct FindingOptions {
  std::vector<Metric> Metrics; ///< what shows a finding first
  /// By DiffRuns::heaps(): changes below it are no parts; 0: each change is
  /// one.
  std::vector<double> NoiseOfHeap;
  double Confidence = 0.95;
  /// Findings whose interval has no change in it are wanted, too.
  bool Uncertain = false;
};

struct FindingReport {
  /// The largest change of the first metric first. A node that is one for
  /// several metrics stands here for the first.
  std::vector<Finding> Findings;
  std::vector<Move> Moves; ///< as findings
  /// What the first metric changes by in all, of heaps that count in the
  /// totals, less what its findings do.
  double Rest = 0;
  size_t Uncertain = 0; ///< how many were left out because of their interval
};

/// Time is that of reading the rows once, and of the nodes that have the noise
/// of a metric; memory is four bytes a node, and a few hundred for each such
/// node and heap.
FindingReport findChanges(const DiffRuns &Runs, const FindingOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FINDINGS_H
