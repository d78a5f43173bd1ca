// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the detours of a binary.
//
// A detour is a jump over the first instructions of a function, to a stub in an
// island near the binary: the stub goes to the hook, and has the instructions,
// moved, as the way to the original. One thread at a time (DetourTurn).

#ifndef MEMKIT_CAPTURE_DETOURS_DETOURMAKER_H
#define MEMKIT_CAPTURE_DETOURS_DETOURMAKER_H

#include "CodePatch.h"
#include "Stacks/MappedElf.h"
#include "Wire/Attach.h"
#include "Wire/Detours.h"

#include <link.h>

namespace memkit::capture {

/// A mapped binary.
struct BinaryRange {
  explicit BinaryRange(const link_map &M);
  bool isFound() const { return End > Start; }
  bool has(uintptr_t Address, size_t Bytes) const {
    return Address >= Start && Address < End && Bytes <= End - Address;
  }

  uintptr_t Bias, Start, End = 0;
};

/// Makes the detours of \p Map that the recorder has planned. WritesJumps: no
/// thread runs code of the binary yet. Otherwise memrec writes the jumps, as
/// the rows of latePatches() say. In a program that ran before, there are rows
/// for both.
void makeDetours(const link_map &Map, const wire::DetourReply &Plan,
                 bool WritesJumps);

/// Whether makeDetours() has made some for the binary.
bool hasDetours(const link_map &Map);

/// Forgets what was made for a binary that is gone: no thread runs its code.
void dropDetours(const link_map *Gone);
/// Forgets what was made for all binaries that the list from \p First lacks.
void dropDetoursOfGone(const link_map *First);

/// What memrec is to write over functions of a program that ran before, and
/// what stood there. The rows stay from one recording to the next, until their
/// binary is gone.
struct LatePatches {
  const wire::CodePatchRow *Rows;
  uint32_t Count;
};
LatePatches latePatches();
/// One more row, to be filled; null: there is no room.
wire::CodePatchRow *newLateRow();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_DETOURMAKER_H
