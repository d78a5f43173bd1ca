// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verdicts on growth.
//
// Clear cases only; memkit-gengrowth counts how often other cases are judged
// right.

#include "memkit/Analysis/Survival.h"
#include "Analysis/Series/Distributions.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace memkit;

namespace {

TEST(Distributions, Tails) {
  EXPECT_NEAR(poissonAtMost(5, 10), 0.06708596287903, 1e-12);
  EXPECT_NEAR(poissonAtMost(30, 50), 0.00159402731861, 1e-12);
  EXPECT_NEAR(poissonAtMost(0, 4), std::exp(-4.0), 1e-14);
  EXPECT_NEAR(poissonAtMost(12, 9.5), 0.83642970612, 1e-9);
  EXPECT_EQ(poissonAtMost(3, 0), 1);
  EXPECT_NEAR(poissonAtMost(0, 700), std::exp(-700.0), 1e-310);
  EXPECT_NEAR(binomialAtMost(3, 20, 0.3), 0.10708680450, 1e-9);
  EXPECT_NEAR(binomialAtMost(0, 10, 0.25), std::pow(0.75, 10), 1e-12);
  EXPECT_NEAR(binomialAtMost(40, 100, 0.5), 0.02844396682, 1e-9);
  EXPECT_EQ(binomialAtMost(10, 10, 0.5), 1);
}

constexpr size_t Steps = 60;

SurvivalBins steps(size_t N = Steps) {
  SurvivalBins B;
  B.Units.assign(N, 1);
  B.Intervals.assign(N, 1);
  return B;
}

/// Bytes that stay live of each step's allocation; the level rises by these
/// bytes.
SurvivalData survivors(const std::vector<double> &Bytes) {
  SurvivalData D(Bytes.size());
  double Level = 0;
  for (size_t I = 0; I != Bytes.size(); ++I) {
    D.Bytes[I] = Bytes[I];
    D.Blocks[I] = Bytes[I] > 0;
    D.Level[I] = Level += Bytes[I];
    D.LevelBlocks[I] = static_cast<double>(I + 1);
  }
  return D;
}

TEST(Survival, WhatComesWithEachStepAndStays) {
  SurvivalResult R =
      judgeSurvival(steps(), survivors({std::vector<double>(Steps, 1000)}));
  EXPECT_EQ(R.Verdict, Survival::Leak);
  EXPECT_DOUBLE_EQ(R.Rate, 1000);
  EXPECT_DOUBLE_EQ(R.Low, 1000);
  EXPECT_DOUBLE_EQ(R.High, 1000);
  EXPECT_EQ(R.Age, 1);
  EXPECT_EQ(R.Since, 0u);
  EXPECT_DOUBLE_EQ(R.Bytes, 1000 * Steps);
  EXPECT_LT(R.PValue, 1e-20);
}

TEST(Survival, ItMayBeginLate) {
  std::vector<double> Bytes(Steps, 0);
  std::fill(Bytes.begin() + 30, Bytes.end(), 1000);
  SurvivalResult R = judgeSurvival(steps(), survivors(Bytes));
  EXPECT_EQ(R.Verdict, Survival::Leak);
  EXPECT_EQ(R.Since, 30u);
  EXPECT_DOUBLE_EQ(R.Rate, 1000);
}

TEST(Survival, WhatFillsAndStopsIsNone) {
  std::vector<double> Bytes(Steps, 0);
  std::fill(Bytes.begin(), Bytes.begin() + 30, 1000);
  EXPECT_NE(judgeSurvival(steps(), survivors(Bytes)).Verdict, Survival::Leak);
}

/// Blocks live for 5 steps, so only the last 5 cohorts are live.
TEST(Survival, WhatIsFreedIsNone) {
  std::vector<double> Bytes(Steps, 0);
  std::fill(Bytes.end() - 5, Bytes.end(), 1000);
  SurvivalData D = survivors(Bytes);
  std::fill(D.Level.begin(), D.Level.end(), 5000);
  D.Freed[2] = {1000.0 * (Steps - 5), Steps - 5.0};
  EXPECT_EQ(judgeSurvival(steps(), D).Verdict, Survival::None);
}

/// The place also keeps a block of each step.
TEST(Survival, ALeakAmongWhatIsFreed) {
  std::vector<double> Bytes(Steps, 1000);
  std::fill(Bytes.end() - 5, Bytes.end(), 3000);
  SurvivalData D = survivors(Bytes);
  for (size_t I = 0; I != Steps; ++I)
    D.Level[I] = 10000 + 1000.0 * static_cast<double>(I);
  D.Freed[2] = {2000.0 * (Steps - 5), Steps - 5.0};
  SurvivalResult R = judgeSurvival(steps(), D);
  EXPECT_EQ(R.Verdict, Survival::Leak);
  EXPECT_NEAR(R.Rate, 1000, 1);
  EXPECT_GE(R.Age, 8);
}

TEST(Survival, AContainerThatDoubles) {
  SurvivalData D(Steps);
  double Capacity = 4096;
  for (size_t I = 0; I != Steps; ++I) {
    while (Capacity < 4096.0 * static_cast<double>(I + 1))
      Capacity *= 2;
    D.Level[I] = Capacity;
    D.LevelBlocks[I] = 1;
  }
  // Only the last block is live, allocated in step 32.
  D.Bytes[32] = Capacity;
  D.Blocks[32] = 1;
  SurvivalResult R = judgeSurvival(steps(), D);
  EXPECT_EQ(R.Verdict, Survival::Leak);
  EXPECT_TRUE(R.IsContainer);
  EXPECT_LE(R.Low, 4096);
  EXPECT_GE(R.High, 4096);
  // A container that stops growing: if still filled, it would be replaced.
  std::fill(D.Level.begin() + 9, D.Level.end(), D.Level[8]);
  EXPECT_NE(judgeSurvival(steps(), D).Verdict, Survival::Leak);
}

TEST(Survival, TooLittleSaysNothing) {
  EXPECT_EQ(judgeSurvival(steps(3), survivors({1e6, 1e6, 1e6})).Verdict,
            Survival::None);
  EXPECT_EQ(
      judgeSurvival(steps(), survivors(std::vector<double>(Steps, 10))).Verdict,
      Survival::None)
      << "fewer than 1 KiB";
  EXPECT_EQ(judgeSurvival(SurvivalBins(), SurvivalData()).Verdict,
            Survival::None);
}

} // namespace
