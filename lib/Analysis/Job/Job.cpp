// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A distributed job: which rows are its ranks.

#include "memkit/Analysis/Job.h"
#include "JobParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace llvm;

namespace memkit {

/// Maximum of Missing: a world size comes from a trace and may be any number.
static constexpr size_t MaxMissing = 1 << 20;

static uint64_t startOf(const JobRank &R) {
  return R.Start.RealtimeNs + R.BeginNs;
}

/// Moves the rows of all jobs but the largest to OtherJobs. A row without a
/// job's name belongs to any job.
static void keepOneJob(JobReport &J) {
  StringMap<size_t> Sizes;
  for (const JobRank &R : J.Ranks)
    if (!R.Job.empty())
      ++Sizes[R.Job];
  size_t Best = 0;
  for (const auto &Of : Sizes)
    if (std::pair(Of.second, StringRef(J.Job)) > std::pair(Best, Of.first())) {
      Best = Of.second;
      J.Job = Of.first().str();
    }
  auto IsOther = [&](const JobRank &R) {
    return !R.Job.empty() && R.Job != J.Job;
  };
  for (JobRank &R : J.Ranks)
    if (IsOther(R))
      J.OtherJobs.push_back(std::move(R));
  erase_if(J.Ranks, [&](const JobRank &R) { return R.Processes.empty(); });
}

/// Of rows with the same rank the last attempt stays. An attempt starts after
/// the attempt before has ended; rows that ran at the same time are there
/// twice. Rows without a rank keep the order in which they were given.
static void keepLastAttempts(JobReport &J) {
  auto Key = [](const JobRank &R) {
    return std::tuple(R.Rank, R.Attempt, R.Rank < 0 ? 0 : startOf(R));
  };
  stable_sort(J.Ranks, [&](const JobRank &A, const JobRank &B) {
    return Key(A) < Key(B);
  });
  std::vector<JobRank> Kept;
  for (JobRank &R : J.Ranks) {
    if (R.Rank < 0 || Kept.empty() || Kept.back().Rank != R.Rank) {
      Kept.push_back(std::move(R));
      continue;
    }
    JobRank &Last = Kept.back();
    bool IsLater = R.Attempt > Last.Attempt ||
                   startOf(R) >= Last.Start.RealtimeNs + Last.EndNs;
    if (!IsLater) {
      J.Twice.push_back(std::move(R));
      continue;
    }
    J.Earlier.push_back(std::move(Last));
    Last = std::move(R);
  }
  J.Ranks = std::move(Kept);
}

static void findMissing(JobReport &J) {
  for (const JobRank &R : J.Ranks)
    J.WorldSize = std::max(J.WorldSize, R.WorldSize);
  size_t At = 0;
  while (At != J.Ranks.size() && J.Ranks[At].Rank < 0)
    ++At;
  if (At == J.Ranks.size())
    return;
  int32_t Last = std::max(J.WorldSize - 1, J.Ranks.back().Rank);
  for (int32_t Rank = 0; J.Missing.size() < MaxMissing; ++Rank) {
    if (At != J.Ranks.size() && J.Ranks[At].Rank == Rank)
      ++At;
    else
      J.Missing.push_back(Rank);
    if (Rank == Last)
      break;
  }
}

static void findNodes(JobReport &J) {
  std::map<std::string, JobNode> Of;
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    const JobRank &R = J.Ranks[I];
    JobNode &N = Of[R.Host];
    N.Host = R.Host;
    N.Ranks.push_back(I);
    N.HostPeakSum += R.host().PeakBytes;
    N.RssSum += R.RssPeakBytes;
    if (const RankSpace *D = R.device())
      N.DevicePeak = std::max(N.DevicePeak, D->PeakBytes);
  }
  for (auto &Pair : Of)
    J.Nodes.push_back(std::move(Pair.second));
}

static void findFirstFailure(JobReport &J) {
  uint64_t First = 0;
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    const JobRank &R = J.Ranks[I];
    if (R.End != RankEnd::Failed && R.End != RankEnd::Killed)
      continue;
    uint64_t At = J.realtimeOf(I, R.EndNs);
    if (!J.FirstFailure || At < First) {
      J.FirstFailure = I;
      First = At;
    }
  }
}

JobReport makeJob(std::vector<JobFile> Files, std::vector<JobRank> Rows,
                  std::vector<RankDimension> Dimensions) {
  JobReport J;
  J.Dimensions = std::move(Dimensions);
  J.Files = std::move(Files);
  J.Ranks = std::move(Rows);
  keepOneJob(J);
  keepLastAttempts(J);
  findMissing(J);
  findNodes(J);
  findGroups(J);
  alignClocks(J);
  findFirstFailure(J);
  findOutliers(J);
  findGroupOutliers(J);
  findFirstOom(J);
  return J;
}

} // namespace memkit
