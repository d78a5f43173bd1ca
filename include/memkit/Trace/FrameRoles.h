// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which frames of Python stacks are folded away.
//
// In a stack of Python and native frames, the native frames that run Python say
// nothing about the program. Views fold these frames away; a trace has all
// frames.
//
// Outside the innermost Python frame, the folded frames are: the start of the
// process or thread, the interpreter's own functions, calls into the
// interpreter, and the import machinery. Directly below the innermost Python
// frame, only frames that call (`cfunction_call`) are folded; all further
// frames stay, also the interpreter's functions. A stack without Python frames
// stays as is.

#ifndef MEMKIT_TRACE_FRAMEROLES_H
#define MEMKIT_TRACE_FRAMEROLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

enum class FrameRole : uint8_t {
  Program,     ///< a native frame that stays
  Python,      ///< a Python frame that stays
  Loader,      ///< a Python frame of importlib, runpy or site
  Interpreter, ///< a native frame of the interpreter
  Allocator,   ///< a native frame of the interpreter's allocators
  Glue,        ///< a native frame that only calls, or has no name
  Start, ///< the start of the process or thread, if the frame is outermost
};

/// The role of a native frame of the binary at the path Binary. Functions: the
/// frame's names, with inlined functions; empty without symbols.
FrameRole nativeFrameRole(llvm::StringRef Binary,
                          llvm::ArrayRef<llvm::StringRef> Functions);

/// The role of a Python frame of a file.
FrameRole pythonFrameRole(llvm::StringRef File);

inline bool isPython(FrameRole R) {
  return R == FrameRole::Python || R == FrameRole::Loader;
}

/// Whether each frame of a stack stays. Argument and result are outermost
/// first.
llvm::SmallVector<bool, 64> unfoldedFrames(llvm::ArrayRef<FrameRole> Roles);

} // namespace memkit

#endif // MEMKIT_TRACE_FRAMEROLES_H
