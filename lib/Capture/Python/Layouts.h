// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CPython keeps what a walk reads.
//
// Offsets of CPython's structures on x86-64, by version, as its headers
// compile; from 3.13 on as the interpreter itself says (_Py_DebugOffsets). What
// is done with them is checked first: see Interpreter.h.

#ifndef MEMKIT_CAPTURE_PYTHON_LAYOUTS_H
#define MEMKIT_CAPTURE_PYTHON_LAYOUTS_H

#include <cstdint>

namespace memkit::capture {

/// How frames are linked, and how it is told with which of them a run of the
/// evaluator begins.
enum class FrameShape : uint8_t {
  Objects, ///< 3.8 to 3.10: frame objects, each run by one evaluator
  Marked,  ///< 3.11: a frame says whether it is an entry
  Shims,   ///< 3.12, 3.13: an entry's caller is a frame on the C stack
  Tagged,  ///< 3.14: as Shims; the lowest bits of its code are a tag
};

/// Is an entry's caller a frame on the C stack, which runs nothing?
constexpr bool hasShims(FrameShape Shape) {
  return Shape == FrameShape::Shims || Shape == FrameShape::Tagged;
}

struct PythonLayout {
  uint8_t Minor; ///< of version 3
  FrameShape Shape;
  // PyThreadState
  uint16_t Interp, ThreadId;
  uint16_t Frame; ///< the innermost frame, or what leads to it
  // In what leads to it: _PyCFrame; less than 0: Frame is the frame.
  int16_t CFrame;
  // _PyInterpreterFrame or PyFrameObject
  uint16_t Code, Previous;
  uint16_t Instruction; ///< a pointer; of Objects: an int
  uint16_t Owner;       ///< a byte; of Marked: is_entry, which lies before it
  uint16_t Locals;      ///< the first of them
  // PyCodeObject
  uint16_t FirstLine, FileName,
      Name;                ///< the qualified name, where there is one
  uint16_t Bytes;          ///< of bytecode; of Objects: none lies in the object
  uint16_t FirstTraceable; ///< an int, in code units
  // str: where characters begin
  uint16_t Ascii, Compact;
  // _PyRuntimeState and PyInterpreterState
  uint16_t Interpreters, Finalizing;
  uint16_t Current; ///< the thread state that holds the GIL; 0: none for all
  uint16_t NextInterp;
};

/// What a walk reads of each frame: known when the library is compiled, for
/// the versions of a shape agree, but for Instruction of Objects.
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

/// Does \p L agree with them?
template <FrameShape Shape> constexpr bool agrees(const PythonLayout &L) {
  using O = FrameOffsets<Shape>;
  return L.Code == O::Code && L.Previous == O::Previous &&
         L.Owner == O::Owner &&
         (Shape == FrameShape::Objects || L.Instruction == O::Instruction);
}

/// Of _PyInterpreterFrame's owners: a generator, and the first of those whose
/// frames run nothing (3.14 has two).
inline constexpr uint8_t OwnedByGenerator = 1, OwnedByCStack = 3;

/// Of the word in a frame that names its code: what is the address. The same
/// for all, for objects lie at multiples of 16.
inline constexpr uintptr_t CodeAddress = ~uintptr_t(3);

/// The layout of \p Version (PY_VERSION_HEX); null: it is not known.
const PythonLayout *layoutOf(uint32_t Version);

/// What \p Runtime, of a \p Version from 3.13 on, says of itself replaces what
/// \p L says. False: it says something that cannot be.
bool readDebugOffsets(const void *Runtime, uint32_t Version, PythonLayout &L);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_LAYOUTS_H
