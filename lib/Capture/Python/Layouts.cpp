// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of CPython's structures.

#include "Layouts.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

static constexpr PythonLayout Layouts[] = {
    {.Minor = 8,
     .Shape = FrameShape::Objects,
     .Interp = 16,
     .ThreadId = 176,
     .Frame = 24,
     .CFrame = -1,
     .Code = 32,
     .Previous = 24,
     .Instruction = 104,
     .Owner = 0,
     .Locals = 360,
     .FirstLine = 40,
     .FileName = 104,
     .Name = 112,
     .Bytes = 0,
     .FirstTraceable = 0,
     .Ascii = 48,
     .Compact = 72,
     .Interpreters = 32,
     .Finalizing = 16,
     .Current = 1368,
     .NextInterp = 0},
    {.Minor = 9,
     .Shape = FrameShape::Objects,
     .Interp = 16,
     .ThreadId = 176,
     .Frame = 24,
     .CFrame = -1,
     .Code = 32,
     .Previous = 24,
     .Instruction = 104,
     .Owner = 0,
     .Locals = 360,
     .FirstLine = 40,
     .FileName = 104,
     .Name = 112,
     .Bytes = 0,
     .FirstTraceable = 0,
     .Ascii = 48,
     .Compact = 72,
     .Interpreters = 32,
     .Finalizing = 16,
     .Current = 568,
     .NextInterp = 0},
    {.Minor = 10,
     .Shape = FrameShape::Objects,
     .Interp = 16,
     .ThreadId = 176,
     .Frame = 24,
     .CFrame = -1,
     .Code = 32,
     .Previous = 24,
     .Instruction = 96,
     .Owner = 0,
     .Locals = 352,
     .FirstLine = 40,
     .FileName = 104,
     .Name = 112,
     .Bytes = 0,
     .FirstTraceable = 0,
     .Ascii = 48,
     .Compact = 72,
     .Interpreters = 32,
     .Finalizing = 16,
     .Current = 568,
     .NextInterp = 0},
    {.Minor = 11,
     .Shape = FrameShape::Marked,
     .Interp = 16,
     .ThreadId = 152,
     .Frame = 56,
     .CFrame = 8,
     .Code = 32,
     .Previous = 48,
     .Instruction = 56,
     .Owner = 68,
     .Locals = 72,
     .FirstLine = 72,
     .FileName = 112,
     .Name = 128,
     .Bytes = 184,
     .FirstTraceable = 168,
     .Ascii = 48,
     .Compact = 72,
     .Interpreters = 40,
     .Finalizing = 24,
     .Current = 576,
     .NextInterp = 0},
    {.Minor = 12,
     .Shape = FrameShape::Shims,
     .Interp = 16,
     .ThreadId = 136,
     .Frame = 56,
     .CFrame = 0,
     .Code = 0,
     .Previous = 8,
     .Instruction = 56,
     .Owner = 70,
     .Locals = 72,
     .FirstLine = 68,
     .FileName = 112,
     .Name = 128,
     .Bytes = 192,
     .FirstTraceable = 176,
     .Ascii = 40,
     .Compact = 56,
     .Interpreters = 40,
     .Finalizing = 24,
     .Current = 0,
     .NextInterp = 0},
    {.Minor = 13,
     .Shape = FrameShape::Shims,
     .Interp = 16,
     .ThreadId = 152,
     .Frame = 72,
     .CFrame = -1,
     .Code = 0,
     .Previous = 8,
     .Instruction = 56,
     .Owner = 70,
     .Locals = 72,
     .FirstLine = 68,
     .FileName = 112,
     .Name = 128,
     .Bytes = 200,
     .FirstTraceable = 184,
     .Ascii = 40,
     .Compact = 56,
     .Interpreters = 632,
     .Finalizing = 608,
     .Current = 0,
     .NextInterp = 7264},
    {.Minor = 14,
     .Shape = FrameShape::Tagged,
     .Interp = 16,
     .ThreadId = 152,
     .Frame = 72,
     .CFrame = -1,
     .Code = 0,
     .Previous = 8,
     .Instruction = 56,
     .Owner = 74,
     .Locals = 80,
     .FirstLine = 68,
     .FileName = 112,
     .Name = 128,
     .Bytes = 208,
     .FirstTraceable = 192,
     .Ascii = 40,
     .Compact = 56,
     .Interpreters = 808,
     .Finalizing = 784,
     .Current = 0,
     .NextInterp = 7272},
    {.Minor = 15,
     .Shape = FrameShape::Tagged,
     .Interp = 16,
     .ThreadId = 176,
     .Frame = 72,
     .CFrame = -1,
     .Code = 0,
     .Previous = 8,
     .Instruction = 56,
     .Owner = 74,
     .Locals = 80,
     .FirstLine = 68,
     .FileName = 112,
     .Name = 128,
     .Bytes = 208,
     .FirstTraceable = 192,
     .Ascii = 40,
     .Compact = 56,
     .Interpreters = 936,
     .Finalizing = 912,
     .Current = 0,
     .NextInterp = 7264},
};

static constexpr bool agreesWithShape(const PythonLayout &L) {
  switch (L.Shape) {
  case FrameShape::Objects:
    return agrees<FrameShape::Objects>(L);
  case FrameShape::Marked:
    return agrees<FrameShape::Marked>(L);
  case FrameShape::Shims:
    return agrees<FrameShape::Shims>(L);
  case FrameShape::Tagged:
    return agrees<FrameShape::Tagged>(L);
  }
  return false;
}

static constexpr bool allAgree() {
  for (const PythonLayout &L : Layouts)
    if (!agreesWithShape(L))
      return false;
  return true;
}
static_assert(allAgree());

const PythonLayout *capture::layoutOf(uint32_t Version) {
  for (const PythonLayout &L : Layouts)
    if (Version >> 16 == (3u << 8 | L.Minor))
      return &L;
  return nullptr;
}

const PythonLayout *capture::layoutToTry(uint32_t Version) {
  const PythonLayout &Newest = Layouts[sizeof(Layouts) / sizeof(*Layouts) - 1];
  return Version >> 24 == 3 && (Version >> 16 & 255) > Newest.Minor ? &Newest
                                                                    : nullptr;
}

namespace {
/// How many words of _Py_DebugOffsets a version has that memrec does not read:
/// of an interpreter; of a thread, before and after its id; and of a frame,
/// with the owner.
struct OffsetWords {
  unsigned Interp, BeforeThreadId, AfterThreadId, Frame;
};

/// The start of _Py_DebugOffsets. Offsets and sizes are in bytes.
template <OffsetWords Words> struct DebugOffsets {
  char Cookie[8];
  uint64_t Version, FreeThreaded;
  uint64_t RuntimeSize, Finalizing, Interpreters;
  uint64_t InterpSize, InterpId, InterpNext, InterpUnused[Words.Interp];
  uint64_t ThreadSize, ThreadPrev, ThreadNext, ThreadInterp;
  uint64_t ThreadFrame[1 + Words.BeforeThreadId]; ///< the first is the frame
  uint64_t ThreadId, ThreadUnused[Words.AfterThreadId];
  uint64_t FrameSize, FramePrevious, FrameExecutable, FrameInstruction;
  uint64_t FrameLocals, FrameOwner[Words.Frame]; ///< the first is the owner
  uint64_t CodeSize, CodeFileName, CodeName, CodeQualName, CodeLines;
  uint64_t CodeFirstLine, CodeUnused[3], CodeBytes;
};
} // namespace

template <typename Offsets>
static bool readAs(const void *Runtime, uint32_t Version, PythonLayout &L) {
  Offsets O;
  memcpy(&O, Runtime, sizeof(O));
  if (memcmp(O.Cookie, "xdebugpy", 8) != 0 || O.Version != Version)
    return false;
  bool IsGood = true;
  auto Take = [&](uint64_t Offset, uint64_t Size, uint16_t &To) {
    IsGood = IsGood && Offset < Size && Size < 1u << 24 && Offset < 1u << 16;
    To = uint16_t(Offset);
  };
  uint16_t Bytes = L.Bytes;
  Take(O.Finalizing, O.RuntimeSize, L.Finalizing);
  Take(O.Interpreters, O.RuntimeSize, L.Interpreters);
  Take(O.InterpNext, O.InterpSize, L.NextInterp);
  Take(O.ThreadInterp, O.ThreadSize, L.Interp);
  Take(O.ThreadFrame[0], O.ThreadSize, L.Frame);
  Take(O.ThreadId, O.ThreadSize, L.ThreadId);
  Take(O.FramePrevious, O.FrameSize, L.Previous);
  Take(O.FrameExecutable, O.FrameSize, L.Code);
  Take(O.FrameInstruction, O.FrameSize, L.Instruction);
  Take(O.FrameOwner[0], O.FrameSize, L.Owner);
  Take(O.CodeFileName, O.CodeSize, L.FileName);
  Take(O.CodeQualName, O.CodeSize, L.Name);
  Take(O.CodeFirstLine, O.CodeSize, L.FirstLine);
  Take(O.CodeBytes, O.CodeSize, L.Bytes);
  // _Py_DebugOffsets lacks the first traceable instruction.
  return IsGood && L.Bytes == Bytes && agreesWithShape(L);
}

bool capture::readDebugOffsets(const void *Runtime, uint32_t Version,
                               PythonLayout &L) {
  switch (L.Minor) {
  case 13:
    return readAs<DebugOffsets<OffsetWords{10, 0, 3, 1}>>(Runtime, Version, L);
  case 14:
    return readAs<DebugOffsets<OffsetWords{13, 0, 3, 3}>>(Runtime, Version, L);
  default:
    return readAs<DebugOffsets<OffsetWords{13, 3, 8, 3}>>(Runtime, Version, L);
  }
}
