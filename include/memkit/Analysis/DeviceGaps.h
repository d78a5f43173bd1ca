// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices use and no block has.

#ifndef MEMKIT_ANALYSIS_DEVICEGAPS_H
#define MEMKIT_ANALYSIS_DEVICEGAPS_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"

namespace memkit {

/// What a device says is used of it less what the trace accounts for, in bytes.
struct DeviceGap {
  struct Moment {
    uint64_t TimeNs = 0;
    uint64_t Used = 0;
    uint64_t Accounted = 0;
    bool IsTold = false; ///< the recorder told it, and the parts that it knew
    GapParts Parts;
    uint64_t gap() const { return Used > Accounted ? Used - Accounted : 0; }
    /// What of the gap is in no known part.
    uint64_t unknown() const;
  };
  /// A while in which the gap grew.
  struct Rise {
    Moment From, To;
    uint64_t RoseNs = 0; ///< when it did so last
    uint64_t bytes() const { return To.gap() - From.gap(); }
  };
  static constexpr size_t MaxRises = 64;

  uint32_t Device = 0;
  uint64_t TotalBytes = 0; ///< of the device; 0: not known
  uint64_t Samples = 0;
  Moment Now; ///< the last sample
  Moment MaxUsed;
  Moment Largest;          ///< gap
  std::vector<Rise> Rises; ///< the largest, in the order of time
};

/// Of the devices that were sampled. What is accounted for the recorder says,
/// or else: the outermost heaps of the device's memory space that count in its
/// totals: their live bytes at the end of the interval nearest to the sample,
/// or what their allocator then reserved.
std::vector<DeviceGap> findGaps(const Trace &T, const MarkSeries &Marks,
                                const LiveSeries &Live);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DEVICEGAPS_H
