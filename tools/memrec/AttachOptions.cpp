// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for a program that runs already.

#include "AttachOptions.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "Record/Attach/AttachCheck.h"
#include "Record/Shared/ProcFs.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

static cl::opt<std::string>
    Pid("pid",
        cl::desc("Attach to a process that runs, by its number or name; Ctrl-C "
                 "detaches, and the process goes on"),
        cl::value_desc("PID|NAME"), cl::cat(helpGroup(HelpGroup::Common)));
static cl::alias PidShort("p", cl::desc("Alias for --pid"), cl::aliasopt(Pid));
static cl::opt<std::string> For("for",
                                cl::desc("With --pid: detach after this time"),
                                cl::value_desc("TIME"),
                                cl::cat(helpGroup(HelpGroup::Common)));

static cl::opt<bool>
    WithChildren("children",
                 cl::desc("With --pid: attach to the processes that descend "
                          "from it, too"),
                 cl::cat(helpGroup(HelpGroup::Common)));

bool memkit::wantsAttach() { return Pid.getNumOccurrences() != 0; }

static Error parseFor(uint64_t &To) {
  if (!For.getNumOccurrences())
    return Error::success();
  Expected<uint64_t> Ns = parseTime(For);
  if (!Ns || !*Ns) {
    consumeError(Ns.takeError());
    return makeUsageError("--for=" + For +
                          ": should be a time, as 30s or 5min");
  }
  To = *Ns;
  return Error::success();
}

/// What can be recorded of a program that has started without the library.
static Error limit(RecordOptions &O) {
  if (O.PythonObjects)
    return makeUsageError(
        "--python-objects is not possible with --pid: objects "
        "that live already would be freed as unknown ones");
  if (O.Holders)
    return makeUsageError("--holders is not possible with --pid");
  if (O.Cuda == wire::CudaMode::Time || O.Torch == wire::TB_Shapes)
    return makeUsageError(
        "--cuda=time and --torch=shapes are not possible with "
        "--pid: CUDA and PyTorch need a start by memrec");
  O.PrivateAllocators = false;
  O.Torch = wire::TB_None;
  O.Cuda = wire::CudaMode::Off;
  // The interpreter goes on without a finder of memkit's package.
  O.PythonFolder.clear();
  return Error::success();
}

Error memkit::takeAttach(RecordOptions &O, ArrayRef<std::string> Command) {
  if (!wantsAttach() && (For.getNumOccurrences() || WithChildren))
    return makeUsageError(Twine(WithChildren ? "--children" : "--for") +
                          " needs --pid");
  if (!wantsAttach())
    return Error::success();
  if (!Command.empty())
    return makeUsageError("--pid is for a process that runs: without the "
                          "program '" +
                          Command[0] + "'");
  if (Error E = parseFor(O.AttachForNs))
    return E;
  if (Error E = findTarget(Pid).moveInto(O.Attach))
    return E;
  O.AttachChildren = WithChildren;
  if (Error E = limit(O))
    return E;
  O.Options.push_back("attached=1");
  std::string Arguments = procfs::arguments(O.Attach);
  for (StringRef Word : split(StringRef(Arguments).rtrim('\0'), '\0'))
    O.Command.push_back(Word.str());
  return Error::success();
}

std::string memkit::pauseText(const AttachResult &R) {
  return (R.Processes > 1 ? "one thread of each stood for at most "
                          : "one thread stood for ") +
         formatTime(R.PauseNs) + "; " + formatCount(R.Words) + " words of " +
         formatCount(R.Binaries) + " binaries changed";
}
