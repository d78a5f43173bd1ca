// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the traces of a job.

#include "memkit/Analysis/ReadJob.h"
#include "Support/Failure.h"
#include "Support/RunEach.h"
#include "memkit/Analysis/JobCollectives.h"
#include <mutex>

using namespace llvm;

namespace memkit {

static Expected<std::vector<JobRank>> readRanks(const std::string &Path) {
  // Without a summary the events give the totals.
  Expected<std::unique_ptr<Trace>> T = Trace::open(Path, TP_Totals | TP_Replay);
  if (!T)
    return T.takeError();
  Expected<std::vector<JobRank>> Rows = queryRanks(**T);
  if (Rows && !Rows->empty())
    if (Error E =
            readCollectives(**T, [&] { return (*T)->read(TP_Names); }, *Rows))
      return std::move(E);
  if (!Rows || !Rows->empty())
    return Rows;
  std::string Damage = (*T)->reader().damage().str();
  return makeError(Path + ": " + (Damage.empty() ? "" : Damage + "; ") +
                   "no process is in it");
}

JobReport readJob(std::vector<std::string> Paths, ProgressCallback OnProgress,
                  std::vector<RankDimension> Dimensions) {
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
    Expected<std::vector<JobRank>> Of = readRanks(Paths[I]);
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
