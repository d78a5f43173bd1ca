// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers to Model's questions.

#include "memkit/Model/Query.h"
#include "Model/Query/ProfileQuery.h"
#include "RunText.h"
#include "TextTrace.h"
#include "memkit/Model/StatsQuery.h"

using namespace memkit;
using namespace llvm;

static Selection processOf(const Trace &T, StringRef Id) {
  SelectionSpec Spec;
  Spec.Processes = {Id.str()};
  return orDie(Selection::create(T, Spec));
}

TEST(Query, TheRun) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Totals);
  RunReport R = queryRun(*T);
  EXPECT_EQ(R.Run.Command, (std::vector<std::string>{"./train", "-v"}));
  EXPECT_EQ(R.EndNs, 10000u);
  EXPECT_TRUE(R.IsComplete);
  EXPECT_EQ(R.Allocations, 2u);
  EXPECT_EQ(R.Frees, 1u);
  EXPECT_EQ(R.Marks, 3u);
  EXPECT_EQ(R.Lost, 3u); // events left out on request are not losses
  EXPECT_EQ(R.Losses[static_cast<size_t>(LossKind::Events)], 4u);
  EXPECT_EQ(R.Stacks, 2u);
  EXPECT_EQ(R.Threads, 2u);
  EXPECT_EQ(R.Steps, 2u);
  EXPECT_EQ(R.Layers, 1u);
  EXPECT_EQ(R.Ooms, 1u);
  EXPECT_EQ(R.OomFailures, 3u);
  EXPECT_EQ(R.MaxRss, 8192u);
}

TEST(Query, HeapsSpacesAndProcesses) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Totals);
  RunReport R = queryRun(*T);
  ASSERT_EQ(R.Spaces.size(), 2u);
  EXPECT_EQ(R.Spaces[1].Name, "cuda:0");
  EXPECT_EQ(R.Spaces[1].Stats.PeakBytes, 256u);
  EXPECT_FALSE(R.Spaces[1].IsEstimate);
  ASSERT_EQ(R.Heaps.size(), 2u);
  EXPECT_EQ(R.Heaps[1].SpaceName, "cuda:0");
  EXPECT_EQ(R.Heaps[1].Stats.LiveBytes, 256u);
  EXPECT_EQ(R.Heaps[1].Parent, "");
  ASSERT_EQ(R.Processes.size(), 2u);
  EXPECT_EQ(R.Processes[1].Parent, 1u);
  EXPECT_EQ(R.Processes[1].Role, "encoder");
  EXPECT_EQ(R.Processes[1].Exe, "/bin/worker");
  ASSERT_TRUE(R.Processes[0].Stats);
  EXPECT_EQ(R.Processes[0].Stats->PeakBytes, 64u);
}

TEST(Query, EstimatesHaveErrors) {
  // Only totals are read, and the rows from which errors are computed.
  std::string Sampled = SmallRun;
  std::string Heap = "heap 1 name=\"host.malloc\"";
  Sampled.replace(Sampled.find(Heap), Heap.size(),
                  Heap + " sample-bytes=4096 flags=2");
  std::unique_ptr<Trace> T = textTrace(Sampled, TP_Totals);
  RunReport R = queryRun(*T);
  EXPECT_TRUE(R.Heaps[0].IsEstimate);
  EXPECT_TRUE(R.Spaces[0].IsEstimate);
  EXPECT_GT(R.Heaps[0].Variances.Allocated, 0);
  EXPECT_EQ(R.Heaps[0].Variances.HeapPeak, R.Spaces[0].Variances.HeapPeak);
  EXPECT_FALSE(R.Spaces[1].IsEstimate);
  EXPECT_EQ(R.Heaps[1].Variances.Allocated, 0);
}

TEST(Query, Steps) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  std::vector<StepReport> Steps = querySteps(*T);
  ASSERT_EQ(Steps.size(), 2u);
  EXPECT_EQ(Steps[0].Step, 1u);
  EXPECT_FALSE(Steps[0].IsOpen);
  EXPECT_TRUE(Steps[1].IsOpen); // ends with the process
  Selection Other = processOf(*T, "101");
  EXPECT_TRUE(querySteps(*T, &Other).empty());
  EXPECT_EQ(stepAt(*T, 1500), 2u);
  EXPECT_EQ(stepAt(*T, 9000), std::nullopt);
}

TEST(Query, LayersThreadsAndTensors) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  Selection Other = processOf(*T, "101");
  ASSERT_EQ(queryLayers(*T).size(), 1u);
  EXPECT_EQ(queryLayers(*T)[0].PeakBytes, 256u);
  EXPECT_TRUE(queryLayers(*T, &Other).empty());
  EXPECT_TRUE(queryScopes(*T).empty());
  std::vector<ThreadStats> Threads = queryThreads(*T);
  ASSERT_EQ(Threads.size(), 2u);
  EXPECT_EQ(Threads[0].AllocatedBytes, 500u);
  EXPECT_EQ(Threads[1].AllocatedBytes, 300u); // without nested blocks
  EXPECT_EQ(queryThreads(*T, &Other).size(), 1u);
  std::vector<CategorySum> Tensors = queryCategories(*T);
  // Without the tensors of the out-of-memory event.
  ASSERT_EQ(Tensors.size(), 1u);
  EXPECT_EQ(Tensors[0].Bytes, 256u);
}

TEST(Query, MemoryThatRanOut) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Totals);
  std::vector<OomReport> Ooms = queryOoms(*T);
  ASSERT_EQ(Ooms.size(), 1u);
  EXPECT_EQ(Ooms[0].What.Requested, 99999u);
  ASSERT_EQ(Ooms[0].Heaps.size(), 1u);
  EXPECT_EQ(Ooms[0].Heaps[0].LiveBytes, 256u);
  ASSERT_EQ(Ooms[0].Tensors.size(), 2u);
  EXPECT_EQ(Ooms[0].Tensors[0].Bytes, 256u); // the largest first
}

//===----------------------------------------------------------------------===//
// Stats by groups
//===----------------------------------------------------------------------===//

static std::vector<std::string> namesOf(ArrayRef<GroupedStats> Rows) {
  std::vector<std::string> Out;
  for (const GroupedStats &R : Rows)
    Out.push_back(R.Name);
  return Out;
}

TEST(StatsQuery, ByEachGroup) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  using Names = std::vector<std::string>;
  auto By = [&](GroupBy Group) {
    return namesOf(orDie(queryStats(*T, {}, Group)).Rows);
  };
  EXPECT_EQ(By(GroupBy::Stack), (Names{"load (main.c:9)", "step (main.c:5)"}));
  EXPECT_EQ(By(GroupBy::Line), (Names{"load (main.c:9)", "step (main.c:5)"}));
  EXPECT_EQ(By(GroupBy::Function), (Names{"load", "step"}));
  EXPECT_EQ(By(GroupBy::File), (Names{"main.c", "main.c"}));
  EXPECT_EQ(By(GroupBy::Library), (Names{"prog", "prog"}));
  EXPECT_EQ(By(GroupBy::Heap), (Names{"host.malloc", "torch.cuda:0"}));
  EXPECT_EQ(By(GroupBy::Layer), (Names{"(no layer)", "encoder"}));
  EXPECT_EQ(By(GroupBy::ScopePath),
            (Names{"(no scope path)", "forward/encoder"}));
}

TEST(StatsQuery, ValuesOfARow) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  std::vector<GroupedStats> Rows =
      orDie(queryStats(*T, {}, GroupBy::Stack)).Rows;
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].Heap, 1u);
  EXPECT_EQ(Rows[0].Frees, 1u);
  EXPECT_EQ(Rows[0].FreedBytes, 64u);
  EXPECT_EQ(Rows[1].Key, 2u);
  EXPECT_EQ(Rows[1].LiveExclusive, 256u);
  EXPECT_EQ(Rows[1].SpacePeakBytes, 256u);
}

static TimePointSpec atNs(uint64_t Ns) {
  TimePointSpec P;
  P.K = TimePointSpec::TimePointKind::Time;
  P.Number = Ns;
  P.Text = std::to_string(Ns) + "ns";
  return P;
}

TEST(StatsQuery, WhatLivedAtATimePoint) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  StatsReport Early = orDie(queryTimePoint(*T, atNs(1500), {}, GroupBy::Line));
  ASSERT_EQ(Early.Rows.size(), 1u);
  EXPECT_EQ(Early.Rows[0].Name, "load (main.c:9)");
  EXPECT_EQ(Early.Rows[0].LiveBytes, 64u);
  ASSERT_TRUE(Early.Times.At);
  EXPECT_EQ(Early.Times.At->TimeNs, 1500u);
  StatsReport Late = orDie(queryTimePoint(*T, atNs(4000), {}, GroupBy::Line));
  uint64_t Live = 0;
  for (const GroupedStats &R : Late.Rows)
    Live += R.LiveBytes;
  EXPECT_EQ(Live, 256u);
}

TEST(StatsQuery, WhatARangeAllocated) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  StatsReport R =
      orDie(queryRange(*T, atNs(500), atNs(1500), {}, GroupBy::Line));
  ASSERT_EQ(R.Rows.size(), 1u);
  EXPECT_EQ(R.Rows[0].AllocatedBytes, 64u);
  EXPECT_EQ(R.Rows[0].LiveBytes, 64u); // freed after the range
  R = orDie(queryRange(*T, std::nullopt, atNs(3500), {}, GroupBy::Line));
  ASSERT_EQ(R.Rows.size(), 2u);
  EXPECT_EQ(R.Rows[0].LiveBytes, 0u);
  EXPECT_EQ(R.Rows[1].LiveBytes, 256u);
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

static std::unique_ptr<ProfileQuery> profileQuery(ProfileOptions Options) {
  return orDie(
      ProfileQuery::create(textTrace(SmallRun), {}, std::move(Options)));
}

TEST(ProfileQuery, OneSpaceAtATimeUnlessInOneTree) {
  std::unique_ptr<ProfileQuery> P = profileQuery({});
  EXPECT_EQ(orDie(P->profile(Metric::Peak)).Total, 64u); // of the host
  EXPECT_EQ(orDie(P->profiles({Metric::Peak})).size(), 2u);
  ProfileOptions Options;
  Options.InOneTree = true;
  P = profileQuery(Options);
  EXPECT_EQ(orDie(P->profile(Metric::Peak)).Total, 320u);
}

TEST(ProfileQuery, SaysWhatItCannotGroupBy) {
  ProfileOptions Options;
  Options.By = GroupBy::Operator;
  EXPECT_NE(profileQuery(Options)->warning().find(
                "cannot group by operator: the trace has no operators"),
            StringRef::npos);
  Options.By = GroupBy::Layer;
  EXPECT_EQ(profileQuery(Options)->warning(), "");
}
