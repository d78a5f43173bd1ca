// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#ifndef MEMKIT_LIB_EXPORT_STACKTEXT_H
#define MEMKIT_LIB_EXPORT_STACKTEXT_H

#include "Model/FrameText.h"
#include "Support/Json.h"
#include "memkit/Model/Trace.h"

namespace memkit {

/// One line a frame, innermost first, each behind Indent spaces and at most
/// Width columns (0: any). Unless Full, functions and files have their short
/// names, and of a stack of more than 24 frames the middle is left out and
/// counted.
void printStack(llvm::raw_ostream &OS, const Trace &T, uint32_t Stack,
                unsigned Indent, unsigned Width, bool Full);
/// The same of frames, innermost first.
void printFrames(llvm::raw_ostream &OS, llvm::ArrayRef<ShownFrame> Frames,
                 unsigned Indent, unsigned Width, bool Full);

/// The array `[{"function", "file", "line", "binary"}, ...]`, innermost first;
/// what is unknown is null.
void writeStack(llvm::json::OStream &J, const Trace &T, uint32_t Stack);
void writeFrames(llvm::json::OStream &J, llvm::ArrayRef<ShownFrame> Frames);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_STACKTEXT_H
