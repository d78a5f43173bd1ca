// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All findings of memleak, of every kind.

#ifndef MEMKIT_ANALYSIS_LEAKFINDINGS_H
#define MEMKIT_ANALYSIS_LEAKFINDINGS_H

#include "memkit/Analysis/Growth.h"
#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Analysis/LeakFinding.h"
#include "memkit/Analysis/Leaks.h"
#include "memkit/Analysis/Outliers.h"

namespace memkit {

struct LeakOptions {
  unsigned Kinds = FK_Exit | FK_Growth | FK_Outlier;
  GrowthOptions Growth;
};

/// Finds leaks of Options.Kinds in S. Findings that Hidden or, failing that,
/// ByDefault matches are left out and counted in Exit.Suppressed and
/// Exit.ByDefault.
llvm::Expected<LeakFindings> findAllLeaks(const SelectedStats &S,
                                          const LeakOptions &Options,
                                          const Suppressions &Hidden,
                                          const Suppressions &ByDefault);

/// Removes from R the findings that Old has too: same kind, heap and stack.
/// Stacks with equal functions and binaries are the same.
void keepNew(LeakFindings &R, const Trace &T, const LeakFindings &Old,
             const Trace &OldTrace);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LEAKFINDINGS_H
