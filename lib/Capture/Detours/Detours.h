// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of allocators that are built into binaries, as a source.

#ifndef MEMKIT_CAPTURE_DETOURS_DETOURS_H
#define MEMKIT_CAPTURE_DETOURS_DETOURS_H

#include "Runtime/Source.h"
#include "Wire/Attach.h"

namespace memkit::capture {

/// Asks the recorder for the detours of each binary that is loaded and may have
/// an allocator, and makes them before the binary's code runs. Without an
/// answer in time, the binary is left as it is.
extern const Source DetourSource;

/// What memrec is to write over functions of a program that ran before, and
/// what stood there. Stays the same from one recording to the next.
struct LatePatches {
  const wire::CodePatchRow *Rows;
  uint32_t Count;
};
LatePatches latePatches();

/// Asks the recorder for the detours of all loaded binaries, and makes all of
/// them but the jumps. The calling thread records. Others run.
void planLate();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_DETOURS_H
