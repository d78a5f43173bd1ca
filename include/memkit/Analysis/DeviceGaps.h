// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in use on devices that no block accounts for.

#ifndef MEMKIT_ANALYSIS_DEVICEGAPS_H
#define MEMKIT_ANALYSIS_DEVICEGAPS_H

#include "memkit/Analysis/Fragmentation.h"
#include "memkit/Analysis/GapCauses.h"
#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"

namespace memkit {

/// The used bytes of a device less the bytes that the trace accounts for.
struct DeviceGap {
  struct GapTimePoint {
    uint64_t TimeNs = 0;
    uint64_t Used = 0;
    uint64_t Accounted = 0;
    bool IsReported = false; ///< the trace has Accounted and Parts
    GapParts Parts;
    /// Of a device that shares the machine's memory: what the machine can still
    /// give, and the resident bytes of the recorded processes.
    std::optional<uint64_t> Available, Resident;
    uint64_t gap() const { return Used > Accounted ? Used - Accounted : 0; }
    /// The part of the gap outside all known Parts.
    uint64_t unknown() const;
    /// Of Total bytes of a machine whose memory the device shares: what neither
    /// the device's processes nor the recorded ones hold, nor is available.
    uint64_t restOfMachine(uint64_t Total) const;
  };
  /// A period in which the gap grew.
  struct Rise {
    GapTimePoint From, To;
    uint64_t RoseNs = 0; ///< the last time the gap grew
    uint64_t bytes() const { return To.gap() - From.gap(); }
  };
  static constexpr size_t MaxRises = 64;

  uint32_t Device = 0;
  uint64_t TotalBytes = 0; ///< of the device; 0: not known
  /// The device has no memory of its own; TotalBytes is the machine's.
  bool SharesMemory = false;
  uint64_t Samples = 0;
  GapTimePoint Now; ///< the last sample
  GapTimePoint MaxUsed;
  GapTimePoint Largest;    ///< gap
  std::vector<Rise> Rises; ///< the largest rises, by time
  /// Most bytes first; none of a device that shares the machine's memory.
  std::vector<GapFinding> Causes;
};

/// The gaps of all sampled devices. The accounted bytes are the recorder's
/// value. If the recorder reported none, they are those of the device's
/// outermost heaps that count in the totals: for each heap, the larger of the
/// live bytes at the end of the interval nearest to the sample and the bytes
/// reserved at the sample.
std::vector<DeviceGap> findGaps(const Trace &T, const MarkSeries &Marks,
                                const LiveSeries &Live);
/// Adds fragmentation to the causes of the devices' gaps: the allocator's
/// reserve counts as accounted for, but is in no tensor.
void addFragmentation(const Trace &T, const MarkSeries &Marks,
                      llvm::ArrayRef<HeapFragmentation> Of,
                      std::vector<DeviceGap> &Gaps);
/// Sets the resident bytes of the time points of devices that share the
/// machine's memory. Resident: of all processes together.
void addResident(std::vector<DeviceGap> &Gaps,
                 llvm::ArrayRef<SeriesPoint> Resident);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DEVICEGAPS_H
