// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map from pcs to code words.
//
// Inserted pcs are found, by every thread and while the map grows; removed pcs
// are not; words keep rules.

#include "Unwind/CodeMap.h"

#include "gtest/gtest.h"
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace memkit::capture;

namespace {

/// The map starts with zeroed memory, as in the library.
std::unique_ptr<CodeMap> makeMap() {
  auto M = std::make_unique<CodeMap>();
  EXPECT_TRUE(M->begin());
  return M;
}

CodeWord wordOf(uint32_t Code) {
  return CodeWord::make({.Kind = RuleKind::Sp, .CfaOffset = 32}, Code, 0);
}

/// Call addresses, spread as in code.
std::vector<uintptr_t> makePcs(unsigned Count, unsigned Seed) {
  std::mt19937_64 Random(Seed);
  std::vector<uintptr_t> Pcs;
  uintptr_t Pc = 0x550000000000;
  while (Pcs.size() < Count) {
    Pc += Random() % 200 ? 5 + Random() % 40 : Random() % (64 << 20);
    Pcs.push_back(Pc);
  }
  return Pcs;
}

TEST(CodeMap, WhatIsPutInIsFound) {
  auto M = makeMap();
  auto Pcs = makePcs(100000, 1);
  for (uint32_t I = 0; I < Pcs.size(); ++I) {
    ASSERT_FALSE(M->find(Pcs[I]));
    ASSERT_EQ(M->insert(Pcs[I], wordOf(I + 1)).code(), I + 1);
    // The first word stays.
    ASSERT_EQ(M->insert(Pcs[I], wordOf(7)).code(), I + 1);
  }
  for (uint32_t I = 0; I < Pcs.size(); ++I)
    ASSERT_EQ(M->find(Pcs[I]).code(), I + 1);
  EXPECT_LE(M->bytes(), Pcs.size() * 16 * 8 / 3);
}

TEST(CodeMap, WhatIsTakenOutIsGoneAndCanComeAgain) {
  auto M = makeMap();
  auto Pcs = makePcs(20000, 5);
  for (uint32_t I = 0; I < Pcs.size(); ++I)
    M->insert(Pcs[I], wordOf(I + 1));
  for (uint32_t I = 0; I < Pcs.size(); I += 2) {
    ASSERT_EQ(M->take(Pcs[I]).code(), I + 1);
    ASSERT_FALSE(M->take(Pcs[I]));
  }
  for (uint32_t I = 0; I < Pcs.size(); ++I)
    ASSERT_EQ(M->find(Pcs[I]).code(), I % 2 ? I + 1 : 0);
  // Replacing an entry many times does not grow the table.
  uint64_t Bytes = M->bytes();
  for (uint32_t I = 0; I < 200000; ++I) {
    ASSERT_EQ(M->insert(Pcs[0], wordOf(I + 9)).code(), I + 9);
    ASSERT_EQ(M->take(Pcs[0]).code(), I + 9);
  }
  EXPECT_LE(M->bytes(), 2 * Bytes);
}

TEST(CodeMap, EveryThreadFindsTheSameWhileItGrows) {
  auto M = makeMap();
  auto Pcs = makePcs(60000, 2);
  std::vector<std::thread> Running;
  std::vector<std::vector<uint32_t>> Got(6);
  for (uint32_t T = 0; T < Got.size(); ++T)
    Running.emplace_back([&, T] {
      for (uint32_t I = 0; I < Pcs.size(); ++I) {
        CodeWord W = M->find(Pcs[I]);
        if (!W)
          W = M->insert(Pcs[I], wordOf(I + 1));
        Got[T].push_back(W.code());
      }
    });
  for (auto &R : Running)
    R.join();
  for (auto &G : Got)
    for (uint32_t I = 0; I < Pcs.size(); ++I)
      ASSERT_EQ(G[I], I + 1);
}

TEST(CodeMap, ForgottenPcsAreGoneAndOthersStay) {
  auto M = makeMap();
  auto Pcs = makePcs(20000, 3);
  for (uint32_t I = 0; I < Pcs.size(); ++I)
    M->insert(Pcs[I], wordOf(I + 1));
  AddressRange Gone = {Pcs[5000], Pcs[9000]};
  M->forget(Gone);
  for (uint32_t I = 0; I < Pcs.size(); ++I)
    ASSERT_EQ(bool(M->find(Pcs[I])), !Gone.has(Pcs[I]));
  for (uint32_t I = 5000; I < 9000; ++I)
    ASSERT_EQ(M->insert(Pcs[I], wordOf(1000000 + I)).code(), 1000000 + I);
  for (uint32_t I = 5000; I < 9000; ++I)
    ASSERT_EQ(M->find(Pcs[I]).code(), 1000000 + I);
}

TEST(CodeMap, LibrariesThatComeAndGoDoNotMakeItGrow) {
  auto M = makeMap();
  auto Pcs = makePcs(1000, 4);
  for (uint32_t Round = 0; Round < 2000; ++Round) {
    for (uint32_t I = 0; I < Pcs.size(); ++I)
      M->insert(Pcs[I], wordOf(Round + 1));
    ASSERT_EQ(M->find(Pcs[Round % 1000]).code(), Round + 1);
    M->forget({Pcs.front(), Pcs.back() + 1});
  }
  EXPECT_LE(M->bytes(), 16u << 13);
}

TEST(CodeMap, WhatIsForgottenWhileItGrowsStaysForgotten) {
  auto M = makeMap();
  auto Pcs = makePcs(20000, 5);
  std::thread Grows([&] {
    for (uint32_t I = 1000; I < Pcs.size(); ++I)
      M->insert(Pcs[I], wordOf(I));
  });
  for (uint32_t Round = 1; Round <= 60; ++Round) {
    for (uint32_t I = 0; I < 100; ++I)
      ASSERT_EQ(M->insert(Pcs[I], wordOf(Round)).code(), Round);
    M->forget({Pcs[0], Pcs[100]});
    for (uint32_t I = 0; I < 100; ++I)
      ASSERT_FALSE(M->find(Pcs[I]));
  }
  Grows.join();
}

TEST(CodeWord, KeepsTheRulesThatFit) {
  for (int32_t Cfa : {8, 16, 200, 4096, (1 << 23) - 1})
    for (int16_t Slot : {-2, -3, -16}) {
      Rule R{.Kind = RuleKind::Fp,
             .Flags = Rule::FpSaved,
             .FpSlot = Slot,
             .CfaOffset = Cfa};
      CodeWord W = CodeWord::make(R, CodeWord::MaxCode, CodeWord::Hidden);
      EXPECT_EQ(W.kind(), RuleKind::Fp);
      EXPECT_TRUE(W.isPlain() && W.savesFp() && W.has(CodeWord::Hidden));
      EXPECT_EQ(W.code(), CodeWord::MaxCode);
      EXPECT_EQ(W.cfaOffset(), Cfa);
      EXPECT_EQ(W.fpOffset(), Slot * 8);
    }
  CodeWord W =
      CodeWord::make({.Kind = RuleKind::Realigned, .CfaOffset = -8}, 5, 0);
  EXPECT_EQ(W.kind(), RuleKind::Realigned);
  EXPECT_FALSE(W.isPlain());
  EXPECT_EQ(W.cfaOffset(), -8);
}

TEST(CodeWord, RulesThatDoNotFitAreSlow) {
  auto KindOf = [](Rule R) { return CodeWord::make(R, 1, 0).kind(); };
  constexpr uint8_t Saved = Rule::FpSaved;
  EXPECT_EQ(KindOf({RuleKind::Sp, 0, 0, 1 << 23}), RuleKind::Slow);
  // The saved rbp is at the return address or above.
  EXPECT_EQ(KindOf({RuleKind::Sp, Saved, -1, 64}), RuleKind::Slow);
  EXPECT_EQ(KindOf({RuleKind::Sp, Saved, 2, 64}), RuleKind::Slow);
  // The saved rbp is below rsp, or so far from rbp that it may be below rsp.
  EXPECT_EQ(KindOf({RuleKind::Sp, Saved, -9, 64}), RuleKind::Slow);
  EXPECT_EQ(KindOf({RuleKind::Sp, Saved, -8, 64}), RuleKind::Sp);
  EXPECT_EQ(KindOf({RuleKind::Fp, Saved, -17, 16}), RuleKind::Slow);
  // Frames interrupted by a signal are looked up by the pc itself.
  EXPECT_EQ(KindOf({RuleKind::Sp, Rule::SignalFrame, 0, 64}), RuleKind::Slow);
}

} // namespace
