// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of calls between lines of the user's own code.

#include "OwnTree.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

OwnTree::OwnTree(const SelectedStats &S, const Places &Of) {
  const Trace &T = S.trace();
  const StackView &V = T.view();
  // The own functions of each frame, outermost first, as lines.
  std::vector<std::optional<SmallVector<uint32_t, 1>>> OfFrame(T.numFrames() +
                                                               1);
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known; ///< function, line
  auto LinesOf = [&](uint32_t Frame) -> ArrayRef<uint32_t> {
    std::optional<SmallVector<uint32_t, 1>> &Kept = OfFrame[Frame];
    if (Kept)
      return *Kept;
    Kept.emplace();
    for (const ShownFrame &F : reverse(T.shown(Frame)))
      if (std::optional<Place> P = Of.ofFrames(F)) {
        auto [At, New] =
            Known.try_emplace({F.FunctionId, F.Line}, Lines.size());
        if (New) {
          Lines.push_back(*P);
          CallsOf.emplace_back();
        }
        Kept->push_back(At->second);
      }
    return *Kept;
  };
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> CallOf; ///< parent, line
  OfNode.resize(V.numNodes() + 1);
  for (uint32_t Node = 1; Node < OfNode.size(); ++Node) {
    uint32_t Call = OfNode[V.parent(Node)];
    for (uint32_t Line : LinesOf(V.frameOf(Node))) {
      auto [At, New] = CallOf.try_emplace({Call, Line}, Calls.size());
      if (New) {
        Calls.push_back({Call, Line, 0});
        CallsOf[Line].push_back(At->second);
      }
      Call = At->second;
    }
    OfNode[Node] = Call;
  }
  S.forEach([&](uint32_t, const StackStats &R) {
    Calls[OfNode[V.leaf(R.Key)]].Allocations += R.Allocations;
  });
  for (uint32_t Call = Calls.size() - 1; Call != 0; --Call)
    Calls[Calls[Call].Parent].Allocations += Calls[Call].Allocations;
}

bool OwnTree::isBelow(uint32_t Call, uint32_t Outer) const {
  while (Call > Outer)
    Call = Calls[Call].Parent;
  return Call == Outer;
}

} // namespace memkit
