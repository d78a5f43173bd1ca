// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How memory follows from a quantity.

#include "memkit/Analysis/SizeLaw.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(SizeLaw, TwoRunsAreALine) {
  MeasuredSize Runs[] = {{8, 1800}, {16, 2600}};
  SizeLaw L = fitLaw(Runs);
  EXPECT_NEAR(L.Constant, 1000, 1e-6);
  EXPECT_NEAR(L.Linear, 100, 1e-9);
  EXPECT_EQ(L.Square, 0);
  EXPECT_NEAR(largestMiss(L, Runs), 0, 1e-6);
  // Nothing contradicts it.
  EXPECT_FALSE(rangeAt(L, Runs, 100));
}

TEST(SizeLaw, ThreeRunsOfAParabola) {
  // 4e9 + 3e6 q + 2e3 q^2
  MeasuredSize Runs[] = {{100, 4.32e9}, {1000, 9e9}, {4000, 4.8e10}};
  SizeLaw L = fitLaw(Runs);
  EXPECT_NEAR(L.Constant, 4e9, 1);
  EXPECT_NEAR(L.Linear, 3e6, 1);
  EXPECT_NEAR(L.Square, 2e3, 1e-3);
  EXPECT_FALSE(rangeAt(L, Runs, 5000));
}

TEST(SizeLaw, RoundingIsNoParabola) {
  MeasuredSize Runs[] = {{1, 1100}, {2, 1201}, {3, 1299}, {4, 1400}};
  SizeLaw L = fitLaw(Runs);
  EXPECT_EQ(L.Square, 0);
  EXPECT_LT(largestMiss(L, Runs), 2);
  auto Range = rangeAt(L, Runs, 100);
  ASSERT_TRUE(Range);
  EXPECT_LE(Range->Low, L.at(100));
  EXPECT_GE(Range->High, L.at(100));
  EXPECT_LT(Range->High - Range->Low, 200);
}

TEST(SizeLaw, EqualQuantitiesAreNoThirdPoint) {
  MeasuredSize Runs[] = {{1, 100}, {1, 200}, {2, 1000}};
  SizeLaw L = fitLaw(Runs);
  EXPECT_EQ(L.Square, 0);
  EXPECT_NEAR(L.at(1), 150, 1e-6);
  EXPECT_NEAR(L.at(2), 1000, 1e-6);
}

TEST(SizeLaw, MoreDoesNotTakeLess) {
  // Rounding up bends the curve down: the parabola would fall behind the runs.
  MeasuredSize Runs[] = {{256, 12e6}, {1024, 40e6}, {4096, 80e6}};
  SizeLaw L = fitLaw(Runs);
  EXPECT_EQ(L.Square, 0);
  EXPECT_GT(L.Linear, 0);
}

TEST(SizeLaw, TheLargestThatFits) {
  SizeLaw L{1000, 100, 0};
  MeasuredSize One[] = {{1, 1100}};
  EXPECT_EQ(largestFitting(L, One, 2000), 10);
  EXPECT_EQ(largestFitting(L, One, 2099), 10);
  EXPECT_EQ(largestFitting(L, One, 1100), 1);
  EXPECT_FALSE(largestFitting(L, One, 1099));
  // What does not grow fits always.
  EXPECT_EQ(largestFitting({1000, 0, 0}, One, 1100), AnyFits);
  // The runs know better than the law.
  MeasuredSize Two[] = {{1, 1100}, {8, 2500}, {20, 2600}};
  EXPECT_EQ(largestFitting(L, Two, 2400), 7);
  EXPECT_EQ(largestFitting(L, Two, 2550), 15);
  EXPECT_EQ(largestFitting({0, 1000, 0}, Two, 2550), 8);
}
