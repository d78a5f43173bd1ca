// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of CPython's structures.
//
// Offsets on x86-64, by version, from CPython's headers; from 3.13 on from the
// interpreter's own _Py_DebugOffsets. Interpreter checks the offsets before the
// first walk.

#ifndef MEMKIT_CAPTURE_PYTHON_LAYOUTS_H
#define MEMKIT_CAPTURE_PYTHON_LAYOUTS_H

#include <cstdint>

namespace memkit::capture {

/// The links between frames, and the mark of the first frame of a run of the
/// evaluator (an entry).
enum class FrameShape : uint8_t {
  Objects, ///< 3.8 to 3.10: frame objects, each run by one evaluator
  Marked,  ///< 3.11: a flag marks an entry
  Shims,   ///< 3.12, 3.13: an entry's caller is a frame on the C stack
  Tagged,  ///< from 3.14 on: as Shims; the lowest bits of the code are a tag
};

/// Is an entry's caller a frame on the C stack, which runs no code?
constexpr bool hasShims(FrameShape Shape) {
  return Shape == FrameShape::Shims || Shape == FrameShape::Tagged;
}

struct PythonLayout {
  uint8_t Minor; ///< of version 3
  FrameShape Shape;
  // PyThreadState
  uint16_t Interp, ThreadId;
  uint16_t Frame; ///< the innermost frame, or the _PyCFrame with it
  // The innermost frame in _PyCFrame; less than 0: Frame is the frame.
  int16_t CFrame;
  // _PyInterpreterFrame or PyFrameObject
  uint16_t Code, Previous;
  uint16_t Instruction; ///< a pointer; of Objects: an int
  uint16_t Owner;  ///< a byte; of Marked: is_entry, the byte before the owner
  uint16_t Locals; ///< the first local
  // PyCodeObject
  uint16_t FirstLine, FileName,
      Name;                ///< the qualified name, if the version has one
  uint16_t Bytes;          ///< of bytecode; of Objects: not in the object
  uint16_t FirstTraceable; ///< an int, in code units
  // str: the start of the characters
  uint16_t Ascii, Compact;
  // _PyRuntimeState and PyInterpreterState
  uint16_t Interpreters, Finalizing;
  uint16_t Current; ///< the thread state with the GIL; 0: no GIL for all
  uint16_t NextInterp;
};

/// The offsets that a walk reads in each frame, as constants: the versions of a
/// shape agree, except for Instruction of Objects.
template <FrameShape Shape> struct FrameOffsets;
template <> struct FrameOffsets<FrameShape::Objects> {
  static constexpr uint16_t Code = 32, Previous = 24, Instruction = 0;
  static constexpr uint16_t Owner = 0;
};
template <> struct FrameOffsets<FrameShape::Marked> {
  static constexpr uint16_t Code = 32, Previous = 48, Instruction = 56;
  static constexpr uint16_t Owner = 68;
};
template <> struct FrameOffsets<FrameShape::Shims> {
  static constexpr uint16_t Code = 0, Previous = 8, Instruction = 56;
  static constexpr uint16_t Owner = 70;
};

template <> struct FrameOffsets<FrameShape::Tagged> {
  static constexpr uint16_t Code = 0, Previous = 8, Instruction = 56;
  static constexpr uint16_t Owner = 74;
};

/// Does \p L agree with the constants of its shape?
template <FrameShape Shape> constexpr bool agrees(const PythonLayout &L) {
  using O = FrameOffsets<Shape>;
  return L.Code == O::Code && L.Previous == O::Previous &&
         L.Owner == O::Owner &&
         (Shape == FrameShape::Objects || L.Instruction == O::Instruction);
}

/// Owners of _PyInterpreterFrame: a generator, and the first of the owners
/// whose frames run no code (3.14 has two).
inline constexpr uint8_t OwnedByGenerator = 1, OwnedByCStack = 3;

/// The bits of a frame's code word that are the address. One mask for all
/// shapes, because objects are at multiples of 16.
inline constexpr uintptr_t CodeAddress = ~uintptr_t(3);

/// The layout of \p Version (PY_VERSION_HEX); null: unknown.
const PythonLayout *layoutOf(uint32_t Version);
/// What a later \p Version of Python 3 than memrec knows may have; it must be
/// tried (LayoutTrial.h). Null: not a later version.
const PythonLayout *layoutToTry(uint32_t Version);

/// Replaces offsets in \p L by the _Py_DebugOffsets of \p Runtime, of a \p
/// Version from 3.13 on. False: the offsets are not plausible.
bool readDebugOffsets(const void *Runtime, uint32_t Version, PythonLayout &L);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_LAYOUTS_H
