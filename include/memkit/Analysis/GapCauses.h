// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a device holds memory that no recorded block accounts for.
//
// The parts that the recorder knows (contexts, modules, other processes) name
// themselves. The rest of the gap at a sample has two parts. Its level is the
// lowest rest of all later samples: so much is never given back. What is above
// the level is given back later: it is transient. A level that rises often and
// to the end of the run is a drift. A level that rises a few times shows that a
// library was used for the first time.

#ifndef MEMKIT_ANALYSIS_GAPCAUSES_H
#define MEMKIT_ANALYSIS_GAPCAUSES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

enum class GapCause : uint8_t {
  /// Contexts and modules of CUDA, and what libraries take at their first call.
  FirstUse,
  OtherProcess, ///< of the device's, as NVML says
  Drift,        ///< grows to the end, and nothing is given back
  Transient,    ///< comes and goes
  /// In the allocator's reserve, in pieces that no request fitted into.
  Fragmentation,
  Before, ///< there at the first sample
};
inline constexpr unsigned NumGapCauses = 6;

enum class GapSeverity : uint8_t { Low, Medium, High };

/// One cause of one device.
struct GapFinding {
  GapCause Cause = GapCause::FirstUse;
  GapSeverity Severity = GapSeverity::Low;
  uint64_t Bytes = 0;   ///< at most
  uint64_t SinceNs = 0; ///< when it began
  uint64_t Times = 0; ///< rises of a level, or times that it came; 0: no count
  /// Drift: bytes a second, from the first rise to the last sample.
  uint64_t BytesPerSecond = 0;
};

/// A sample of a device's gap, in its parts; bytes.
struct GapSample {
  uint64_t TimeNs = 0;
  uint64_t Used = 0;   ///< of the device, by all
  uint64_t Driver = 0; ///< contexts and modules
  uint64_t Others = 0; ///< other processes
  uint64_t Rest = 0;   ///< of the gap
};

/// The least that is a cause, of a device of so many bytes.
inline uint64_t leastCause(uint64_t DeviceBytes) {
  constexpr uint64_t Min = 1 << 20, Parts = 1000;
  return DeviceBytes / Parts > Min ? DeviceBytes / Parts : Min;
}
GapSeverity gapSeverity(uint64_t Bytes, uint64_t DeviceBytes);

/// The causes of a device's gap, but for fragmentation, which is no part of it;
/// most bytes first. Samples: in order of time. DeviceBytes 0: not known, the
/// highest used bytes count.
std::vector<GapFinding> findGapCauses(llvm::ArrayRef<GapSample> Samples,
                                      uint64_t DeviceBytes);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GAPCAUSES_H
