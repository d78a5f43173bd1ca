// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulate/FreeBlocks.h"
#include "gtest/gtest.h"
#include <random>
#include <set>
#include <tuple>

using namespace memkit;

namespace {
/// The same set as a tree.
using BlockTree = std::set<std::tuple<uint64_t, uint64_t, uint32_t>>;
} // namespace

static BlockTree contents(const FreeBlocks &Of) {
  BlockTree Out;
  Of.forEach([&](const FreeBlock &B) {
    EXPECT_TRUE(Out.emplace(B.Size, B.Address, B.Block).second);
  });
  return Out;
}

/// Random changes with few sizes, so that many blocks have one size.
static void compare(unsigned Seed, unsigned NumSizes, unsigned MaxBlocks) {
  std::mt19937 Random(Seed);
  FreeBlocks Set;
  BlockTree Tree;
  auto NewBlock = [&] {
    return FreeBlock{1 + Random() % NumSizes, 1 + Random() % (1u << 30),
                     uint32_t(Random())};
  };
  auto Pick = [&] {
    auto It = Tree.lower_bound({1 + Random() % NumSizes, 0, 0});
    return It == Tree.end() ? Tree.begin() : It;
  };
  for (unsigned I = 0; I != 20000; ++I) {
    unsigned What = Random() % (Tree.size() < MaxBlocks ? 3 : 5);
    if (What < 2 || Tree.empty()) {
      FreeBlock B = NewBlock();
      if (Tree.emplace(B.Size, B.Address, B.Block).second)
        Set.insert(B);
    } else if (What == 2) {
      auto It = Pick();
      FreeBlock B = NewBlock();
      Set.replace(Set.find(std::get<0>(*It), std::get<1>(*It)), B);
      Tree.erase(It);
      Tree.emplace(B.Size, B.Address, B.Block);
    } else {
      auto It = Pick();
      Set.erase(std::get<0>(*It), std::get<1>(*It));
      Tree.erase(It);
    }
    uint64_t Size = Random() % (NumSizes + 2);
    auto Wanted = Tree.lower_bound({Size, 0, 0});
    FreeBlocks::FreePlace P = Set.find(Size);
    ASSERT_EQ(Set.isEnd(P), Wanted == Tree.end());
    if (Wanted != Tree.end()) {
      ASSERT_EQ(Set.block(P), std::get<2>(*Wanted));
      P = Set.next(P);
      ASSERT_EQ(Set.isEnd(P), ++Wanted == Tree.end());
    }
    if (!Tree.empty()) {
      ASSERT_EQ(Set.block(Set.largest()), std::get<2>(*Tree.rbegin()));
    }
  }
  EXPECT_EQ(contents(Set), Tree);
}

TEST(FreeBlocksTest, IsAnOrderedSet) {
  compare(1, 1000000, 30);
  compare(2, 1000000, 3000);
  compare(3, 5, 30);
  compare(4, 3, 3000);
  compare(5, 1, 500);
}

TEST(FreeBlocksTest, Empty) {
  FreeBlocks Set;
  EXPECT_TRUE(Set.empty());
  EXPECT_TRUE(Set.isEnd(Set.find(0)));
  Set.insert({512, 4096, 7});
  EXPECT_FALSE(Set.empty());
  EXPECT_TRUE(Set.isEnd(Set.find(513)));
  Set.erase(512, 4096);
  EXPECT_TRUE(Set.empty());
}
