// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a caller follows work that takes long.

#ifndef MEMKIT_SUPPORT_PROGRESSCALLBACK_H
#define MEMKIT_SUPPORT_PROGRESSCALLBACK_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>

namespace memkit {

/// Called while work takes long, by the thread that works: Done of Total is
/// done. What: `replaying trace.fb`. The first call has Done 0, the last, also
/// after an error, Done equal to Total; a few milliseconds lie between two.
/// Empty: nobody follows.
using ProgressCallback =
    std::function<void(llvm::StringRef What, uint64_t Done, uint64_t Total)>;

} // namespace memkit

#endif // MEMKIT_SUPPORT_PROGRESSCALLBACK_H
