// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a trace in preorder.

#ifndef MEMKIT_LIB_EXPORT_NODERANKS_H
#define MEMKIT_LIB_EXPORT_NODERANKS_H

#include "memkit/Model/ScopeView.h"

namespace memkit {

/// Numbers the nodes of a tree in preorder, the root 0. The nodes below a node
/// have the ranks after its own, up to last(). A walk over ranks reads adjacent
/// memory, unlike a walk over the nodes of a trace. 8 bytes a node, 4 a stack
/// or scope path.
class NodeRanks {
public:
  explicit NodeRanks(ShownTree T);

  /// The rank of the leaf of a stack or scope path.
  uint32_t ofKey(uint32_t Key) const { return KeyRanks[Key]; }
  /// The frame of the node of this rank; 0 for the root.
  uint32_t frame(uint32_t Rank) const { return Nodes[Rank].Frame; }
  /// The highest rank below the node of this rank, or its own.
  uint32_t last(uint32_t Rank) const { return Nodes[Rank].Last; }

private:
  struct RankNode {
    uint32_t Last;
    uint32_t Frame;
  };
  std::vector<RankNode> Nodes; ///< by rank
  std::vector<uint32_t> KeyRanks;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_NODERANKS_H
