// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What test/simulate does not compare with the real allocator: requests that no
// device can serve, and many settings at once.

#include "Simulate/TorchSettings.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace memkit;

static TorchConfig config(StringRef Text) {
  return cantFail(TorchConfig::parse(Text));
}

/// Sizes from a damaged trace end in a refusal, and the sums stay right.
TEST(TorchAllocatorTest, HugeRequests) {
  for (const char *Text :
       {"", "expandable_segments:True", "roundup_power2_divisions:4",
        "max_split_size_mb:64", "large_segment_size_mb:1048576"}) {
    for (uint64_t Device : {uint64_t(1) << 30, TorchAllocator::Unlimited}) {
      TorchAllocator A(config(Text), Device);
      uint32_t Stream = A.addStream(0);
      for (uint64_t Bytes : {UINT64_MAX, UINT64_MAX - 511, uint64_t(1) << 63,
                             uint64_t(1) << 60, uint64_t(1) << 49})
        EXPECT_EQ(A.allocate(Bytes, Stream), TorchAllocator::NoBlock) << Text;
      EXPECT_EQ(A.stats().Allocated, 0u);
      A.emptyCache();
      EXPECT_EQ(A.stats().Reserved, 0u) << Text;
    }
  }
}

/// Addresses are not used again, and end: requests are then refused.
TEST(TorchAllocatorTest, AddressesEnd) {
  TorchAllocator A(config(""), TorchAllocator::Unlimited);
  uint32_t Stream = A.addStream(0);
  uint64_t Served = 0;
  for (int I = 0; I != 20000; ++I) {
    uint32_t Block = A.allocate(uint64_t(1) << 48, Stream);
    if (Block == TorchAllocator::NoBlock)
      break;
    ++Served;
    A.free(Block);
    A.emptyCache();
  }
  EXPECT_GT(Served, 10000u);
  EXPECT_LT(Served, 20000u);
  EXPECT_EQ(A.stats().Reserved, 0u);
}

TEST(TorchAllocatorTest, ZeroBytes) {
  TorchAllocator A(config(""), TorchAllocator::Unlimited);
  uint32_t Block = A.allocate(0, A.addStream(0));
  ASSERT_NE(Block, TorchAllocator::NoBlock);
  EXPECT_EQ(A.blockBytes(Block), 512u);
  EXPECT_TRUE(A.isNewPeak());
  EXPECT_EQ(A.largestFree(), (2u << 20) - 512);
}

/// After all frees and an emptied cache nothing is reserved, with any setting.
TEST(TorchAllocatorTest, NothingIsLeft) {
  for (bool KnowsDevice : {false, true})
    for (const TorchConfig &C : torchConfigsToTry(KnowsDevice)) {
      TorchAllocator A(C, KnowsDevice ? uint64_t(2) << 30
                                      : TorchAllocator::Unlimited);
      A.addStream(0);
      A.addStream(0);
      A.addStream(1);
      std::mt19937 Random(7);
      std::vector<uint32_t> Live;
      for (int I = 0; I != 500; ++I) {
        uint32_t Block = A.allocate(Random() % (64 << 20), Random() % 3);
        if (Block != TorchAllocator::NoBlock)
          Live.push_back(Block);
        if (Live.size() > 20) {
          std::swap(Live[Random() % Live.size()], Live.back());
          A.free(Live.back());
          Live.pop_back();
        }
        ASSERT_LE(A.stats().Allocated, A.stats().Reserved);
        ASSERT_LE(A.largestFree(), A.stats().Reserved - A.stats().Allocated);
      }
      for (uint32_t Block : Live)
        A.free(Block);
      A.releasePool(1);
      A.emptyCache();
      EXPECT_EQ(A.stats().Reserved, 0u) << C.text();
      EXPECT_EQ(A.stats().Allocated, 0u) << C.text();
    }
}

static TargetResults results(std::vector<uint64_t> Reserved) {
  TargetResults Out;
  for (uint64_t Bytes : Reserved)
    Out.Results.emplace_back().Reserved = Bytes;
  return Out;
}

TEST(TorchSettingsTest, Ranks) {
  std::vector<TorchConfig> Configs = {
      config("max_split_size_mb:64"), config(""),
      config("expandable_segments:True"), config("roundup_power2_divisions:8")};
  std::vector<TargetResults> Of = {results({10, 10, 5, 1}),
                                   results({20, 20, 22, 1})};
  Of[1].Results[3].Failure.emplace();
  std::vector<RankedConfig> Ranked = rankConfigs(Configs, Of);
  // Equal sums are listed once, by the shortest; what fails is the last.
  ASSERT_EQ(Ranked.size(), 3u);
  EXPECT_EQ(Ranked[0].Config, Configs[2]);
  EXPECT_EQ(Ranked[0].Reserved, 27u);
  EXPECT_EQ(Ranked[1].Config, Configs[1]);
  EXPECT_EQ(Ranked[2].Config, Configs[3]);
  EXPECT_TRUE(Ranked[2].HasEnded);
}
