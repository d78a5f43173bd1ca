// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the memrec options that record what a trace lacks.
//
// Libraries report missing data; only tools know memrec's options.

#ifndef MEMKIT_LIB_CLI_ADVICE_H
#define MEMKIT_LIB_CLI_ADVICE_H

#include "memkit/Model/Trace.h"
#include "memkit/Support/RequestError.h"

namespace memkit {

/// Text that follows the message of an error of this kind; may be empty.
llvm::StringRef adviceFor(RequestError::RequestErrorKind Kind);

/// The frame that replaces the frames of blocks in CPython's object arenas.
ShownFrame arenasFrame();

/// What would decide whether memory that grows leaks, in a sentence.
llvm::StringRef undecidedText();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_ADVICE_H
