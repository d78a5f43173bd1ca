// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the memory of contexts and modules.

#ifndef MEMKIT_CAPTURE_CUDA_OVERHEADS_H
#define MEMKIT_CAPTURE_CUDA_OVERHEADS_H

#include "Cuda/Calls.h"

namespace memkit::capture::cuda {

/// Does the call make a context, or load or unload modules? Such a call is
/// measured only if it is reported before it runs.
bool isOverhead(CUpti_CallbackId Id);
/// Before and after a call that makes a context, or loads or unloads modules.
/// False: another call.
bool beforeOverhead(const Call &C);
bool afterOverhead(const Call &C, CUresult Result);

/// Measures each device that has a primary context. In a thread of memkit's,
/// which has no context.
void measureLivingContexts();

/// Notes a loaded module; also one loaded as part of another call, for example
/// by the first launch of a kernel.
void onModule(CUcontext C);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_OVERHEADS_H
