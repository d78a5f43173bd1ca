// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks side by side.

#include "memkit/Analysis/Job.h"
#include "../Model/TextTrace.h"
#include "Analysis/Series/Medians.h"
#include "Analysis/Series/StepTrend.h"
#include "memkit/Model/StepSample.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

namespace {

//===----------------------------------------------------------------------===//
// Which processes are a rank
//===----------------------------------------------------------------------===//

std::vector<JobRank> ranksOf(const std::string &Processes) {
  std::unique_ptr<Trace> T = textTrace(
      R"(header tool="t" host="lab" rank=7 world-size=9
dictionary
  string 1 "host.malloc"
)" + Processes +
      "  heap 1 name=1\nsummary number=1 end=100\ncomplete\n");
  return cantFail(queryRanks(*T));
}

TEST(JobRanks, ALauncherBelongsToNoRank) {
  // A task of Slurm with rank 1 starts torchrun, which starts ranks 12 and 13;
  // rank 13 has a loader.
  std::vector<JobRank> R = ranksOf(R"(  process 1 pid=10 rank=1
  process 2 pid=11 parent=1 rank=1
  process 3 pid=12 parent=2 rank=12
  process 4 pid=13 parent=2 rank=13
  process 5 pid=14 parent=4 rank=13
  process 6 pid=15 parent=4
)");
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].Rank, 12);
  EXPECT_EQ(R[0].Processes, std::vector<uint32_t>{3});
  EXPECT_EQ(R[1].Rank, 13);
  EXPECT_EQ(R[1].Processes, (std::vector<uint32_t>{4, 5, 6}));
}

TEST(JobRanks, AttemptsOfARankAreTwoRows) {
  std::vector<JobRank> R = ranksOf(R"(  process 1 pid=10
  process 2 pid=11 parent=1 rank=0 attempt=0
  process 3 pid=12 parent=1 rank=0 attempt=1
)");
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].Attempt, 0);
  EXPECT_EQ(R[1].Attempt, 1);
}

TEST(JobRanks, WithoutRanksTheHeaderCounts) {
  std::vector<JobRank> R = ranksOf(R"(  process 1 pid=10
  process 2 pid=11 parent=1 recorded=false
)");
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].Rank, 7);
  EXPECT_EQ(R[0].WorldSize, 9);
  EXPECT_EQ(R[0].Processes, std::vector<uint32_t>{1});
}

TEST(JobRanks, AProcessWithoutARankBeforeARankIsNone) {
  std::vector<JobRank> R = ranksOf(R"(  process 1 pid=10
  process 2 pid=11 parent=1 rank=2147483647
)");
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].Rank, 2147483647);
  // The highest rank that there can be leaves no gap of two billion ranks.
  JobReport J = makeJob({{"a.fb", ""}}, R);
  EXPECT_LE(J.Missing.size(), size_t(1) << 20);
}

//===----------------------------------------------------------------------===//
// Growth from totals
//===----------------------------------------------------------------------===//

std::vector<uint64_t> values(size_t Count, auto Of) {
  std::vector<uint64_t> Out;
  for (size_t I = 0; I != Count; ++I)
    Out.push_back(static_cast<uint64_t>(Of(I)));
  return Out;
}

TEST(StepTrend, RisesThatReachTheEnd) {
  EXPECT_DOUBLE_EQ(
      steadyRise(values(40, [](size_t I) { return 1000 + 8 * I; })), 8);
  // A leak in every fourth step.
  EXPECT_NEAR(
      steadyRise(values(60, [](size_t I) { return 1000 + 32 * (I / 4); })), 8,
      1.5);
  // Fluctuation that is smaller than the rise.
  EXPECT_NEAR(
      steadyRise(values(
          60, [](size_t I) { return 100000 + 500 * I + (I * 7919) % 900; })),
      500, 40);
}

TEST(StepTrend, WhatIsNoGrowth) {
  auto None = [](std::vector<uint64_t> Of) {
    EXPECT_EQ(steadyRise(Of), 0) << Of.size() << " values";
  };
  None({});
  // Twelve values that fluctuate, and by chance are higher at the end.
  None(
      {1260, 1262, 1261, 1265, 1264, 1263, 1266, 1267, 1269, 1268, 1267, 1270});
  None(values(10, [](size_t I) { return 1000 + 8 * I; })); // too few
  None(values(40, [](size_t) { return 1000; }));
  None(values(40, [](size_t I) { return 4000 - 8 * I; }));
  None(values(40, [](size_t I) { return I < 12 ? 100 * I : 1200; }));
  // A pool that fills up.
  None(values(60,
              [](size_t I) { return 1e6 * (1 - std::exp(-double(I) / 15)); }));
  None(values(60, [](size_t I) { return 1000 + (I * 7919) % 997; }));
  // A rise in the middle of the run, once.
  None(values(60, [](size_t I) { return I < 30 ? 1000 : 9000; }));
}

TEST(StepSample, IsTheSameInRanksOfDifferentLength) {
  EXPECT_EQ(stepStride(0), 1u);
  EXPECT_EQ(stepStride(255), 1u);
  EXPECT_EQ(stepStride(256), 2u);
  EXPECT_EQ(stepStride(100000), 512u);
  EXPECT_EQ(stepStride(UINT64_MAX) % 2, 0u);
  std::vector<StepStats> Steps(1000);
  for (size_t I = 0; I != Steps.size(); ++I) {
    Steps[I].Process = 1;
    Steps[I].Step = I + 1;
    Steps[I].PeakBytes = I == 500 ? 90 : 10;
  }
  std::vector<bool> Kept = sampleSteps(Steps);
  EXPECT_TRUE(Kept[0] && Kept[999] && Kept[500] && Kept[3] && Kept[7]);
  EXPECT_FALSE(Kept[1] || Kept[2] || Kept[998]);
  std::vector<StepStats> Sample;
  for (size_t I = 0; I != Steps.size(); ++I)
    if (Kept[I])
      Sample.push_back(Steps[I]);
  std::vector<bool> Again = sampleSteps(Sample);
  EXPECT_EQ(std::count(Again.begin(), Again.end(), false), 0);
}

//===----------------------------------------------------------------------===//
// The job
//===----------------------------------------------------------------------===//

JobRank rank(int32_t Number, uint64_t Peak) {
  JobRank R;
  R.Rank = Number;
  R.WorldSize = 8;
  R.Host = Number < 4 ? "one" : "two";
  R.BootId = R.Host;
  R.Processes = {1};
  R.Program = "train.py";
  R.Spaces.resize(1);
  R.Spaces[0].Name = "host";
  R.Spaces[0].PeakBytes = Peak;
  R.Start.RealtimeNs = 1'000'000'000'000;
  R.Start.MonotonicNs = 1'000'000;
  R.EndNs = 100'000'000'000;
  R.NumSteps = 40;
  for (uint64_t Step = 0; Step != 40; ++Step) {
    R.Steps.Numbers.push_back(Step);
    // The ranks start a step within a millisecond.
    R.Steps.BeginNs.push_back(Step * 1'000'000'000 +
                              uint64_t(Number) * 100'000);
    R.Steps.EndNs.push_back((Step + 1) * 1'000'000'000);
    R.Steps.Live.push_back(Peak / 2 + Step);
  }
  return R;
}

std::vector<JobRank> ranks() {
  std::vector<JobRank> Out;
  for (int32_t I = 0; I != 8; ++I)
    Out.push_back(rank(I, (1 << 30) + uint64_t(I) * 1000));
  return Out;
}

JobReport jobOf(std::vector<JobRank> Rows) {
  return makeJob({{"job.fb", ""}}, std::move(Rows));
}

TEST(Job, RanksThatAreAlike) {
  JobReport J = jobOf(ranks());
  EXPECT_EQ(J.Ranks.size(), 8u);
  EXPECT_TRUE(J.Outliers.empty());
  EXPECT_TRUE(J.Missing.empty());
  EXPECT_TRUE(J.Clocks.empty());
  EXPECT_FALSE(J.Oom);
  EXPECT_FALSE(J.FirstFailure);
  EXPECT_EQ(J.Nodes.size(), 2u);
  EXPECT_EQ(J.Groups.size(), 1u);
}

TEST(Job, AnOutlierIsFarAboveItsOwnKind) {
  std::vector<JobRank> Rows = ranks();
  Rows[5].Spaces[0].PeakBytes *= 2;
  JobReport J = jobOf(Rows);
  ASSERT_EQ(J.Outliers.size(), 1u);
  EXPECT_EQ(J.Outliers[0].Rank, 5u);
  EXPECT_EQ(J.Outliers[0].Metric, RankMetric::HostPeak);
  EXPECT_NE(J.Outliers[0].Typical, 5u);

  // Of two ranks with layers of their own nobody can say which is usual.
  for (size_t I : {5, 6})
    Rows[I].Layers = {"head"};
  J = jobOf(Rows);
  EXPECT_TRUE(J.Outliers.empty());
  ASSERT_EQ(J.Groups.size(), 2u);
  EXPECT_EQ(J.Groups[1].Layer, "head");
}

TEST(Job, GrowthExplainsAHigherPeak) {
  std::vector<JobRank> Rows = ranks();
  Rows[2].Spaces[0].GrowthPerStep = 8 << 20;
  Rows[2].Spaces[0].PeakBytes += 40 * (8 << 20);
  JobReport J = jobOf(Rows);
  ASSERT_EQ(J.Outliers.size(), 1u);
  EXPECT_EQ(J.Outliers[0].Metric, RankMetric::HostGrowth);
}

TEST(Job, GrowthOnTheHostExplainsNoDevice) {
  std::vector<JobRank> Rows = ranks();
  for (JobRank &R : Rows) {
    R.Spaces.resize(2);
    R.Spaces[1].Name = "cuda:0";
    R.Spaces[1].PeakBytes = 1 << 30;
    R.Steps.Live.resize(2 * R.Steps.size());
  }
  Rows[2].Spaces[0].GrowthPerStep = 256 << 20;
  Rows[2].Spaces[1].PeakBytes = 3u << 30;
  JobReport J = jobOf(Rows);
  ASSERT_EQ(J.Outliers.size(), 2u);
  EXPECT_EQ(J.Outliers[0].Metric, RankMetric::HostGrowth);
  EXPECT_EQ(J.Outliers[1].Metric, RankMetric::DevicePeak);
}

TEST(Job, ARankWithLayersOfItsOwnIsComparedWithAnother) {
  std::vector<JobRank> Rows = ranks();
  Rows[2].Layers = {"head"};
  Rows[2].Spaces[0].GrowthPerStep = 8 << 20;
  JobReport J = jobOf(Rows);
  ASSERT_EQ(J.Outliers.size(), 1u);
  EXPECT_NE(J.Outliers[0].Typical, 2u);
}

TEST(Job, AnyClockIsFine) {
  for (uint64_t Far : {UINT64_MAX, UINT64_MAX / 2, uint64_t(1) << 62}) {
    std::vector<JobRank> Rows = ranks();
    for (size_t I = 4; I != 8; ++I) {
      Rows[I].Start.RealtimeNs = Far - I;
      Rows[I].Start.MonotonicNs = I % 2 ? Far : 1;
    }
    Rows[5].Oom = RankOom{Far, 1, "host", 1, 1};
    EXPECT_TRUE(jobOf(Rows).Oom);
  }
}

TEST(Job, MissingTwiceAndLaterAttempts) {
  std::vector<JobRank> Rows = ranks();
  Rows.erase(Rows.begin() + 3);
  Rows.push_back(rank(5, 1 << 30));
  JobRank Later = rank(6, 7);
  Later.Start.RealtimeNs += Later.EndNs + 1;
  Rows.push_back(Later);
  JobReport J = jobOf(Rows);
  EXPECT_EQ(J.Missing, std::vector<int32_t>{3});
  ASSERT_EQ(J.Twice.size(), 1u);
  EXPECT_EQ(J.Twice[0].Rank, 5);
  ASSERT_EQ(J.Earlier.size(), 1u);
  EXPECT_EQ(J.Earlier[0].Rank, 6);
  EXPECT_EQ(J.Ranks[5].host().PeakBytes, 7u);
}

TEST(Job, TheLargestOfTwoJobs) {
  std::vector<JobRank> Rows = ranks();
  for (size_t I = 0; I != Rows.size(); ++I)
    Rows[I].Job = I < 2 ? "71" : "72";
  JobReport J = jobOf(Rows);
  EXPECT_EQ(J.Job, "72");
  EXPECT_EQ(J.OtherJobs.size(), 2u);
  EXPECT_EQ(J.Ranks.size(), 6u);
}

TEST(Job, AClockIsCorrectedByTheSteps) {
  std::vector<JobRank> Rows = ranks();
  for (size_t I = 4; I != 8; ++I)
    Rows[I].Start.RealtimeNs += 37'000'000'000;
  // In its own clock rank 6 of machine two runs out of memory later.
  Rows[1].Oom = RankOom{30'500'000'000, 64, "host", 30, 1};
  Rows[6].Oom = RankOom{20'500'000'000, 64, "host", 20, 1};
  JobReport J = jobOf(Rows);
  ASSERT_EQ(J.Clocks.size(), 1u);
  EXPECT_EQ(J.Clocks[0].Host, "two");
  EXPECT_NEAR(double(J.Clocks[0].AheadNs), 37e9, 1e6);
  EXPECT_LT(J.Clocks[0].ErrorNs, 1'000'000u);
  ASSERT_TRUE(J.Oom);
  EXPECT_EQ(J.Oom->Rank, 6u);
  EXPECT_EQ(J.Oom->NumRanks, 2u);
  EXPECT_EQ(J.Oom->NumOthers, 7u);
  // At the end of step 19, whatever the machine's clock says.
  EXPECT_NEAR(double(J.Oom->MedianHeld), double((1 << 29) + 19), 4000);
}

TEST(Job, MachinesThatDoNotTrainInStepAreNotCompared) {
  std::vector<JobRank> Rows = ranks();
  for (size_t I = 4; I != 8; ++I)
    for (size_t Step = 0; Step != 40; ++Step)
      Rows[I].Steps.BeginNs[Step] *= 2;
  EXPECT_TRUE(jobOf(Rows).Clocks.empty());
}

TEST(Job, TheFirstFailure) {
  std::vector<JobRank> Rows = ranks();
  Rows[0].End = RankEnd::Killed;
  Rows[3].End = RankEnd::Failed;
  Rows[3].EndNs -= 5;
  JobReport J = jobOf(Rows);
  ASSERT_TRUE(J.FirstFailure);
  EXPECT_EQ(*J.FirstFailure, 3u);
}

TEST(Medians, OfFewValues) {
  EXPECT_EQ(medianOf({}), 0);
  EXPECT_EQ(medianOf({3}), 3);
  EXPECT_EQ(medianOf({1, 9}), 5);
  EXPECT_EQ(medianOf({9, 1, 2}), 2);
  EXPECT_EQ(scaledMad({1, 2, 3}, 2), 1.4826);
}

} // namespace
