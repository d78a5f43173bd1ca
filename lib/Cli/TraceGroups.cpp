// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two groups of traces on a command line.

#include "TraceGroups.h"
#include "ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace memkit {

GroupedArguments::GroupedArguments(int Argc, char **Argv)
    : Args(Argv, Argv + Argc) {
  auto Dashes = find(Args, StringRef("--"));
  if (Dashes == Args.end())
    return;
  Parting = Dashes - Args.begin();
  Args.erase(Dashes);
  HasSecond = is_contained(Args, StringRef("--"));
}

Expected<size_t>
GroupedArguments::numBefore(const cl::list<std::string> &Inputs) const {
  if (HasSecond)
    return makeUsageError("'--' may appear only once, between the two groups");
  size_t All = Inputs.size();
  std::optional<size_t> Before;
  if (Parting)
    Before = count_if(seq<size_t>(All), [&](size_t I) {
      return Inputs.getPosition(I) < *Parting;
    });
  if (All < 2 || Before == All)
    return makeUsageError("a trace is missing; try '" + toolName() +
                          " --help'");
  if (Before && *Before)
    return *Before;
  if (All > 2)
    return makeUsageError("with more than two traces, separate the groups "
                          "with '--': " +
                          toolName() + " a.fb b.fb -- c.fb d.fb");
  return 1;
}

} // namespace memkit
