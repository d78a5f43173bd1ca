// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When to record, and how much of it to keep.

#ifndef MEMKIT_TOOLS_MEMREC_BOUNDS_H
#define MEMKIT_TOOLS_MEMREC_BOUNDS_H

#include "Record/Recorder.h"

namespace memkit {

/// Takes --start, --stop, --events and --max-size into \p O, and their text
/// into O.Options. Errors: UsageError.
llvm::Error takeBounds(RecordOptions &O);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_BOUNDS_H
