// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memrec asks of the library in a program that runs already.
//
// memrec calls memrec_attach of the library by ptrace, in a thread that it has
// chosen, with the address of a request in memory that it has mapped into the
// program.

#ifndef MEMKIT_LIB_WIRE_ATTACH_H
#define MEMKIT_LIB_WIRE_ATTACH_H

#include <cstdint>

namespace memkit::wire {

/// The exported function: uint32_t memrec_attach(AttachRequest *). Returns an
/// AttachAnswer.
inline constexpr char AttachFunction[] = "memrec_attach";

enum class AttachTask : uint32_t {
  /// Connects to the recorder at Socket, and leads the program's calls to the
  /// hooks.
  Attach = 1,
  /// Ends the recording, and leads the calls past the hooks again.
  Detach = 2,
  /// Gives the memory of the last recording back. Only after Detach, when each
  /// thread has been seen outside of the library since.
  Release = 3,
  /// After Attach: finds the functions of private allocators, and makes what
  /// memrec is to write over them while all threads stand.
  Prepare = 4,
};

enum class AttachAnswer : uint32_t {
  Done = 1,
  OtherVersion = 2, ///< the library is not of this memrec
  IsRecorded = 3,   ///< another recorder records the program
  NotReleased = 4,  ///< the memory of the last recording is still there
  NoAnswer = 5,     ///< the recorder did not give shared memory
  NoTurn = 6,       ///< another thread changes words of binaries
};

/// Code of the program that memrec is to replace, and to restore.
struct CodePatchRow {
  static constexpr uint32_t MaxBytes = 24, LeastBytes = 5;
  uint64_t At;
  uint32_t Bytes;
  uint32_t IsLoader; ///< the loader's notice, no allocator
  uint8_t Original[MaxBytes], New[MaxBytes];
};

/// memrec writes the request; the library writes the counts.
struct AttachRequest {
  uint64_t MagicValue;
  uint32_t VersionValue; ///< of Layout.h
  AttachTask Task;
  /// For Attach: the path of the recorder's socket, and of the library for the
  /// environment of children.
  char Socket[108];
  char Preload[4096];
  uint32_t NumBinaries; ///< with words that were changed
  uint32_t NumWords;    ///< that were changed
  /// Of Prepare and Detach: the library's CodePatchRows.
  uint32_t NumPatches;
  uint64_t PatchesAt;
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_ATTACH_H
