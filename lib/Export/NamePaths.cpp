// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paths of a tree by the names of their frames.

#include "NamePaths.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

NamePaths::NamePaths(ShownTree T, FlameNames &Names)
    : PathOf(T.view().numNodes() + size_t(1)) {
  const StackView &V = T.view();
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  for (uint32_t N = 1; N <= V.numNodes(); ++N) {
    uint32_t At = PathOf[V.parent(N)];
    for (const ShownFrame &F : reverse(T.shown(V.frameOf(N)))) {
      uint32_t Name = Names.find(&F - T.allShown().data());
      auto [Found, New] = Known.try_emplace({At, Name}, Paths.size());
      if (New)
        Paths.push_back({At, Name});
      At = Found->second;
    }
    PathOf[N] = At;
  }
}

} // namespace memkit
