// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a value rises from step to step.

#ifndef MEMKIT_LIB_ANALYSIS_STEPTREND_H
#define MEMKIT_LIB_ANALYSIS_STEPTREND_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace memkit {

/// By how much Values (live bytes at the end of each step) rise in a step: the
/// median of the slopes between steps far apart (Theil and Sen). 0 if the rise
/// does not reach the end, slows down, or is no larger than the values
/// fluctuate. Skips a warm-up. The answer is made of totals alone; memleak
/// judges places by the age of their blocks (Survival.h).
double steadyRise(llvm::ArrayRef<uint64_t> Values);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_STEPTREND_H
