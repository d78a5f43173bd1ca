// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two functions at the same time.

#ifndef MEMKIT_LIB_SUPPORT_RUNBOTH_H
#define MEMKIT_LIB_SUPPORT_RUNBOTH_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Runs Here on this thread and There on another, and returns after both have
/// ended. If no thread can be created, runs first Here, then There. What either
/// throws (std::bad_alloc) is thrown here, after both have ended.
void runBoth(llvm::function_ref<void()> Here, llvm::function_ref<void()> There);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_RUNBOTH_H
