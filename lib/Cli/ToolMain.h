// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses options and reports errors for all tools.
//
// A tool's main() is
//
//   static cl::opt<std::string> Input(cl::Positional, cl::cat(toolCategory()));
//   static llvm::Expected<int> run() { ... }
//   int main(int Argc, char **Argv) {
//     return memkit::runTool(Argc, Argv, {"memx", "does x", "memx trace.fb"},
//     run);
//   }
//
// No signal handlers are installed: bad input leads to an error, a bug to a
// plain core dump, never to a stack trace.

#ifndef MEMKIT_LIB_CLI_TOOLMAIN_H
#define MEMKIT_LIB_CLI_TOOLMAIN_H

#include "HelpText.h"
#include "Messages.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// If the user named no trace, sets Input to standard input where that is a
/// file or a pipe with data, else to trace.fb in the current folder, and says
/// the latter. A UsageError if there is no trace.fb.
llvm::Error chooseTrace(std::string &Input);

/// Reports what could not be written to the standard output, which raw_ostream
/// would abort for at the exit; nothing of a reader that has gone. Returns
/// Status, or ExitError in place of ExitOk.
int flushOutput(int Status);

/// Parses the command line, runs Body and returns the exit status: the result
/// of Body, or, for an error, ExitUsage or ExitError after printing the error.
/// Handles the options of all tools (-q, -v, --color, --version, --help).
int runTool(int Argc, char **Argv, const ToolDescription &D,
            llvm::function_ref<llvm::Expected<int>()> Body);

/// Only parses the command line, for tools with another sequence of steps than
/// runTool(). Exits with D.UsageStatus if the command line is wrong, with 0
/// after --help or --version.
void parseToolOptions(int Argc, char **Argv, const ToolDescription &D);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TOOLMAIN_H
