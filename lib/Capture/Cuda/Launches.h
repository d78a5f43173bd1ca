// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of CUDA's driver that give work to a device.
//
// For `--cuda=time` alone: else CUPTI is not asked for these calls.
//
// A launch is a record in the ring of its thread, with CUPTI's correlation id
// and the stack. The recorder knows what the thread runs (operator, layer,
// scope) from the ring's other records, so nothing is looked up at a launch,
// and an operator without a launch pays nothing. External correlation ids, the
// other way, cost two calls of CUPTI for each operator and a further activity
// record for each call of the driver, and have no stack.

#ifndef MEMKIT_CAPTURE_CUDA_LAUNCHES_H
#define MEMKIT_CAPTURE_CUDA_LAUNCHES_H

#include "Cuda/Cupti.h"
#include "Runtime/Hook.h"

namespace memkit::capture::cuda {

/// The calls to subscribe to; kernels and graphs come first, and every CUPTI
/// knows the first NumNeededLaunches.
extern const CUpti_CallbackId LaunchCalls[];
extern const unsigned NumLaunchCalls, NumNeededLaunches;

/// Any thread.
bool isLaunch(CUpti_CallbackId Id);
/// Before the call with the correlation id.
void noteLaunch(uint32_t Correlation, const CallerFrame &Caller);

// A function of CUDA's runtime calls the driver. CUPTI's documentation does not
// say whether the work then has the correlation id of the inner call or that of
// the outer one. So CUPTI reports launches of the runtime, too, until the ids
// of an inner and an outer call are found to be equal. Where they differ, a
// launch has two records.

/// The launches of the runtime.
extern const CUpti_CallbackId RuntimeLaunchCalls[];
extern const unsigned NumRuntimeLaunchCalls;
/// The thread enters a launch of the runtime; 0: leaves it.
void noteRuntimeCall(uint32_t Correlation);
/// Have equal ids been found? True once alone: the caller then ends the reports
/// of the runtime's launches.
bool takeIdsAreEqual();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_LAUNCHES_H
