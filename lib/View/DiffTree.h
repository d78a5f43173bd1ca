// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flame graph of two groups of runs.

#ifndef MEMKIT_LIB_VIEW_DIFFTREE_H
#define MEMKIT_LIB_VIEW_DIFFTREE_H

#include "Graph.h"
#include "memkit/Analysis/DiffRuns.h"

namespace memkit {

/// A name of the nodes, as the last run with this name has it.
struct DiffName {
  std::string Text, File, Source;
  uint32_t Line = 0;
  CodeOwner Owner = CodeOwner::Other;
};
struct DiffNode {
  uint32_t Name = 0; ///< in DiffTree::Names
  uint32_t Depth = 0;
  uint64_t Before = 0, After = 0; ///< of the node's subtree, on average
};
struct DiffTree {
  std::vector<DiffName> Names;
  std::vector<DiffNode> Nodes; ///< in preorder, larger siblings first
};

/// The largest nodes of all runs, at most MaxNodes: by lines of code, with
/// frames matched by function, and lines by their counterparts, as diffPlaces()
/// matches places. M: Peak or Live, of the memory space. Where: by run. Takes
/// time in proportion to the stacks of the runs.
DiffTree makeDiffTree(const DiffRuns &Runs, llvm::ArrayRef<Places> Where,
                      Metric M, llvm::StringRef Space, size_t MaxNodes);

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_DIFFTREE_H
