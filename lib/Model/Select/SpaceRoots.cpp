// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree below memory spaces.

#include "SpaceRoots.h"
#include "Model/Trace/StackShape.h"

using namespace llvm;

namespace memkit {

uint32_t SpaceRoots::keyOf(uint32_t Space, uint32_t Key) {
  auto [At, New] = Keys.try_emplace({Space, Key}, Pairs.size());
  if (New)
    Pairs.push_back({Space, Key});
  return At->second;
}

ScopeView SpaceRoots::view() const {
  std::vector<ShownFrame> Frames = T.allShown().vec();
  uint32_t FirstSpace = Frames.size() + 1;
  for (uint32_t Space = 0; Space <= T.trace().devices().size(); ++Space) {
    ShownFrame &F = Frames.emplace_back();
    F.Function = F.Label = T.trace().spaceName(Space);
  }
  const ShownFrame *First = T.allShown().data();
  const StackView &V = T.view();
  PathTree Tree(Pairs.size(), std::move(Frames));
  auto Next = [&](uint32_t Above, const ShownFrame &F) {
    return Tree.child(Above, 1 + uint32_t(&F - First));
  };
  WayAdder Ways(T);
  for (uint32_t Key = 1; Key != Pairs.size(); ++Key) {
    uint32_t Top = Tree.child(0, FirstSpace + Pairs[Key].Space);
    Tree.setLeaf(Key, Ways.add(Top, V.leaf(Pairs[Key].Key), Next));
  }
  return Tree.take();
}

} // namespace memkit
