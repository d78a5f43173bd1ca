// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the nodes to test for growth.

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHTREE_H
#define MEMKIT_LIB_ANALYSIS_GROWTHTREE_H

#include "memkit/Model/StackView.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// The values of a (process, heap, stack). There may be millions.
struct GrowthRow {
  static constexpr uint32_t NoGroup = (uint32_t(1) << 31) - 1;
  /// Number of the process and heap, below NoGroup; NoGroup: not tested.
  uint32_t Group : 31 = NoGroup;
  uint32_t Moved : 1 = false; ///< whether the row changed within the span
  uint32_t Stack = 0;
  uint64_t Gained = 0; ///< surviving bytes, or a large rise that was freed
  double rise() const { return static_cast<double>(Gained); }
};

/// A node to test. Its series is the sum of all rows at and below the node.
/// Parents come before their children.
struct GrowthNode {
  static constexpr uint32_t None = UINT32_MAX;
  uint32_t Group = 0;
  uint32_t Node = 0;
  uint32_t Parent = None; ///< the nearest of the chosen nodes above
  /// Stacks at or below the node with surviving blocks.
  uint64_t LiveStacks = 0;
  bool HasRows = false; ///< a stack ends at the node
};

struct GrowthNodes {
  std::vector<GrowthNode> Nodes;
  /// By row: the lowest of Nodes at or above the row's leaf, or None.
  std::vector<uint32_t> OfRow;
  size_t LeftOut = 0;      ///< number of rising nodes beyond Max
  double LeftOutBelow = 0; ///< bytes that each of them gained at most
};

/// Chooses the nodes of V below which rows of one group gained Min or more in
/// total. Of a path without branches, only the lowest node is chosen. At most
/// Max nodes: those that gained most, of all groups. Memory: 5 bytes for each
/// node of V, and about 40 for each node at or above one of the 2^18 rows with
/// the highest rise, in each group.
GrowthNodes chooseGrowthNodes(const StackView &V, uint32_t NumGroups,
                              llvm::ArrayRef<GrowthRow> Rows, uint64_t Min,
                              size_t Max);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHTREE_H
