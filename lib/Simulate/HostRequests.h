// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a recorded program to malloc.
//
// A target is one process of the trace with blocks of `host.malloc`. The
// process's requests, of all its threads in the order of the trace, are
// commands for memkit-replay (Wire/ReplayCommands.h).
//
// What the trace does not have and the reader concludes: a thread ends after
// its last event of any heap. Its stack (`host.stack`) is freed at its end.

#ifndef MEMKIT_LIB_SIMULATE_HOSTREQUESTS_H
#define MEMKIT_LIB_SIMULATE_HOSTREQUESTS_H

#include "Simulate/HostTarget.h"
#include "Simulate/RequestFunctions.h"
#include "Wire/ReplayCommands.h"
#include "memkit/Model/Selection.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// Reads the trace once. The target is the selected process with the most
/// memory. Needs the trace's events, TP_Totals and
/// TP_Names. Errors: TraceError; RequestError where the trace has no such
/// events, or only samples.
llvm::Expected<HostTarget> findHostTarget(const Trace &T, const Selection &Sel,
                                          uint32_t Scale);

/// Reads the commands of a target, with NotePeak and End. OnBatch: false ends
/// the reading.
llvm::Error readHostRequests(
    const Trace &T, const HostTarget &Of,
    llvm::function_ref<bool(llvm::ArrayRef<wire::ReplayCommand>)> OnBatch);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_HOSTREQUESTS_H
