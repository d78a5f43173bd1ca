// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in another shape.

#ifndef MEMKIT_LIB_MODEL_STACKSHAPE_H
#define MEMKIT_LIB_MODEL_STACKSHAPE_H

#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <optional>

namespace memkit {

/// How a tree is shown.
struct StackShape {
  GroupBy By = GroupBy::Stack; ///< Stack, Line, Function, File or Binary
  bool NativeLines = true;     ///< of Line: also frames of native code
  bool Invert = false;         ///< leaves are the roots
  /// A frame that calls itself, directly or indirectly, appears once: the path
  /// continues from its first occurrence.
  bool MergeRecursion = false;
  /// The module whose import allocated a stack's memory (empty: not known), or
  /// none.
  /// Such stacks lie below `imports` and `import MODULE`. Not for Invert.
  std::function<std::optional<llvm::StringRef>(uint32_t Key)> ImportOf = {};
  /// Prefixes to remove from names of files and binaries.
  std::vector<std::string> StripPrefixes;

  bool isPlain() const {
    return By == GroupBy::Stack && !Invert && !MergeRecursion &&
           StripPrefixes.empty() && !ImportOf;
  }
};

/// The tree T in another shape; its keys are those of T. Takes time for each
/// node of T; with Invert or MergeRecursion for each frame of each stack.
ScopeView shapeStacks(ShownTree T, const StackShape &How);

/// Builds a tree of one function a frame from paths.
class PathTree {
public:
  /// Keys: the number of keys. Frames: the frames of the tree, to which paths
  /// refer.
  PathTree(size_t Keys, std::vector<ShownFrame> Frames);
  /// Path: frames of the tree, as ids (index + 1), outermost first.
  void add(uint32_t Key, llvm::ArrayRef<uint32_t> Path);
  /// The child of Node with Frame; makes the child if there is none.
  uint32_t child(uint32_t Node, uint32_t Frame);
  uint32_t frameOf(uint32_t Node) const { return Out.Tree.frameOf(Node); }
  void setLeaf(uint32_t Key, uint32_t Node) { Out.Tree.Leaves[Key] = Node; }
  ScopeView take() { return std::move(Out); }

private:
  ScopeView Out;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Nodes;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_STACKSHAPE_H
