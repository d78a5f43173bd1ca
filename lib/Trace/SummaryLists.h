// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the lists of a Summary, or of a Partial, in sections of their largest
// size.

#ifndef MEMKIT_LIB_TRACE_SUMMARYLISTS_H
#define MEMKIT_LIB_TRACE_SUMMARYLISTS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Calls Write with Last, whose rows of stacks and scope paths are written
/// already or few, after additional parts if its other lists are long. Returns
/// the first error of Write, at once.
llvm::Error writeLists(Summary Last,
                       llvm::function_ref<llvm::Error(const Summary &)> Write);

/// The same for the last part of a set of Partial sections.
llvm::Error writeLists(Partial Last,
                       llvm::function_ref<llvm::Error(const Partial &)> Write);

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_SUMMARYLISTS_H
