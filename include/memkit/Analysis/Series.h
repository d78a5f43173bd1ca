// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value over time.

#ifndef MEMKIT_ANALYSIS_SERIES_H
#define MEMKIT_ANALYSIS_SERIES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// A point of a series that keeps its value until the next.
struct SeriesPoint {
  uint64_t TimeNs = 0;
  uint64_t Value = 0;
};

/// The highest value of a series in each of Columns equal parts of the time
/// from BeginNs to EndNs. Points: times rising; 0 before the first point.
std::vector<uint64_t> highestOf(llvm::ArrayRef<SeriesPoint> Points,
                                uint64_t BeginNs, uint64_t EndNs,
                                unsigned Columns);

/// The sum of series. Times of each rise; 0 before the first point.
std::vector<SeriesPoint> sumOf(llvm::ArrayRef<std::vector<SeriesPoint>> Series);

/// Adds a point at TimeNs with Value. The value behind it is that of a point at
/// TimeNs + 1, or else the value before.
void addSpike(std::vector<SeriesPoint> &To, uint64_t TimeNs, uint64_t Value);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SERIES_H
