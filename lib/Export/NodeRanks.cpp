//===- NodeRanks.cpp - The nodes of a trace in preorder -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Export/NodeRanks.h"

using namespace llvm;

namespace memkit {

NodeRanks::NodeRanks(const Trace &T) {
  size_t Count = size_t(T.numNodes()) + 1;
  // Of each node, the nodes from it on; then the rank of its next child.
  std::vector<uint32_t> Space(Count, 1);
  for (uint32_t N = T.numNodes(); N != 0; --N)
    Space[T.parent(N)] += Space[N];
  Ranks.resize(Count);
  Nodes.resize(Count);
  Lasts.resize(Count);
  // A parent's id is lower, so it has its rank before its children.
  for (uint32_t N = 0; N != Count; ++N) {
    uint32_t Rank = 0;
    if (N) {
      uint32_t &Next = Space[T.parent(N)];
      Rank = Next;
      Next += Space[N];
    }
    Ranks[N] = Rank;
    Nodes[Rank] = N;
    Lasts[Rank] = Rank + Space[N] - 1;
    Space[N] = Rank + 1;
  }
}

} // namespace memkit
