// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded of an interpreter. The argument is PY_VERSION_HEX; 0: not
// known.

#ifndef MEMKIT_LIB_WIRE_PYTHONFINDINGS_H
#define MEMKIT_LIB_WIRE_PYTHONFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

/// The state of the interpreter in a process, and the reason if its frames are
/// not recorded.
enum class PythonState : uint32_t {
  None = 0,   ///< no interpreter has been seen
  Walked = 1, ///< its frames are recorded
  UnknownVersion = 2,
  DebugBuild = 3,
  FreeThreaded = 4,
  /// its structures differ from those of its version
  OtherLayout = 5,
  NoSymbols = 6, ///< required symbols are missing
  PyPy = 7,      ///< another implementation
  /// As Walked: of a later version, compared with what the interpreter says
  Compared = 8,
};

/// Whether the interpreter's objects are recorded.
enum class ObjectState : uint32_t {
  None = 0,      ///< not yet, or not requested
  Recorded = 1,  ///< from some time on
  NoSymbols = 2, ///< required symbols are missing
};

inline constexpr char NotWalkedText[] = "Python%v: its own %p are not recorded";
inline constexpr FindingText PythonTexts[] = {
    {uint32_t(PythonState::Walked), FindingLevel::Note,
     "Python%v: its %p are recorded"},
    {uint32_t(PythonState::Compared), FindingLevel::Warning,
     "Python%v: memkit does not know this version; its %p are recorded, since "
     "they are where earlier versions have them"},
    {uint32_t(PythonState::UnknownVersion), FindingLevel::Warning,
     NotWalkedText,
     "memkit does not know this version, and its structures differ from those "
     "of earlier ones"},
    {uint32_t(PythonState::DebugBuild), FindingLevel::Warning, NotWalkedText,
     "a debug build"},
    {uint32_t(PythonState::FreeThreaded), FindingLevel::Warning, NotWalkedText,
     "a free-threaded build"},
    {uint32_t(PythonState::OtherLayout), FindingLevel::Warning, NotWalkedText,
     "its structures do not match its version"},
    {uint32_t(PythonState::PyPy), FindingLevel::Warning,
     "PyPy: its own %p are not recorded", "only CPython's are"},
    {uint32_t(PythonState::NoSymbols), FindingLevel::Warning, NotWalkedText,
     "expected symbols are missing"},
};

inline constexpr FindingText ObjectTexts[] = {
    {uint32_t(ObjectState::NoSymbols), FindingLevel::Warning,
     "Python%v: its objects are not recorded", "expected symbols are missing"},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_PYTHONFINDINGS_H
