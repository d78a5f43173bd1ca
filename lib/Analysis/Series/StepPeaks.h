// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peaks of steps, by numbers that are equal in other runs.

#ifndef MEMKIT_LIB_ANALYSIS_STEPPEAKS_H
#define MEMKIT_LIB_ANALYSIS_STEPPEAKS_H

#include "memkit/Model/SelectedStats.h"
#include <map>

namespace memkit {

/// A step of the Nth process with steps.
using StepKey = std::pair<uint32_t, uint64_t>;
using StepPeaks = std::map<StepKey, uint64_t>;

/// The peaks of the steps of a run in a memory space, in bytes. The last step
/// of a process is left out if it includes the end of the process.
StepPeaks stepPeaks(const SelectedStats &S, llvm::StringRef Space);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_STEPPEAKS_H
