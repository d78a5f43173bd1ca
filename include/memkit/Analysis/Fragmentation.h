// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserved memory of allocators that is in no live block.

#ifndef MEMKIT_ANALYSIS_FRAGMENTATION_H
#define MEMKIT_ANALYSIS_FRAGMENTATION_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"

namespace memkit {

/// The fragmentation of a heap inside another heap, or of a heap whose
/// allocator reports its reserved bytes. Fragmentation is the share of reserved
/// bytes in no live block, in millionths. A heap without reserved bytes, or
/// with an unknown number of them, has no fragmentation.
struct HeapFragmentation {
  struct FragmentationTimePoint {
    uint64_t Reserved = 0;
    uint64_t Allocated = 0;         ///< live blocks; without, as Active
    std::optional<uint64_t> Active; ///< active part of Reserved, if reported
    std::optional<uint32_t> Ppm;
  };
  uint32_t Heap = 0;
  bool Known = false;            ///< whether the reserved bytes are known
  FragmentationTimePoint Now;    ///< at the end
  FragmentationTimePoint AtPeak; ///< of allocated bytes
  uint64_t ReservedPeak = 0;
  std::optional<uint64_t> ActivePeak; ///< if reported
  Trims Trimmed;
  std::vector<PoolPeak> Pools; ///< of a heap with several pools; largest first
  /// The largest at any time when reserved bytes grew.
  std::optional<uint32_t> LargestPpm;
  /// Medians of the first and the last quarter of the intervals that end with
  /// reserved bytes. At least eight intervals of this kind are needed.
  std::optional<uint32_t> FirstPpm, LastPpm;
};

/// The fragmentation of the selected heaps, by heap id.
std::vector<HeapFragmentation> findFragmentation(const Trace &T,
                                                 const Selection &Sel,
                                                 const MarkSeries &Marks,
                                                 const LiveSeries &Live);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FRAGMENTATION_H
