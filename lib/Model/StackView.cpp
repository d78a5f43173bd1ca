// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shown stack tree.

#include "memkit/Model/StackView.h"

using namespace llvm;

namespace memkit {

namespace {

/// Whether a frame stays depends on the
/// frames below it. A node may therefore appear in the view several times: in
/// the outer part of stacks, outside of the innermost Python frame, and in the
/// inner part, below the innermost Python frame.
class Folder {
public:
  Folder(const StackView &All, ArrayRef<FrameRole> Roles)
      : All(All), Roles(Roles), Nodes(All.Parents.size()) {
    Out.Parents.reserve(Nodes.size());
    Out.Frames.reserve(Nodes.size());
  }

  StackView run() {
    lookBelow();
    for (uint32_t N = 1; N < Nodes.size(); ++N) {
      if (isPython(role(N)))
        addPython(N);
      else
        addNative(N);
    }
    Out.Leaves.resize(All.Leaves.size());
    for (size_t S = 0; S != All.Leaves.size(); ++S) {
      uint32_t Leaf = All.Leaves[S];
      // A stack of hidden frames alone shows its innermost frame.
      if (Leaf && !Nodes[Leaf].Inner)
        Nodes[Leaf].Inner = add(0, Leaf);
      Out.Leaves[S] = Nodes[Leaf].Inner;
    }
    return std::move(Out);
  }

private:
  struct ViewNode {
    /// The node in each part of the view. For a dropped node, the node below
    /// which its children go.
    uint32_t Outer = 0;
    uint32_t Inner = 0;
    bool HasPythonBelow = false; ///< the node or a node below is Python
    /// A stack ends at the node, or below it with no Python frame between.
    bool EndsHere = false;
    /// The node or an outer node is Python or Program.
    bool HasOutside = false;
    /// The node and all nodes up to the Python frame are glue or hidden.
    bool IsGlue = false;
  };

  FrameRole role(uint32_t N) const { return Roles[All.frameOf(N)]; }

  void lookBelow() {
    for (uint32_t Leaf : All.Leaves)
      Nodes[Leaf].EndsHere = true;
    for (uint32_t N = Nodes.size() - 1; N != 0; --N) {
      ViewNode &Parent = Nodes[All.parent(N)];
      bool Python = isPython(role(N));
      Nodes[N].HasPythonBelow |= Python;
      Parent.HasPythonBelow |= Nodes[N].HasPythonBelow;
      Parent.EndsHere |= Nodes[N].EndsHere && !Python;
    }
  }

  uint32_t add(uint32_t Parent, uint32_t N) {
    Out.Parents.push_back(Parent);
    Out.Frames.push_back(All.frameOf(N));
    return Out.numNodes();
  }

  void addPython(uint32_t Id) {
    ViewNode &N = Nodes[Id];
    const ViewNode &P = Nodes[All.parent(Id)];
    N.HasOutside = N.IsGlue = true;
    if (role(Id) == FrameRole::Python) {
      N.Outer = N.Inner = add(P.Outer, Id);
      return;
    }
    // The frame stays in stacks whose innermost Python frame is here.
    N.Outer = N.Inner = P.Outer;
    if (N.EndsHere && role(Id) == FrameRole::Loader)
      N.Inner = add(P.Outer, Id);
  }

  void addNative(uint32_t Id) {
    ViewNode &N = Nodes[Id];
    const ViewNode &P = Nodes[All.parent(Id)];
    FrameRole R = role(Id);
    bool IsHidden = R == FrameRole::Folded || R == FrameRole::Allocator ||
                    (R == FrameRole::Start && !P.HasOutside);
    N.HasOutside = P.HasOutside || R == FrameRole::Program;
    bool IsNew = N.HasPythonBelow && !IsHidden &&
                 (R == FrameRole::Program || R == FrameRole::Start);
    N.Outer = IsNew ? add(P.Outer, Id) : P.Outer;
    if (!N.EndsHere)
      return;
    N.IsGlue = P.IsGlue && (R == FrameRole::Glue || IsHidden);
    if (N.IsGlue || IsHidden)
      N.Inner = P.Inner;
    else if (IsNew && P.Inner == Out.parent(N.Outer))
      N.Inner = N.Outer;
    else
      N.Inner = add(P.Inner, Id);
  }

  const StackView &All;
  ArrayRef<FrameRole> Roles;
  std::vector<ViewNode> Nodes;
  StackView Out;
};

} // namespace

StackView foldStacks(const StackView &All, ArrayRef<FrameRole> Roles) {
  return Folder(All, Roles).run();
}

} // namespace memkit
