// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of the CUDA library.

#ifndef MEMKIT_CAPTURE_CUDA_INJECTION_H
#define MEMKIT_CAPTURE_CUDA_INJECTION_H

#include "Cuda/Writer.h"

namespace memkit::capture::cuda {

/// Is Memrec set? Called at the start of a wrapper; sets Memrec if the driver
/// has not called this library.
bool hasBegun();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_INJECTION_H
