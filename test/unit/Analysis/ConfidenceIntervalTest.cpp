// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Confidence intervals of the means of few runs.

#include "memkit/Analysis/ConfidenceInterval.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <random>

using namespace memkit;

TEST(ConfidenceInterval, QuantilesOfStudent) {
  // One degree: tan(pi (P - 1/2)); two: 2 a / sqrt(2 (1 - a^2)) with a = 2 P -
  // 1; the others from tables.
  EXPECT_NEAR(studentQuantile(0.975, 1), std::tan(0.475 * M_PI), 1e-7);
  EXPECT_NEAR(studentQuantile(0.975, 2),
              2 * 0.475 * std::sqrt(2 / (1 - 0.9025)), 1e-8);
  EXPECT_NEAR(studentQuantile(0.975, 4), 2.776445, 1e-6);
  EXPECT_NEAR(studentQuantile(0.975, 10), 2.228139, 1e-6);
  EXPECT_NEAR(studentQuantile(0.995, 5), 4.032143, 1e-6);
  EXPECT_NEAR(studentQuantile(0.975, 1e6), 1.959966, 1e-5);
  EXPECT_NEAR(studentQuantile(0.5, 3), 0, 1e-9);
}

TEST(ConfidenceInterval, Welch) {
  // Means 12 and 20, sample variances 4 and 8 of 3 runs each: the variance of
  // the difference is 4/3 + 8/3 = 4, degrees of freedom 16 / ((16/9)/2 +
  // (64/9)/2) = 3.6, t = 2.9026 at 95 %: 8 +- 5.805.
  auto I = differenceOfMeans({10, 12, 14},
                             {20 - std::sqrt(8), 20, 20 + std::sqrt(8)}, 0.95);
  ASSERT_TRUE(I);
  EXPECT_NEAR(I->Mean, 8, 1e-9);
  EXPECT_NEAR(I->High - I->Mean, 2 * studentQuantile(0.975, 3.6), 1e-6);
  EXPECT_NEAR(studentQuantile(0.975, 3.6), 2.9026, 1e-3);
  EXPECT_NEAR(I->Mean - I->Low, I->High - I->Mean, 1e-9);
  EXPECT_FALSE(I->hasZero());
}

TEST(ConfidenceInterval, OneRunVariesAsTheOthers) {
  // Variance 2 with one degree: 2 (1/2 + 1) = 3; t = 12.7062.
  auto I = differenceOfMeans({9, 11}, {15}, 0.95);
  ASSERT_TRUE(I);
  EXPECT_NEAR(I->Mean, 5, 1e-9);
  EXPECT_NEAR(I->High - I->Mean, 12.7062 * std::sqrt(3.0), 1e-3);
  EXPECT_TRUE(I->hasZero());
}

TEST(ConfidenceInterval, WhereThereIsNone) {
  EXPECT_FALSE(differenceOfMeans({1}, {2}, 0.95));
  EXPECT_FALSE(differenceOfMeans({}, {2, 3}, 0.95));
  EXPECT_FALSE(differenceOfMeans({1, 2}, {}, 0.95));
  // Without variance the interval is a point.
  auto Same = differenceOfMeans({5, 5}, {5, 5}, 0.95);
  EXPECT_TRUE(Same->hasZero());
  auto More = differenceOfMeans({5, 5}, {7, 7}, 0.95);
  EXPECT_EQ(More->Low, 2);
  EXPECT_EQ(More->High, 2);
}

/// The share of intervals that hold 0, for two groups of Runs each drawn from
/// the same distribution.
static double coverage(unsigned Runs,
                       const std::function<double(std::mt19937 &)> &Draw) {
  std::mt19937 R(1);
  const unsigned Times = 20000;
  unsigned Held = 0;
  for (unsigned I = 0; I != Times; ++I) {
    std::vector<double> Before(Runs), After(Runs);
    for (double &V : Before)
      V = Draw(R);
    for (double &V : After)
      V = Draw(R);
    Held += differenceOfMeans(Before, After, 0.95)->hasZero();
  }
  double Share = double(Held) / Times;
  std::printf("%2u runs: %.3f\n", Runs, Share);
  return Share;
}

// The coverage that docs/CommandGuide/memdiff.md states.
TEST(ConfidenceInterval, HoldsTheTruthAsOftenAsItSays) {
  std::normal_distribution<double> Normal(100, 5);
  std::lognormal_distribution<double> Skewed(0, 1);
  for (unsigned Runs : {2, 3, 5, 10}) {
    EXPECT_GT(coverage(Runs, [&](auto &R) { return Normal(R); }), 0.94);
    EXPECT_GT(coverage(Runs, [&](auto &R) { return Skewed(R); }), 0.94);
  }
  // A peak is one of two values with equal probability. In an eighth of all
  // cases the runs of each group are equal and the groups differ.
  std::bernoulli_distribution Either(0.5);
  auto Two = [&](auto &R) { return Either(R) ? 1.0 : 0.0; };
  EXPECT_NEAR(coverage(2, Two), 0.875, 0.01);
  EXPECT_GT(coverage(3, Two), 0.94);
  EXPECT_GT(coverage(5, Two), 0.94);
  EXPECT_GT(coverage(10, Two), 0.94);
}
