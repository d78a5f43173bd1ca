// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memdump can be asked for.

#ifndef MEMKIT_TOOLS_MEMDUMP_JOBS_H
#define MEMKIT_TOOLS_MEMDUMP_JOBS_H

#include "Cli/OutputFile.h"
#include "Options.h"
#include "memkit/Model/Selection.h"
#include "llvm/Support/Error.h"

namespace memkit {

// Each reads the trace `Input` and writes to Out; damage of the trace is warned
// of, and what cannot be done or printed so is an error.

/// Every section as it comes, or the events that Spec selects, in
/// `OutputFormat`, until the output takes no more.
llvm::Error printSections(OutputFile &Out, const SelectionSpec &Spec);

/// The summary, or its layers, scopes, steps, processes or kinds, as `What`
/// says.
llvm::Error printTotals(OutputFile &Out);

/// What lived when memory could not be had.
llvm::Error printFailures(OutputFile &Out);

/// The devices' memory at Spec's moment, else at each one's peak.
llvm::Error printMap(OutputFile &Out, const SelectionSpec &Spec);

/// Replays the events; what differs from the trace's sums is printed and makes
/// the status ExitError.
llvm::Expected<int> checkSums(OutputFile &Out);

/// Copies the trace with the symbols that this machine's files give.
llvm::Error symbolize(OutputFile &Out);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_JOBS_H
