// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured scopes and their scope paths.

#include "Scopes/ScopeStatsTable.h"
#include "Trace/Catalog.h"
#include "Trace/ScopeTree.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace memkit;

namespace {

struct Spans : testing::Test {
  LiveStats Stats;
  uint32_t Row = 0;
  uint64_t Next = 0, TimeNs = 0;

  void SetUp() override {
    Stats.addHeap(1, Heap());
    Stats.beginProcess(1, 0);
    Row = Stats.stackRow(1, 1, 1);
  }
  uint64_t now() { return TimeNs += TimeUnitNs; }
  void allocate(uint64_t Size) {
    Stats.allocate({Next++, Row, 0}, Size, now(), 1);
  }
  void free(uint64_t AllocationId, uint64_t Size) {
    Stats.free({AllocationId, Row, 0}, Size, now(), 1);
  }
};

TEST_F(Spans, ReservedNowAndAtMost) {
  ScopeStatsTable T(Stats, 1, 0);
  T.begin(1, 11, now());
  T.noteReserved(1, 500, 400);
  T.begin(2, 12, now());
  const ScopeResult *Two = T.find(2, now());
  ASSERT_TRUE(Two);
  EXPECT_EQ(Two->Rows[1].ReservedPeak, 500u);
  EXPECT_EQ(Two->Rows[1].ActiveAtPeak, 400u);
  T.noteReserved(1, 900, 800);
  T.noteReserved(1, 900, 850); // fuller
  T.noteReserved(1, 900, 20);
  T.noteReserved(1, 100, 50);
  T.begin(3, 13, now());
  const ScopeResult *Three = T.end(3, now());
  ASSERT_TRUE(Three);
  EXPECT_TRUE(Three->Rows[1].IsReservedKnown);
  EXPECT_EQ(Three->Rows[1].ReservedPeak, 100u);
  EXPECT_EQ(Three->Rows[1].ActiveAtPeak, 50u);
  Two = T.end(2, now());
  ASSERT_TRUE(Two);
  EXPECT_EQ(Two->Rows[1].ReservedPeak, 900u);
  EXPECT_EQ(Two->Rows[1].Reserved, 100u);
  EXPECT_EQ(Two->Rows[1].ActiveAtPeak, 850u);
  const ScopeResult *One = T.end(1, now());
  ASSERT_TRUE(One);
  EXPECT_EQ(One->Rows[1].ReservedPeak, 900u);
  EXPECT_EQ(One->Rows[1].Active, 50u);
  EXPECT_FALSE(One->Rows[0].IsReservedKnown);
}

TEST_F(Spans, PeaksOfScopesThatOverlap) {
  ScopeStatsTable T(Stats, 1, 0);
  allocate(100);
  T.begin(1, 11, now());
  allocate(50);
  T.begin(2, 12, now());
  free(0, 100);
  T.begin(3, 13, now());
  const ScopeResult *One = T.end(1, now());
  ASSERT_TRUE(One);
  EXPECT_EQ(One->Text, 11u);
  EXPECT_EQ(One->Rows[1].Before, 100u);
  EXPECT_EQ(One->Rows[1].Peak, 150u);
  EXPECT_EQ(One->Rows[1].After, 50u);
  EXPECT_EQ(One->Rows[1].FreedBytes, 100u);
  EXPECT_EQ(One->DurationNs, 700u - 200u);
  allocate(20);
  const ScopeResult *Three = T.end(3, now());
  ASSERT_TRUE(Three);
  EXPECT_EQ(Three->Rows[1].Before, 50u);
  EXPECT_EQ(Three->Rows[1].Peak, 70u);
  // Scope 2 and the process are open, and the result of scope 1 is kept.
  EXPECT_EQ(T.find(2, now())->Rows[1].Peak, 150u);
  EXPECT_EQ(T.find(0, now())->Rows[0].AllocatedBytes, 170u);
  EXPECT_EQ(T.find(1, now())->Rows[1].Peak, 150u);
  EXPECT_FALSE(T.find(4, now()));
  EXPECT_FALSE(T.end(1, now()));
  EXPECT_FALSE(T.end(0, now()));
}

TEST_F(Spans, AreAsAPlainModelSays) {
  struct Model {
    uint64_t Before, Peak;
  };
  ScopeStatsTable T(Stats, 1, 0);
  std::mt19937 Random(7);
  std::map<uint64_t, Model> Open;
  std::vector<std::pair<uint64_t, uint64_t>> Blocks;
  uint64_t Live = 0, Number = 0;
  for (int I = 0; I != 20000; ++I) {
    unsigned What = Random() % 8;
    if (What < 3) {
      uint64_t Size = Random() % 1000;
      Blocks.push_back({Next, Size});
      // Half of the allocations in batches.
      uint64_t At = now();
      Change C{Size, Row, 0, Change::Allocate};
      if (Random() % 2)
        Stats.allocate({Next, Row, 0}, Size, At, 1);
      else
        Stats.apply(1, C, &At);
      ++Next;
      Live += Size;
      for (auto &[Id, M] : Open)
        M.Peak = std::max(M.Peak, Live);
    } else if (What < 6 && !Blocks.empty()) {
      size_t At = Random() % Blocks.size();
      free(Blocks[At].first, Blocks[At].second);
      Live -= Blocks[At].second;
      Blocks[At] = Blocks.back();
      Blocks.pop_back();
    } else if (What == 6 || Open.empty()) {
      T.begin(++Number, 1, now());
      Open[Number] = {Live, Live};
    } else {
      auto It = std::next(Open.begin(), Random() % Open.size());
      const ScopeResult *S = T.end(It->first, now());
      ASSERT_TRUE(S);
      ASSERT_EQ(S->Rows[1].Before, It->second.Before);
      ASSERT_EQ(S->Rows[1].Peak, It->second.Peak);
      ASSERT_EQ(S->Rows[0].Peak, It->second.Peak);
      ASSERT_EQ(S->Rows[1].After, Live);
      Open.erase(It);
    }
  }
  EXPECT_GT(Number, 1000u);
}

/// Scopes and layers of several threads over heaps of two devices, compared
/// with plain models. A layer has rows of changed heaps only.
TEST_F(Spans, LayersAmongScopes) {
  std::vector<uint32_t> Rows;
  for (uint32_t Id = 2; Id != 5; ++Id) {
    Heap H;
    H.Space = Id / 2;
    Stats.addHeap(Id, H);
    Rows.push_back(Stats.stackRow(1, Id, 1));
  }
  struct Model {
    uint64_t Before[3], Peak[3], Allocated[3] = {};
    bool Changed[3] = {};
    bool IsLayer;
    uint64_t SpacePeak[2];
  };
  ScopeStatsTable T(Stats, 1, 0);
  std::mt19937 Random(11);
  std::map<uint64_t, Model> Open;
  uint64_t Live[3] = {}, Number = 0;
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> Blocks(3);
  // Heaps 2 and 3 belong to the first device, heap 4 to the second.
  auto OfSpace = [&](unsigned D) { return D ? Live[2] : Live[0] + Live[1]; };
  auto Note = [&](unsigned Of, uint64_t Allocated) {
    for (auto &[Id, M] : Open) {
      for (unsigned D : {0, 1})
        M.SpacePeak[D] = std::max(M.SpacePeak[D], OfSpace(D));
      M.Peak[Of] = std::max(M.Peak[Of], Live[Of]);
      M.Allocated[Of] += Allocated;
      M.Changed[Of] = true;
    }
  };
  for (int I = 0; I != 20000; ++I) {
    unsigned What = Random() % 8, Of = Random() % 3;
    if (What < 2) {
      uint64_t Size = Random() % 1000;
      Blocks[Of].push_back({Next, Size});
      Stats.allocate({Next++, Rows[Of], 0}, Size, now(), 1);
      Live[Of] += Size;
      Note(Of, Size);
    } else if (What < 4 && !Blocks[Of].empty()) {
      auto [AllocationId, Size] = Blocks[Of].back();
      Blocks[Of].pop_back();
      Stats.free({AllocationId, Rows[Of], 0}, Size, now(), 1);
      Live[Of] -= Size;
      Note(Of, 0);
    } else if (What < 6 || Open.empty()) {
      Model &M = Open[++Number];
      M.IsLayer = Random() % 3;
      if (M.IsLayer)
        T.beginLayer(Number, 1, now());
      else
        T.begin(Number, 1, now());
      for (unsigned D : {0, 1})
        M.SpacePeak[D] = OfSpace(D);
      for (unsigned H = 0; H != 3; ++H)
        M.Before[H] = M.Peak[H] = Live[H];
    } else {
      auto It = std::next(Open.begin(), Random() % Open.size());
      const Model &M = It->second;
      if (!M.IsLayer) {
        const ScopeResult *S = T.end(It->first, now());
        ASSERT_TRUE(S);
        for (unsigned D : {0, 1}) {
          ASSERT_EQ(S->Spaces[D + 1].Peak, M.SpacePeak[D]);
          ASSERT_EQ(S->Spaces[D + 1].After, OfSpace(D));
        }
        for (unsigned H = 0; H != 3; ++H) {
          ASSERT_EQ(S->Rows[H + 2].Before, M.Before[H]);
          ASSERT_EQ(S->Rows[H + 2].Peak, M.Peak[H]);
          ASSERT_EQ(S->Rows[H + 2].AllocatedBytes, M.Allocated[H]);
        }
        Open.erase(It);
        continue;
      }
      ASSERT_FALSE(T.end(It->first, now()));
      const LayerRange *S = T.endLayer(It->first, now());
      ASSERT_TRUE(S);
      size_t Changed = 0;
      for (unsigned H = 0; H != 3; ++H) {
        auto At = llvm::find_if(S->Changed, [&](const LayerRange::HeapRow &R) {
          return R.Heap == H + 2;
        });
        bool Is = At != S->Changed.end();
        Changed += Is;
        ASSERT_EQ(Is, M.Changed[H]);
        ASSERT_EQ(T.liveBytes(H + 2), Live[H]);
        if (!Is)
          continue;
        ASSERT_EQ(At->Peak, M.Peak[H]);
        ASSERT_EQ(At->AllocatedBytes, M.Allocated[H]);
        ASSERT_EQ(At->FreedBytes, M.Before[H] + M.Allocated[H] - Live[H]);
      }
      ASSERT_EQ(S->Changed.size(), Changed);
      Open.erase(It);
    }
  }
  EXPECT_GT(Number, 1000u);
  const ScopeResult *Whole = T.find(0, now());
  ASSERT_EQ(Whole->Spaces.size(), 3u);
  EXPECT_EQ(Whole->Spaces[1].After, Live[0] + Live[1]);
  EXPECT_EQ(Whole->Spaces[2].Peak, Whole->Rows[4].Peak);
}

TEST_F(Spans, AreBounded) {
  ScopeStatsTable T(Stats, 1, 0);
  for (uint64_t I = 1; I <= ScopeStatsTable::MaxOpen + 10; ++I)
    T.begin(I, 1, now());
  EXPECT_FALSE(T.end(1, now()));
  EXPECT_TRUE(T.end(11, now()));
  for (uint64_t I = ScopeStatsTable::MaxOpen + 10; I != 11; --I)
    EXPECT_TRUE(T.end(I, now()));
  EXPECT_FALSE(T.find(11, now()));
  EXPECT_TRUE(T.find(12, now()));
  EXPECT_TRUE(T.find(11 + ScopeStatsTable::MaxKept, now()));
}

TEST(ScopeTree, NamesThatDifferInDigitsFold) {
  Catalog Names;
  ScopeTree T(Names);
  uint32_t Top = T.enter(0, ScopeKind::User, "epoch", 3).ScopePath;
  for (unsigned I = 0; I != ScopeTree::MaxAlike; ++I)
    EXPECT_FALSE(
        T.enter(Top, ScopeKind::User, "iter " + std::to_string(I), 4).Folded);
  ScopeTree::Entered More = T.enter(Top, ScopeKind::User, "iter 1000", 4);
  EXPECT_TRUE(More.Folded);
  EXPECT_EQ(T.enter(Top, ScopeKind::User, "iter 77777", 4).ScopePath,
            More.ScopePath);
  // A known name keeps its scope path, and another parent has its own count.
  EXPECT_FALSE(T.enter(Top, ScopeKind::User, "iter 7", 4).Folded);
  EXPECT_FALSE(T.enter(0, ScopeKind::User, "iter 1000", 4).Folded);
  EXPECT_EQ(T.enter(0, ScopeKind::User, "epoch", 3).ScopePath, Top);
  EXPECT_NE(T.enter(0, ScopeKind::User, "epoch", 2).ScopePath, Top);
  EXPECT_EQ(foldDigits("a12b3"), "a#b#");
}

} // namespace
