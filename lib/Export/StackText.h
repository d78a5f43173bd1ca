// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#ifndef MEMKIT_LIB_EXPORT_STACKTEXT_H
#define MEMKIT_LIB_EXPORT_STACKTEXT_H

#include "memkit/Model/Trace.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// `function (file:line)`, or `function (binary)` where there is no line; of
/// Python `file:line function`.
std::string frameText(const ShownFrame &F);

/// One line a frame, innermost first, each behind Indent spaces and at most
/// Width columns (0: any). Unless Full, functions and files have their short
/// names, and of a stack of more than 24 frames the middle is left out and
/// counted.
void printStack(llvm::raw_ostream &OS, const Trace &T, uint32_t Stack,
                unsigned Indent, unsigned Width, bool Full);
/// The same of frames, innermost first.
void printFrames(llvm::raw_ostream &OS, llvm::ArrayRef<ShownFrame> Frames,
                 unsigned Indent, unsigned Width, bool Full);

/// A text of a trace as a JSON value; bytes that are not UTF-8 are replaced.
llvm::json::Value jsonText(llvm::StringRef Text);
/// The same, null when it is empty.
llvm::json::Value jsonTextOrNull(llvm::StringRef Text);

/// The array `[{"function", "file", "line", "binary"}, ...]`, innermost first;
/// what is unknown is null.
void writeStack(llvm::json::OStream &J, const Trace &T, uint32_t Stack);
void writeFrames(llvm::json::OStream &J, llvm::ArrayRef<ShownFrame> Frames);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_STACKTEXT_H
