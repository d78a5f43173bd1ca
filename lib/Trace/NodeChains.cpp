// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parents of the nodes of a tree of stacks, in few bytes.

#include "NodeChains.h"

using namespace memkit;

void NodeChains::append(uint32_t Parent, uint32_t Length) {
  if (!Length)
    return;
  uint32_t First = Nodes + 1;
  Nodes += Length;
  // Blocks that begin after First come after the chain.
  for (uint32_t B = First / 64 + (First % 64 != 0); B <= Nodes / 64; ++B)
    Blocks.get(B).Before = Chains + (B * 64 > First);
  Blocks.get(First / 64).Firsts |= uint64_t(1) << (First % 64);
  Parents.get(Chains++) = Parent;
}
