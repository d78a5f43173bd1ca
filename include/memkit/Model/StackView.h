// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack tree for display.

#ifndef MEMKIT_MODEL_STACKVIEW_H
#define MEMKIT_MODEL_STACKVIEW_H

#include "memkit/Model/FrameRoles.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// A tree of stacks: all stacks of a trace, or the stacks without folded
/// frames, which say nothing about the program. Nodes have the ids
/// 1..numNodes(), a parent's id is lower, 0 is the root. Stacks with equal
/// shown frames have one leaf in a trace with Python; without, they may have
/// different ones.
struct StackView {
  std::vector<uint32_t> Leaves{0};  ///< by stack
  std::vector<uint32_t> Parents{0}; ///< by node
  std::vector<uint32_t> Frames{0};  ///< by node

  uint32_t numNodes() const { return Parents.size() - 1; }
  /// The leaf node of a stack; 0 for an empty stack.
  uint32_t leaf(uint32_t Stack) const { return Leaves[Stack]; }
  uint32_t parent(uint32_t Node) const { return Parents[Node]; }
  uint32_t frameOf(uint32_t Node) const { return Frames[Node]; }
};

/// The stacks of All without folded frames; unfoldedFrames() decides for each
/// stack. Roles: by frame. Takes time in proportion to the nodes, not to the
/// frames of stacks.
StackView foldStacks(const StackView &All, llvm::ArrayRef<FrameRole> Roles);

} // namespace memkit

#endif // MEMKIT_MODEL_STACKVIEW_H
