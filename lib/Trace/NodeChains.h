// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parents of the nodes of a tree of stacks, in few bytes.
//
// A new stack adds its new nodes at once, each the child of the node before: a
// chain. Only the first node of a chain needs a parent of its own, and the tree
// of a program has five nodes a chain and more.

#ifndef MEMKIT_LIB_TRACE_NODECHAINS_H
#define MEMKIT_LIB_TRACE_NODECHAINS_H

#include "Support/ChunkedArray.h"
#include <bit>
#include <cstdint>

namespace memkit {

/// Nodes are numbered from 1 in the order in which they are added; 0 is the
/// root. Memory: a quarter of a byte a node and 4 bytes a chain. Nothing is
/// ever copied, so no step takes long. Belongs to one thread.
class NodeChains {
public:
  /// Adds Length nodes under the node Parent, which exists. Length 0: adds
  /// nothing.
  void append(uint32_t Parent, uint32_t Length);
  uint32_t numNodes() const { return Nodes; }
  uint32_t numChains() const { return Chains; }

  /// Whether Node, which exists, is the first node of its chain.
  bool begins(uint32_t Node) const {
    return Blocks.at(Node / 64).Firsts >> (Node % 64) & 1;
  }
  /// Whether Node, which exists, is the last node of its chain.
  bool ends(uint32_t Node) const { return Node == Nodes || begins(Node + 1); }
  /// The chain of Node, which exists and is not the root; chains are numbered
  /// from 0.
  uint32_t chainOf(uint32_t Node) const {
    const Block &B = Blocks.at(Node / 64);
    // Shifted so that the bits up to the node's own remain.
    uint64_t UpTo = B.Firsts << (63 - Node % 64);
    return B.Before + uint32_t(std::popcount(UpTo)) - 1;
  }
  /// The parent of Node, which exists and is not the root.
  uint32_t parent(uint32_t Node) const {
    return begins(Node) ? Parents.at(chainOf(Node)) : Node - 1;
  }

private:
  /// 64 nodes.
  struct Block {
    uint64_t Firsts = 0; ///< bit by node: begins()
    uint32_t Before = 0; ///< chains that begin before the block
  };
  ChunkedArray<Block, 8> Blocks;
  ChunkedArray<uint32_t, 12> Parents; ///< by chain
  uint32_t Nodes = 0, Chains = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_NODECHAINS_H
