// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames of an interpreter.
//
// The functions by which Stacks asks the interpreter of the process, if any.
// Stacks knows no interpreter: the folder of the interpreter (Python) defines
// these functions, as a program defines functions that a runtime calls. The
// linker binds the functions, not pointers, because each event of a Python
// program calls one.

#ifndef MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H
#define MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H

#include "Unwind/EhFrame.h"

namespace memkit::capture::interpreter {

/// Notes a loaded binary; sets Stacks.HasInterpreter if the binary is an
/// interpreter's. One thread at a time, before any code of the binary is known.
void noteBinary(AddressRange Binary, const void *LinkMap,
                const EhFrame &Tables);
/// Notes an unloaded binary.
void noteGone(AddressRange Binary);

/// Is \p Pc in the function that runs the interpreter's frames?
bool isEvaluator(uintptr_t Pc);

/// Is \p Pc in the function that starts the interpreter's threads?
bool isThreadStart(uintptr_t Pc);

// In the calling thread, while Stacks.HasInterpreter; not in signal handlers.

/// The node of the interpreter's frames alone; 0: none.
uint32_t node();

/// The node of \p Native, the thread's native stack, with the interpreter's
/// frames, as the settings say; \p Native itself without frames.
uint32_t withFrames(uint32_t Native);

/// Called by events that do not ask for frames: lets the interpreter do pending
/// work of the library.
void poll();

/// Resets the state of a walk that longjmp has left.
void abandonWalk();

} // namespace memkit::capture::interpreter

#endif // MEMKIT_CAPTURE_STACKS_INTERPRETERFRAMES_H
