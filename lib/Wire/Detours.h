// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detours of a private allocator's functions, and of what runs a test: the
// program asks for them with an AskDetoursRecord, and the recorder writes them
// to the control page.
//
// A part of Layout.h, which defines the writer of each field.

#ifndef MEMKIT_LIB_WIRE_DETOURS_H
#define MEMKIT_LIB_WIRE_DETOURS_H

#include <cstdint>

namespace memkit::wire {

/// What a function does. Its arguments are integers and pointers, five at most.
enum class DetourTask : uint8_t {
  Allocate,      ///< returns a block, or null
  AllocateText,  ///< returns a block for the text in it, or null
  AllocateTo,    ///< returns 0 and sets *Block to a block, or returns an error
  Resize,        ///< returns a block in place of Block; null: Block stays
  ResizeInPlace, ///< returns Block's size, which may have changed
  Free,          ///< ends Block, which may be null
  RunTest,       ///< runs the test of GoogleTest that Block describes
};

/// A function's task, and the numbers of its arguments, from 0.
struct DetourCall {
  static constexpr uint8_t None = 255;
  DetourTask Task = DetourTask::Allocate;
  uint8_t Size = None;  ///< bytes
  uint8_t Count = None; ///< a factor of Size
  uint8_t Block = None;
};

/// Four bytes of moved code: the distance from moved byte End to Target. Or, if
/// End is 0, eight bytes: the address of Target, to which a moved call returns.
struct DetourWord {
  uint64_t Target; ///< an address of the file's headers
  uint8_t At;      ///< the first of the bytes, in Detour::Moved
  uint8_t End;     ///< where the word's instruction ends, in Detour::Moved
  uint8_t Pad[6];

  bool isAddress() const { return End == 0; }
};

/// A jump over the first bytes of a function, and where these lead instead.
struct Detour {
  static constexpr uint32_t MaxReplaced = 24, MaxMoved = 48, MaxWords = 4;
  /// How long a program waits for detours: its other threads may need the
  /// loader meanwhile.
  static constexpr uint32_t MaxWaitMs = 300;
  uint64_t At; ///< the first replaced byte, an address of the file's headers
  DetourCall Call;
  uint8_t Pool; ///< the heap of its blocks, in DetourReply::Pools
  uint8_t NumReplaced, NumMoved, NumWords;
  uint8_t Original[MaxReplaced]; ///< what must lie at At
  uint8_t Moved[MaxMoved];       ///< the way to the original
  DetourWord Words[MaxWords];
};
static_assert(sizeof(Detour) == 152);

/// The detours of one binary.
struct DetourReply {
  static constexpr uint32_t MaxDetours = 96, MaxPools = 4, NameBytes = 64;
  uint32_t NumDetours;
  uint32_t NumPools;
  uint32_t BuildIdBytes; ///< 0: the file has none
  uint32_t NumRefused;   ///< functions of the allocators without a detour
  uint8_t BuildId[32];   ///< the file's, which may not be the binary's any more
  char Pools[MaxPools][NameBytes]; ///< as `mimalloc@libarrow`; end with NUL
  /// One of the refused functions, and why; ends with NUL.
  char Refused[128];
  Detour Detours[MaxDetours];
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_DETOURS_H
