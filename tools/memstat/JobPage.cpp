// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a job and writes its page.

#include "JobPage.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Support/RunEach.h"
#include "memkit/Analysis/JobCollectives.h"
#include "memkit/Analysis/ReadJob.h"
#include "memkit/Model/Merged.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

/// A rank of each group that stands out, to be compared with a rank of the
/// others.
static void addGroupDetails(const JobReport &J, size_t Max,
                            std::vector<JobDetail> &To,
                            std::vector<size_t> &Typical) {
  for (const GroupOutlier &G : J.GroupOutliers) {
    bool IsThere = any_of(To, [&](const JobDetail &D) {
      return D.Rank == G.Typical && !D.OfGrowth;
    });
    if (IsThere || To.size() >= 2 * Max ||
        G.Metric == RankMetric::DeviceReserved)
      continue;
    To.push_back({G.Typical, isOfDevice(G.Metric), /*OfGrowth=*/false, {}});
    Typical.push_back(G.TypicalOther);
  }
}

/// The outliers that are compared with a typical rank, each rank once for its
/// levels and once for its growth.
static std::vector<JobDetail> detailsWanted(const JobReport &J, size_t Max,
                                            std::vector<size_t> &Typical) {
  std::vector<JobDetail> Out;
  for (const RankOutlier &O : J.Outliers) {
    bool OfGrowth = isGrowth(O.Metric);
    // Blocks explain neither RSS nor what is reserved or unexplained.
    bool HasBlocks = OfGrowth || O.Metric == RankMetric::DevicePeak ||
                     O.Metric == RankMetric::HostPeak;
    bool IsThere = any_of(Out, [&](const JobDetail &D) {
      return D.Rank == O.Rank && D.OfGrowth == OfGrowth;
    });
    if (!HasBlocks || IsThere || Out.size() == Max)
      continue;
    Out.push_back({O.Rank, isOfDevice(O.Metric), OfGrowth, {}});
    Typical.push_back(O.Typical);
  }
  addGroupDetails(J, Max, Out, Typical);
  return Out;
}

static constexpr size_t MaxOfEach = 2; ///< lines, layers, categories

static Error compare(const JobReport &J, JobDetail &D, size_t Typical,
                     const JobPageOptions &Options) {
  const JobRank &A = J.Ranks[D.Rank], &B = J.Ranks[Typical];
  SelectionSpec Spec;
  Spec.Names = Options.Names;
  SelectedTrace Of, Other;
  if (Error E = Of.open(J.Files[A.File].Path, Spec))
    return E;
  if (Error E = Other.open(J.Files[B.File].Path, Spec))
    return E;
  return differRanks({*Of.T, A, D.OfDevice, D.OfGrowth},
                     {*Other.T, B, D.OfDevice, D.OfGrowth}, MaxOfEach)
      .moveInto(D.More);
}

static constexpr size_t MaxDetails = 4; ///< each opens two traces

/// Compares outliers with typical ranks. A comparison that fails is left out,
/// with a warning: the traces may be gone.
static std::vector<JobDetail> findDetails(const JobReport &J,
                                          const JobPageOptions &Options) {
  std::vector<size_t> Typical;
  std::vector<JobDetail> Out =
      detailsWanted(J, Options.Top ? MaxDetails : J.Outliers.size(), Typical);
  std::vector<std::string> Problems(Out.size());
  runEach(Out.size(), [&](size_t I) {
    if (Error E = compare(J, Out[I], Typical[I], Options))
      Problems[I] = toString(std::move(E));
  });
  for (const std::string &Problem : Problems)
    if (!Problem.empty())
      warn(Problem);
  return Out;
}

Expected<std::optional<RanksOfTrace>>
ranksOfTrace(const SelectedStats &S, std::vector<RankDimension> Groups) {
  const Trace &T = S.trace();
  // Most traces have one rank or none, and the marks of devices are many.
  std::set<int32_t> Numbers;
  for (const ProcessRecord &I : T.processes())
    if (I.Place.Rank >= 0)
      Numbers.insert(I.Place.Rank);
  if (Numbers.size() < 2)
    return std::nullopt;
  Expected<std::vector<JobRank>> Rows = queryRanks(T);
  if (!Rows)
    return Rows.takeError();
  if (Rows->size() < 2)
    return std::nullopt;
  // One recorder has one clock.
  if (numMerged(T.header()))
    if (Error E = readCollectives(T, [] { return Error::success(); }, *Rows))
      return std::move(E);
  RanksOfTrace Out;
  Out.Job =
      makeJob({{T.name().str(), ""}}, std::move(*Rows), std::move(Groups));
  const JobReport &J = Out.Job;
  // Without a merge one recorder has the exact peak.
  if (numMerged(T.header()))
    if (Error E = findTogether(S, J).moveInto(Out.Together))
      return std::move(E);
  std::vector<size_t> Typical;
  Out.Details = detailsWanted(J, MaxDetails, Typical);
  for (size_t I = 0; I != Out.Details.size(); ++I) {
    JobDetail &D = Out.Details[I];
    if (Error E = differRanks({T, J.Ranks[D.Rank], D.OfDevice, D.OfGrowth},
                              {T, J.Ranks[Typical[I]], D.OfDevice, D.OfGrowth},
                              MaxOfEach)
                      .moveInto(D.More))
      return std::move(E);
  }
  return Out;
}

Expected<std::vector<RankDimension>> parseGroups(ArrayRef<std::string> Texts) {
  std::vector<RankDimension> Out;
  for (const std::string &Text : Texts) {
    auto [Name, Numbers] = StringRef(Text).split(':');
    auto [Size, Stride] = Numbers.split(':');
    RankDimension D;
    D.Name = Name.str();
    bool IsWrong = Name.empty() || Size.getAsInteger(10, D.Size) ||
                   (!Stride.empty() && Stride.getAsInteger(10, D.Stride)) ||
                   D.Size < 2 || !D.Stride;
    if (IsWrong)
      return makeUsageError("--groups: '" + Text +
                            "' is not NAME:SIZE or NAME:SIZE:STRIDE, with a "
                            "size of at least 2, as expert:8:2");
    Out.push_back(std::move(D));
  }
  return Out;
}

Error writeJob(const JobInput &In, const JobPageOptions &Options) {
  Expected<std::unique_ptr<OutputFile>> Out =
      OutputFile::open(Options.Output, OutputFile::Content::Text);
  if (!Out)
    return Out.takeError();
  raw_ostream &OS = (*Out)->os();
  if (Options.As == JobFormat::Json) {
    json::OStream J(OS, /*IndentSize=*/1);
    J.object([&] {
      J.attribute("format_version", 1);
      writeJobJson(J, In);
    });
    OS << '\n';
  } else if (Options.As == JobFormat::Markdown) {
    printMarkdown(OS, jobSections(In));
  } else {
    printText(OS, jobSections(In), outputWidth());
  }
  return (*Out)->keep();
}

Expected<JobReport> showJob(ArrayRef<std::string> Inputs,
                            const JobPageOptions &Options) {
  Expected<std::vector<std::string>> Paths = expandFolders(Inputs);
  if (!Paths)
    return Paths.takeError();
  JobReport J = readJob(std::move(*Paths), showProgress(), Options.Groups,
                        Options.FindsLeaks);
  if (J.Ranks.empty()) {
    for (const JobFile &F : J.Files)
      if (!F.Error.empty())
        return makeError(F.Error);
    return makeError(J.Files.front().Path + ": no process was recorded");
  }
  if (J.Ranks.size() == 2 && J.Ranks.back().Rank < 0)
    say("two runs without ranks; memdiff compares them");
  std::vector<JobDetail> Details = findDetails(J, Options);
  if (Error E = writeJob({J, Details, Options.Top, Options.AllRanks}, Options))
    return std::move(E);
  return J;
}

std::vector<std::string> spacesOfJob(const JobReport &J) {
  std::set<std::string> Names;
  for (const JobRank &R : J.Ranks)
    for (const RankSpace &S : R.Spaces)
      Names.insert(S.Name);
  return {Names.begin(), Names.end()};
}

std::vector<MetricValue> metricsOfJob(const JobReport &J) {
  std::vector<MetricValue> Out;
  auto Add = [&](ConditionMetric M, StringRef Name, uint64_t Value,
                 uint64_t Whole = 0) {
    std::optional<double> Of;
    if (Whole)
      Of = double(Whole);
    Out.push_back({M, Name.str(), double(Value), Of});
  };
  for (const JobRank &R : J.Ranks) {
    Add(ConditionMetric::Lost, "", R.Lost);
    Add(ConditionMetric::Oom, "", R.Oom ? 1 : 0);
    if (R.RssPeakBytes)
      Add(ConditionMetric::Rss, "", R.RssPeakBytes);
    for (const RankSpace &S : R.Spaces) {
      Add(ConditionMetric::Peak, S.Name, S.PeakBytes);
      Add(ConditionMetric::Live, S.Name, S.LiveBytes);
      if (!S.Id)
        continue;
      Add(ConditionMetric::Used, S.Name, S.UsedPeakBytes, S.TotalBytes);
      Add(ConditionMetric::Reserved, S.Name, S.ReservedPeakBytes, S.TotalBytes);
      Add(ConditionMetric::Unaccounted, S.Name, S.UnexplainedBytes,
          S.TotalBytes);
    }
  }
  return Out;
}

} // namespace memkit
