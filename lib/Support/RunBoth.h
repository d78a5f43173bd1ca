// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two pieces of work at the same time.

#ifndef MEMKIT_LIB_SUPPORT_RUNBOTH_H
#define MEMKIT_LIB_SUPPORT_RUNBOTH_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Runs Here on this thread and There on another, and returns when both are
/// done; one after the other where no thread can be had.
void runBoth(llvm::function_ref<void()> Here, llvm::function_ref<void()> There);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_RUNBOTH_H
