// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places that changed: the rows of memdiff and of memview.

#ifndef MEMKIT_LIB_REPORT_DIFFROWS_H
#define MEMKIT_LIB_REPORT_DIFFROWS_H

#include "Report/DiffView.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// The places of a memory space that changed by the noise.
struct PlaceRows {
  std::vector<const PlaceChange *> Shown; ///< the largest change first
  std::vector<const PlaceChange *> Others;
  /// Memory that only changed its place: a place that lost as much as another
  /// one gained, in as many allocations; one place twice: its function has
  /// another name.
  std::vector<std::pair<const PlaceChange *, const PlaceChange *>> Moved;
  size_t More = 0; ///< how many of Others changed by the noise
};
PlaceRows placeRows(const DiffView &V, const SpaceChange &Space);
/// The metrics of the rows; the first one gives the order.
llvm::SmallVector<Metric, 2> placeMetrics(const DiffView &V);
/// `at the peak`, `live at end`.
std::string metricTitle(const DiffView &V, Metric By);
/// What the rows are: `line of your code`.
llvm::StringRef placesTitle(const DiffView &V);
/// `was a.cpp:6 load`, `allocates as before, now at the peak`; empty: nothing
/// to say.
std::string remarkOf(const DiffView &V, const PlaceChange &C, Metric By);

/// The sum of PlaceRows::Others.
struct RestOfRows {
  llvm::SmallVector<int64_t, 2> Changes; ///< by index in placeMetrics()
  size_t Places = 0;                     ///< those with a change
};
RestOfRows restOf(const DiffView &V, const PlaceRows &Rows);
/// `62 MiB moved from a.cpp:6 load to b.cpp:9 read`
std::vector<std::string> placeMoveLines(const DiffView &V,
                                        const PlaceRows &Rows);

/// The change of the arenas of Python in a memory space.
int64_t changeOfArenas(const DiffView &V, llvm::StringRef Space, Metric By);

/// The distance of two values.
uint64_t distance(uint64_t A, uint64_t B);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_DIFFROWS_H
