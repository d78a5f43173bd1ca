// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job in sentences.

#ifndef MEMKIT_LIB_REPORT_JOBSENTENCES_H
#define MEMKIT_LIB_REPORT_JOBSENTENCES_H

#include "Report/FirstScreen.h"
#include "memkit/Analysis/Job.h"
#include "memkit/Analysis/JobDifferences.h"
#include "memkit/Analysis/JobTogether.h"

namespace memkit {

/// What the rank of an outlier holds more than its typical rank.
struct JobDetail {
  size_t Rank = 0;
  bool OfDevice = false, OfGrowth = false;
  std::vector<RankDifference> More;
};

struct JobInput {
  const JobReport &J;
  llvm::ArrayRef<JobDetail> Details;
  size_t Top = 3;        ///< outliers, stages, files; 0: all
  bool AllRanks = false; ///< all ranks and machines in the tables
  llvm::ArrayRef<TogetherPeak> Together{}; ///< by machine; empty: not known
  /// How many of Count rows to show.
  size_t shown(size_t Count) const {
    return Top ? std::min(Count, Top) : Count;
  }
};

/// `device peak`, `device reserved`, `device unexplained`, `growth on the
/// device`, `host peak`, `growth on the host`, `RSS`.
llvm::StringRef metricName(RankMetric M);
/// `52.1 GiB`, `+2.00 MiB per step`.
std::string metricText(RankMetric M, double Value);
/// `rank 12`; without a rank the file: `worker.fb`.
std::string rankName(const JobReport &J, const JobRank &R);
/// `0 to 7, 12`, of rising ranks; at most Max pieces, then `and 30 more`.
std::string rankList(llvm::ArrayRef<int32_t> Ranks, size_t Max);
/// `exit 1`, `signal 9`, `not ended`, ...
std::string endText(const JobRank &R);
/// `8 ranks with blocks.3`: a layer that no other group has. Without such a
/// layer, the program of the group or the number of its layers.
std::string groupName(const JobReport &J, const JobGroup &G);

/// Whether the traces are of several programs and tell no rank: no job, which
/// would have a median or a rank that stands out.
bool areUnrelated(const JobReport &J);

/// The answer in one sentence.
std::string jobVerdict(const JobInput &In);
/// The rows below the verdict.
std::vector<HeadRow> jobHeadRows(const JobInput &In);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_JOBSENTENCES_H
