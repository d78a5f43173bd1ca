// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of scopes on their way to the trace.

#include "Output/ScopeTimesLog.h"
#include <gtest/gtest.h>

using namespace memkit;

namespace {

using Changes = std::vector<ScopeChange>;

TEST(ScopeTimesLog, ChangesOnly) {
  ScopeTimesLog L(7);
  EXPECT_TRUE(L.take().empty());
  L.add(0, 1, 1000, 5);
  L.add(0, 1, 1100, 5);
  L.add(2, 3, 1200, 0); // as before any scope
  L.add(0, 1, 1300, 6);
  std::vector<ScopeTimes> All = L.take();
  ASSERT_EQ(1u, All.size());
  EXPECT_EQ(7u, All[0].Process);
  EXPECT_EQ((Changes{{1000, 1, 5}, {1300, 1, 6}}), changesOf(All[0]));
  // The next section goes on from the scope path, with a time of its own.
  L.add(0, 1, 2000, 6);
  EXPECT_TRUE(L.take().empty());
  L.add(0, 1, 2100, 0);
  All = L.take();
  ASSERT_EQ(1u, All.size());
  EXPECT_EQ((Changes{{2100, 1, 0}}), changesOf(All[0]));
}

TEST(ScopeTimesLog, AnotherThreadInTheRing) {
  ScopeTimesLog L(1);
  L.add(0, 1, 1000, 5);
  L.add(0, 1, 1100, 0);
  L.add(0, 2, 1200, 5);
  L.add(1, 3, 1100, 9);
  std::vector<ScopeTimes> All = L.take();
  ASSERT_EQ(1u, All.size());
  EXPECT_EQ(3u, All[0].Threads.size());
  EXPECT_EQ((Changes{{1000, 1, 5}, {1100, 1, 0}, {1100, 3, 9}, {1200, 2, 5}}),
            changesOf(All[0]));
}

TEST(ScopeTimesLog, SectionsFollowEachOther) {
  ScopeTimesLog L(1);
  uint32_t N = 0;
  for (; !L.isFull(); ++N)
    L.add(N % 3, 1 + N % 3, N * 100, 1 + N);
  EXPECT_EQ(4 * MaxSectionRows, N);
  std::vector<ScopeTimes> All = L.take();
  ASSERT_EQ(4u, All.size());
  EXPECT_FALSE(L.isFull());
  uint32_t Next = 0;
  for (const ScopeTimes &S : All) {
    EXPECT_EQ(MaxSectionRows, S.numChanges());
    for (const ScopeChange &C : changesOf(S))
      Next += C.TimeNs == Next * 100;
  }
  EXPECT_EQ(N, Next);
}

TEST(ScopeTimesLog, Ended) {
  ScopeTimesLog L(1);
  L.add(0, 1, 1000, 5);
  L.end();
  L.add(0, 1, 1100, 0);
  std::vector<ScopeTimes> All = L.take();
  ASSERT_EQ(1u, All.size());
  EXPECT_EQ(1u, All[0].numChanges());
}

} // namespace
