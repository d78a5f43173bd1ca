// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a job.

#include "JobPage.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

using Side = Table::Side;

static std::string sizeIfKnown(uint64_t Bytes) {
  return Bytes ? formatSize(Bytes) : std::string();
}

/// The ranks worth a row of the table: outliers, failures, and the lowest, the
/// median and the highest peak.
static std::set<size_t> tellingRanks(const JobReport &J) {
  constexpr size_t MaxOutliers = 8;
  std::set<size_t> Out;
  for (const RankOutlier &O : J.Outliers)
    if (Out.size() < MaxOutliers)
      Out.insert(O.Rank);
  if (J.Oom)
    Out.insert(J.Oom->Rank);
  if (J.FirstFailure)
    Out.insert(*J.FirstFailure);
  std::vector<std::pair<double, size_t>> Peaks;
  for (size_t I = 0; I != J.Ranks.size(); ++I)
    Peaks.push_back({metricOf(J.Ranks[I], RankMetric::DevicePeak)
                         .value_or(double(J.Ranks[I].host().PeakBytes)),
                     I});
  sort(Peaks);
  for (size_t At : {size_t(0), Peaks.size() / 2, Peaks.size() - 1})
    Out.insert(Peaks[At].second);
  return Out;
}

static std::string growthText(const JobRank &R) {
  const RankSpace *D = R.device();
  double Most = std::max(D ? D->GrowthPerStep : 0, R.host().GrowthPerStep);
  return Most > 0 ? metricText(RankMetric::HostGrowth, Most) : "";
}

static std::string peakText(const RankSpace &S) {
  return S.PeakBytes ? (S.IsUpperBound ? "<= " : "") + formatSize(S.PeakBytes)
                     : std::string();
}

static PageSection rankTable(const JobInput &In, bool AllRanks) {
  const JobReport &J = In.J;
  bool HasDevices =
      any_of(J.Ranks, [](const JobRank &R) { return R.device() != nullptr; });
  std::vector<Table::Column> Columns = {{"rank", Side::Right},
                                        {"machine", Side::Left, true}};
  if (HasDevices)
    for (const char *Title :
         {"device", "peak", "at step", "reserved", "unexplained"})
      Columns.push_back(
          {Title, StringRef(Title) == "device" ? Side::Left : Side::Right});
  Columns.push_back({"host peak", Side::Right});
  if (!HasDevices)
    Columns.push_back({"at step", Side::Right});
  for (const char *Title : {"max RSS", "growth", "steps"})
    Columns.push_back({Title, Side::Right});
  Columns.push_back({"end", Side::Left});
  Table T(Columns);
  constexpr size_t Few = 16;
  std::set<size_t> Telling = tellingRanks(J);
  std::set<size_t> Bad;
  for (const RankOutlier &O : J.Outliers)
    Bad.insert(O.Rank);
  if (J.Oom)
    Bad.insert(J.Oom->Rank);
  bool ShowsAll = AllRanks || J.Ranks.size() <= Few;
  auto Step = [](const RankSpace &S) {
    return S.PeakStep ? std::to_string(*S.PeakStep) : std::string();
  };
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    if (!ShowsAll && !Telling.count(I))
      continue;
    const JobRank &R = J.Ranks[I];
    std::string Name = R.Rank >= 0 ? std::to_string(R.Rank) : rankName(J, R);
    std::vector<std::string> Row = {(Bad.count(I) ? "! " : "") + Name, R.Host};
    const RankSpace *D = R.device();
    if (HasDevices && D)
      append_range(Row, std::initializer_list<std::string>{
                            D->Name, peakText(*D), Step(*D),
                            sizeIfKnown(D->ReservedPeakBytes),
                            sizeIfKnown(D->UnexplainedBytes)});
    else if (HasDevices)
      Row.resize(Row.size() + 5);
    Row.push_back(peakText(R.host()));
    if (!HasDevices)
      Row.push_back(Step(R.host()));
    append_range(Row, std::initializer_list<std::string>{
                          sizeIfKnown(R.RssPeakBytes), growthText(R),
                          R.NumSteps ? formatCount(R.NumSteps) : "",
                          R.Oom ? "out of memory, " + endText(R) : endText(R)});
    T.add(std::move(Row));
  }
  PageSection Out;
  Out.Name = "ranks";
  Out.Title = "Ranks";
  Out.Rows = std::move(T);
  if (!ShowsAll)
    Out.Notes.push_back("of " + formatCount(J.Ranks.size()) +
                        " ranks: those that stand out, and the lowest, the "
                        "median and the highest peak; -v shows all");
  return Out;
}

static PageSection nodeSection(const JobReport &J) {
  Table T({{"machine", Side::Left, true},
           {"ranks", Side::Right},
           {"highest device peak", Side::Right},
           {"host peaks", Side::Right},
           {"RSS", Side::Right}});
  for (const JobNode &N : J.Nodes)
    T.add({N.Host, formatCount(N.Ranks.size()), sizeIfKnown(N.DevicePeak),
           "<= " + formatSize(N.HostPeakSum), sizeIfKnown(N.RssSum)});
  PageSection Out;
  Out.Name = "machines";
  Out.Title = "Machines";
  Out.Notes.push_back("host peaks: the sum of the ranks' peaks, which may have "
                      "been at different times; RSS: likewise");
  Out.Rows = std::move(T);
  return Out;
}

static Table headTable(ArrayRef<HeadRow> Rows) {
  Table T({{"", Side::Left}, {"", Side::Left, true, 0, /*Wraps=*/true}});
  T.hideTitles();
  for (const HeadRow &R : Rows)
    T.add({(R.NeedsLook ? "  ! " : "  ") + R.Label, R.Text});
  return T;
}

std::vector<PageSection> jobSections(const JobInput &In, bool AllRanks) {
  PageSection Head;
  Head.Name = "verdict";
  Head.Lines.push_back(jobVerdict(In));
  Head.Rows = headTable(jobHeadRows(In));
  std::vector<PageSection> Out = {std::move(Head), rankTable(In, AllRanks)};
  if (AllRanks && In.J.Nodes.size() > 1)
    Out.push_back(nodeSection(In.J));
  return Out;
}

PageSection rankSection(const JobInput &In, bool AllRanks) {
  PageSection Out = rankTable(In, AllRanks);
  Out.Title = "Ranks: " + jobVerdict(In);
  Out.Titled = true;
  for (const HeadRow &R : jobHeadRows(In))
    if (R.NeedsLook)
      Out.Lines.push_back("! " + R.Label + ": " + R.Text);
  return Out;
}

} // namespace memkit
