// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of each stack in two groups of runs.

#ifndef MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H
#define MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H

#include "memkit/Analysis/DiffReport.h"

namespace memkit {

/// Fills in the stacks of R; R.NoiseValue is already set.
void findDifferences(const DiffRuns &Runs, const DiffOptions &Options,
                     DiffReport &R);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H
