// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the effect of a call of the driver on memory.
//
// CUPTI, or a wrapper, reports a call before and after the call, with CUPTI's
// number of the function and the parameters.

#ifndef MEMKIT_CAPTURE_CUDA_CALLS_H
#define MEMKIT_CAPTURE_CUDA_CALLS_H

#include "Cuda/Contexts.h"
#include "Runtime/Hook.h"

namespace memkit::capture::cuda {

struct Call {
  CUpti_CallbackId Id; ///< CUpti_driver_api_trace_cbid
  const void *Params;  ///< NAME_params
  CUcontext Context;   ///< the thread's current context
};

/// Records the memory that the call frees.
void before(const Call &C);
/// Records the memory that the call allocated. \p Caller: the caller of the
/// hook.
void after(const Call &C, CUresult Result, const CallerFrame &Caller);

/// The calls to subscribe to.
extern const CUpti_CallbackId WantedCalls[];
extern const unsigned NumWantedCalls;

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CALLS_H
