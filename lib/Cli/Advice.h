// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How memrec records what a trace lacks.
//
// Libraries say what is missing; only tools know the options of memrec.

#ifndef MEMKIT_LIB_CLI_ADVICE_H
#define MEMKIT_LIB_CLI_ADVICE_H

#include "memkit/Model/Trace.h"
#include "memkit/Support/RequestError.h"

namespace memkit {

/// What follows the message of an error of this kind; may be empty.
llvm::StringRef adviceFor(RequestError::Kind Kind);

/// In place of the frames of what lies in arenas of CPython's objects.
ShownFrame arenasFrame();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_ADVICE_H
