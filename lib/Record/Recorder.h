// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a program and records it.

#ifndef MEMKIT_LIB_RECORD_RECORDER_H
#define MEMKIT_LIB_RECORD_RECORDER_H

#include "Launch/Check.h"
#include "Session/RecordOptions.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Runs the program and records it until the program has ended. Errors: why the
/// program could not be started.
llvm::Expected<RecordResult> record(const RecordOptions &O);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDER_H
