// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of the driver does to memory.
//
// A call is told by its number among CUPTI's callbacks and its parameters, as
// CUPTI gives them, before it and after it.

#ifndef MEMKIT_CAPTURE_CUDA_CALLS_H
#define MEMKIT_CAPTURE_CUDA_CALLS_H

#include "Cuda/Contexts.h"
#include "Runtime/Hook.h"

namespace memkit::capture::cuda {

struct Call {
  CUpti_CallbackId Id; ///< CUpti_driver_api_trace_cbid
  const void *Params;  ///< NAME_params
  CUcontext Context;   ///< the thread's current one
};

/// Records what ends with the call.
void before(const Call &C);
/// Records what began with it. \p Caller: who called us.
void after(const Call &C, CUresult Result, const Frame &Caller);

/// Those that we want to hear of.
extern const CUpti_CallbackId WantedCalls[];
extern const unsigned NumWantedCalls;

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CALLS_H
