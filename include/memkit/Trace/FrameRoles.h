// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a frame is to a reader of Python.
//
// In a stack of Python and native frames those that make Python run say nothing
// of the program: views fold them away, a trace holds all of them.
//
// What is folded stands outside of the innermost Python frame: the start of the
// process or thread, the interpreter's own functions, the calls into it, the
// import machinery. Directly below that frame only what calls
// (`cfunction_call`) is folded; all that follows stays, the interpreter's
// functions too. A stack without Python frames stays as it is.

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
  Loader,      ///< one of importlib, runpy or site
  Interpreter, ///< a native frame of the interpreter's own
  Allocator,   ///< one of its allocators
  Glue,        ///< one that calls, or has no name
  Start,       ///< of the process or thread, if nothing stands outside of it
};

/// The role of a native frame of the binary at the path Binary. Functions: its
/// names, inlined ones too; empty without symbols.
FrameRole nativeFrameRole(llvm::StringRef Binary,
                          llvm::ArrayRef<llvm::StringRef> Functions);

/// The role of a Python frame of a file.
FrameRole pythonFrameRole(llvm::StringRef File);

inline bool isPython(FrameRole R) {
  return R == FrameRole::Python || R == FrameRole::Loader;
}

/// Which frames of a stack stay. Both outermost first.
llvm::SmallVector<bool, 64> unfoldedFrames(llvm::ArrayRef<FrameRole> Roles);

} // namespace memkit

#endif // MEMKIT_TRACE_FRAMEROLES_H
