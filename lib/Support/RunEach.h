// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function for many items, on all processors.

#ifndef MEMKIT_LIB_SUPPORT_RUNEACH_H
#define MEMKIT_LIB_SUPPORT_RUNEACH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace memkit {

/// The number of processors that this process may use: a job may have only
/// some of the machine's.
size_t usableProcessors();

/// Calls Work(0) to Work(Count - 1), each once, on as many threads as this
/// process may use processors (at most 16), and returns after all have ended.
/// Threads that cannot be created are done without. What Work throws
/// (std::bad_alloc) stops its thread, and is thrown here after all have ended.
void runEach(size_t Count, llvm::function_ref<void(size_t)> Work);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_RUNEACH_H
