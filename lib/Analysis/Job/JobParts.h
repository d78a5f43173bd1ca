// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of makeJob(), which fill a JobReport in this order.

#ifndef MEMKIT_LIB_ANALYSIS_JOBPARTS_H
#define MEMKIT_LIB_ANALYSIS_JOBPARTS_H

#include "memkit/Analysis/JobReport.h"

namespace memkit {

/// JobOutliers.cpp: Groups.
void findGroups(JobReport &J);
/// JobClock.cpp: Clocks, ClockOf.
void alignClocks(JobReport &J);
/// JobOutliers.cpp: Outliers; needs Groups.
void findOutliers(JobReport &J);
/// JobDimensions.cpp: GroupOutliers, and removes from Outliers the ranks that
/// are as high as their group; needs Groups, Dimensions.
void findGroupOutliers(JobReport &J);
/// JobClock.cpp: Oom; needs ClockOf.
void findFirstOom(JobReport &J);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_JOBPARTS_H
