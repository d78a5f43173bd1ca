// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What allocators hold and nobody has.

#ifndef MEMKIT_ANALYSIS_FRAGMENTATION_H
#define MEMKIT_ANALYSIS_FRAGMENTATION_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"

namespace memkit {

/// A heap that lies in another, or whose allocator says what it reserves.
/// Fragmentation is the share of what is reserved that no block has, in
/// millionths; there is none where nothing is reserved, or that is not known.
struct HeapFragmentation {
  struct Moment {
    uint64_t Reserved = 0;
    uint64_t Allocated = 0;         ///< live blocks
    std::optional<uint64_t> Active; ///< of Reserved; where it is told
    std::optional<uint32_t> Ppm;
  };
  uint32_t Heap = 0;
  bool Known = false; ///< whether it is known what is reserved
  Moment Now;         ///< at the end
  Moment AtPeak;      ///< of allocated bytes
  uint64_t ReservedPeak = 0;
  std::optional<uint64_t> ActivePeak; ///< where it is told
  Trims Trimmed;
  std::vector<PoolPeak> Pools; ///< of a heap that has several; largest first
  std::optional<uint32_t> LargestPpm; ///< when more was reserved
  /// Medians of the first and the last quarter of the intervals at whose end
  /// something was reserved, of eight at the least.
  std::optional<uint32_t> FirstPpm, LastPpm;
};

/// Of the selected heaps that have such a thing, in the order of their ids.
std::vector<HeapFragmentation> findFragmentation(const Trace &T,
                                                 const Selection &Sel,
                                                 const MarkSeries &Marks,
                                                 const LiveSeries &Live);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FRAGMENTATION_H
