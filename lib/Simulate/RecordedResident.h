// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a recorded process.

#ifndef MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H
#define MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H

#include "Simulate/HostRequests.h"

namespace memkit {

/// Fills HostTarget::Recorded from the marks of the target's process. Needs the
/// process, PeakNs and FirstNs of the target; raises EndNs to the last sample.
/// Errors: TraceError.
llvm::Error readRecordedResident(const Trace &T, HostTarget &To);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_RECORDEDRESIDENT_H
