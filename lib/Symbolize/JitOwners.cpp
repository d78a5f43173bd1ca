// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes whose stacks have a frame.

#include "JitOwners.h"

using namespace llvm;
using namespace memkit;

void JitOwners::add(const Dictionary &D) {
  for (const Frame &F : D.Frames)
    IsUnknown.push_back(F.Kind == FrameKind::Unknown);
  size_t Next = 0;
  for (const NewStack &S : D.Stacks) {
    uint32_t Node = S.Parent < Nearest.size() ? S.Parent : 0;
    for (uint32_t I = 0; I != S.Length && Next != D.NodeFrames.size(); ++I) {
      uint32_t Frame = D.NodeFrames[Next++];
      uint32_t Above = Nearest[Node];
      if (Frame < IsUnknown.size() && IsUnknown[Frame]) {
        Nodes.push_back({Frame, Above});
        Above = uint32_t(Nodes.size() - 1);
      }
      Node = uint32_t(Nearest.size());
      Nearest.push_back(Above);
    }
    Leaves.push_back(Node);
  }
}

void JitOwners::add(const Summary &S) {
  for (const StackStatsRows &Rows : S.Stacks)
    for (const StackStats &Row : Rows.Rows) {
      uint32_t Node = Row.Key < Leaves.size() ? Nearest[Leaves[Row.Key]] : 0;
      for (; Node; Node = Nodes[Node].Above) {
        // What is above a known node is known.
        if (!Seen.insert(uint64_t(Rows.Process) << 32 | Node).second)
          break;
        auto &Of = Owners[Nodes[Node].Frame];
        if (!is_contained(Of, Rows.Process))
          Of.push_back(Rows.Process);
      }
    }
}

ArrayRef<uint32_t> JitOwners::owners(uint32_t Frame) const {
  auto It = Owners.find(Frame);
  return It == Owners.end() ? ArrayRef<uint32_t>() : It->second;
}
