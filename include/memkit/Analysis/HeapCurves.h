// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The highest live bytes, column by column.

#ifndef MEMKIT_ANALYSIS_HEAPCURVES_H
#define MEMKIT_ANALYSIS_HEAPCURVES_H

#include "memkit/Analysis/LiveSeries.h"

namespace memkit {

/// The run from 0 to Trace::endNs() in equal columns.
struct HeapCurves {
  /// By heap id, the most that lived in each column; 0: the memory space
  /// `host`. Empty where that is not known.
  std::vector<std::vector<uint64_t>> Highest;
  /// Whether every event was looked at; else the values are those at the ends
  /// of intervals, and the heap's peak in its column.
  bool FromEvents = false;
};

/// A short run is replayed, of all processes alone; a long one has its
/// intervals.
HeapCurves readHeapCurves(const SelectedStats &S, const LiveSeries &Live,
                          unsigned Columns);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_HEAPCURVES_H
