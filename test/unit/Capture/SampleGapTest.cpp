// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distances between samples.

#include "Host/SampleGap.h"

#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace memkit::capture;

namespace {

constexpr uint64_t Mean = 512 << 10;

TEST(SampleGap, IsTheLogarithmOfItsNumber) {
  SampleRandom Random;
  Random.seed(1);
  for (unsigned I = 0; I < 1'000'000; ++I) {
    uint64_t X = Random.next() >> (I % 64); // small numbers, too
    double Exact = -std::log(std::ldexp(double(X | 1), -64)) * Mean;
    // Within the error of rounding down and adding 1.
    ASSERT_NEAR(double(sampleGap(X, Mean)), Exact + 0.5, 3e-6 * Mean + 1) << X;
  }
}

TEST(SampleGap, ReachesItsEnds) {
  EXPECT_EQ(sampleGap(UINT64_MAX, Mean), 1u);
  EXPECT_EQ(sampleGap(UINT64_MAX, 1), 1u);
  double Longest = 64 * std::log(2.0) * Mean;
  EXPECT_NEAR(double(sampleGap(0, Mean)), Longest, 2);
  // The largest mean must not overflow.
  EXPECT_NEAR(double(sampleGap(0, uint64_t(1) << 40)),
              64 * std::log(2.0) * std::ldexp(1.0, 40), 1e7);
}

TEST(SampleGap, IsExponential) {
  SampleRandom Random;
  Random.seed(2);
  constexpr unsigned Cells = 64, Draws = 1'000'000;
  std::vector<unsigned> Count(Cells);
  double Sum = 0, Squares = 0;
  for (unsigned I = 0; I < Draws; ++I) {
    double Gap = double(sampleGap(Random.next(), Mean)) - 0.5;
    Sum += Gap;
    Squares += Gap * Gap;
    // Cells of equal probability.
    ++Count[unsigned(-std::expm1(-Gap / Mean) * Cells)];
  }
  // The standard deviation of an exponential distribution is the mean.
  double Average = Sum / Draws;
  EXPECT_NEAR(Average / Mean, 1, 4 / std::sqrt(Draws));
  EXPECT_NEAR(std::sqrt(Squares / Draws - Average * Average) / Mean, 1,
              4 * std::sqrt(2.0 / Draws));
  double Chi = 0, Expected = double(Draws) / Cells;
  for (unsigned N : Count)
    Chi += (N - Expected) * (N - Expected) / Expected;
  // 63 degrees of freedom: above 111 once in ten thousand runs.
  EXPECT_LT(Chi, 111);
}

/// The share of sampled blocks of Size, in a thread that allocates blocks one
/// after the other.
double partSampled(uint64_t Size, uint64_t Seed, unsigned Blocks) {
  SampleRandom Random;
  Random.seed(Seed);
  uint64_t Left = sampleGap(Random.next(), Mean);
  unsigned Sampled = 0;
  for (unsigned I = 0; I < Blocks; ++I) {
    // Blocks of other sizes between them do not change the share.
    for (uint64_t S : {uint64_t(100 * (I % 50)), Size}) {
      if (S < Left) {
        Left -= S;
        continue;
      }
      Left = sampleGap(Random.next(), Mean);
      Sampled += S == Size;
    }
  }
  return double(Sampled) / Blocks;
}

TEST(SampleGap, SamplesEachSizeByItsBytes) {
  // Sizes other than the sizes of the blocks between.
  for (uint64_t Size : {17u, 999u, 65'537u, 524'288u, 2'000'001u, 9'999'999u}) {
    unsigned Blocks = Size < 1000 ? 20'000'000 : 1'000'000;
    double P = -std::expm1(-double(Size) / Mean);
    EXPECT_NEAR(partSampled(Size, Size, Blocks), P,
                4 * std::sqrt(P * (1 - P) / Blocks))
        << Size;
  }
}

TEST(SampleRandom, SeedsNearEachOtherDiffer) {
  // Threads and processes get near seeds.
  double Sum = 0;
  for (uint64_t Seed = 0; Seed < 100'000; ++Seed) {
    SampleRandom Random;
    Random.seed(SampleRandom::mix(Seed));
    Sum += double(sampleGap(Random.next(), Mean));
  }
  EXPECT_NEAR(Sum / 100'000 / Mean, 1, 4 / std::sqrt(100'000.0));
}

} // namespace
