// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds other tools that listen to CUDA's driver.

#ifndef MEMKIT_CAPTURE_CUDA_RIVAL_H
#define MEMKIT_CAPTURE_CUDA_RIVAL_H

#include "Wire/Layout.h"

namespace memkit::capture::cuda {

/// The name of a tool or of its library; empty: unknown. Ends with NUL.
using RivalName = char[sizeof(wire::SourceFinding::Name)];

/// The NVIDIA tool whose library is loaded in the program.
void findLoadedTool(RivalName &Out);

/// The library in CUDA_INJECTION64_PATH, which the driver loads.
void findInjected(RivalName &Out);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_RIVAL_H
