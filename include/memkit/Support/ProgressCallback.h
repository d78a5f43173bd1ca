// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress of long work, for a caller.

#ifndef MEMKIT_SUPPORT_PROGRESSCALLBACK_H
#define MEMKIT_SUPPORT_PROGRESSCALLBACK_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>

namespace memkit {

/// Called during long work, on the working thread: Done of Total is done.
/// What: `replaying trace.fb`. The first call has Done 0; the last call, also
/// after an error, has Done equal to Total. A few milliseconds lie between two
/// calls. An empty callback is never called.
using ProgressCallback =
    std::function<void(llvm::StringRef What, uint64_t Done, uint64_t Total)>;

} // namespace memkit

#endif // MEMKIT_SUPPORT_PROGRESSCALLBACK_H
