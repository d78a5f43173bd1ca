// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames of an interpreter.
//
// What stacks ask of the interpreter that the process may have. Stacks knows no
// interpreter: the folder of the interpreter (Python) defines these functions,
// as programs define what a runtime calls. They are bound by the linker and not
// by pointers because each event of a Python program calls one.

#ifndef MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H
#define MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H

#include "Unwind/EhFrame.h"

namespace memkit::capture::interpreter {

/// A binary has been loaded, and is perhaps that of an interpreter: then
/// Stacks.HasInterpreter is set. One thread at a time, before any code of the
/// binary is known.
void noteBinary(AddressRange Binary, const void *LinkMap,
                const EhFrame &Tables);
/// A binary is gone.
void noteGone(AddressRange Binary);

/// Does \p Pc lie in the function that runs the interpreter's frames?
bool isEvaluator(uintptr_t Pc);

// Of the calling thread, while Stacks.HasInterpreter; not in signal handlers.

/// The node of the interpreter's frames alone; 0: there are none.
uint32_t node();

/// The node for \p Native, the thread's native stack, with the interpreter's
/// frames, as the settings say; \p Native itself where there are none.
uint32_t withFrames(uint32_t Native);

/// To be called where frames are not asked for: the interpreter may have work
/// of the library's to do.
void poll();

/// The walk that was under way has been left by longjmp.
void abandonWalk();

} // namespace memkit::capture::interpreter

#endif // MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H
