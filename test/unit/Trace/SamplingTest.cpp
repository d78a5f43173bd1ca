// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of sampled blocks, and errors of estimates.

#include "memkit/Trace/Sampling.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace memkit;

static constexpr uint64_t Rate = 512 << 10;

TEST(Sampling, WeightsAreRightOnAverage) {
  for (uint64_t Size : {1u, 100u, 70'000u, 524'288u, 1'500'000u, 20'000'000u}) {
    double Sum = 0, Exact = 1 / sampleChance(Size, Rate);
    constexpr unsigned Blocks = 200'000;
    for (uint64_t AllocationId = 0; AllocationId < Blocks; ++AllocationId) {
      uint32_t Weight = sampleWeight(Size, Rate, AllocationId);
      ASSERT_GE(Weight, 1u);
      ASSERT_LE(std::abs(Weight - Exact), 1);
      Sum += Weight;
    }
    // Random rounding has a standard deviation of at most half a unit.
    EXPECT_NEAR(Sum / Blocks, Exact, 4 * 0.5 / std::sqrt(Blocks)) << Size;
  }
}

TEST(Sampling, WeightsHaveEnds) {
  EXPECT_EQ(sampleWeight(100, 0, 7), 1u) << "a heap that is not sampled";
  EXPECT_EQ(sampleWeight(0, Rate, 7), 1u);
  EXPECT_EQ(sampleWeight(UINT64_MAX, Rate, 7), 1u);
  EXPECT_LE(sampleWeight(1, MaxSampleBytes, 7), MaxSampleBytes + 1);
  // A trace may claim any sampling rate.
  EXPECT_LE(sampleWeight(1, UINT64_MAX, 7), MaxSampleBytes + 1);
}

/// Samples blocks of these sizes many times, and compares the spread of the
/// estimates with the computed variance.
static void expectError(std::vector<uint64_t> Sizes, bool OneSize) {
  std::mt19937_64 Random(1);
  std::uniform_real_distribution<double> Chance;
  double True = 0;
  for (uint64_t S : Sizes)
    True += double(S);
  constexpr unsigned Runs = 4000;
  double Sum = 0, Squares = 0, Stored = 0;
  uint64_t AllocationId = 0;
  for (unsigned Run = 0; Run < Runs; ++Run) {
    uint64_t Bytes = 0, Blocks = 0;
    for (uint64_t S : Sizes) {
      if (Chance(Random) >= sampleChance(S, Rate))
        continue;
      uint64_t Weight = sampleWeight(S, Rate, AllocationId++);
      Bytes += S * Weight;
      Blocks += Weight;
    }
    Sum += double(Bytes) - True;
    Squares += (double(Bytes) - True) * (double(Bytes) - True);
    Stored += SampledHeap(Rate).variance(Bytes, Blocks);
  }
  double Real = Squares / Runs, Mean = Stored / Runs;
  EXPECT_NEAR(Sum / Runs, 0, 4 * std::sqrt(Real / Runs));
  EXPECT_GE(Mean, 0.9 * Real);
  if (OneSize) {
    EXPECT_LE(Mean, 1.15 * Real);
  }
}

TEST(Sampling, ErrorsAreAsTheySay) {
  for (uint64_t Size : {64u, 5'000u, 100'000u, 400'000u, 524'288u, 900'000u})
    expectError(std::vector<uint64_t>(2'000'000 / Size + 50, Size), true);
  // Larger and mixed blocks have no larger error than computed.
  expectError(std::vector<uint64_t>(20, 3'000'000), false);
  std::vector<uint64_t> Mixed;
  for (uint64_t Size = 100; Size < 5'000'000; Size += Size / 4)
    Mixed.push_back(Size);
  expectError(Mixed, false);
}

/// A stack of large blocks, in a heap of many small ones: all of them are
/// sampled, but for one in 3,000.
TEST(Sampling, LargeBlocksHaveLittleError) {
  std::vector<uint64_t> Sizes(sizeClass(8 * Rate) + 1);
  Sizes[sizeClass(100)] = 1'000'000;
  Sizes[sizeClass(8 * Rate)] = 50;
  double Alone = SampledHeap(Rate).variance(50 * 8 * Rate, 50),
         Known = SampledHeap(Rate, Sizes).variance(50 * 8 * Rate, 50);
  EXPECT_LT(standardError(Known), standardError(Alone) / 4);
  // P = 1 - exp(-8); a weight of 1 or 2.
  double P = -std::expm1(-8.0), Real = (1 - P) / P + (1 - P) * (2 * P - 1) / P;
  EXPECT_NEAR(std::sqrt(50 * 64 * Real) * double(Rate),
              double(standardError(Known)), double(standardError(Known)) / 100);
  // Blocks of the sizes with large errors may be among them.
  Sizes[sizeClass(2 * Rate)] = 20;
  double Mixed = SampledHeap(Rate, Sizes).variance(50 * 8 * Rate, 50);
  EXPECT_GT(Mixed, 5 * Known);
  EXPECT_LT(Mixed, Alone);
}

TEST(Sampling, NothingHasNoError) {
  EXPECT_EQ(SampledHeap().variance(100, 1), 0);
  EXPECT_EQ(SampledHeap(Rate).variance(0, 0), 0);
  EXPECT_EQ(standardError(0), 0u);
  EXPECT_EQ(standardError(9), 3u);
}

TEST(Sampling, UnknownNumbersOfBlocksAreTakenFromOthers) {
  EXPECT_NEAR(SampledHeap(Rate).variance(5'000'000, 50'000'000, 5'000),
              SampledHeap(Rate).variance(5'000'000, 500), 1);
  EXPECT_EQ(SampledHeap(Rate).variance(5'000'000, 0, 0), 0);
}
/// The mean error is too large for a stack with many small blocks and some
/// large blocks, because large blocks are always sampled.
TEST(Sampling, SizesOfAHeapBoundTheErrorOfItsSums) {
  const uint64_t Unit = 65536, Small = 10000, Large = 100;
  const uint64_t SmallBytes = 100, LargeBytes = 4 << 20;
  StackStats Row;
  Row.Allocations = Row.LiveBlocks = Row.HeapPeakBlocks = Small + Large;
  Row.AllocatedBytes = Row.LiveBytes = Row.LiveExclusive = Row.HeapPeakBytes =
      Small * SmallBytes + Large * LargeBytes;
  SampleVariances V;
  V.add(Row, SampledHeap(Unit));
  double True = SampledHeap(Unit).variance(Small * SmallBytes, Small);
  EXPECT_GT(V.Allocated, 30 * True);
  HeapStats Heap;
  Heap.Allocations = Heap.LiveBlocks = Heap.PeakBlocks = Small + Large;
  Heap.Sizes.resize(sizeClass(LargeBytes) + 1);
  Heap.Sizes[sizeClass(SmallBytes)] = Small;
  Heap.Sizes[sizeClass(LargeBytes)] = Large;
  V.refine(Heap, SampledHeap(Unit, Heap.Sizes));
  for (double Refined : {V.Allocated, V.Live, V.HeapPeak}) {
    EXPECT_GE(Refined, True);
    EXPECT_LE(Refined, 2 * True);
  }
  // As many blocks of 100 bytes are sampled as 10,000 / 655.
  double Chance = sampleChance(SmallBytes, Unit);
  double Count = double(Small) * (1 - Chance) / Chance;
  EXPECT_GE(V.Allocations, Count);
  EXPECT_LE(V.Allocations, 2.1 * Count);
}

TEST(Sampling, RefiningNeverWidens) {
  StackStats Row;
  Row.Allocations = 10;
  Row.AllocatedBytes = 100000;
  SampleVariances V, Old;
  V.add(Row, SampledHeap(4096));
  Old = V;
  HeapStats Heap;
  V.refine(Heap, SampledHeap(4096, Heap.Sizes)); // sizes not counted
  EXPECT_EQ(V.Allocated, Old.Allocated);
  EXPECT_EQ(V.Allocations, 0);
  Heap.Allocations = 1000000;
  Heap.Sizes.assign(NumSizeClasses, 1000000);
  V.refine(Heap, SampledHeap(4096, Heap.Sizes));
  EXPECT_EQ(V.Allocated, Old.Allocated);
}
