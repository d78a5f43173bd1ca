// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session/ResidentBudget.h"
#include "gtest/gtest.h"

using namespace memkit;

static constexpr uint64_t OneMs = 1'000'000, MiB = 1 << 20;

TEST(ResidentBudgetTest, SharesGrowWithTheRun) {
  ResidentBudget B;
  RssHistory Same = {100 * MiB, 100 * MiB, 100 * MiB};
  EXPECT_TRUE(B.allowsDue(Same, 0));
  B.spend(35 * OneMs);
  EXPECT_FALSE(B.allowsDue(Same, 0));
  EXPECT_TRUE(B.allowsAsked(0));
  EXPECT_TRUE(B.allowsDue(Same, 1000 * OneMs)); // 5 ms more
  B.spend(40 * OneMs);
  EXPECT_FALSE(B.allowsDue(Same, 1000 * OneMs));
  EXPECT_FALSE(B.allowsAsked(1000 * OneMs));
}

// A rise uses up the share; the end of the rise is sampled all the same.
TEST(ResidentBudgetTest, EndOfRise) {
  ResidentBudget B;
  B.spend(40 * OneMs);
  RssHistory Rises = {200 * MiB, 190 * MiB, 150 * MiB};
  EXPECT_FALSE(B.allowsDue(Rises, 0));
  RssHistory RisesMuch = {200 * MiB, 190 * MiB, 140 * MiB};
  EXPECT_TRUE(B.allowsDue(RisesMuch, 0));
  RssHistory Ended = {200 * MiB, 199 * MiB, 100 * MiB};
  EXPECT_TRUE(B.allowsDue(Ended, 0));
  RssHistory Fallen = {150 * MiB, 199 * MiB, 100 * MiB};
  EXPECT_TRUE(B.allowsDue(Fallen, 0));
  RssHistory Known = {200 * MiB, 200 * MiB, 199 * MiB};
  EXPECT_FALSE(B.allowsDue(Known, 0));
  B.spend(40 * OneMs); // as much again
  EXPECT_FALSE(B.allowsDue(Ended, 0));
}

TEST(ResidentBudgetTest, LessTimeLeftNeedsALargerRise) {
  ResidentBudget B;
  RssHistory Small = {106 * MiB, 90 * MiB, 100 * MiB},
             Large = {121 * MiB, 90 * MiB, 100 * MiB};
  EXPECT_TRUE(B.isRise(Small, 0));
  B.spend(16 * OneMs); // half of the grace
  EXPECT_FALSE(B.isRise(Small, 0));
  EXPECT_TRUE(B.isRise(Large, 0));
  EXPECT_TRUE(B.isRise(Small, 10000 * OneMs));
}
