// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shown stack tree.

#include "memkit/Model/StackView.h"

using namespace llvm;

namespace memkit {

namespace {

/// Folds the frames of an interpreter. Whether a frame stays depends on the
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
    for (size_t S = 0; S != All.Leaves.size(); ++S)
      Out.Leaves[S] = Nodes[All.Leaves[S]].Inner;
    return std::move(Out);
  }

private:
  struct ViewNode {
    /// The node in each part of the view. For a dropped node, the node below
    /// which its children go.
    uint32_t Outer = 0;
    /// Of the outer part, if the frames of the start stay.
    uint32_t Started = 0;
    uint32_t Inner = 0;
    bool HasPythonBelow = false; ///< the node or a node below is Python
    /// A stack ends at the node, or below it with no Python frame between.
    bool EndsHere = false;
    /// The node or an outer node is Python or Program.
    bool HasOutside = false;
    bool HasPython = false; ///< the node or an outer node is Python
    /// The node and all nodes up to the Python frame are glue.
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
    N.HasOutside = N.HasPython = N.IsGlue = true;
    if (role(Id) == FrameRole::Python) {
      N.Outer = N.Inner = add(P.Outer, Id);
      return;
    }
    // The frame stays in stacks whose innermost Python frame is here.
    N.Outer = P.Outer;
    if (N.EndsHere)
      N.Inner = add(P.Outer, Id);
  }

  void addNative(uint32_t Id) {
    ViewNode &N = Nodes[Id];
    const ViewNode &P = Nodes[All.parent(Id)];
    FrameRole R = role(Id);
    N.HasOutside = P.HasOutside;
    N.HasPython = P.HasPython;
    bool IsNew = false;
    if (N.HasPythonBelow) {
      N.Outer = P.Outer;
      N.Started = P.Started;
      bool IsStart = R == FrameRole::Start && !P.HasOutside;
      if (IsStart)
        N.Started = add(P.Started, Id);
      else if (R == FrameRole::Program || R == FrameRole::Start) {
        N.Outer = add(P.HasOutside ? P.Outer : P.Started, Id);
        N.HasOutside = IsNew = true;
      }
    }
    if (!N.EndsHere)
      return;
    N.IsGlue = P.IsGlue && R == FrameRole::Glue;
    if (N.IsGlue || R == FrameRole::Allocator)
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
