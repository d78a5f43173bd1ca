// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#ifndef MEMKIT_LIB_EXPORT_STACKTEXT_H
#define MEMKIT_LIB_EXPORT_STACKTEXT_H

#include "Model/Stacks/FrameText.h"
#include "Support/Json.h"
#include "memkit/Model/Places.h"
#include "memkit/Model/Trace.h"

namespace memkit {

/// Prints one line a frame, innermost first, each indented by Indent spaces and
/// within Width columns (0: any). Unless Full, functions and files have their
/// short names, and of a stack of more than 24 frames some in the middle are
/// replaced by their count, native frames first.
void printStack(llvm::raw_ostream &OS, const Trace &T, uint32_t Stack,
                unsigned Indent, unsigned Width, bool Full);
/// The same of frames, innermost first.
void printFrames(llvm::raw_ostream &OS, llvm::ArrayRef<ShownFrame> Frames,
                 unsigned Indent, unsigned Width, bool Full);

/// Writes the array `[{"function", "file", "line", "binary"}, ...]`, innermost
/// first; unknown values are null.
void writeStack(llvm::json::OStream &J, const Trace &T, uint32_t Stack);
void writeFrames(llvm::json::OStream &J, llvm::ArrayRef<ShownFrame> Frames);

/// Writes the attributes `kind`, `text`, `name`, `file`, `line`, `source` of a
/// place of Of; unknown values are null.
void writePlace(llvm::json::OStream &J, const Places &Of, const Place &P);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_STACKTEXT_H
