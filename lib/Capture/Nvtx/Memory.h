// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the heaps and regions that a program reports by NVTX.

#ifndef MEMKIT_CAPTURE_NVTX_MEMORY_H
#define MEMKIT_CAPTURE_NVTX_MEMORY_H

#include "Nvtx/Abi.h"

namespace memkit::capture::nvtx {

/// Writes the functions of the memory extension to a binary's slots.
void fillMemory(ExtensionSegment &S);

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_MEMORY_H
