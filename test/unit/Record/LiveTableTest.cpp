// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of live blocks by address.

#include "Record/Sources/LiveTable.h"
#include <ctime>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace memkit;

TEST(LiveTable, KeepsEveryField) {
  LiveTable T;
  LiveEntry In{LiveEntry::MaxAllocationId - 1, 123456,
               LiveEntry::MaxAllocatedTick - 1, 0xfffffffe,
               LiveEntry::MaxScopeRow - 1};
  T.insert(0x7fffdeadbee0, In);
  EXPECT_TRUE(T.contains(0x7fffdeadbee0));
  EXPECT_FALSE(T.contains(0x7fffdeadbef0));
  LiveEntry Out;
  ASSERT_TRUE(T.take(0x7fffdeadbee0, Out));
  EXPECT_EQ(In.AllocationId, Out.AllocationId);
  EXPECT_EQ(In.Size, Out.Size);
  EXPECT_EQ(In.AllocatedTick, Out.AllocatedTick);
  EXPECT_EQ(In.Row, Out.Row);
  EXPECT_EQ(In.ScopeRow, Out.ScopeRow);
  EXPECT_FALSE(T.take(0x7fffdeadbee0, Out));
  EXPECT_EQ(0u, T.size());
}

TEST(LiveTable, SizesThatDoNotFitAKey) {
  LiveTable T;
  for (uint64_t Size :
       {0ull, (1ull << 19) - 2, (1ull << 19) - 1, 1ull << 19, 1ull << 47}) {
    T.insert(4096, {1, Size, 2, 3, 4});
    LiveEntry Out;
    ASSERT_TRUE(T.take(4096, Out));
    EXPECT_EQ(Size, Out.Size);
  }
}

TEST(LiveTable, OddAddresses) {
  LiveTable T;
  for (uint64_t Address : {1ull, 8ull, 12ull, 1ull << 48, ~0ull >> 1})
    T.insert(Address, {Address, Address, 0, 0, 0});
  EXPECT_EQ(5u, T.size());
  uint64_t Seen = 0;
  for (unsigned S = 0; S != LiveTable::NumShards; ++S)
    T.forEachInShard(S, [&](const LiveEntry &, uint64_t) { ++Seen; });
  EXPECT_EQ(5u, Seen);
  for (uint64_t Address : {1ull, 8ull, 12ull, 1ull << 48, ~0ull >> 1}) {
    LiveEntry Out;
    ASSERT_TRUE(T.take(Address, Out));
    EXPECT_EQ(Address, Out.Size);
  }
}

// A walk visits a block of a pool, whose number is on top of the address, once:
// not in each shard. Time is that of the processor, and of a walk of as many
// usual blocks.
TEST(LiveTable, WalksOfPools) {
  auto WalkTime = [](uint64_t Top) {
    LiveTable T;
    for (uint64_t I = 1; I <= 200'000; ++I)
      T.insert(Top | I << 4, {I, 16, 0, 0, 0});
    clock_t Begin = clock();
    uint64_t Seen = 0;
    for (unsigned S = 0; S != LiveTable::NumShards; ++S)
      T.forEachInShard(S, [&](const LiveEntry &, uint64_t) { ++Seen; });
    EXPECT_EQ(200'000u, Seen);
    return double(clock() - Begin) / CLOCKS_PER_SEC;
  };
  double Usual = WalkTime(0), OfPool = WalkTime(1ull << 56);
  EXPECT_LT(OfPool, 0.02 + 10 * Usual);
}

// Compared with std::map, with many live blocks, few, and none.
TEST(LiveTable, AgreesWithAMap) {
  std::mt19937_64 Random(1);
  LiveTable T;
  std::map<uint64_t, uint64_t> Map;
  uint64_t AllocationId = 0;
  for (uint64_t Keep : {200000u, 100u, 150000u, 0u}) {
    for (int I = 0; I != 400000; ++I) {
      bool Add = Map.size() < Keep ? Random() % 4 != 0 : Random() % 4 == 0;
      uint64_t Address = 0x555500000000 + Random() % 400000 * 16;
      auto It = Map.find(Address);
      ASSERT_EQ(It != Map.end(), T.contains(Address));
      if (It != Map.end()) {
        LiveEntry Out;
        ASSERT_TRUE(T.take(Address, Out));
        ASSERT_EQ(It->second, Out.AllocationId);
        ASSERT_EQ(It->second % 1000, Out.Size);
        Map.erase(It);
      } else if (Add) {
        T.insert(Address,
                 {AllocationId, AllocationId % 1000, AllocationId, 1, 0});
        Map[Address] = AllocationId++;
      }
    }
    ASSERT_EQ(Map.size(), T.size());
  }
  uint64_t Sum = 0, Want = 0;
  for (auto &[Address, O] : Map)
    Want += O;
  for (unsigned S = 0; S != LiveTable::NumShards; ++S)
    T.forEachInShard(
        S, [&](const LiveEntry &E, uint64_t) { Sum += E.AllocationId; });
  EXPECT_EQ(Want, Sum);
}

// Few blocks in few buckets for a long time: every bucket overflows at some
// time.
TEST(LiveTable, SmallTablesComeToAnEnd) {
  std::mt19937_64 Random(4);
  LiveTable T;
  std::map<uint64_t, bool> Live;
  for (int I = 0; I != 3000000; ++I) {
    uint64_t Address = (1 + Random() % 5000) * 16;
    LiveEntry E;
    bool &IsLive = Live[Address];
    ASSERT_EQ(IsLive, T.contains(Address));
    ASSERT_EQ(IsLive, T.take(Address, E));
    if (!IsLive)
      T.insert(Address, E);
    IsLive = !IsLive;
  }
}

TEST(LiveTable, StaysWithin48BytesABlock) {
  LiveTable T;
  double Worst = 0;
  for (uint64_t I = 0; I != 3000000; ++I) {
    T.insert(0x7f0000000000 + I * 48, {I, 32, I, 0, 0});
    if (I >= 200000 && I % 1000 == 0)
      Worst = std::max(Worst, double(T.bytes()) / double(T.size()));
  }
  EXPECT_LE(Worst, 48.0);
}

/// In a shard of few buckets every bucket may have overflowed: the search for a
/// missing address must end.
TEST(LiveTable, SmallShardsWhoseBucketsAllOverflowed) {
  LiveTable T;
  std::mt19937_64 Random(11);
  std::map<uint64_t, uint64_t> Live;
  LiveEntry Out;
  for (uint64_t N = 0; N != 400000; ++N) {
    uint64_t Address = (1 + Random() % 6000) * 16;
    ASSERT_EQ(Live.count(Address) != 0, T.contains(Address));
    if (Live.erase(Address)) {
      ASSERT_TRUE(T.take(Address, Out));
      ASSERT_FALSE(T.take(Address, Out));
    } else {
      T.insert(Address, {N, 1, 0, 0, 0});
      Live[Address] = N;
    }
  }
}
