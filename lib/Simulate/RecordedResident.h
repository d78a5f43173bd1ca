// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a recorded process.

#ifndef MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H
#define MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H

#include "Simulate/HostTarget.h"
#include "Simulate/OtherMemory.h"

namespace memkit {

/// The samples of one process, by rising time.
struct RecordedSamples {
  std::vector<MemorySample> Rss;
  std::vector<PartsSample> Parts;
};

/// Errors: TraceError.
llvm::Expected<RecordedSamples> readRecordedSamples(const Trace &T,
                                                    uint32_t Process);

/// Fills HostTarget::Recorded. Needs PeakNs and FirstNs of the target, and
/// OtherLive of all samples; raises EndNs to the last sample.
void noteRecordedResident(RecordedSamples Samples, HostTarget &To);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H
