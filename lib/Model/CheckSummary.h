// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a summary with another.

#ifndef MEMKIT_LIB_MODEL_CHECKSUMMARY_H
#define MEMKIT_LIB_MODEL_CHECKSUMMARY_H

#include "memkit/Model/Check.h"
#include "memkit/Stats/LiveStats.h"
#include <optional>

namespace memkit {

/// The last complete summary of a trace, as far as it is kept while the events
/// are replayed: its rows of stacks and scope paths stay in the file.
struct LastSummary {
  Summary TotalStats;                     ///< without those rows
  std::vector<const SectionInfo *> Parts; ///< in file order
};

/// Finds it; nothing when there is none. Ids but those of the rows are checked
/// against Limits.
llvm::Expected<std::optional<LastSummary>>
findLastSummary(TraceReader &R, const IdLimits &Limits);

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
