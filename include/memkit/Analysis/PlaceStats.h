// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by the lines of the user's own code.

#ifndef MEMKIT_ANALYSIS_PLACESTATS_H
#define MEMKIT_ANALYSIS_PLACESTATS_H

#include "memkit/Model/Places.h"

namespace memkit {

/// The stats of a place in one memory space. Bytes are exclusive, so that a
/// byte counts once; with chosen heaps they include inner blocks.
struct PlaceStats {
  uint32_t Place = 0;                     ///< of Places
  uint32_t Space = 0;                     ///< a memory space
  uint64_t PeakBytes = 0, PeakBlocks = 0; ///< at the peak of the space
  uint64_t LiveBytes = 0;                 ///< at the end
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t Temporaries = 0; ///< allocations freed before the thread's next
};

/// By memory space, then the most bytes at the peak first. Heaps outside the
/// totals count only if they were chosen.
std::vector<PlaceStats> statPlaces(const SelectedStats &S, const Places &Of);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_PLACESTATS_H
