// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The overview of a trace.

#include "memkit/Analysis/Overview.h"
#include "../Model/TextTrace.h"

using namespace memkit;
using namespace llvm;

namespace {
/// A trace and all of its stats.
struct Opened {
  explicit Opened(StringRef Text)
      : T(textTrace(Text)), S(cantFail(SelectedStats::create(
                                *T, cantFail(Selection::create(*T, {}))))) {}
  std::unique_ptr<Trace> T;
  SelectedStats S;
};
} // namespace

static std::vector<std::pair<uint64_t, uint64_t>>
pairs(ArrayRef<SeriesPoint> Points) {
  std::vector<std::pair<uint64_t, uint64_t>> Out;
  for (const SeriesPoint &P : Points)
    Out.emplace_back(P.TimeNs, P.Value);
  return Out;
}

static const char *const TwoProcesses = R"(
header
dictionary
 process 1 pid=1 exe="/bin/a"
 process 2 pid=2 parent=1 exe="/bin/a"
 heap 1 name="torch.cuda:0"
 stack 1 main > f
 stack 2 main > g
marks
 10 heap-reserved process=1 heap=1 values=[100 60]
 20 heap-reserved process=2 heap=1 values=[50 50]
 30 heap-reserved process=1 heap=1 values=[80]
 40 heap-reserved process=1 heap=1 values=[70 20]
 50 process-end process=1 values=[0]
intervals process=1
 interval 0 end=10
  row heap=1 stack=1 blocks=1 bytes=40
  row heap=1 stack=2 blocks=1 bytes=2
 interval 1 begin=10 end=50
  row heap=1 stack=1 blocks=1 bytes=30
intervals process=2
 interval 0 end=20
  row heap=1 stack=1 blocks=1 bytes=5
summary number=1 end=100
 heap 1 allocations=3 allocated-bytes=47 peak-bytes=47 peak-time=20
 space 0 allocations=3 peak-bytes=47 peak-time=20
 process 1 end=50 ended=true
 process 2 end=100
complete
)";

TEST(MarkSeries, SumsProcesses) {
  Opened In(TwoProcesses);
  MarkSeries M = cantFail(readMarkSeries(*In.T));
  std::vector<ReservedPoint> &P = M.Heaps[1];
  ASSERT_EQ(P.size(), 5u);
  EXPECT_EQ(P[0].Reserved, 100u);
  EXPECT_EQ(P[0].Active, 60u);
  EXPECT_EQ(P[1].Reserved, 150u);
  EXPECT_EQ(P[1].Active, 110u);
  // The active bytes of one process are unknown.
  EXPECT_EQ(P[2].Reserved, 130u);
  EXPECT_EQ(P[2].Active, std::nullopt);
  EXPECT_EQ(P[3].Reserved, 120u);
  EXPECT_EQ(P[3].Active, 70u);
  // The first process has ended and holds nothing.
  EXPECT_EQ(P[4].TimeNs, 50u);
  EXPECT_EQ(P[4].Reserved, 50u);
  EXPECT_EQ(P[4].Active, 50u);

  EXPECT_EQ(pointAt<ReservedPoint>(P, 9), nullptr);
  EXPECT_EQ(pointAt<ReservedPoint>(P, 10)->Reserved, 100u);
  EXPECT_EQ(pointAt<ReservedPoint>(P, 1000)->Reserved, 50u);
}

TEST(LiveSeries, SumsProcessesAndWatchesStacks) {
  Opened In(TwoProcesses);
  LiveSeries L = cantFail(readLiveSeries(In.S, {{1, 1}, {1, 2}}));
  // 40 + 2; 5 more of the other process; 30 replaces 40; the first process has
  // ended.
  EXPECT_EQ(pairs(L.Heaps[1]), (std::vector<std::pair<uint64_t, uint64_t>>{
                                   {10, 42}, {20, 47}, {50, 37}, {51, 5}}));
  EXPECT_EQ(L.Intervals, 2u);
  StackChanges First = L.Stacks.lookup({1, 1});
  EXPECT_EQ(First.Rises, 2u);
  EXPECT_EQ(First.Falls, 1u);
  StackChanges Second = L.Stacks.lookup({1, 2});
  EXPECT_EQ(Second.Rises, 1u);
  EXPECT_EQ(Second.Falls, 0u);
}

TEST(HeapOverview, StepsOfPeaks) {
  Opened In(R"(
header
dictionary
 process 1 pid=1 exe="/bin/a"
summary number=1 end=100
 process 1 end=100
 step 3 process=1 begin=10 end=20
 step 4 process=1 begin=20 end=30
complete
)");
  EXPECT_EQ(stepAt(*In.T, 9), std::nullopt);
  EXPECT_EQ(stepAt(*In.T, 10), 3u);
  EXPECT_EQ(stepAt(*In.T, 20), 4u);
  EXPECT_EQ(stepAt(*In.T, 30), std::nullopt);
}

TEST(HeapOverview, StacksShownAlikeAreOne) {
  // Stacks 1 and 2 differ only in the address of a frame, which is not shown.
  Opened In(R"(
header
dictionary
 process 1 pid=1 exe="/bin/a"
 heap 1 name="host.malloc"
 heap 2 name="torch.cpu" parent=1
 stack 1 prog!main@main.c:1 > malloc
 stack 2 prog!main@main.c:1 > malloc
 stack 3 prog!other@main.c:9 > malloc
summary number=1 end=1000000000 complete=false
 stacks process=1
  row stack=1 heap=1 allocations=1 heap-peak-blocks=1 heap-peak-bytes=10 space-peak-blocks=1 space-peak-bytes=3
  row stack=2 heap=1 allocations=1 heap-peak-blocks=2 heap-peak-bytes=20 space-peak-blocks=2 space-peak-bytes=20
  row stack=3 heap=2 allocations=1 heap-peak-blocks=1 heap-peak-bytes=7 space-peak-blocks=1 space-peak-bytes=7
summary number=1 end=1000000000
 heap 1 allocations=2 allocated-bytes=30 peak-bytes=30 peak-time=20
 heap 2 allocations=1 allocated-bytes=7 peak-bytes=7 peak-time=20
 space 0 allocations=3 peak-bytes=30 peak-time=20
 process 1 end=50 ended=true
complete
)");
  std::vector<HeapOverview> H = statHeaps(In.S, 2);
  ASSERT_EQ(H.size(), 3u);
  EXPECT_EQ(H[0].Heap, 0u);
  ASSERT_EQ(H[0].AtPeak.size(), 2u);
  EXPECT_EQ(H[0].AtPeak[0].Bytes, 23u);
  EXPECT_EQ(H[0].AtPeak[0].Blocks, 3u);
  EXPECT_EQ(H[0].AtPeak[1].Bytes, 7u);
  EXPECT_EQ(H[0].AtPeak[1].Heap, 2u);
  ASSERT_EQ(H[1].AtPeak.size(), 1u);
  EXPECT_EQ(H[1].AtPeak[0].Bytes, 30u);
  EXPECT_EQ(H[1].MeanBytes, 15u);
  EXPECT_EQ(H[1].BytesPerSecond, 30u);
  EXPECT_EQ(H[2].Heap, 2u);
}

/// The rises of a device's gap from samples (hundredths of a second, bytes).
/// Nothing is accounted for.
static std::vector<DeviceGap::Rise>
risesOf(ArrayRef<std::pair<uint64_t, uint64_t>> Samples) {
  std::string Text = R"(
header
dictionary
 device 1 name="d" space="cuda:0"
 process 1 pid=1 exe="/bin/a"
marks
)";
  for (auto [Time, Used] : Samples)
    Text += " " + std::to_string(Time * 10000000) +
            " device-used process=1 id=1 values=[" + std::to_string(Used) +
            " 1000 0 0 0 0 0]\n";
  Text +=
      "summary number=1 end=9000000000\n process 1 end=9000000000\ncomplete\n";
  Opened In(Text);
  MarkSeries M = cantFail(readMarkSeries(*In.T));
  std::vector<DeviceGap> G = findGaps(*In.T, M, LiveSeries());
  EXPECT_EQ(G.size(), 1u);
  EXPECT_EQ(G[0].Samples, Samples.size());
  return G[0].Rises;
}

TEST(DeviceGaps, RisesThatFollowSoonAreOne) {
  // Rises within 100 ms, over an equal sample; then one 200 ms later.
  std::vector<DeviceGap::Rise> R =
      risesOf({{10, 5}, {11, 7}, {12, 7}, {20, 9}, {40, 10}});
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].bytes(), 4u);
  EXPECT_EQ(R[0].From.TimeNs, 100000000u);
  EXPECT_EQ(R[0].To.TimeNs, 200000000u);
  EXPECT_EQ(R[1].bytes(), 1u);
  EXPECT_EQ(R[1].From.TimeNs, 200000000u);
  // A fall between two rises; no rise; one sample.
  EXPECT_EQ(risesOf({{10, 5}, {11, 7}, {12, 6}, {13, 8}}).size(), 2u);
  EXPECT_TRUE(risesOf({{10, 5}, {11, 5}, {12, 1}}).empty());
  EXPECT_TRUE(risesOf({{10, 5}}).empty());
}

TEST(DeviceGaps, TheLargestRisesAreKept) {
  std::vector<std::pair<uint64_t, uint64_t>> Samples;
  for (uint64_t I = 1; I != 101; ++I) {
    Samples.push_back({2 * I, 0});
    Samples.push_back({2 * I + 1, I});
  }
  std::vector<DeviceGap::Rise> R = risesOf(Samples);
  ASSERT_EQ(R.size(), size_t(DeviceGap::MaxRises));
  EXPECT_EQ(R.front().bytes(), 100u - DeviceGap::MaxRises + 1);
  EXPECT_EQ(R.back().bytes(), 100u);
}

TEST(DeviceGaps, WhatIsUnknownIsTheRest) {
  DeviceGap::GapTimePoint M;
  M.Used = 100;
  M.Accounted = 30;
  EXPECT_EQ(M.unknown(), 70u);
  M.Parts.Contexts = 20;
  M.Parts.Others = 45;
  EXPECT_EQ(M.unknown(), 5u);
  // Measured parts may sum to more than the gap.
  M.Parts.Modules = UINT64_MAX - 1;
  EXPECT_EQ(M.unknown(), 0u);
  M.Accounted = 200;
  EXPECT_EQ(M.gap(), 0u);
  EXPECT_EQ(M.unknown(), 0u);
}
