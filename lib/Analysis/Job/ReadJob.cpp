// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the traces of a job.

#include "memkit/Analysis/ReadJob.h"
#include "Support/Failure.h"
#include "Support/RunEach.h"
#include "memkit/Analysis/Growth.h"
#include "memkit/Analysis/JobCollectives.h"
#include "memkit/Model/Imported.h"
#include <mutex>

using namespace llvm;

namespace memkit {

/// Adds a leak to the ranks without steps that have the process.
static void addLeak(std::vector<JobRank> &Ranks, uint32_t Process,
                    uint32_t Space, double Rate) {
  for (JobRank &R : Ranks)
    if (!R.NumSteps && is_contained(R.Processes, Process))
      for (RankSpace &S : R.Spaces)
        if (S.Id == Space)
          S.LeakPerSecond += Rate;
}

/// Finds the leaks by time. The totals of a trace have the values of steps, and
/// nothing over time, so ranks without steps need the intervals.
static Error findLeaksByTime(Trace &T, std::vector<JobRank> &Ranks) {
  bool AllHaveSteps =
      all_of(Ranks, [](const JobRank &R) { return R.NumSteps != 0; });
  if (AllHaveSteps ||
      !noAnswerReason(T.header(), HistoryQuestion::Growth).empty())
    return Error::success();
  if (Error E = T.read(TP_All))
    return E;
  Expected<Selection> Sel = Selection::create(T, SelectionSpec());
  if (!Sel)
    return Sel.takeError();
  Expected<SelectedStats> S = SelectedStats::create(T, std::move(*Sel));
  if (!S)
    return S.takeError();
  Expected<GrowthReport> Found = findGrowth(*S);
  if (!Found)
    return Found.takeError();
  for (const Growth &G : Found->Found) {
    const GrowthRange &Span = Found->Spans[G.Span];
    if (G.Word == GrowthWord::Leak && !Span.HasSteps)
      addLeak(Ranks, Span.Process, T.heap(G.Heap).Space, G.Rate);
  }
  return Error::success();
}

static Expected<std::vector<JobRank>> readRanks(const std::string &Path,
                                                bool FindsLeaks) {
  // Without a summary the events give the totals.
  Expected<std::unique_ptr<Trace>> T = Trace::open(Path, TP_Totals | TP_Replay);
  if (!T)
    return T.takeError();
  Expected<std::vector<JobRank>> Rows = queryRanks(**T);
  if (Rows && !Rows->empty())
    if (Error E =
            readCollectives(**T, [&] { return (*T)->read(TP_Names); }, *Rows))
      return std::move(E);
  if (Rows && FindsLeaks)
    if (Error E = findLeaksByTime(**T, *Rows))
      return std::move(E);
  if (!Rows || !Rows->empty())
    return Rows;
  std::string Damage = (*T)->reader().damage().str();
  return makeError(Path + ": " + (Damage.empty() ? "" : Damage + "; ") +
                   "no process is in it");
}

JobReport readJob(std::vector<std::string> Paths, ProgressCallback OnProgress,
                  std::vector<RankDimension> Dimensions, bool FindsLeaks) {
  std::vector<JobFile> Files(Paths.size());
  std::vector<JobRank> Rows;
  std::mutex Lock;
  size_t Done = 0;
  auto Show = [&] {
    if (OnProgress)
      OnProgress("reading traces", Done, Paths.size());
  };
  Show();
  runEach(Paths.size(), [&](size_t I) {
    Expected<std::vector<JobRank>> Of = readRanks(Paths[I], FindsLeaks);
    std::string Problem = Of ? "" : toString(Of.takeError());
    std::scoped_lock Locked(Lock);
    Files[I] = {std::move(Paths[I]), std::move(Problem)};
    if (Files[I].Error.empty())
      for (JobRank &R : *Of) {
        R.File = I;
        Rows.push_back(std::move(R));
      }
    ++Done;
    Show();
  });
  // Threads add their rows in any order.
  std::stable_sort(
      Rows.begin(), Rows.end(),
      [](const JobRank &A, const JobRank &B) { return A.File < B.File; });
  return makeJob(std::move(Files), std::move(Rows), std::move(Dimensions));
}

} // namespace memkit
