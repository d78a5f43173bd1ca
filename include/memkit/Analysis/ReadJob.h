// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the traces of a job.

#ifndef MEMKIT_ANALYSIS_READJOB_H
#define MEMKIT_ANALYSIS_READJOB_H

#include "memkit/Analysis/Job.h"
#include "memkit/Support/ProgressCallback.h"

namespace memkit {

/// The ranks of the traces Paths. Dimensions: of makeJob(). Reads the totals of
/// each trace, on all processors, and closes the trace. Memory: a few kilobytes
/// a rank, and the totals of as many traces as there are processors.
/// FindsLeaks: RankSpace::LeakPerSecond of ranks without steps, from all of
/// their traces. A trace that cannot be read has an error in JobReport::Files,
/// and no rows.
JobReport readJob(std::vector<std::string> Paths, ProgressCallback OnProgress,
                  std::vector<RankDimension> Dimensions = {},
                  bool FindsLeaks = false);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_READJOB_H
