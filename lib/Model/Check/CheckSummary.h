// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a summary of a file with one made from events.

#ifndef MEMKIT_LIB_MODEL_CHECKSUMMARY_H
#define MEMKIT_LIB_MODEL_CHECKSUMMARY_H

#include "Model/Replay/LastSummary.h"
#include "memkit/Model/Check.h"
#include "memkit/Stats/LiveStats.h"

namespace memkit {

/// Finds the last complete summary, even before later events; its rows stay in
/// the file. Ids outside the rows are checked against Limits.
llvm::Expected<LastSummary> findLastSummary(TraceReader &R,
                                            const IdLimits &Limits);

/// Checks the rows alone, when no events are available for a comparison.
llvm::Error checkRows(TraceReader &R, const IdLimits &Limits,
                      const LastSummary &Last);

/// Adds to Out the differences between Stored, the file's summary, and A, the
/// stats of the events. The file's rows are held in memory; the rows of A come
/// in parts.
llvm::Error compareSummaries(TraceReader &R, const IdLimits &Limits,
                             const LastSummary &Stored, const LiveStats &A,
                             CheckResult &Out);

/// Compares the lifetimes likewise, unless the file has none.
llvm::Error compareLifetimes(TraceReader &R, const IdLimits &Limits,
                             const LiveStats &A, CheckResult &Out);

/// Compares the categories of blocks with the events, in a second replay; and
/// with the categories of Stored unless null.
llvm::Error compareBlockCategories(TraceReader &R, const IdLimits &Limits,
                                   const Summary *Stored, CheckResult &Out);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_CHECKSUMMARY_H
