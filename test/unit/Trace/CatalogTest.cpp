// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The catalog of names and stacks.

#include "Trace/Catalog.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace llvm;
using namespace memkit;

namespace {

/// A tree of paths as a map from (parent, frame).
struct NaiveTree {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Nodes;
  std::map<uint32_t, uint32_t> Stacks; ///< by node

  uint32_t node(uint32_t Parent, uint32_t Frame) {
    return Nodes.try_emplace({Parent, Frame}, uint32_t(Nodes.size() + 1))
        .first->second;
  }
  uint32_t stack(uint32_t Node) {
    return Stacks.try_emplace(Node, uint32_t(Stacks.size() + 1)).first->second;
  }
};

} // namespace

// Equal paths share a node for any number of children of the node and of its
// siblings.
TEST(Catalog, SharesNodes) {
  for (uint32_t NumFrames : {1u, 2u, 7u, 8u, 9u, 10u, 300u}) {
    Catalog C;
    NaiveTree Naive;
    std::mt19937 Random(NumFrames);
    std::vector<uint32_t> Made{0};
    for (int Round = 0; Round != 3000; ++Round) {
      uint32_t Parent = Made[Random() % std::min<size_t>(Made.size(), 20)];
      std::vector<uint32_t> Path(1 + Random() % 4);
      uint32_t Expected = Parent;
      std::vector<uint32_t> Nodes;
      for (uint32_t &Frame : Path) {
        Frame = 1 + Random() % NumFrames;
        Nodes.push_back(Expected = Naive.node(Expected, Frame));
      }
      std::vector<uint32_t> Told;
      Catalog::FramePath Got =
          C.stack(Parent, Path, [&](size_t I, uint32_t Node) {
            EXPECT_EQ(I, Told.size());
            Told.push_back(Node);
          });
      ASSERT_EQ(Nodes, Told) << NumFrames << " frames, round " << Round;
      ASSERT_EQ(Expected, Got.Node);
      ASSERT_EQ(Naive.stack(Expected), Got.Stack);
      if (Expected == C.numNodes())
        Made.push_back(Expected);
    }
    EXPECT_EQ(Naive.Nodes.size(), C.numNodes());
    EXPECT_EQ(Naive.Stacks.size(), C.numStacks());
    EXPECT_EQ(C.numNodes(), C.pending().NodeFrames.size());
  }
}
