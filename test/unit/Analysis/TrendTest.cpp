//===- TrendTest.cpp - Whether a series grows -------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Trend.h"
#include "gtest/gtest.h"
#include <vector>

using namespace memkit;

using Series = std::vector<double>;

static Series line(size_t N, double Slope) {
  Series Y;
  for (size_t I = 0; I != N; ++I)
    Y.push_back(Slope * static_cast<double>(I));
  return Y;
}

TEST(MannKendall, CountsPairs) {
  // Of 1 3 2 4 five pairs rise and one falls. Var = 4 x 3 x 13 / 18.
  MannKendall M = mannKendall({1, 3, 2, 4});
  EXPECT_EQ(M.S, 4);
  EXPECT_DOUBLE_EQ(M.Variance, 26.0 / 3);
  EXPECT_FALSE(M.HasTies);
  // Four orders of 24 have one inversion or none: 1 + 3.
  EXPECT_DOUBLE_EQ(M.pValue(4), 4.0 / 24);
}

TEST(MannKendall, Ties) {
  // 1 1 2 2: four pairs rise, two are equal. Each pair of equals takes
  // 2 x 1 x 9 / 18 = 1 off the variance.
  MannKendall M = mannKendall({1, 1, 2, 2});
  EXPECT_EQ(M.S, 4);
  EXPECT_DOUBLE_EQ(M.Variance, 26.0 / 3 - 2);
  EXPECT_TRUE(M.HasTies);
  MannKendall Flat = mannKendall({5, 5, 5});
  EXPECT_EQ(Flat.S, 0);
  EXPECT_DOUBLE_EQ(Flat.pValue(3), 1);
}

TEST(MannKendall, LargeAsNormal) {
  // All 105 pairs of 15 rise: z = 104 / sqrt(15 x 14 x 35 / 18) = 5.147.
  MannKendall M = mannKendall(line(15, 1));
  EXPECT_EQ(M.S, 105);
  EXPECT_NEAR(M.pValue(15), 1.32e-7, 2e-9);
  // With four times the variance z is half: 2.573.
  EXPECT_NEAR(M.pValue(15, 4), 0.00504, 5e-5);
}

TEST(TheilSen, MedianOfSlopes) {
  // The slopes of the pairs of 0 1 2 9 are 1, 1, 3, 1, 4, 7.
  TheilSen T = theilSen({0, 1, 2, 9}, 0);
  EXPECT_DOUBLE_EQ(T.Slope, 2); // of 1 1 1 3 4 7 the two in the middle
  EXPECT_LE(T.Low, T.Slope);
  EXPECT_GE(T.High, T.Slope);
  // One point far off does not move it.
  Series Y = line(21, 5);
  Y[10] = 1e9;
  EXPECT_DOUBLE_EQ(theilSen(Y, mannKendall(Y).Variance).Slope, 5);
}

TEST(SerialInflation, OfWhatDepends) {
  // A curve that rises leaves nothing; noise that changes its sign each time is
  // no more than independent; long waves count for less than their points.
  EXPECT_DOUBLE_EQ(serialInflation(line(40, 3)), 1);
  Series Signs, Waves;
  for (int I = 0; I != 80; ++I) {
    Signs.push_back(I % 2);
    Waves.push_back(I < 40 ? I : 80 - I);
  }
  EXPECT_DOUBLE_EQ(serialInflation(Signs), 1);
  EXPECT_GT(serialInflation(Waves), 2);
}

TEST(Trend, Grows) {
  auto T = findTrend(line(30, 100), 1);
  ASSERT_TRUE(T);
  EXPECT_DOUBLE_EQ(T->Rate.Slope, 100);
  EXPECT_DOUBLE_EQ(T->Rate.Low, 100);
  EXPECT_DOUBLE_EQ(T->Rate.High, 100);
  EXPECT_LT(T->PValue, 1e-12);
  // Too few points, or bytes: the means of the thirds differ by 2,000.
  EXPECT_FALSE(findTrend(line(MinTrendPoints - 1, 100), 1));
  EXPECT_TRUE(findTrend(line(30, 100), 2000));
  EXPECT_FALSE(findTrend(line(30, 100), 2001));
}

TEST(Trend, OtherShapes) {
  // 0 at first, later more and more: it grows.
  Series Late = line(60, 1);
  for (size_t I = 0; I != 60; ++I)
    Late[I] = I < 20 ? 0 : static_cast<double>(I - 20);
  EXPECT_TRUE(findTrend(Late, 1));
  // A ramp that stops, wherever it does.
  for (size_t End : {5u, 20u, 40u, 50u}) {
    Series Ramp = line(60, 1);
    for (size_t I = End; I != 60; ++I)
      Ramp[I] = static_cast<double>(End);
    EXPECT_FALSE(findTrend(Ramp, 1)) << End;
  }
  // One step, wherever it is.
  for (size_t At = 1; At != 60; ++At) {
    Series Step(60, 7);
    std::fill(Step.begin() + At, Step.end(), 500);
    EXPECT_FALSE(findTrend(Step, 1)) << At;
  }
  // Saw-teeth that come back within a third.
  for (int Period = 2; Period <= 20; ++Period) {
    Series Teeth;
    for (int I = 0; I != 60; ++I)
      Teeth.push_back(I % Period * 100);
    EXPECT_FALSE(findTrend(Teeth, 1)) << Period;
  }
  // And the same that come back a little higher each time.
  Series Rising;
  for (int I = 0; I != 60; ++I)
    Rising.push_back(I % 6 * 5 + I);
  EXPECT_TRUE(findTrend(Rising, 1));
  EXPECT_FALSE(findTrend(line(60, -1), 1));
  EXPECT_FALSE(findTrend(Series(60, 4), 1));
}

TEST(Trend, LargeValues) {
  // What a file claims may be near 2^64.
  Series Y = line(40, 1e17);
  ASSERT_TRUE(findTrend(Y, 1));
  for (double &V : Y)
    V = 1.8e19 - V;
  EXPECT_FALSE(findTrend(Y, 1));
}
