// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who else listens to CUDA's driver.

#ifndef MEMKIT_CAPTURE_CUDA_RIVAL_H
#define MEMKIT_CAPTURE_CUDA_RIVAL_H

#include "Wire/Layout.h"

namespace memkit::capture::cuda {

/// A tool's name, or its library's; empty: not known. Ends with NUL.
using RivalName = char[wire::RivalBytes];

/// The tool of NVIDIA's whose library is loaded in the program.
void findLoadedTool(RivalName &Out);

/// The library that CUDA_INJECTION64_PATH has the driver load.
void findInjected(RivalName &Out);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_RIVAL_H
