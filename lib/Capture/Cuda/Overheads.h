// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contexts and modules take.

#ifndef MEMKIT_CAPTURE_CUDA_OVERHEADS_H
#define MEMKIT_CAPTURE_CUDA_OVERHEADS_H

#include "Cuda/Calls.h"

namespace memkit::capture::cuda {

/// Is it a call of those below? What it takes is not measured when it is first
/// heard of after it.
bool isOverhead(CUpti_CallbackId Id);
/// Of the calls that make a context, or load or unload modules. False: the call
/// is none of them.
bool beforeOverhead(const Call &C);
bool afterOverhead(const Call &C, CUresult Result);

/// A module was loaded; also where a call does that by the way, as the first
/// launch of a kernel.
void onModule(CUcontext C);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_OVERHEADS_H
