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
// Messages go to standard error as `TOOL: error: ...`, `TOOL: warning: ...` or
// `TOOL: ...`. No signal handlers are installed: bad input leads to an error, a
// bug to a plain core dump, never to a stack trace.

#ifndef MEMKIT_LIB_CLI_TOOLMAIN_H
#define MEMKIT_LIB_CLI_TOOLMAIN_H

#include "Support/Failure.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Exit statuses that all tools share.
enum ExitStatus : int {
  ExitOk = 0,
  ExitError = 1,     ///< an input could not be read or an output not written
  ExitUsage = 2,     ///< the command line is wrong
  ExitCondition = 3, ///< a condition of --fail-on holds
};

struct ToolDescription {
  llvm::StringRef Name;
  llvm::StringRef Overview;              ///< one sentence
  llvm::StringRef Examples;              ///< command lines, one a line
  llvm::StringRef Arguments = "[trace]"; ///< for --help
  int UsageStatus = ExitUsage;           ///< 125 for a tool that runs programs
};

/// The category of a tool's common options; helpGroup() has others.
llvm::cl::OptionCategory &toolCategory();

/// A wrong command line that the option parser accepts. The tool exits with
/// ExitUsage.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;
  explicit UsageError(const llvm::Twine &What) : What(What.str()) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string What;
};

inline llvm::Error makeUsageError(const llvm::Twine &What) {
  return llvm::make_error<UsageError>(What);
}

/// If the user named no trace, sets Input to standard input where that is a
/// file or a pipe with data, else to trace.fb in the current folder, and says
/// the latter. A UsageError if there is no trace.fb.
llvm::Error chooseTrace(std::string &Input);

/// Parses the command line, runs Body and returns the exit status: the result
/// of Body, or, for an error, ExitUsage or ExitError after printing the error.
/// Handles the options of all tools (-q, -v, --color, --version, --help).
int runTool(int Argc, char **Argv, const ToolDescription &D,
            llvm::function_ref<llvm::Expected<int>()> Body);

/// Only parses the command line, for tools with another sequence of steps than
/// runTool(). Exits with D.UsageStatus if the command line is wrong, with 0
/// after --help or --version.
void parseToolOptions(int Argc, char **Argv, const ToolDescription &D);

/// The name given to parseToolOptions(), which begins every message.
llvm::StringRef toolName();

/// -q: print only errors.
bool isQuiet();
/// -v: print progress and details, too.
bool isVerbose();

/// Prints every error in E on its own line. A RequestError names the options of
/// its fields. Flushes outs() first, so a terminal shows both streams in order.
void reportError(llvm::Error E);
/// Prints a warning unless -q; each text only once.
void warn(const llvm::Twine &What);
/// Prints `TOOL: What` unless -q.
void say(const llvm::Twine &What);
/// Prints `TOOL: What` with -v.
void sayVerbose(const llvm::Twine &What);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TOOLMAIN_H
