// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Series over time.

#include "memkit/Analysis/Series.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Series, TakesTheHighestOfEachPart) {
  // 0 until 10, 5 until 30, 9 until 31, then 1; columns of 20.
  std::vector<SeriesPoint> Points = {{10, 5}, {30, 9}, {31, 1}};
  EXPECT_EQ(highestOf(Points, 0, 80, 4), (std::vector<uint64_t>{5, 9, 1, 1}));
  // A value that ends where a column begins is not in the column.
  EXPECT_EQ(highestOf({{0, 7}, {20, 2}}, 0, 40, 2),
            (std::vector<uint64_t>{7, 2}));
  // Points far beyond the last column.
  EXPECT_EQ(highestOf({{0, 1}, {UINT64_MAX, 3}}, 0, 2, 2),
            (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(highestOf(Points, 5, 5, 2), (std::vector<uint64_t>{0, 0}));
}

TEST(Series, Sums) {
  auto Sum = sumOf({{{10, 5}, {30, 0}}, {{20, 7}, {30, 1}}, {}});
  ASSERT_EQ(Sum.size(), 3u);
  EXPECT_EQ(Sum[0].TimeNs, 10u);
  EXPECT_EQ(Sum[0].Value, 5u);
  EXPECT_EQ(Sum[1].Value, 12u);
  EXPECT_EQ(Sum[2].TimeNs, 30u);
  EXPECT_EQ(Sum[2].Value, 1u);
}
