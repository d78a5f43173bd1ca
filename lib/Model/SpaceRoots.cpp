// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree below memory spaces.

#include "SpaceRoots.h"
#include "StackShape.h"

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
  std::vector<uint32_t> Path;
  for (uint32_t Key = 1; Key != Pairs.size(); ++Key) {
    Path.clear();
    for (uint32_t N = V.leaf(Pairs[Key].Key); N; N = V.parent(N))
      for (const ShownFrame &F : T.shown(V.frameOf(N)))
        Path.push_back(1 + uint32_t(&F - First));
    Path.push_back(FirstSpace + Pairs[Key].Space);
    std::reverse(Path.begin(), Path.end());
    Tree.add(Key, Path);
  }
  return Tree.take();
}

} // namespace memkit
