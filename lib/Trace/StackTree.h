// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coding of new stacks.
//
// A new stack is coded as steps in the tree of nodes: from the leaf of the
// stack before, a number of nodes up, then a number of new nodes. Writer and
// reader walk the same tree, so each keeps the parents of all nodes: the reader
// 4 bytes a node, the writer chains.

#ifndef MEMKIT_LIB_TRACE_STACKTREE_H
#define MEMKIT_LIB_TRACE_STACKTREE_H

#include "Trace/NodeChains.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include <utility>
#include <vector>

namespace memkit {

/// The rows of `table StackTree`.
struct StackRows {
  std::vector<uint8_t> Pops;
  std::vector<uint32_t> FarParent;
  std::vector<uint8_t> Length;
  std::vector<uint32_t> FarLength;
  void clear();
};

/// The reader's tree.
class StackTree {
public:
  static constexpr uint8_t Far = 255;

  /// Appends the stacks of Rows to the tree and stores them in Out. False when
  /// a row leads out of the tree or the rows do not use exactly the far columns
  /// and Nodes nodes; the tree is then unusable.
  [[nodiscard]] bool decode(const StackRows &Rows, uint32_t Nodes,
                            std::vector<NewStack> &Out);

  /// Makes room for Nodes nodes in total.
  void reserve(size_t Nodes) { Parents.reserve(Nodes + 1); }
  /// The parent of each node, [0] for the root; leaves the tree unusable.
  std::vector<uint32_t> takeParents() { return std::move(Parents); }
  uint32_t nodes() const { return uint32_t(Parents.size() - 1); }

private:
  std::vector<uint32_t> Parents = {0}; ///< by node; [0] is the root
  uint32_t LastLeaf = 0;
};

/// The writer's tree. It grows without copies: copying one large array would
/// stall the recorder.
class StackTreeWriter {
public:
  /// Appends Stacks to the tree and gives their rows.
  void encode(llvm::ArrayRef<NewStack> Stacks, StackRows &Out);
  uint32_t nodes() const { return Tree.numNodes(); }

private:
  void append(const NewStack &S);

  NodeChains Tree;
  uint32_t LastLeaf = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_STACKTREE_H
