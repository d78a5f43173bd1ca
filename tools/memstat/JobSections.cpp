// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a job.

#include "JobPage.h"
#include "Support/Rounding.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
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
  if (Most > 0)
    return metricText(RankMetric::HostGrowth, Most);
  Most = std::max(D ? D->LeakPerSecond : 0, R.host().LeakPerSecond);
  return Most > 0 ? "+" + formatSize(nearestUnsigned(Most)) + " per second"
                  : "";
}

/// The recording of a part of the run knows a peak that is not too high,
/// several processes one that is not too low; both together are near.
static std::string peakText(const JobRank &R, const RankSpace &S) {
  if (!S.PeakBytes)
    return "";
  StringRef Bound =
      R.CutNs ? (S.IsUpperBound ? "~ " : ">= ") : (S.IsUpperBound ? "<= " : "");
  return Bound.str() + formatSize(S.PeakBytes);
}

namespace {
/// A column of the table of ranks.
struct RankColumn {
  Table::Column Shown;
  std::function<std::string(const JobRank &)> Text;
};
} // namespace

static std::string deviceText(const JobRank &R, uint64_t RankSpace::*Bytes) {
  return R.device() ? sizeIfKnown(R.device()->*Bytes) : std::string();
}

static std::string peakStep(const RankSpace *S) {
  return S && S->PeakStep ? std::to_string(*S->PeakStep) : std::string();
}

static std::vector<RankColumn> rankColumns(const JobInput &In) {
  bool HasDevices = any_of(
      In.J.Ranks, [](const JobRank &R) { return R.device() != nullptr; });
  std::set<size_t> Bad;
  for (const RankOutlier &O : In.J.Outliers)
    Bad.insert(O.Rank);
  if (In.J.Oom)
    Bad.insert(In.J.Oom->Rank);
  auto Name = [&In, Bad](const JobRank &R) {
    std::string Text = R.Rank >= 0 ? std::to_string(R.Rank) : rankName(In.J, R);
    return (Bad.count(&R - In.J.Ranks.data()) ? "! " : "") + Text;
  };
  auto OfDevice = [](uint64_t RankSpace::*Bytes) {
    return [Bytes](const JobRank &R) { return deviceText(R, Bytes); };
  };
  std::vector<RankColumn> Out;
  using TextOf = std::function<std::string(const JobRank &)>;
  auto Add = [&](const char *Title, Side Aligned, TextOf Text,
                 bool Flexible = false) {
    Table::Column Shown;
    Shown.Title = Title;
    Shown.Aligned = Aligned;
    Shown.Flexible = Flexible;
    Out.push_back({std::move(Shown), std::move(Text)});
  };
  bool IsJob = !areUnrelated(In.J);
  Add(IsJob ? "rank" : "trace", IsJob ? Side::Right : Side::Left, Name);
  if (!IsJob)
    Add("program", Side::Left, [](const JobRank &R) { return R.Program; });
  Add("machine", Side::Left, [](const JobRank &R) { return R.Host; }, true);
  Add("device", Side::Left, [](const JobRank &R) {
    return R.device() ? R.device()->Name : std::string();
  });
  Add("peak", Side::Right, [](const JobRank &R) {
    return R.device() ? peakText(R, *R.device()) : std::string();
  });
  Add("at step", Side::Right, [HasDevices](const JobRank &R) {
    return peakStep(HasDevices ? R.device() : &R.host());
  });
  Add("reserved", Side::Right, OfDevice(&RankSpace::ReservedPeakBytes));
  Add("used", Side::Right, OfDevice(&RankSpace::UsedPeakBytes));
  Add("unexplained", Side::Right, OfDevice(&RankSpace::UnexplainedBytes));
  Add("host peak", Side::Right,
      [](const JobRank &R) { return peakText(R, R.host()); });
  Add("max RSS", Side::Right,
      [](const JobRank &R) { return sizeIfKnown(R.RssPeakBytes); });
  Add("growth", Side::Right, growthText);
  Add("steps", Side::Right, [](const JobRank &R) {
    return R.NumSteps ? formatCount(R.NumSteps) : std::string();
  });
  Add("end", Side::Left, [](const JobRank &R) {
    return (R.Oom ? "out of memory, " : "") + endText(R);
  });
  return Out;
}

/// Without the columns that are empty in all rows.
static Table tableOf(std::vector<RankColumn> Columns,
                     ArrayRef<const JobRank *> Rows) {
  erase_if(Columns, [&](const RankColumn &C) {
    return all_of(Rows, [&](const JobRank *R) { return C.Text(*R).empty(); });
  });
  std::vector<Table::Column> Shown;
  for (const RankColumn &C : Columns)
    Shown.push_back(C.Shown);
  Table T(Shown);
  for (const JobRank *R : Rows) {
    std::vector<std::string> Cells;
    for (const RankColumn &C : Columns)
      Cells.push_back(C.Text(*R));
    T.add(std::move(Cells));
  }
  return T;
}

static PageSection rankTable(const JobInput &In) {
  const JobReport &J = In.J;
  constexpr size_t Few = 16;
  bool ShowsAll = In.AllRanks || J.Ranks.size() <= Few || areUnrelated(J);
  std::set<size_t> Telling = tellingRanks(J);
  std::vector<const JobRank *> Rows;
  for (size_t I = 0; I != J.Ranks.size(); ++I)
    if (ShowsAll || Telling.count(I))
      Rows.push_back(&J.Ranks[I]);
  PageSection Out;
  Out.Title = areUnrelated(J) ? "Traces" : "Ranks";
  Out.Rows = tableOf(rankColumns(In), Rows);
  if (!ShowsAll)
    Out.Notes.push_back("of " + formatCount(J.Ranks.size()) +
                        " ranks: those that stand out, and the lowest, the "
                        "median and the highest peak; -v shows all");
  return Out;
}

static Table nodeTable(const JobInput &In) {
  const JobReport &J = In.J;
  bool HasTogether = !In.Together.empty();
  std::vector<Table::Column> Columns = {{"machine", Side::Left, true},
                                        {"ranks", Side::Right},
                                        {"highest device peak", Side::Right},
                                        {"host peaks", Side::Right},
                                        {"RSS", Side::Right}};
  if (HasTogether)
    Columns.push_back({"together", Side::Right});
  Table T(Columns);
  auto IsCut = [&](size_t I) { return J.Ranks[I].CutNs.has_value(); };
  for (size_t I = 0; I != J.Nodes.size(); ++I) {
    const JobNode &N = J.Nodes[I];
    StringRef Bound = any_of(N.Ranks, IsCut) ? "~ " : "<= ";
    std::vector<std::string> Cells = {
        N.Host, formatCount(N.Ranks.size()), sizeIfKnown(N.DevicePeak),
        Bound.str() + formatSize(N.HostPeakSum), sizeIfKnown(N.RssSum)};
    if (HasTogether)
      Cells.push_back(sizeIfKnown(In.Together[I].Bytes));
    T.add(std::move(Cells));
  }
  return T;
}

static PageSection nodeSection(const JobInput &In) {
  PageSection Out;
  Out.Title = "Machines";
  Out.Notes.push_back("host peaks: the sum of the ranks' peaks, which may have "
                      "been at different times; RSS: likewise");
  if (!In.Together.empty())
    Out.Notes.push_back("together: the most on the host at the same time, at "
                        "the ends of intervals");
  Out.Rows = nodeTable(In);
  return Out;
}

static Table headTable(ArrayRef<HeadRow> Rows) {
  Table T({{"", Side::Left}, {"", Side::Left, true, 0, /*Wraps=*/true}});
  T.hideTitles();
  for (const HeadRow &R : Rows)
    T.add({(R.NeedsLook ? "  ! " : "  ") + R.Label, R.Text});
  return T;
}

std::vector<PageSection> jobSections(const JobInput &In) {
  PageSection Head;
  Head.Lines.push_back(jobVerdict(In));
  Head.Rows = headTable(jobHeadRows(In));
  std::vector<PageSection> Out = {std::move(Head), rankTable(In)};
  if (In.AllRanks && In.J.Nodes.size() > 1)
    Out.push_back(nodeSection(In));
  return Out;
}

PageSection rankSection(const JobInput &In) {
  PageSection Out = rankTable(In);
  Out.Title = "Ranks: " + jobVerdict(In);
  Out.Titled = true;
  for (const HeadRow &R : jobHeadRows(In))
    if (R.NeedsLook)
      Out.Lines.push_back("! " + R.Label + ": " + R.Text);
  return Out;
}

} // namespace memkit
