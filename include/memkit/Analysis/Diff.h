// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two groups of runs.

#ifndef MEMKIT_ANALYSIS_DIFF_H
#define MEMKIT_ANALYSIS_DIFF_H

#include "memkit/Analysis/DiffPlaces.h"
#include "memkit/Analysis/DiffReport.h"
#include "memkit/Analysis/Findings.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include <optional>

namespace memkit {

/// The change of a total with its confidence interval, if the total is not
/// exact. For groups, the interval comes from the variation of the runs; for
/// sampled runs, from the variance of the estimates (Error; null for values
/// that are no estimates).
std::optional<ConfidenceInterval> changeOfTotal(const DiffRuns &Runs,
                                                const DiffStatsOfRuns &S,
                                                uint64_t DiffStats::*Field,
                                                double SampleVariances::*Error,
                                                double Confidence);

/// Reads marks. Errors: TraceError.
llvm::Expected<DiffReport> queryDifferences(const DiffRuns &Runs,
                                            const DiffOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFF_H
