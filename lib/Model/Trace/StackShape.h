// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in another shape.

#ifndef MEMKIT_LIB_MODEL_STACKSHAPE_H
#define MEMKIT_LIB_MODEL_STACKSHAPE_H

#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
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
  /// As child(), for a child that is known to be new.
  uint32_t append(uint32_t Node, uint32_t Frame) {
    Out.Tree.Parents.push_back(Node);
    Out.Tree.Frames.push_back(Frame);
    return Out.Tree.numNodes();
  }
  const StackView &tree() const { return Out.Tree; }
  uint32_t frameOf(uint32_t Node) const { return Out.Tree.frameOf(Node); }
  void setLeaf(uint32_t Key, uint32_t Node) { Out.Tree.Leaves[Key] = Node; }
  ScopeView take() { return std::move(Out); }

private:
  ScopeView Out;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Nodes;
};

/// Adds ways from the root of T to nodes of T, each below a node of another
/// tree. Remembers the last place of each node, so most nodes are looked up
/// once for all stacks below them. 8 bytes a node.
class WayAdder {
public:
  explicit WayAdder(ShownTree T)
      : T(T), Places(T.view().numNodes() + size_t(1)) {}

  /// The node for Node below Top. Next: gives the node below another node, as
  /// `Next(uint32_t Above, const ShownFrame &)`, outermost frames first; the
  /// result depends on the node above, the frame and Top alone.
  template <class F> uint32_t add(uint32_t Top, uint32_t Node, F Next) {
    const StackView &V = T.view();
    Way.clear();
    for (; Node && Places[Node].Top != Top; Node = V.parent(Node))
      Way.push_back(Node);
    uint32_t At = Node ? Places[Node].Node : Top;
    for (uint32_t N : llvm::reverse(Way)) {
      for (const ShownFrame &Frame : llvm::reverse(T.shown(V.frameOf(N))))
        At = Next(At, Frame);
      Places[N] = {Top, At};
    }
    return At;
  }

private:
  /// A node's place in the other tree, below the node Top.
  struct WayPlace {
    uint32_t Top = UINT32_MAX;
    uint32_t Node = 0;
  };
  ShownTree T;
  std::vector<WayPlace> Places; ///< by node
  std::vector<uint32_t> Way;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_STACKSHAPE_H
