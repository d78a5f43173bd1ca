// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shown stack tree.

#include "memkit/Model/StackView.h"
#include "llvm/ADT/DenseMap.h"

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
      : All(All), Roles(Roles), Nodes(All.Parents.size()),
        Flags(All.Parents.size()) {
    Out.Parents.reserve(Nodes.size());
    Out.Frames.reserve(Nodes.size());
  }

  StackView run() {
    lookBelow();
    HasPython = Flags[0].HasPythonBelow;
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
  };
  /// In one byte, because the list is read in no order.
  struct ViewFlags {
    /// The node or a node below is Python.
    uint8_t HasPythonBelow : 1 = 0;
    /// A stack ends at the node, or below it with no Python frame between.
    uint8_t EndsHere : 1 = 0;
    /// The node or an outer node is Python or Program.
    uint8_t HasOutside : 1 = 0;
    /// The node and all nodes up to the Python frame are glue or hidden.
    uint8_t IsGlue : 1 = 0;
  };

  FrameRole role(uint32_t N) const { return Roles[All.frameOf(N)]; }

  void lookBelow() {
    for (uint32_t Leaf : All.Leaves)
      Flags[Leaf].EndsHere = true;
    for (uint32_t N = Nodes.size() - 1; N != 0; --N) {
      ViewFlags &Parent = Flags[All.parent(N)];
      bool Python = isPython(role(N));
      Flags[N].HasPythonBelow |= Python;
      Parent.HasPythonBelow |= Flags[N].HasPythonBelow;
      Parent.EndsHere |= Flags[N].EndsHere && !Python;
    }
  }

  uint32_t add(uint32_t Parent, uint32_t N) {
    uint32_t Frame = All.frameOf(N), Next = Out.numNodes() + 1;
    if (HasPython) {
      uint64_t Key = uint64_t(Parent) << 32 | Frame;
      auto [At, IsNew] = Known.try_emplace(Key, Next);
      if (!IsNew)
        return At->second;
    }
    Out.Parents.push_back(Parent);
    Out.Frames.push_back(Frame);
    return Next;
  }

  void addPython(uint32_t Id) {
    ViewNode &N = Nodes[Id];
    const ViewNode &P = Nodes[All.parent(Id)];
    Flags[Id].HasOutside = Flags[Id].IsGlue = true;
    if (role(Id) == FrameRole::Python) {
      N.Outer = N.Inner = add(P.Outer, Id);
      return;
    }
    // The frame stays in stacks whose innermost Python frame is here.
    N.Outer = N.Inner = P.Outer;
    if (Flags[Id].EndsHere && role(Id) == FrameRole::Loader)
      N.Inner = add(P.Outer, Id);
  }

  void addNative(uint32_t Id) {
    ViewNode &N = Nodes[Id];
    const ViewNode &P = Nodes[All.parent(Id)];
    ViewFlags &Is = Flags[Id];
    ViewFlags Above = Flags[All.parent(Id)];
    FrameRole R = role(Id);
    bool IsHidden = R == FrameRole::Folded || R == FrameRole::Allocator ||
                    (R == FrameRole::Start && !Above.HasOutside);
    Is.HasOutside = Above.HasOutside || R == FrameRole::Program;
    bool IsNew = Is.HasPythonBelow && !IsHidden &&
                 (R == FrameRole::Program || R == FrameRole::Start);
    N.Outer = IsNew ? add(P.Outer, Id) : P.Outer;
    if (!Is.EndsHere)
      return;
    Is.IsGlue = Above.IsGlue && (R == FrameRole::Glue || IsHidden);
    if (Is.IsGlue || IsHidden)
      N.Inner = P.Inner;
    else if (IsNew && P.Inner == Out.parent(N.Outer))
      N.Inner = N.Outer;
    else
      N.Inner = add(P.Inner, Id);
  }

  const StackView &All;
  ArrayRef<FrameRole> Roles;
  std::vector<ViewNode> Nodes;
  std::vector<ViewFlags> Flags; ///< by node
  /// Nodes of the view, by parent and frame. The interpreter calls a function
  /// in several ways, whose frames are folded. Without Python it would cost
  /// more than it joins.
  DenseMap<uint64_t, uint32_t> Known;
  bool HasPython = false;
  StackView Out;
};

} // namespace

StackView foldStacks(const StackView &All, ArrayRef<FrameRole> Roles) {
  return Folder(All, Roles).run();
}

} // namespace memkit
