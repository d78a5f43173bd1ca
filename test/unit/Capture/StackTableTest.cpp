// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared tree of stacks.
//
// Under many threads, every thread gets for a stack a node that spells the
// stack, and no node gets a second meaning.

#include "Stacks/StackTable.h"
#include "SharedMemory.h"

#include "gtest/gtest.h"
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace memkit;
using capture::StackTable;

namespace {

using Stack = std::vector<uint64_t>; // outermost first

std::vector<Stack> makeStacks(unsigned Count, unsigned Seed) {
  std::mt19937 Random(Seed);
  std::vector<Stack> Stacks;
  for (unsigned I = 0; I < Count; ++I) {
    // As in programs, half of the stack is shared with an earlier stack.
    Stack S;
    if (I) {
      const Stack &Old = Stacks[Random() % I];
      S.assign(Old.begin(), Old.begin() + long(Random() % (Old.size() + 1)));
    }
    while (S.size() < 20)
      S.push_back(0x400000 + Random() % 5000 * 16);
    Stacks.push_back(S);
  }
  return Stacks;
}

/// A table with a code for each address in the stacks.
struct Codes {
  std::map<uint64_t, uint32_t> Of;
  Codes(StackTable &T, const std::vector<Stack> &Stacks) {
    for (const Stack &S : Stacks)
      for (uint64_t Pc : S)
        if (uint32_t &Id = Of[Pc]; !Id)
          Id = T.newCode(Pc, 0, wire::CodeKind::Native);
  }
};

/// Interns a stack frame by frame, or with AtOnce as a whole.
uint32_t intern(StackTable &T, const Codes &C, const Stack &S, bool AtOnce) {
  uint32_t Node = 0;
  if (!AtOnce) {
    for (uint64_t Pc : S)
      Node = T.child(Node, C.Of.at(Pc));
    return Node;
  }
  uint32_t Taken = 0;
  EXPECT_EQ(T.path(
                0, uint32_t(S.size()),
                [&](uint32_t I) { return C.Of.at(S[I]); },
                [&](uint32_t I, uint32_t Id) {
                  EXPECT_EQ(I, Taken++);
                  Node = Id;
                }),
            S.size());
  return Node;
}

Stack spell(SharedMemory &M, uint32_t Node) {
  Stack S;
  auto *Nodes = M.at<wire::Node>(M.R.Nodes);
  auto *Codes = M.at<wire::Code>(M.R.Codes);
  while (Node) {
    uint32_t Parent = Nodes[Node].Parent;
    EXPECT_LT(Parent, Node);
    S.insert(S.begin(), Codes[Nodes[Node].Code].Address);
    Node = Parent;
  }
  return S;
}

// The table starts with zeroed memory, as in the library.
std::unique_ptr<StackTable> makeTable(SharedMemory &M) {
  auto T = std::make_unique<StackTable>();
  EXPECT_TRUE(T->begin(M.Fd, M.R, *M.C));
  return T;
}

TEST(StackTable, OneThreadGivesEachStackOneDenseNode) {
  SharedMemory M(1, 1 << 20, 1 << 16);
  auto T = makeTable(M);
  auto Stacks = makeStacks(20000, 1);
  Codes C(*T, Stacks);
  std::map<Stack, uint32_t> Given;
  for (size_t I = 0; I < Stacks.size(); ++I)
    Given[Stacks[I]] = intern(*T, C, Stacks[I], I % 2);
  std::set<Stack> Prefixes;
  for (auto &[S, Node] : Given) {
    EXPECT_EQ(intern(*T, C, S, Node % 2), Node);
    EXPECT_EQ(spell(M, Node), S);
    for (size_t N = 1; N <= S.size(); ++N)
      Prefixes.insert(Stack(S.begin(), S.begin() + long(N)));
  }
  EXPECT_EQ(M.C->NextNode.load(), Prefixes.size() + 1);
}

TEST(StackTable, ManyThreadsAgree) {
  SharedMemory M(1, 1 << 21, 1 << 16);
  auto T = makeTable(M);
  auto Stacks = makeStacks(10000, 2);
  Codes C(*T, Stacks);
  constexpr unsigned Threads = 8;
  std::vector<std::vector<uint32_t>> Given(Threads);
  std::vector<std::thread> Running;
  for (unsigned I = 0; I < Threads; ++I)
    Running.emplace_back([&, I] {
      for (const Stack &S : Stacks)
        Given[I].push_back(intern(*T, C, S, I % 2));
    });
  for (auto &R : Running)
    R.join();
  std::set<Stack> Prefixes;
  for (size_t S = 0; S < Stacks.size(); ++S)
    for (unsigned I = 0; I < Threads; ++I)
      ASSERT_EQ(spell(M, Given[I][S]), Stacks[S]);
  for (const Stack &S : Stacks)
    for (size_t N = 1; N <= S.size(); ++N)
      Prefixes.insert(Stack(S.begin(), S.begin() + long(N)));
  // Threads that meet may take several ids for one node, but few do.
  EXPECT_GE(M.C->NextNode.load(), Prefixes.size() + 1);
  EXPECT_LE(M.C->NextNode.load(), Prefixes.size() * 3 / 2);
}

TEST(StackTable, MillionsOfNodesAreFoundAgain) {
  constexpr uint32_t Count = 2000000;
  SharedMemory M(1, 1 << 22, 1 << 16);
  auto T = makeTable(M);
  std::mt19937 Random(3);
  std::vector<std::pair<uint32_t, uint32_t>> Keys;
  for (uint32_t I = 1; I <= Count; ++I) {
    // A pair of parent and code that has no node yet.
    uint32_t Parent = uint32_t(Random() % I);
    ASSERT_EQ(T->child(Parent, I), I);
    Keys.push_back({Parent, I});
  }
  for (uint32_t I = 0; I < Count; I += 7)
    ASSERT_EQ(T->child(Keys[I].first, Keys[I].second), I + 1);
  EXPECT_EQ(M.C->NextNode.load(), Count + 1);
  // Hardly any node is near its parent: four bytes for each node, and a hash
  // table at least three eighths full.
  EXPECT_LE(T->bytes(), Count * (4 + 8 * 8 / 3));
}

TEST(StackTable, ChainsNeedLittleMemory) {
  constexpr uint32_t Chains = 50000, Length = 20;
  SharedMemory M(1, 1 << 21, 1 << 17);
  auto T = makeTable(M);
  std::vector<uint32_t> Leaves;
  for (int Again = 0; Again < 2; ++Again)
    for (uint32_t C = 0; C < Chains; ++C) {
      uint32_t Leaf = 0;
      T->path(
          0, Length, [&](uint32_t I) { return I ? I : 100 + C; },
          [&](uint32_t, uint32_t Id) { Leaf = Id; });
      if (!Again)
        Leaves.push_back(Leaf);
      ASSERT_EQ(Leaf, Leaves[C]);
    }
  EXPECT_EQ(M.C->NextNode.load(), Chains * Length + 1);
  EXPECT_LE(T->bytes(), Chains * Length * 5 + (2u << 20));
}

TEST(StackTable, HiddenFramesHaveTheirParentsNode) {
  SharedMemory M(1, 1 << 12, 1 << 12);
  auto T = makeTable(M);
  const uint32_t Path[] = {1, 0, 2, 0};
  for (int Again = 0; Again < 2; ++Again) {
    std::vector<uint32_t> Nodes;
    T->path(
        0, 4, [&](uint32_t I) { return Path[I]; },
        [&](uint32_t, uint32_t Id) { Nodes.push_back(Id); });
    EXPECT_EQ(Nodes, (std::vector<uint32_t>{1, 1, 2, 2}));
  }
}

TEST(StackTable, FullTableGivesNothing) {
  SharedMemory M(1, 100, 1 << 16);
  auto T = makeTable(M);
  uint32_t Node = 0, Last = 0;
  for (uint32_t Code = 1; (Node = T->child(Node, Code)); ++Code)
    Last = Node;
  EXPECT_EQ(Last, 99u);
  EXPECT_EQ(T->child(0, 1), 1u); // existing nodes stay
  EXPECT_EQ(M.C->NextNode.load(), 100u);
}

TEST(StackTable, FullTableGivesThePartThatFits) {
  SharedMemory M(1, 6, 1 << 16);
  auto T = makeTable(M);
  T->child(0, 7);
  std::vector<uint32_t> Nodes;
  uint32_t Got = T->path(
      0, 10, [&](uint32_t I) { return I + 7; },
      [&](uint32_t, uint32_t Id) { Nodes.push_back(Id); });
  EXPECT_EQ(Got, 5u);
  EXPECT_EQ(Nodes, (std::vector<uint32_t>{1, 2, 3, 4, 5}));
}

} // namespace
