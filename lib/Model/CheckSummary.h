// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a summary with another.

#ifndef MEMKIT_LIB_MODEL_CHECKSUMMARY_H
#define MEMKIT_LIB_MODEL_CHECKSUMMARY_H

#include "LastSummary.h"
#include "memkit/Model/Check.h"
#include "memkit/Stats/LiveStats.h"

namespace memkit {

/// Finds the last complete summary, wherever events stand; its rows stay in the
/// file. Ids but those of the rows are checked against Limits.
llvm::Expected<LastSummary> findLastSummary(TraceReader &R,
                                            const IdLimits &Limits);

/// Checks the rows by themselves, when there is nothing to compare them with.
llvm::Error checkRows(TraceReader &R, const IdLimits &Limits,
                      const LastSummary &Last);

/// Adds to Out how Said, the file's, differs from what A has of the events. The
/// rows of the file are held, those of A come in parts.
llvm::Error compareSummaries(TraceReader &R, const IdLimits &Limits,
                             const LastSummary &Said, const LiveStats &A,
                             CheckResult &Out);

/// The same of the lifetimes; where the file has none nothing is compared.
llvm::Error compareLifetimes(TraceReader &R, const IdLimits &Limits,
                             const LiveStats &A, CheckResult &Out);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_CHECKSUMMARY_H
