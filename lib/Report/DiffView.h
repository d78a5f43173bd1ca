// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison to be shown.

#ifndef MEMKIT_LIB_REPORT_DIFFVIEW_H
#define MEMKIT_LIB_REPORT_DIFFVIEW_H

#include "memkit/Analysis/Diff.h"

namespace memkit {

/// The runs and their differences.
struct DiffView {
  const DiffRuns &Runs;
  const DiffReport &Report;
  Metric By;          ///< the metric that orders findings
  bool IsAtTimePoint; ///< all values are of the blocks live at one time point
  uint64_t Max;  ///< maximum of findings or differences; 0: all above the noise
  bool MaxGiven; ///< Max was asked for
  bool Uncertain; ///< also show changes within the variation of runs
  bool WithMoves; ///< also print blocks that moved to another place
  double Confidence;
  llvm::StringRef NameBefore, NameAfter; ///< names of the groups
  /// The conditions that hold, as text.
  llvm::ArrayRef<std::string> Failed;
};

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_DIFFVIEW_H
