// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's driver in a program that runs already.

#ifndef MEMKIT_CAPTURE_CUDA_LATECUDA_H
#define MEMKIT_CAPTURE_CUDA_LATECUDA_H

#include "Runtime/Source.h"

namespace memkit::capture::cuda {

extern const Source LateSource;

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_LATECUDA_H
