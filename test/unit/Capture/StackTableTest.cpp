//===- StackTableTest.cpp - Tests of the shared tree of stacks ------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared tree under many threads: every thread gets, for the same stack, a
// node that spells that stack; nothing is given twice a meaning.
//
//===----------------------------------------------------------------------===//

#include "Runtime/StackTable.h"
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
    // Half of it shared with an earlier one, as stacks are.
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

uint32_t intern(StackTable &T, const Stack &S) {
  uint32_t Node = 0;
  for (uint64_t Pc : S)
    Node = T.child(Node, T.codeOf(Pc, [](uint64_t) { return 0u; }));
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

// A table's memory is zero at first, as the library's own.
std::unique_ptr<StackTable> makeTable(SharedMemory &M) {
  auto T = std::make_unique<StackTable>();
  EXPECT_TRUE(T->begin(M.Fd, M.R, *M.C));
  return T;
}

TEST(StackTable, OneThreadGivesEachStackOneDenseNode) {
  SharedMemory M(1, 1 << 20, 1 << 16);
  auto T = makeTable(M);
  auto Stacks = makeStacks(20000, 1);
  std::map<Stack, uint32_t> Given;
  for (const Stack &S : Stacks)
    Given[S] = intern(*T, S);
  std::set<Stack> Prefixes;
  for (auto &[S, Node] : Given) {
    EXPECT_EQ(intern(*T, S), Node);
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
  constexpr unsigned Threads = 8;
  std::vector<std::vector<uint32_t>> Given(Threads);
  std::vector<std::thread> Running;
  for (unsigned I = 0; I < Threads; ++I)
    Running.emplace_back([&, I] {
      for (const Stack &S : Stacks)
        Given[I].push_back(intern(*T, S));
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
  // Two threads that meet may each take an id for the same thing; few do.
  EXPECT_GE(M.C->NextNode.load(), Prefixes.size() + 1);
  EXPECT_LE(M.C->NextNode.load(), Prefixes.size() * 3 / 2);
}

TEST(StackTable, FullTableGivesNothing) {
  SharedMemory M(1, 100, 1 << 16);
  auto T = makeTable(M);
  uint32_t Node = 0, Last = 0;
  for (uint32_t Code = 1; (Node = T->child(Node, Code)); ++Code)
    Last = Node;
  EXPECT_EQ(Last, 99u);
  EXPECT_EQ(T->child(0, 1), 1u); // what is there stays
  EXPECT_EQ(M.C->NextNode.load(), 100u);
}

TEST(StackTable, ForgottenAddressesGetNewCodes) {
  SharedMemory M(1, 1 << 16, 1 << 16);
  auto T = makeTable(M);
  auto Module = [](uint64_t Pc) { return Pc < 0x1000 ? 1u : 2u; };
  uint32_t A = T->codeOf(0x500, Module), B = T->codeOf(0x2000, Module);
  T->forgetModules([](uint32_t Id) { return Id == 1; });
  EXPECT_EQ(T->codeOf(0x2000, Module), B);
  uint32_t New = T->codeOf(0x500, [](uint64_t) { return 3u; });
  EXPECT_NE(New, A);
  auto *Codes = M.at<wire::Code>(M.R.Codes);
  EXPECT_EQ(Codes[A].Module.load(), 1u); // the old one still means what it did
  EXPECT_EQ(Codes[New].Module.load(), 3u);
}

} // namespace
