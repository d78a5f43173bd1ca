// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two groups of traces on a command line: `A... -- B...`.

#ifndef MEMKIT_LIB_CLI_TRACEGROUPS_H
#define MEMKIT_LIB_CLI_TRACEGROUPS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace memkit {

/// The arguments of a tool without the `--` between the groups, which the
/// option parser would take for the end of options.
class GroupedArguments {
public:
  GroupedArguments(int Argc, char **Argv);
  int count() const { return static_cast<int>(Args.size()); }
  char **data() { return Args.data(); }
  bool isParted() const { return Parting.has_value(); } ///< `--` is there

  /// The number of traces in the first group: those before `--`; without `--`,
  /// one of two traces. Errors: UsageError.
  llvm::Expected<size_t>
  numBefore(const llvm::cl::list<std::string> &Inputs) const;

private:
  std::vector<char *> Args;
  std::optional<size_t> Parting; ///< the position of `--`
  bool HasSecond = false;        ///< `--` is there twice
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TRACEGROUPS_H
