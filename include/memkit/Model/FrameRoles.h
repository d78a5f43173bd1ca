// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which frames of stacks are folded away.
//
// Many frames say nothing about the program: the start of the process or
// thread, dispatchers, the inner functions of the C++ library, the native
// frames that run Python. Views fold these frames away; a trace has all frames.
//
// Functions that Rules.h folds are folded in every stack, and so is the start
// of the process or thread if it is outermost. Outside the innermost Python
// frame, these are folded, too: the interpreter's own functions, calls into the
// interpreter, and the import machinery. Directly below the innermost Python
// frame, only frames that call (`cfunction_call`) are folded; all further
// frames stay, also the interpreter's functions.

#ifndef MEMKIT_MODEL_FRAMEROLES_H
#define MEMKIT_MODEL_FRAMEROLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

/// Rules give a frame its role: Rules::nativeRole() and pythonRole().
enum class FrameRole : uint8_t {
  Program,     ///< a native frame that stays
  Python,      ///< a Python frame that stays
  Loader,      ///< a Python frame of importlib, runpy or site
  Interpreter, ///< a native frame of the interpreter
  Allocator,   ///< a native frame of the interpreter's allocators
  Glue,        ///< a native frame that only calls, or has no name
  Start,  ///< the start of the process or thread, if the frame is outermost
  Folded, ///< a native frame that says nothing
  FoldedPython, ///< a Python frame that says nothing
};

inline bool isPython(FrameRole R) {
  return R == FrameRole::Python || R == FrameRole::Loader ||
         R == FrameRole::FoldedPython;
}

/// Whether each frame of a stack stays; one of a stack does. Argument and
/// result are outermost first.
llvm::SmallVector<bool, 64> unfoldedFrames(llvm::ArrayRef<FrameRole> Roles);

} // namespace memkit

#endif // MEMKIT_MODEL_FRAMEROLES_H
