//===- NodeRanks.h - The nodes of a trace in preorder -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_EXPORT_NODERANKS_H
#define MEMKIT_EXPORT_NODERANKS_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// Numbers the nodes of a trace's stack tree in preorder, the root 0: those
/// below a node have the ranks after its own, up to last(). 12 bytes a node.
class NodeRanks {
public:
  explicit NodeRanks(const Trace &T);

  uint32_t rank(uint32_t Node) const { return Ranks[Node]; }
  uint32_t node(uint32_t Rank) const { return Nodes[Rank]; }
  /// The highest rank of what lies below the node of this rank, or its own.
  uint32_t last(uint32_t Rank) const { return Lasts[Rank]; }

private:
  std::vector<uint32_t> Ranks; ///< by node
  std::vector<uint32_t> Nodes; ///< by rank
  std::vector<uint32_t> Lasts; ///< by rank
};

} // namespace memkit

#endif // MEMKIT_EXPORT_NODERANKS_H
