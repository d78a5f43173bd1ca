// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers to Analysis's questions.

#include "memkit/Analysis/Query.h"
#include "../Model/RunText.h"
#include "../Model/TextTrace.h"

using namespace memkit;
using namespace llvm;

namespace {
/// A trace and the stats that a tool asks about.
struct Asked {
  explicit Asked(StringRef Text)
      : T(textTrace(Text)),
        S(orDie(SelectedStats::create(*T, orDie(Selection::create(*T, {}))))) {}
  std::unique_ptr<Trace> T;
  SelectedStats S;
};
} // namespace

TEST(AnalysisQuery, AnOverviewReadsTheSummaryOnce) {
  Asked Of(SmallRun);
  OverviewOptions Options;
  Options.Columns = 10;
  Overview O = orDie(queryOverview(Of.S, Options));
  queryRun(*Of.T);
  EXPECT_EQ(Of.T->reader().numDecoded(SectionKind::Summary), 2u); // two parts
  EXPECT_EQ(O.Steps.size(), 2u);
  EXPECT_EQ(O.Threads.size(), 2u);
  ASSERT_EQ(O.Libraries.size(), 1u); // devices only
  EXPECT_EQ(O.Libraries[0].Name, "prog");
  EXPECT_EQ(O.Libraries[0].HeapPeakBytes, 256u);
  ASSERT_TRUE(O.Curves);
  EXPECT_EQ(O.Curves->Highest.size(), 3u);
}

TEST(AnalysisQuery, Leaks) {
  Asked Of(SmallRun);
  LeakOptions Options;
  Options.Kinds = FK_Exit;
  LeakFindings R = orDie(queryLeaks(Of.S, Options));
  ASSERT_EQ(R.All.size(), 1u);
  EXPECT_EQ(R.All[0].Stack, 2u);
  EXPECT_EQ(R.All[0].Bytes, 256u);
  Rules Names;
  ASSERT_EQ(toString(Names.parse("leak:step\n", "test")), "");
  R = orDie(queryLeaks(Of.S, Options, Suppressions::ofUser(Names)));
  EXPECT_TRUE(R.All.empty());
  EXPECT_EQ(R.Exit.Suppressed[0].Bytes, 256u);
}

TEST(AnalysisQuery, Differences) {
  std::string More = SmallRun;
  std::string Peak = "heap 1 allocations=1";
  More.replace(More.find(Peak), Peak.size(), "heap 1 allocations=9");
  Asked Before(SmallRun), After(More);
  const SelectedStats *const Runs[] = {&Before.S, &After.S};
  ArrayRef<const SelectedStats *> Each(Runs);
  Renames None;
  DiffRuns Both(Each.take_front(1), Each.drop_front(1), /*Whole=*/true, None);
  DiffReport R = cantFail(queryDifferences(Both, {}));
  ASSERT_EQ(R.Heaps.size(), 2u);
  for (const HeapChange &H : R.Heaps)
    if (Both.heaps()[H.Heap].Name == "host.malloc") {
      EXPECT_EQ(H.Stats.Before.Allocations, 1u);
      EXPECT_EQ(H.Stats.After.Allocations, 9u);
    }
  EXPECT_TRUE(R.Changes.Findings.empty());
}

TEST(AnalysisQuery, ASeriesHasWhatWasSampled) {
  Asked Of(SmallRun);
  SeriesReport R = orDie(querySeries(Of.S, 10));
  ASSERT_EQ(R.Live.Highest.size(), 3u);
  EXPECT_EQ(R.Live.Highest[2].size(), 10u);
  ASSERT_EQ(R.Rss.size(), 3u);
  ASSERT_EQ(R.Rss[1].size(), 2u);
  EXPECT_EQ(R.Rss[1][1].TimeNs, 2000u);
  EXPECT_EQ(R.Rss[1][1].Value, 8192u);
  ASSERT_EQ(R.Used[1].size(), 1u);
  EXPECT_EQ(R.Used[1][0].Used, 900u);
}

TEST(AnalysisQuery, AMapOfADevice) {
  Asked Of(SmallRun);
  std::vector<DeviceMap> Maps = orDie(queryMap(*Of.T, {}));
  ASSERT_EQ(Maps.size(), 1u);
  EXPECT_EQ(Maps[0].Device, 1u);
  EXPECT_EQ(Maps[0].At.TimeNs, 2000u);
  ASSERT_EQ(Maps[0].Blocks.size(), 1u);
  EXPECT_EQ(Maps[0].Blocks[0].Size, 256u);
  EXPECT_EQ(Maps[0].TotalBytes, 65536u);
}

TEST(AnalysisQuery, AStreamHasNoMap) {
  std::unique_ptr<Trace> T = Trace::createGrowing("stream");
  auto Maps = queryMap(*T, {});
  ASSERT_FALSE(Maps);
  EXPECT_EQ(toString(Maps.takeError()),
            "stream: a map of a device needs a file, because a stream can be "
            "read only once");
}
