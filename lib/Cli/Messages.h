// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages and exit statuses of all tools.
//
// Messages go to standard error as `TOOL: error: ...`, `TOOL: warning: ...` or
// `TOOL: ...`.

#ifndef MEMKIT_LIB_CLI_MESSAGES_H
#define MEMKIT_LIB_CLI_MESSAGES_H

#include "Support/Failure.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
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

/// The name of the tool, which begins every message.
llvm::StringRef toolName();
void setToolName(llvm::StringRef Name);
/// Of the flags -q and -v.
void setVerbosity(bool IsQuiet, bool IsVerbose);

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

#endif // MEMKIT_LIB_CLI_MESSAGES_H
