// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The course of live bytes.

#include "Analysis/Series/LevelCourse.h"
#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace memkit;

namespace {

/// 64 bins of Of(bin).
template <class F> std::vector<double> levels(F Of) {
  std::vector<double> Out;
  for (size_t I = 0; I != 64; ++I)
    Out.push_back(Of(static_cast<double>(I)));
  return Out;
}

TEST(LevelCourse, ARiseToTheEndHasItsBegin) {
  auto Rise = riseToEnd(
      levels([](double I) { return I < 40 ? 1000 : 1000 + (I - 40) * 100; }),
      1000);
  ASSERT_TRUE(Rise);
  EXPECT_NEAR(double(Rise->From), 41, 2);
  EXPECT_EQ(Rise->To, 63u);
  EXPECT_NEAR(Rise->Bytes, 2300, 1);
  EXPECT_FALSE(Rise->FreedIn);
}

TEST(LevelCourse, ARiseThatEndedHasItsEnd) {
  auto Rise =
      riseToEnd(levels([](double I) { return std::min(I, 20.0) * 100; }), 0);
  ASSERT_TRUE(Rise);
  EXPECT_NEAR(double(Rise->To), 19, 1);
}

TEST(LevelCourse, NoiseOnTheLevelReachedDoesNotProlongTheRise) {
  auto Rise = riseToEnd(levels([](double I) {
                          double Wave = std::sin(I * 1.7) * 60;
                          return std::min(I, 20.0) * 100 + (I > 20 ? Wave : 0);
                        }),
                        0);
  ASSERT_TRUE(Rise);
  EXPECT_LT(Rise->To, 22u);
}

TEST(LevelCourse, OneJumpIsNoRise) {
  EXPECT_FALSE(
      riseToEnd(levels([](double I) { return I < 30 ? 0 : 5000; }), 0));
}

TEST(LevelCourse, WanderingIsNoRise) {
  EXPECT_FALSE(riseToEnd(
      levels([](double I) { return 5000 + std::sin(I / 5) * 1000; }), 5000));
}

TEST(LevelCourse, ABurstOfFreesEndsARise) {
  auto Level = levels([](double I) { return I < 30 ? I * 100 : 50; });
  EXPECT_FALSE(riseToEnd(Level, 0));
  auto Freed = freedRise(Level, 0);
  ASSERT_TRUE(Freed);
  EXPECT_NEAR(Freed->Bytes, 2900, 1);
  ASSERT_TRUE(Freed->FreedIn);
  EXPECT_EQ(*Freed->FreedIn, 30u);
}

TEST(LevelCourse, ASawToothIsNoFreedRise) {
  EXPECT_FALSE(
      freedRise(levels([](double I) { return std::fmod(I, 16) * 100; }), 0));
}

TEST(LevelCourse, GapsAreOfTheRise) {
  // A container that doubles.
  auto Rise = riseToEnd(
      levels([](double I) { return std::exp2(std::ceil(std::log2(I + 1))); }),
      1);
  ASSERT_TRUE(Rise);
  EXPECT_GE(Rise->Gap, 10u);
}

} // namespace
