// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of conditions that the samples of a trace tell.

#ifndef MEMKIT_LIB_ANALYSIS_TRACEMETRICS_H
#define MEMKIT_LIB_ANALYSIS_TRACEMETRICS_H

#include "Support/Condition.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// The highest values of rss, used, reserved and unaccounted of the selected
/// processes and heaps, in bytes, and oom, by memory space and by heap; what
/// was not sampled has no value. As alerts have them, with two differences: rss
/// is at least the exact maximum of the largest process, and there is no
/// fragmentation. Reads the marks. Errors: TraceError.
llvm::Expected<std::vector<MetricValue>>
queryTraceMetrics(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_TRACEMETRICS_H
