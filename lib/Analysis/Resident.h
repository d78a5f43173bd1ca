// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident size of a run.

#ifndef MEMKIT_LIB_ANALYSIS_RESIDENT_H
#define MEMKIT_LIB_ANALYSIS_RESIDENT_H

#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// The bytes of all selected processes together; OfProcesses: MarkSeries::Rss
/// or RssShared. When a process ends, its bytes are gone.
std::vector<SeriesPoint>
residentSeries(const SelectedStats &S,
               llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses);

/// The last sample of Series before the program's exit; null: no samples. The
/// ends of the last processes are no samples, nor is a sample much lower than
/// the one before: an exit gives memory back.
const SeriesPoint *lastSample(llvm::ArrayRef<SeriesPoint> Series);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_RESIDENT_H
