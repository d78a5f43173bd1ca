// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a program and records it.

#ifndef MEMKIT_LIB_RECORD_RECORDER_H
#define MEMKIT_LIB_RECORD_RECORDER_H

#include "Launch/Check.h"
#include "Session/RecordOptions.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Runs the program, or attaches to a program that runs, and records it until
/// the program has ended, or memrec is asked to detach. Errors: why the program
/// could not be started, or not be attached to.
llvm::Expected<RecordResult> record(const RecordOptions &O);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDER_H
