// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A distributed job: its ranks side by side.
//
// Made of the rows of JobRanks.h, of one trace or thousands. Which rank differs
// from the others, which ran out of memory first, which is missing. Plain data;
// ranks are indices into JobReport::Ranks.

#ifndef MEMKIT_ANALYSIS_JOB_H
#define MEMKIT_ANALYSIS_JOB_H

#include "memkit/Analysis/JobRanks.h"
#include "memkit/Analysis/JobReport.h"

namespace memkit {

/// Puts the rows of all traces together. Rows: in any order. Dimensions: those
/// by which ranks are compared beside their layers; each has a Size and a
/// Stride above 0.
JobReport makeJob(std::vector<JobFile> Files, std::vector<JobRank> Rows,
                  std::vector<RankDimension> Dimensions = {});

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOB_H
