// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each stack has in two groups of runs.

#ifndef MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H
#define MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H

#include "memkit/Analysis/Diff.h"

namespace memkit {

/// Fills in what R says of stacks; R.NoiseValue is known.
void findDifferences(const DiffRuns &Runs, const DiffOptions &Options,
                     DiffReport &R);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_DIFFSTACKS_H
