// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what changed between two groups of runs, at the lowest node of the
// stack tree that explains each change.
//
// The rule, for each heap and metric: the stack trees of all runs form one
// tree, by the keys of StackKeys.h and the functions that are the same
// (DiffPlaces.h). The change of a node is the mean over the
// runs after, less the mean over the runs before, of all stacks through the
// node.
//
//  1. From the leaves to the root: a node becomes a part when the node changes,
//     without the parts further in, by the noise or more.
//  2. From the leaves to the root: a move is a group of parts in and below one
//     node of which some shrank by as much as the others grew, but for
//     MoveShare. The memory only moved to another place, so the parts of a move
//     are dropped. Two places with allocations both before and after are never
//     a move. If a part has the same functions as a part in another binary, the
//     part can have moved only to or from that other part.
//  3. From the leaves to the root: a node replaces the parts of one sign
//     (growing or shrinking) in and below the node when the parts are several
//     and no child has SpreadShare of their sum. If growth and shrinkage cancel
//     out, no part is left.
//
// Arenas of CPython's objects are one node below the root, outside the tree:
// chance decides which line needs the next arena.
//
// The remaining parts are the findings. A finding stands for all stacks through
// its node, except those of findings further in. The findings and the remainder
// at the roots sum to the whole change.

#ifndef MEMKIT_ANALYSIS_FINDINGS_H
#define MEMKIT_ANALYSIS_FINDINGS_H

#include "memkit/Analysis/ConfidenceInterval.h"
#include "memkit/Analysis/DiffRuns.h"
#include "memkit/Analysis/FindingReport.h"

namespace memkit {

/// Takes the time to read the rows once and to visit the nodes with at least
/// the noise of a metric. Memory: four bytes a node, and a few hundred bytes
/// for each visited (node, heap).
FindingReport findChanges(const DiffRuns &Runs, const FindingOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FINDINGS_H
