// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the program's allocator what it holds.

#ifndef MEMKIT_CAPTURE_HOST_ALLOCATORREPORT_H
#define MEMKIT_CAPTURE_HOST_ALLOCATORREPORT_H

#include "Wire/Allocator.h"

namespace memkit::capture {

/// Asks the allocator behind malloc, and fills To. Allocates, and takes the
/// locks of all arenas: call only on request, and only where exit() calls its
/// handlers. What the calls allocate is not recorded.
void askAllocator(wire::AllocatorReport &To);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_ALLOCATORREPORT_H
