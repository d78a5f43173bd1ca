// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parents of the nodes of a tree of stacks.

#include "Trace/NodeChains.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace memkit;

// Chains of all lengths, around the sizes of a block and of several, beside a
// plain array.
TEST(NodeChains, KnowsParents) {
  for (uint32_t Longest : {1u, 3u, 64u, 200u}) {
    NodeChains Tree;
    std::vector<uint32_t> Parents{0}, Chains{0};
    std::vector<bool> Begins{
        true}; // so that the root ends where a chain begins
    std::mt19937 Random(Longest);
    uint32_t NumChains = 0;
    for (int Round = 0; Round != 2000; ++Round) {
      uint32_t Parent = Random() % uint32_t(Parents.size());
      uint32_t Length = Random() % (Longest + 1);
      Tree.append(Parent, Length);
      for (uint32_t I = 0; I != Length; ++I) {
        Parents.push_back(I ? uint32_t(Parents.size() - 1) : Parent);
        Chains.push_back(NumChains);
        Begins.push_back(I == 0);
      }
      NumChains += Length != 0;
    }
    ASSERT_EQ(Parents.size() - 1, Tree.numNodes());
    ASSERT_EQ(NumChains, Tree.numChains());
    for (uint32_t Node = 1; Node != Parents.size(); ++Node) {
      ASSERT_EQ(Parents[Node], Tree.parent(Node)) << Node;
      ASSERT_EQ(Chains[Node], Tree.chainOf(Node)) << Node;
      ASSERT_EQ(Begins[Node], Tree.begins(Node)) << Node;
      ASSERT_EQ(Node + 1 == Parents.size() || Begins[Node + 1], Tree.ends(Node))
          << Node;
    }
  }
}
