// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a trace in preorder.

#include "NodeRanks.h"

using namespace llvm;

namespace memkit {

NodeRanks::NodeRanks(ShownTree T) {
  const StackView &V = T.view();
  uint32_t Count = V.numNodes() + 1;
  // For each node, first the size of its subtree, then the rank of its next
  // child.
  std::vector<uint32_t> Space(Count, 1), Ranks(Count);
  for (uint32_t N = Count - 1; N != 0; --N)
    Space[V.parent(N)] += Space[N];
  Nodes.resize(Count);
  Nodes[0] = {Count - 1, 0};
  Space[0] = 1;
  // A parent's id is lower, so parents get ranks before their children.
  for (uint32_t N = 1; N != Count; ++N) {
    uint32_t &Next = Space[V.parent(N)];
    uint32_t Rank = Next;
    Next += Space[N];
    Nodes[Rank] = {Next - 1, V.frameOf(N)};
    Ranks[N] = Rank;
    Space[N] = Rank + 1;
  }
  KeyRanks.resize(V.Leaves.size());
  for (uint32_t K = 0; K != KeyRanks.size(); ++K)
    KeyRanks[K] = Ranks[V.leaf(K)];
}

} // namespace memkit
