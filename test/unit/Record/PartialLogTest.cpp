// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a killed recorder would lose.

#include "Output/PartialLog.h"
#include <gtest/gtest.h>

using namespace memkit;

static constexpr uint64_t Second = 1'000'000'000;

static ProcessStats process(uint32_t Id, uint64_t Rss) {
  ProcessStats P;
  P.Process = Id;
  P.RssPeakBytes = Rss;
  return P;
}

TEST(PartialLog, GivesProcessesOnceAndAgainAfterAChange) {
  PartialLog L;
  L.add(process(1, 10));
  L.add(process(2, 10));
  std::vector<Partial> Parts = L.take(Second);
  ASSERT_EQ(Parts.size(), 1u);
  EXPECT_EQ(Parts[0].Processes.size(), 2u);
  EXPECT_EQ(Parts[0].EndNs, Second);
  EXPECT_TRUE(Parts[0].Complete);
  L.add(process(1, 10));
  EXPECT_TRUE(L.take(2 * Second).empty());
  L.add(process(1, 10));
  L.add(process(2, 11));
  Parts = L.take(3 * Second);
  ASSERT_EQ(Parts.size(), 1u);
  ASSERT_EQ(Parts[0].Processes.size(), 1u);
  EXPECT_EQ(Parts[0].Processes[0].Process, 2u);
}

TEST(PartialLog, GivesParametersThatAreNewOrChanged) {
  PartialLog L;
  ParameterStats Weights, Buffers;
  Weights.Layer = 1;
  Weights.Tensors = 2;
  L.add(llvm::ArrayRef<ParameterStats>{Weights});
  std::vector<Partial> Parts = L.take(Second);
  ASSERT_EQ(Parts.size(), 1u);
  EXPECT_EQ(Parts[0].Parameters, std::vector{Weights});
  L.add(llvm::ArrayRef<ParameterStats>{Weights});
  EXPECT_TRUE(L.take(2 * Second).empty());
  Buffers.Layer = 2;
  Buffers.Tensors = 1;
  Weights.Tensors = 0;
  L.add(llvm::ArrayRef<ParameterStats>{Weights, Buffers});
  Parts = L.take(3 * Second);
  ASSERT_EQ(Parts.size(), 1u);
  EXPECT_EQ(Parts[0].Parameters, (std::vector{Weights, Buffers}));
}

TEST(PartialLog, SplitsManyRowsIntoPartsOfOneNumber) {
  PartialLog L;
  L.add(std::vector<LayerStats>(MaxSectionRows + 1));
  std::vector<Partial> Parts = L.take(0);
  ASSERT_EQ(Parts.size(), 2u);
  EXPECT_EQ(Parts[0].Layers.size(), size_t(MaxSectionRows));
  EXPECT_EQ(Parts[1].Layers.size(), 1u);
  EXPECT_FALSE(Parts[0].Complete);
  EXPECT_TRUE(Parts[1].Complete);
  EXPECT_EQ(Parts[0].Number, Parts[1].Number);
}

TEST(PartialLog, GivesEachOomOnce) {
  OomLog Ooms;
  PartialLog L;
  auto Fail = [&](uint64_t TimeNs) {
    OomLog::OomTimePoint M;
    M.What.Process = 1;
    M.What.TimeNs = TimeNs;
    M.Heaps.resize(2);
    Ooms.add(std::move(M));
  };
  Fail(1);
  L.add(Ooms);
  EXPECT_EQ(L.take(0)[0].Ooms.size(), 1u);
  // The eighth and later ones replace the last one.
  for (unsigned I = 0; I != 20; ++I)
    Fail(2 + I);
  L.add(Ooms);
  std::vector<Partial> Parts = L.take(0);
  ASSERT_EQ(Parts.size(), 1u);
  EXPECT_EQ(Parts[0].Ooms.size(), MaxOomsOfProcess - 1);
  EXPECT_EQ(Parts[0].Ooms.back().TimeNs, 21u);
  EXPECT_EQ(Parts[0].OomHeaps.size(), 2 * (MaxOomsOfProcess - 1));
}

TEST(PartialLog, IntervalsDouble) {
  EXPECT_EQ(PartialLog::intervalNs(0), Second / 2);
  EXPECT_EQ(PartialLog::intervalNs(127 * Second), Second / 2);
  EXPECT_EQ(PartialLog::intervalNs(128 * Second), Second);
  EXPECT_EQ(PartialLog::intervalNs(256 * Second), 2 * Second);
  // Some 1,450 Partials in a day.
  unsigned Count = 0;
  for (uint64_t Ns = 0; Ns < 86'400 * Second; Ns += PartialLog::intervalNs(Ns))
    ++Count;
  EXPECT_EQ(Count, 1449u);
}

TEST(PartialLog, IsDueByTimeBytesAndUrgency) {
  PartialLog L;
  L.take(10 * Second);
  EXPECT_FALSE(L.isDue(10 * Second + Second / 4, 0, 0));
  EXPECT_TRUE(L.isDue(10 * Second + Second / 2, 0, 0));
  L.hurry();
  EXPECT_FALSE(L.isDue(10 * Second + Second / 20, 0, 0));
  EXPECT_TRUE(L.isDue(10 * Second + Second / 4, 0, 0));
  EXPECT_FALSE(L.isDue(20 * Second, 2'000'000, 1'048'576));
  EXPECT_TRUE(L.isDue(20 * Second, 2'000'000, 2'000'000));
}

/// A small part of the file, also of one that may never be large.
TEST(PartialLog, AllowedBytes) {
  EXPECT_EQ(1u << 20, PartialLog::allowedBytes(10'000'000, 0));
  EXPECT_EQ(2'000'000u, PartialLog::allowedBytes(200'000'000, 0));
  EXPECT_EQ(400u, PartialLog::allowedBytes(1000, 40'000));
  EXPECT_EQ(10'000'000u, PartialLog::allowedBytes(1000, 1'000'000'000));
}
