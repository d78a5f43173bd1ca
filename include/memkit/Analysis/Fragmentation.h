//===- Fragmentation.h - What allocators hold and nobody has ----*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  std::optional<uint32_t> LargestPpm; ///< when more was reserved
  /// Medians of the first and the last quarter of the slices at whose end
  /// something was reserved, of eight at the least.
  std::optional<uint32_t> FirstPpm, LastPpm;
};

/// Of the selected heaps that have such a thing, in the order of their ids.
std::vector<HeapFragmentation> findFragmentation(const Trace &T,
                                                 const Selection &Sel,
                                                 const MarkSeries &Marks,
                                                 const LiveSeries &Live);

/// What a device says is used of it less what the trace accounts for.
struct DeviceGap {
  struct Moment {
    uint64_t TimeNs = 0;
    uint64_t Used = 0;
    uint64_t Accounted = 0;
    uint64_t gap() const { return Used > Accounted ? Used - Accounted : 0; }
  };
  uint32_t Device = 0;
  uint64_t TotalBytes = 0; ///< of the device; 0: not known
  uint64_t Samples = 0;
  Moment Now; ///< the last sample
  Moment MostUsed;
  Moment Largest; ///< gap
};

/// Of the devices that were sampled. Accounted for are the outermost heaps of
/// the device's domain that count in its totals: their live bytes at the end of
/// the slice nearest to the sample, or what their allocator then reserved.
std::vector<DeviceGap> findGaps(const Trace &T, const MarkSeries &Marks,
                                const LiveSeries &Live);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_FRAGMENTATION_H
