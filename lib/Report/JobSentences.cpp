// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job in sentences.

#include "JobSentences.h"
#include "Support/CommandText.h"
#include "Support/Rounding.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <ctime>
#include <map>
#include <set>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Names and values
//===----------------------------------------------------------------------===//

StringRef metricName(RankMetric M) {
  static constexpr StringLiteral Names[NumRankMetrics] = {"device peak",
                                                          "device reserved",
                                                          "device unexplained",
                                                          "growth on a device",
                                                          "host peak",
                                                          "growth on the host",
                                                          "RSS"};
  return Names[size_t(M)];
}

static std::string sizeText(double Bytes) {
  return formatSize(nearestUnsigned(Bytes));
}

std::string metricText(RankMetric M, double Value) {
  if (!isGrowth(M))
    return sizeText(Value);
  return "+" + sizeText(Value) + " per step";
}

std::string rankName(const JobReport &J, const JobRank &R) {
  if (R.Rank >= 0)
    return "rank " + std::to_string(R.Rank);
  return oneLine(sys::path::filename(J.Files[R.File].Path));
}

std::string rankList(ArrayRef<int32_t> Ranks, size_t Max) {
  std::string Out;
  for (size_t Pieces = 0; !Ranks.empty(); ++Pieces) {
    if (Pieces == Max)
      return Out + " and " + formatCount(Ranks.size()) + " more";
    size_t Length = 1;
    while (Length != Ranks.size() &&
           Ranks[Length] == Ranks[0] + static_cast<int32_t>(Length))
      ++Length;
    if (Length == 2)
      Length = 1;
    Out += Pieces ? ", " : "";
    Out += std::to_string(Ranks.front());
    if (Length > 1)
      Out += " to " + std::to_string(Ranks[Length - 1]);
    Ranks = Ranks.drop_front(Length);
  }
  return Out;
}

/// `rank 5`, `ranks 5, 7 to 9`.
static std::string ranksText(ArrayRef<int32_t> Ranks) {
  constexpr size_t Pieces = 8;
  return (Ranks.size() == 1 ? "rank " : "ranks ") + rankList(Ranks, Pieces);
}

std::string endText(const JobRank &R) {
  switch (R.End) {
  case RankEnd::Exited:
    return "exit 0";
  case RankEnd::Failed:
    return "exit " + std::to_string(R.EndValue);
  case RankEnd::Killed:
    return "signal " + std::to_string(R.EndValue);
  case RankEnd::Recording:
    return "running";
  case RankEnd::NotEnded:
    break;
  }
  return R.CutNs ? "recording cut" : "not ended";
}

std::string groupName(const JobReport &J, const JobGroup &G) {
  if (!G.Layer.empty())
    return plural(G.Ranks.size(), "rank") + " with " + G.Layer;
  bool OnePrograms = all_of(J.Groups, [&](const JobGroup &Other) {
    return Other.Program == G.Program;
  });
  std::string Of = OnePrograms ? plural(G.NumLayers, "layer") : G.Program;
  return plural(G.Ranks.size(), "rank") + " with " + Of;
}

/// `2026-11-25 09:50:42`, of realtime, in UTC.
static std::string clockText(uint64_t RealtimeNs) {
  time_t Seconds = static_cast<time_t>(RealtimeNs / 1000000000);
  std::tm Parts;
  char Text[32];
  if (!gmtime_r(&Seconds, &Parts) ||
      !std::strftime(Text, sizeof(Text), "%Y-%m-%d %H:%M:%S", &Parts))
    return "";
  return std::string(Text) + " UTC";
}

//===----------------------------------------------------------------------===//
// Rows below the verdict
//===----------------------------------------------------------------------===//

static std::string stepText(std::optional<uint64_t> Step) {
  return Step ? ", step " + std::to_string(*Step) : std::string();
}

static std::string peakRange(const JobReport &J, RankMetric M) {
  std::vector<std::pair<double, size_t>> Of;
  for (size_t I = 0; I != J.Ranks.size(); ++I)
    if (std::optional<double> V = metricOf(J.Ranks[I], M))
      Of.push_back({*V, I});
  if (Of.empty())
    return "";
  sort(Of);
  auto [Least, First] = Of.front();
  auto [Most, Last] = Of.back();
  double Middle = (Of[Of.size() / 2].first + Of[(Of.size() - 1) / 2].first) / 2;
  std::string Text = metricText(M, Middle);
  if (Of.size() < 2)
    return Text;
  return Text + " in the median, " + metricText(M, Least) + " (" +
         rankName(J, J.Ranks[First]) + ") to " + metricText(M, Most) + " (" +
         rankName(J, J.Ranks[Last]) + ")";
}

static void addPeaks(const JobReport &J, std::vector<HeadRow> &Rows) {
  for (auto [Label, M] : {std::pair("device", RankMetric::DevicePeak),
                          std::pair("host", RankMetric::HostPeak),
                          std::pair("RSS", RankMetric::Rss)})
    if (std::string Text = peakRange(J, M); !Text.empty())
      Rows.push_back(
          {Label, std::string(M == RankMetric::Rss ? "" : "peak ") + Text});
}

/// What the ranks of the machine with the most had together, of the machines
/// with several ranks.
static void addTogether(const JobInput &In, std::vector<HeadRow> &Rows) {
  const TogetherPeak *Most = nullptr;
  for (const TogetherPeak &P : In.Together)
    if (In.J.Nodes[&P - In.Together.data()].Ranks.size() > 1 &&
        (!Most || P.Bytes > Most->Bytes))
      Most = &P;
  if (!Most || !Most->Bytes)
    return;
  const JobNode &N = In.J.Nodes[Most - In.Together.data()];
  std::string Of = In.J.Nodes.size() > 1 ? " of " + N.Host : "";
  std::string Age =
      Most->AgeNs ? ", with values up to " + formatTime(Most->AgeNs) + " old"
                  : "";
  Rows.push_back(
      {"together", "the " + plural(N.Ranks.size(), "rank") + Of + " had " +
                       formatSize(Most->Bytes) + " on the host at " +
                       formatTime(Most->TimeNs) + Age +
                       ", the most at the ends of intervals; the sum of their "
                       "peaks is " +
                       formatSize(N.HostPeakSum)});
}

static void addOom(const JobReport &J, std::vector<HeadRow> &Rows) {
  if (!J.Oom)
    return;
  const JobRank &R = J.Ranks[J.Oom->Rank];
  std::string Text = rankName(J, R) + " first, at " +
                     clockText(J.Oom->RealtimeNs) + stepText(R.Oom->Step) + ":";
  if (R.Oom->Requested)
    Text += " asked for " + formatSize(R.Oom->Requested);
  Text += " on " + R.Oom->Space;
  if (J.Oom->NumRanks > 1)
    Text += "; " + plural(J.Oom->NumRanks - 1, "other rank") +
            " ran out of memory later";
  if (J.Oom->NumOthers)
    Text += "; at the end of the step before, " +
            plural(J.Oom->NumOthers, "other rank") + " held " +
            formatSize(J.Oom->MedianHeld) + " in the median, at most " +
            formatSize(J.Oom->MaxHeld) + " (" +
            rankName(J, J.Ranks[J.Oom->MaxRank]) + ")";
  Rows.push_back({"out of memory", Text, true});
}

/// `train.py:31 log_metrics +96 MiB; layer blocks.3 +1 GiB; gradient +12 MiB`.
static std::string moreText(const JobDetail &D) {
  std::vector<std::string> Parts;
  uint64_t Most = 0;
  for (const RankDifference &X : D.More)
    Most = std::max(Most, X.Bytes - X.Typical);
  for (const RankDifference &X : D.More) {
    // Small differences explain nothing.
    if (X.Bytes - X.Typical < Most / 20)
      continue;
    std::string Name = X.Part == RankPart::Category
                           ? "tensors: " + categoryName(X.Category)
                       : X.Part == RankPart::Layer ? "layer " + X.Name
                                                   : X.Name;
    Parts.push_back(Name + " +" + formatSize(X.Bytes - X.Typical));
  }
  return join(Parts, ", ");
}

/// The outliers of each rank, in the order of the ranks' first.
static std::vector<std::vector<const RankOutlier *>>
outliersByRank(const JobReport &J, bool OfGrowth) {
  std::vector<std::vector<const RankOutlier *>> Out;
  std::map<size_t, size_t> Place;
  for (const RankOutlier &O : J.Outliers) {
    if (isGrowth(O.Metric) != OfGrowth)
      continue;
    auto [At, IsNew] = Place.try_emplace(O.Rank, Out.size());
    if (IsNew)
      Out.emplace_back();
    Out[At->second].push_back(&O);
  }
  return Out;
}

static std::string outlierText(const JobInput &In,
                               ArrayRef<const RankOutlier *> Of) {
  const RankOutlier &First = *Of.front();
  const JobRank &R = In.J.Ranks[First.Rank];
  std::string Text = rankName(In.J, R) + ": ";
  std::vector<std::string> Parts;
  for (const RankOutlier *O : Of)
    Parts.push_back(
        metricName(O->Metric).str() + " " + metricText(O->Metric, O->Value) +
        " (median of " + plural(O->Compared, "rank") + ": " +
        (O->Median > 0 ? metricText(O->Metric, O->Median) : "none") + ")");
  Text += join(Parts, ", ");
  for (const JobDetail &D : In.Details)
    if (D.Rank == First.Rank && D.OfGrowth == isGrowth(First.Metric) &&
        !D.More.empty())
      Text += "; more than " + rankName(In.J, In.J.Ranks[First.Typical]) +
              " has: " + moreText(D);
  return Text;
}

static void addOutliers(const JobInput &In, bool OfGrowth,
                        std::vector<HeadRow> &Rows) {
  auto All = outliersByRank(In.J, OfGrowth);
  size_t Shown = In.shown(All.size());
  for (ArrayRef<const RankOutlier *> Of : ArrayRef(All).take_front(Shown))
    Rows.push_back({OfGrowth ? "grows" : "higher", outlierText(In, Of), true});
  if (size_t Left = All.size() - Shown)
    Rows.push_back(
        {OfGrowth ? "grows" : "higher", plural(Left, "other rank"), true});
}

/// Ranks with one place in a dimension, with all metrics by which they are far
/// above the others.
static std::string groupOutlierText(const JobInput &In,
                                    ArrayRef<const GroupOutlier *> Of) {
  const JobReport &J = In.J;
  const GroupOutlier &First = *Of.front();
  std::vector<int32_t> Numbers;
  for (size_t I : First.Ranks)
    Numbers.push_back(J.Ranks[I].Rank);
  std::vector<std::string> Parts;
  for (const GroupOutlier *G : Of)
    Parts.push_back(
        metricName(G->Metric).str() + " " + metricText(G->Metric, G->Value) +
        " in the median (others: " + metricText(G->Metric, G->Others) + ")");
  std::string Stage = J.Groups.size() > 1
                          ? " of the " + groupName(J, J.Groups[First.Group])
                          : "";
  std::string Text = J.Dimensions[First.Dimension].Name + " " +
                     std::to_string(First.Place) + ", " + ranksText(Numbers) +
                     Stage + ": " + join(Parts, ", ");
  for (const JobDetail &D : In.Details)
    if (D.Rank == First.Typical && !D.OfGrowth && !D.More.empty())
      Text += "; " + rankName(J, J.Ranks[First.Typical]) + " has more than " +
              rankName(J, J.Ranks[First.TypicalOther]) + ": " + moreText(D);
  return Text;
}

static void addGroupOutliers(const JobInput &In, std::vector<HeadRow> &Rows) {
  std::vector<std::vector<const GroupOutlier *>> All;
  for (const GroupOutlier &G : In.J.GroupOutliers) {
    auto IsSame = [&](ArrayRef<const GroupOutlier *> Of) {
      return Of.front()->Dimension == G.Dimension &&
             Of.front()->Ranks == G.Ranks;
    };
    auto At = find_if(All, IsSame);
    if (At == All.end())
      At = All.insert(All.end(), std::vector<const GroupOutlier *>());
    At->push_back(&G);
  }
  size_t Shown = In.shown(All.size());
  for (const auto &Of : ArrayRef(All).take_front(Shown))
    Rows.push_back({"group", groupOutlierText(In, Of), true});
  if (size_t Left = All.size() - Shown)
    Rows.push_back({"group", plural(Left, "other group"), true});
}

namespace {
/// Growth of the job as a whole: more than half of the ranks grow.
struct JobGrowth {
  RankMetric Metric = RankMetric::HostGrowth;
  size_t Ranks = 0;  ///< the ranks that grow
  size_t Of = 0;     ///< the ranks whose growth is known
  double Median = 0; ///< of those that grow
};
} // namespace

static std::vector<JobGrowth> growthOfAll(const JobReport &J) {
  std::vector<JobGrowth> Out;
  for (RankMetric M : {RankMetric::DeviceGrowth, RankMetric::HostGrowth}) {
    JobGrowth G;
    G.Metric = M;
    std::vector<double> Values;
    for (const JobRank &R : J.Ranks)
      if (std::optional<double> V = metricOf(R, M)) {
        ++G.Of;
        if (*V > 0)
          Values.push_back(*V);
      }
    G.Ranks = Values.size();
    if (2 * G.Ranks <= G.Of)
      continue;
    sort(Values);
    G.Median = Values[G.Ranks / 2];
    Out.push_back(G);
  }
  return Out;
}

static void addGrowthOfAll(const JobReport &J, std::vector<HeadRow> &Rows) {
  for (const JobGrowth &G : growthOfAll(J))
    Rows.push_back(
        {"grows",
         formatCount(G.Ranks) + " of " + plural(G.Of, "rank") +
             (isOfDevice(G.Metric) ? " on their device" : " on the host") +
             ": " + metricText(G.Metric, G.Median) +
             " in the median; memleak shows where",
         true});
}

static void addEnds(const JobReport &J, std::vector<HeadRow> &Rows) {
  if (!J.FirstFailure)
    return;
  const JobRank &First = J.Ranks[*J.FirstFailure];
  std::map<std::string, size_t> Others;
  for (size_t I = 0; I != J.Ranks.size(); ++I)
    if (I != *J.FirstFailure)
      ++Others[endText(J.Ranks[I])];
  std::vector<std::string> Parts;
  for (const auto &[Text, Count] : Others)
    Parts.push_back(formatCount(Count) + " " + Text);
  Rows.push_back({"ended",
                  rankName(J, First) + " first, at " +
                      clockText(J.realtimeOf(*J.FirstFailure, First.EndNs)) +
                      stepText(First.LastStep) + ": " + endText(First) +
                      (Parts.empty() ? "" : "; others: " + join(Parts, ", ")),
                  true});
}

/// The median peak of each group, and how many times the lowest the highest is.
static void addGroups(const JobInput &In, std::vector<HeadRow> &Rows) {
  const JobReport &J = In.J;
  bool HasDevice =
      any_of(J.Groups, [](const JobGroup &G) { return G.Median[0] > 0; });
  RankMetric M = HasDevice ? RankMetric::DevicePeak : RankMetric::HostPeak;
  std::vector<const JobGroup *> Of;
  // The trace of a killed recorder may have no layers and no peaks.
  for (const JobGroup &G : J.Groups)
    if (G.Median[size_t(M)] > 0)
      Of.push_back(&G);
  if (Of.size() < 2)
    return;
  stable_sort(Of, [&](const JobGroup *A, const JobGroup *B) {
    return A->Median[size_t(M)] > B->Median[size_t(M)];
  });
  double Most = Of.front()->Median[size_t(M)],
         Least = Of.back()->Median[size_t(M)];
  std::string Text = metricName(M).str() + " in the median: ";
  constexpr size_t Ends = 4;
  std::vector<std::string> Parts;
  for (size_t I = 0; I != Of.size(); ++I)
    if (!In.Top || I < Ends / 2 || I + Ends / 2 >= Of.size())
      Parts.push_back(groupName(J, *Of[I]) + " " +
                      metricText(M, Of[I]->Median[size_t(M)]));
    else if (I == Ends / 2)
      Parts.push_back(plural(Of.size() - Ends, "kind") + " between");
  Text += join(Parts, ", ");
  if (Least > 0 && Most / Least >= 1.05)
    Text += formatv("; {0:F2} times the lowest", Most / Least).str();
  Rows.push_back({"by layers", Text});
}

static void addClocks(const JobInput &In, std::vector<HeadRow> &Rows) {
  ArrayRef<JobClock> Of = In.J.Clocks;
  size_t Shown = In.shown(Of.size());
  for (const JobClock &C : Of.take_front(Shown)) {
    uint64_t By = static_cast<uint64_t>(C.AheadNs);
    if (C.AheadNs < 0)
      By = 0 - By;
    Rows.push_back(
        {"clock",
         C.Host + " is " + formatTime(By) +
             (C.AheadNs > 0 ? " ahead of " : " behind ") +
             (In.J.Nodes.size() == 2 ? "the other machine"
                                     : "the other machines") +
             ", by " +
             (C.NumCollectives ? plural(C.NumCollectives, "collective")
                               : plural(C.NumSteps, "step")) +
             " (±" + formatTime(C.ErrorNs) + "); times here are corrected",
         true});
  }
  if (size_t Left = Of.size() - Shown)
    Rows.push_back({"clock", plural(Left, "other machine"), true});
}

/// `2 ranks train.py, 1 rank evaluate.py`.
static void addPrograms(const JobReport &J, std::vector<HeadRow> &Rows) {
  std::map<std::string, size_t> Of;
  for (const JobRank &R : J.Ranks)
    ++Of[R.Program];
  if (Of.size() < 2)
    return;
  std::vector<std::string> Parts;
  for (const auto &[Program, Count] : Of)
    Parts.push_back(plural(Count, "rank") + " " + Program);
  Rows.push_back({"programs", join(Parts, ", ")});
}

/// The recordings that were cut off.
static void addCut(const JobReport &J, std::vector<HeadRow> &Rows) {
  std::vector<int32_t> Cut;
  const JobRank *First = nullptr;
  auto TimeOf = [&](const JobRank &R) {
    return J.realtimeOf(&R - J.Ranks.data(), *R.CutNs);
  };
  for (const JobRank &R : J.Ranks) {
    if (!R.CutNs || R.Rank < 0)
      continue;
    Cut.push_back(R.Rank);
    if (!First || TimeOf(R) < TimeOf(*First))
      First = &R;
  }
  if (!First)
    return;
  std::string Which =
      Cut.size() == 1 ? "" : "rank " + std::to_string(First->Rank) + " first, ";
  Rows.push_back({"cut",
                  "the recording of " + ranksText(Cut) + " was cut off, " +
                      Which + "at " + formatTime(First->cutAfterNs()) +
                      " of its run: values are those of the part that "
                      "is there",
                  true});
}

/// What is wrong with the files: missing ranks, ranks twice, other jobs.
static void addApart(const JobInput &In, std::vector<HeadRow> &Rows) {
  const JobReport &J = In.J;
  constexpr size_t Pieces = 8;
  if (!J.Missing.empty())
    Rows.push_back({"missing",
                    plural(J.Missing.size(), "rank") + " of " +
                        formatCount(J.Missing.size() + J.Ranks.size()) + ": " +
                        rankList(J.Missing, Pieces),
                    true});
  addCut(J, Rows);
  auto NumbersIn = [](ArrayRef<JobRank> Of) {
    std::set<int32_t> Numbers;
    for (const JobRank &R : Of)
      Numbers.insert(R.Rank);
    return std::vector<int32_t>(Numbers.begin(), Numbers.end());
  };
  if (!J.Twice.empty())
    Rows.push_back({"twice",
                    ranksText(NumbersIn(J.Twice)) +
                        " ran twice at the same time: are these two jobs? Not "
                        "shown: " +
                        J.Files[J.Twice.front().File].Path,
                    true});
  if (!J.Earlier.empty())
    Rows.push_back(
        {"attempts", ranksText(NumbersIn(J.Earlier)) +
                         " had earlier attempts; the last attempt is shown"});
  if (!J.OtherJobs.empty()) {
    std::set<std::string> Names;
    for (const JobRank &R : J.OtherJobs)
      Names.insert(R.Job);
    Rows.push_back(
        {"other jobs",
         plural(J.OtherJobs.size(), "rank") + " of " +
             (Names.size() == 1 ? "job " + *Names.begin()
                                : plural(Names.size(), "other job")) +
             " left out; this is the job with most ranks",
         true});
  }
}

static void addUnread(const JobInput &In, std::vector<HeadRow> &Rows) {
  size_t Count = 0;
  for (const JobFile &F : In.J.Files) {
    if (F.Error.empty())
      continue;
    if (!In.Top || Count < In.Top)
      Rows.push_back({"not read", F.Error, true});
    ++Count;
  }
  if (In.Top && Count > In.Top)
    Rows.push_back({"not read", plural(Count - In.Top, "other trace"), true});
}

bool areUnrelated(const JobReport &J) {
  return !J.Ranks.empty() && J.Ranks.back().Rank < 0 &&
         any_of(
             J.Ranks,
             [&](const JobRank &R) {
               return R.Program != J.Ranks.front().Program;
             });
}

std::vector<HeadRow> jobHeadRows(const JobInput &In) {
  std::vector<HeadRow> Rows;
  addOom(In.J, Rows);
  if (areUnrelated(In.J)) {
    addEnds(In.J, Rows);
    addUnread(In, Rows);
    return Rows;
  }
  addOutliers(In, /*OfGrowth=*/true, Rows);
  addGrowthOfAll(In.J, Rows);
  addGroupOutliers(In, Rows);
  addOutliers(In, /*OfGrowth=*/false, Rows);
  addEnds(In.J, Rows);
  addPeaks(In.J, Rows);
  addTogether(In, Rows);
  addPrograms(In.J, Rows);
  addGroups(In, Rows);
  addClocks(In, Rows);
  addApart(In, Rows);
  addUnread(In, Rows);
  return Rows;
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

/// The worst that is known, in a few words; empty: the ranks are alike.
static std::string worst(const JobReport &J) {
  if (J.Oom)
    return rankName(J, J.Ranks[J.Oom->Rank]) + " ran out of memory" +
           (J.Oom->NumRanks > 1 ? " first" : "");
  for (const RankOutlier &O : J.Outliers)
    if (isGrowth(O.Metric))
      return rankName(J, J.Ranks[O.Rank]) + " grows " +
             metricText(O.Metric, O.Value);
  for (const JobGrowth &G : growthOfAll(J))
    return formatCount(G.Ranks) + " of them grow, " +
           metricText(G.Metric, G.Median) + " in the median";
  if (!J.GroupOutliers.empty()) {
    const GroupOutlier &G = J.GroupOutliers.front();
    return J.Dimensions[G.Dimension].Name + " " + std::to_string(G.Place) +
           ": " + metricName(G.Metric).str() + " " +
           metricText(G.Metric, G.Value) + " in the median";
  }
  if (!J.Outliers.empty()) {
    const RankOutlier &O = J.Outliers.front();
    return rankName(J, J.Ranks[O.Rank]) + ": " + metricName(O.Metric).str() +
           " " + metricText(O.Metric, O.Value) + ", median " +
           metricText(O.Metric, O.Median);
  }
  return "";
}

/// `3 traces of 3 programs, no job; the highest peak is 6.02 MiB, of c.fb`.
static std::string unrelatedText(const JobReport &J) {
  std::set<StringRef> Programs;
  for (const JobRank &R : J.Ranks)
    Programs.insert(R.Program);
  const JobRank &Most = *std::max_element(
      J.Ranks.begin(), J.Ranks.end(), [](const JobRank &A, const JobRank &B) {
        return A.host().PeakBytes < B.host().PeakBytes;
      });
  return plural(J.Ranks.size(), "trace") + " of " +
         plural(Programs.size(), "program") +
         ", no job; the highest peak on the host is " +
         formatSize(Most.host().PeakBytes) + ", of " + rankName(J, Most);
}

std::string jobVerdict(const JobInput &In) {
  const JobReport &J = In.J;
  if (J.Ranks.empty())
    return "no rank was read";
  if (areUnrelated(J))
    return unrelatedText(J);
  bool HasRanks = J.Ranks.back().Rank >= 0;
  std::string Text =
      J.Groups.front().Program + ": " +
      (HasRanks ? plural(J.Ranks.size(), "rank")
                : plural(J.Ranks.size(), "run") + " without ranks");
  if (HasRanks && !J.Missing.empty())
    Text += " of " + formatCount(J.Ranks.size() + J.Missing.size());
  if (J.Nodes.size() > 1)
    Text += " on " + plural(J.Nodes.size(), "machine");
  if (!J.Job.empty())
    Text += ", job " + J.Job;
  std::string Worst = worst(J);
  return Text + "; " + (Worst.empty() ? "no rank stands out" : Worst);
}

} // namespace memkit
