// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulate/SlotTable.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace memkit;

/// Ids near and far from 0 have slots of their own, also in one chunk.
TEST(SlotTableTest, FarIds) {
  SlotTable T;
  constexpr uint64_t Far = uint64_t(1) << 61;
  EXPECT_EQ(T.add(5), 0u);
  EXPECT_EQ(T.add(Far + 5), 1u);
  EXPECT_EQ(T.add(Far + 6), 2u);
  EXPECT_EQ(T.find(Far + 5), 1u);
  EXPECT_EQ(T.find(Far + 7), SlotTable::NoSlot);
  T.prefetch(Far + 5);
  T.prefetch(1000000);
  EXPECT_EQ(T.take(Far + 5), 1u);
  EXPECT_EQ(T.take(Far + 5), SlotTable::NoSlot);
  EXPECT_EQ(T.take(Far + 6), 2u); // the chunk's last
  EXPECT_EQ(T.find(Far + 6), SlotTable::NoSlot);
  EXPECT_EQ(T.find(5), 0u);
  EXPECT_EQ(T.add(Far + 6), 2u);
  EXPECT_EQ(T.slots(), 3u);
}

/// The same blocks as in a map, no slot twice, and no more slots than blocks.
TEST(SlotTableTest, AgreesWithMap) {
  SlotTable T;
  std::map<uint64_t, uint32_t> Live; // id to slot
  std::mt19937 Random(3);
  size_t MostLive = 0;
  for (uint64_t Id = 0; Id != 20000; ++Id) {
    uint32_t Slot = T.add(Id);
    for (auto [Other, Of] : Live)
      ASSERT_NE(Of, Slot);
    Live[Id] = Slot;
    MostLive = std::max(MostLive, Live.size());
    while (Live.size() > 50 || Random() % 3 == 0) {
      auto It = Live.lower_bound(Random() % (Id + 1));
      if (It == Live.end())
        break;
      ASSERT_EQ(T.find(It->first), It->second);
      ASSERT_EQ(T.take(It->first), It->second);
      ASSERT_EQ(T.find(It->first), SlotTable::NoSlot);
      Live.erase(It);
    }
  }
  EXPECT_EQ(T.slots(), MostLive);
}
