// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live blocks by allocation id.

#include "memkit/Model/LiveSet.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace memkit;

namespace {

using Map = std::map<uint64_t, LiveSet::LiveSetBlock>;

void expectSame(const LiveSet &Set, const Map &Want) {
  ASSERT_EQ(Set.size(), Want.size());
  auto At = Want.begin();
  Set.forEach([&](const LiveSet::LiveSetBlock &B) {
    ASSERT_NE(At, Want.end());
    EXPECT_EQ(B.AllocationId, At->first);
    EXPECT_EQ(B.E.Row, At->second.E.Row);
    EXPECT_EQ(B.E.Size, At->second.E.Size);
    EXPECT_EQ(B.AllocatedNs, At->second.AllocatedNs);
    EXPECT_EQ(B.P.Address, At->second.P.Address);
    EXPECT_EQ(B.Thread, At->second.Thread);
    ++At;
  });
  EXPECT_EQ(At, Want.end());
}

/// Adds and erases as programs do: most blocks die young, some stay.
void churn(LiveSet &Set, Map &Want, std::mt19937_64 &Rng, unsigned Events) {
  for (unsigned I = 0; I < Events; ++I) {
    if (Rng() % 100 < 52 || Want.empty()) {
      LiveSet::LiveSetBlock B;
      B.AllocationId = Set.next();
      B.E = {uint32_t(1 + Rng() % 1000), 0, Rng() % 10000};
      B.AllocatedNs = I;
      B.Thread = 1 + Rng() % 4;
      Set.add(B.E, B.AllocatedNs, B.Thread);
      if (Rng() % 4 == 0) {
        B.P.Address = 1 + Rng() % 1000;
        Set.setPlaceOfLast(B.P);
      }
      Want[B.AllocationId] = B;
      continue;
    }
    uint64_t Back = Rng() % 10 ? Rng() % 64 : Rng() % (Set.next() + 1);
    uint64_t AllocationId = Set.next() - 1 - std::min(Back, Set.next() - 1);
    LiveSet::LiveCursor C = Set.find(AllocationId);
    ASSERT_EQ(bool(C), Want.count(AllocationId) == 1) << AllocationId;
    if (!C)
      continue;
    EXPECT_EQ(C.entry().Size, Want[AllocationId].E.Size);
    EXPECT_EQ(C.place().Address, Want[AllocationId].P.Address);
    Set.erase(C);
    Want.erase(AllocationId);
  }
}

TEST(LiveSet, SameAsMap) {
  std::mt19937_64 Rng(1);
  LiveSet Set(/*KeepThreads=*/true);
  Map Want;
  churn(Set, Want, Rng, 400000);
  ASSERT_GT(Set.next(), 3u << 16) << "several chunks, or nothing is packed";
  expectSame(Set, Want);
  EXPECT_FALSE(Set.find(Set.next()));
  while (!Want.empty()) {
    Set.erase(Set.find(Want.begin()->first));
    Want.erase(Want.begin());
  }
  expectSame(Set, Want);
}

/// As churn(), many blocks at a time.
void churnMany(LiveSet &Set, Map &Want, std::mt19937_64 &Rng, unsigned Rounds) {
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    // Some ids get room first and become live later.
    LiveSet::Room To = Set.room();
    ASSERT_GE(To.Count, 1u);
    size_t Count = 1 + Rng() % std::min<size_t>(To.Count, 500), Alive = 0;
    std::vector<uint64_t> Later;
    for (size_t I = 0; I < Count; ++I) {
      LiveSet::LiveSetBlock B;
      B.AllocationId = Set.next() + I;
      B.E = {uint32_t(1 + Rng() % 1000), 0, Rng() % 10000};
      B.AllocatedNs = Rng();
      Want[B.AllocationId] = B;
      bool Lives = Rng() % 8 != 0;
      To.Entries[I] = Lives ? B.E : LiveSet::LiveSetEntry();
      To.AllocationTimes[I] = B.AllocatedNs;
      Alive += Lives;
      if (!Lives)
        Later.push_back(B.AllocationId);
    }
    Set.fill(Count, Alive);
    for (uint64_t AllocationId : Later)
      Set.revive(AllocationId, Want[AllocationId].E,
                 Want[AllocationId].AllocatedNs);
    std::vector<uint64_t> Named;
    for (size_t I = 0; I < Count; ++I)
      Named.push_back(Rng() % 3
                          ? Set.next() - 1 -
                                Rng() % std::min<uint64_t>(Set.next(), 2000)
                          : Rng() % Set.next());
    std::vector<LiveSet::LiveSetEntry *> At(Named.size());
    Set.locate(Named, At.data());
    for (size_t I = 0; I < Named.size(); ++I) {
      auto Known = Want.find(Named[I]);
      ASSERT_EQ(At[I]->Row != 0, Known != Want.end()) << Named[I];
      if (Known == Want.end())
        continue;
      EXPECT_EQ(At[I]->Size, Known->second.E.Size);
      Set.eraseSoon(Named[I], *At[I]);
      Want.erase(Known);
    }
    Set.packDue();
  }
}

TEST(LiveSet, ManyAtATimeAreTheSame) {
  std::mt19937_64 Rng(3);
  LiveSet Set;
  Map Want;
  churnMany(Set, Want, Rng, 2000);
  ASSERT_GT(Set.next(), 5u << 16) << "several chunks, or nothing is packed";
  expectSame(Set, Want);
}

TEST(LiveSet, GoesOnFromOldBlocks) {
  std::mt19937_64 Rng(2);
  for (uint64_t Next : {0u, 1u, 65535u, 65536u, 65537u, 200000u}) {
    LiveSet Set(true);
    Set.restart(Next);
    Map Want;
    for (uint64_t AllocationId = Rng() % 7; AllocationId < Next;
         AllocationId += 1 + Rng() % 50) {
      LiveSet::LiveSetBlock B;
      B.AllocationId = AllocationId;
      B.E = {uint32_t(1 + Rng() % 1000), 0, AllocationId * 3};
      B.AllocatedNs = AllocationId;
      B.P.Address = Rng() % 2 ? AllocationId : 0;
      B.Thread = 0;
      Set.addOld(B);
      Want[AllocationId] = B;
    }
    expectSame(Set, Want);
    churn(Set, Want, Rng, 200000);
    expectSame(Set, Want);
  }
}

/// Whether findNext() agrees with find(), for all allocation ids and for each
/// Step-th.
void compareFinds(LiveSet &Live, uint64_t Step) {
  LiveSet::LiveCursor Last;
  for (uint64_t AllocationId = 0; AllocationId < Live.next() + Step;
       AllocationId += Step) {
    LiveSet::LiveCursor One = Live.find(AllocationId),
                        Next = Live.findNext(AllocationId, Last);
    ASSERT_EQ(bool(One), bool(Next)) << AllocationId;
    if (!One)
      continue;
    ASSERT_EQ(&One.entry(), &Next.entry()) << AllocationId;
    ASSERT_EQ(Next.entry().Size, AllocationId);
    Last = Next;
  }
}

TEST(LiveSet, FindsTheNext) {
  // In the first of three chunks few blocks stay live, in the second more, in
  // the third all. So the first is packed to a list, the second to bits, the
  // third not at all.
  constexpr uint64_t Chunk = 1 << 16;
  LiveSet Live;
  for (uint64_t AllocationId = 0; AllocationId != 2 * Chunk + 1000;
       ++AllocationId)
    Live.add({1, 0, AllocationId}, 0, 0);
  for (uint64_t AllocationId = 0; AllocationId != 2 * Chunk; ++AllocationId)
    if (AllocationId < Chunk ? AllocationId % 1000 : AllocationId % 10)
      Live.erase(Live.find(AllocationId));
  // Free blocks within a list.
  for (uint64_t AllocationId = Chunk + 4; AllocationId < 2 * Chunk;
       AllocationId += 50)
    if (LiveSet::LiveCursor At = Live.find(AllocationId))
      Live.erase(At);
  for (uint64_t Step : {1, 2, 10, 100, 1000})
    compareFinds(Live, Step);
  // findNext() also finds a block before the last one.
  LiveSet::LiveCursor Late = Live.find(10'000);
  ASSERT_TRUE(Late);
  EXPECT_EQ(Live.findNext(1000, Late).entry().Size, 1000u);
}

} // namespace
