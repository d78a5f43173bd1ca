// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes that may grow.

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHTREE_H
#define MEMKIT_LIB_ANALYSIS_GROWTHTREE_H

#include "memkit/Model/StackView.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// What is known of a (process, heap, stack).
struct GrowthRow {
  uint32_t Group = UINT32_MAX; ///< of one process and heap; none: not looked at
  uint32_t Stack = 0;
  uint64_t AtEnd = 0;  ///< bytes that survive
  uint64_t Blocks = 0; ///< live at the span's end
  bool Moved = false;  ///< whether it changed within the span
  double rise() const { return static_cast<double>(AtEnd); }
};

/// A node whose series is looked at: that of all rows at and below it. Parents
/// stand before their children.
struct GrowthNode {
  static constexpr uint32_t None = UINT32_MAX;
  uint32_t Group = 0;
  uint32_t Node = 0;
  uint32_t Parent = None;  ///< the nearest of these above it
  uint64_t LiveStacks = 0; ///< of which blocks survive, at or below it
  bool HasRows = false;    ///< a stack ends at it
};

struct GrowthNodes {
  std::vector<GrowthNode> Nodes;
  /// By row: the lowest of Nodes at or above it, or None.
  std::vector<uint32_t> OfRow;
  size_t LeftOut = 0; ///< nodes that rise, beyond Max
};

/// The nodes of V below which rows of one group rise by Min or more, all in
/// all; of those on a way without branches the lowest one. At most Max, those
/// that rise most. Memory: 4 bytes a node of V, and some 30 for each node at or
/// above one of the 2^18 rows that rise most.
GrowthNodes chooseGrowthNodes(const StackView &V, uint32_t NumGroups,
                              llvm::ArrayRef<GrowthRow> Rows, uint64_t Min,
                              size_t Max);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHTREE_H
