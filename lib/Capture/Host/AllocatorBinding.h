// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds calls to the hooks of AllocatorHooks.h.

#ifndef MEMKIT_CAPTURE_HOST_ALLOCATORBINDING_H
#define MEMKIT_CAPTURE_HOST_ALLOCATORBINDING_H

#include <link.h>

namespace memkit::capture {

/// Binds the calls of all loaded binaries, if one of them is an allocator with
/// such functions. One thread, with signals blocked.
void bindAllocators();

/// As bindAllocators(), in a program that ran before: its other threads run,
/// and may load and drop binaries.
void bindAllocatorsLate();
/// Leads the calls past the hooks, as bindAllocatorsLate() led them there.
void unbindAllocators();

/// Binds the calls of a binary, or those of all if the binary is an allocator.
/// Any thread; waits for no lock of the loader.
void bindAllocatorsOf(const link_map *New);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_ALLOCATORBINDING_H
