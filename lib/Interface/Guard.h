// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns all failures into errors of the C interface.

#ifndef MEMKIT_LIB_INTERFACE_GUARD_H
#define MEMKIT_LIB_INTERFACE_GUARD_H

#include "memkit/trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Runs Body. Null if Body succeeds; otherwise its error, also for an
/// allocation that failed in Body or in LLVM. Never throws.
memkit_error *guarded(llvm::function_ref<llvm::Error()> Body) noexcept;

} // namespace memkit

#endif // MEMKIT_LIB_INTERFACE_GUARD_H
