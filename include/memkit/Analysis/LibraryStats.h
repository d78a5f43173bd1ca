// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which libraries hold a device's memory.

#ifndef MEMKIT_ANALYSIS_LIBRARYSTATS_H
#define MEMKIT_ANALYSIS_LIBRARYSTATS_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// What a library has of a heap.
struct LibraryStats {
  uint32_t Heap = 0;
  llvm::StringRef Name; ///< as Libraries::name()
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t PeakBlocks = 0, PeakBytes = 0; ///< at the heap's peak
  uint64_t LiveBlocks = 0, LiveBytes = 0; ///< when their process ended
};

/// Of the selected heaps of devices, and of those of the host that CUDA gives
/// out (`cuda.pinned`, ...): by heap, the most bytes at its peak first. Names
/// live as long as the trace.
std::vector<LibraryStats> statLibraries(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LIBRARYSTATS_H
