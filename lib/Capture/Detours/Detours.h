// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of allocators that are built into binaries, as a source.

#ifndef MEMKIT_CAPTURE_DETOURS_DETOURS_H
#define MEMKIT_CAPTURE_DETOURS_DETOURS_H

#include "DetourMaker.h"
#include "Runtime/Source.h"

namespace memkit::capture {

/// Asks the recorder for the detours of each binary that is loaded and may have
/// an allocator, and makes them before the binary's code runs. Without an
/// answer in time, the binary is left as it is.
extern const Source DetourSource;

/// Asks the recorder for the detours of all loaded binaries, and makes all of
/// them but the jumps, which memrec writes (latePatches()); from then on the
/// loader gives notice of libraries that come later. The calling thread
/// records. Others run.
void planLate();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_DETOURS_H
