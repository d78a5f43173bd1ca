// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prologue that all tools share.
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
// What is said goes to standard error as `TOOL: error: ...`, `TOOL: warning:
// ...` or `TOOL: ...`. No signal handlers are installed: bad input gives an
// error and a bug a plain core, never a stack trace.

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
  ExitError = 1,     ///< an input could not be read, an output not be written
  ExitUsage = 2,     ///< the command line is wrong
  ExitCondition = 3, ///< a condition of --fail-on holds
};

struct ToolDescription {
  llvm::StringRef Name;
  llvm::StringRef Overview;    ///< one sentence
  llvm::StringRef Examples;    ///< command lines, one a line
  int UsageStatus = ExitUsage; ///< of a tool that runs programs: 125
};

/// The category of the options that a tool's --help shows.
llvm::cl::OptionCategory &toolCategory();

/// An error of the command line that the options alone do not show; the tool
/// exits with ExitUsage.
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

/// The UsageError of a command line that lacks What (`a trace`) when Argument
/// is empty.
llvm::Error requireArgument(llvm::StringRef Argument, llvm::StringRef What);

/// Parses the command line, runs Body and returns the exit status: what Body
/// gives, or ExitUsage or ExitError after its error was printed. Options common
/// to all tools (-q, -v, --color, --version, --help) are handled here.
int runTool(int Argc, char **Argv, const ToolDescription &D,
            llvm::function_ref<llvm::Expected<int>()> Body);

/// Parses the command line alone, for a tool that needs its own order of
/// things. Exits with ExitUsage when it is wrong, with 0 after --help or
/// --version.
void parseToolOptions(int Argc, char **Argv, const ToolDescription &D);

/// The name given to parseToolOptions, as messages begin.
llvm::StringRef toolName();

/// -q: only errors are said.
bool isQuiet();
/// -v: progress and details are said too.
bool isVerbose();

/// Prints an error; every error in E on its own line, a RequestError with the
/// options that its fields are. Flushes outs() first, so
/// that both streams stand in order on a terminal.
void reportError(llvm::Error E);
/// Prints a warning, the same text only once, unless -q.
void warn(const llvm::Twine &What);
/// Prints `TOOL: What` unless -q.
void say(const llvm::Twine &What);
/// Prints `TOOL: What` with -v.
void sayVerbose(const llvm::Twine &What);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TOOLMAIN_H
