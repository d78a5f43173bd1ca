// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's jobs, one for each question.

#ifndef MEMKIT_TOOLS_MEMDUMP_JOBS_H
#define MEMKIT_TOOLS_MEMDUMP_JOBS_H

#include "Cli/OutputFile.h"
#include "Options.h"
#include "Tables/Answers.h"
#include "memkit/Model/Selection.h"
#include "llvm/Support/Error.h"

namespace memkit {

// Each job reads the trace `Input` and writes to Out. A job warns of damage in
// the trace, and returns an error if the question or the format does not fit.

/// Prints every section in file order, or the events that Spec selects, in
/// `OutputFormat`, until the output takes no more.
llvm::Error printSections(OutputFile &Out, const SelectionSpec &Spec);

/// The tables of --table, each once; without --table the events.
std::vector<NamedAnswer> answersOfTables();
/// Writes the tables `WhatTables` of what Spec selects in `OutputFormat`.
llvm::Error printTable(OutputFile &Out, const SelectionSpec &Spec);

/// Writes the process that Spec chooses as a memory snapshot of PyTorch.
llvm::Error printTorchSnapshot(OutputFile &Out, const SelectionSpec &Spec);

/// Prints the summary, or the part of the summary that `What` names: layers,
/// scopes, steps, processes or categories.
llvm::Error printTotals(OutputFile &Out);

/// Prints the compiled programs of JAX, the live arrays at marks, or the work
/// of devices, as `What` names.
llvm::Error printPrograms(OutputFile &Out);

/// Prints the blocks that were live at each out-of-memory event.
llvm::Error printFailures(OutputFile &Out);

/// Prints the names of Python that hold blocks.
llvm::Error printHeldBlocks(OutputFile &Out);

/// Prints each device's memory at Spec's time point, or else at the device's
/// peak.
llvm::Error printMap(OutputFile &Out, const SelectionSpec &Spec);

/// Replays the events and compares the result with the trace's stats. Prints
/// the differences and returns ExitError for any.
llvm::Expected<int> checkSums(OutputFile &Out);

/// Copies the trace and adds symbols from files of this machine.
llvm::Error symbolize(OutputFile &Out);

/// Copies the trace without private names.
llvm::Error redact(OutputFile &Out);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_JOBS_H
