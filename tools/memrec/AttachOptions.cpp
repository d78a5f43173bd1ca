// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for a program that runs already.

#include "AttachOptions.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "Options.h"
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

static cl::opt<std::string> CensusOption(
    "census",
    cl::desc("Look at a process that runs, by its number or name: what lives "
             "in its memory, and who holds it. Nothing in it changes; =exact "
             "stops it meanwhile"),
    cl::value_desc("exact"), cl::ValueOptional,
    cl::cat(helpGroup(HelpGroup::Common)));

static cl::opt<bool>
    NoCensus("no-census",
             cl::desc("With --pid: do not look for what lived before"),
             cl::cat(helpGroup(HelpGroup::Common)));

bool memkit::wantsCensus() { return CensusOption.getNumOccurrences() != 0; }

bool memkit::wantsAttach() {
  return Pid.getNumOccurrences() != 0 || wantsCensus();
}

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
  if (O.Holders)
    return makeUsageError("--holders is not possible with --pid");
  if (O.Cuda == wire::CudaMode::Time)
    return makeUsageError("--cuda=time is not possible with --pid: the time of "
                          "devices needs a start by memrec");
  if (O.Cuda == wire::CudaMode::Interpose)
    return makeUsageError("--cuda=interpose is not possible with --pid: the "
                          "program has the driver's functions already");
  if (!wantsCuda())
    O.Cuda = wire::CudaMode::Off;
  // The interpreter goes on without a finder of memkit's package.
  O.PythonFolder.clear();
  return Error::success();
}

/// The options of --census, and which process it means.
static Error chooseCensus(RecordOptions &O, StringRef Target) {
  if (!CensusOption.empty() && CensusOption != "exact")
    return makeUsageError("--census=" + CensusOption +
                          ": --census PID looks at a process while it runs, "
                          "--census=exact PID stops it meanwhile");
  if (Target.empty())
    return makeUsageError("--census needs a process: its number or its name");
  O.CensusOnly = true;
  O.CensusStops = !CensusOption.empty();
  return findTarget(Target).moveInto(O.Attach);
}

Error memkit::takeAttach(RecordOptions &O, ArrayRef<std::string> Command,
                         StringRef Target) {
  bool HasPid = Pid.getNumOccurrences();
  if (!HasPid && (For.getNumOccurrences() || WithChildren))
    return makeUsageError(Twine(WithChildren ? "--children" : "--for") +
                          " needs --pid");
  if (!wantsAttach())
    return Error::success();
  if (HasPid && wantsCensus())
    return makeUsageError("--census looks at a process, --pid records it: "
                          "choose one");
  if (!Command.empty())
    return makeUsageError(Twine(HasPid ? "--pid" : "--census") +
                          " is for a process that runs: without the program '" +
                          Command[0] + "'");
  if (Error E = parseFor(O.AttachForNs))
    return E;
  if (Error E = wantsCensus() ? chooseCensus(O, Target)
                              : findTarget(Pid).moveInto(O.Attach))
    return E;
  O.AttachChildren = WithChildren;
  if (Error E = limit(O))
    return E;
  O.PythonObjects |= O.CensusOnly;
  O.CountsBefore = !O.CensusOnly && !NoCensus && !O.SampleBytes;
  if (!O.CensusOnly)
    O.Options.push_back("attached=1");
  if (O.CountsBefore)
    O.Options.push_back("census=1");
  std::string Arguments = procfs::arguments(O.Attach);
  for (StringRef Word : split(StringRef(Arguments).rtrim('\0'), '\0'))
    O.Command.push_back(Word.str());
  return Error::success();
}

std::string memkit::pauseText(const AttachResult &R) {
  return (R.Processes > 1 ? "one thread of each stood for at most "
                          : "one thread stood for ") +
         formatTime(R.PauseNs) + "; " + formatCount(R.Words) + " words of " +
         formatCount(R.Binaries) + " binaries changed" +
         (R.Functions ? ", and " + plural(R.Functions, "function") +
                            " of private allocators"
                      : "") +
         (R.AllStoodNs           ? "; all stood for " + formatTime(R.AllStoodNs)
          : R.HasFailedFunctions ? "; those of private allocators could not be"
                                 : "");
}

std::string memkit::cudaHint(const RecordOptions &O) {
  if (wantsCuda() || !procfs::mapsFile(O.Attach, "libcuda.so"))
    return "";
  return "the memory of CUDA's driver is not recorded: add --cuda=cupti, which "
         "has run on memkit's own stand-in for a driver, and on no device yet";
}

std::string memkit::censusText(const Census &C) {
  auto Part = [](uint64_t Bytes, const Twine &What) {
    return Bytes ? formatSize(Bytes) + " " + What.str() + ", " : std::string();
  };
  std::string Private;
  for (const Census::PrivateSum &P : C.Private)
    Private += Part(P.Bytes, "of " + P.Name + " in " + formatCount(P.Blocks) +
                                 " blocks");
  std::string Text =
      Part(C.MallocBytes,
           "of malloc in " + formatCount(C.MallocBlocks) + " blocks") +
      Private +
      Part(C.PythonBytes,
           "of Python in " + formatCount(C.PythonBlocks) + " small blocks") +
      Part(C.ArrayBytes, "of these in tensors and arrays") +
      Part(C.FreeBytes + C.CachedBytes + C.TopBytes,
           C.Private.empty() ? "free in malloc" : "free in these") +
      Part(C.PythonFreeBytes, "free in Python") +
      Part(C.LostBytes, "to which no pointer leads in " +
                            formatCount(C.LostBlocks) + " blocks") +
      Part(C.UnreadBytes, "of its heap that could not be read");
  Text = StringRef(Text).drop_back(2).str();
  if (!C.OtherMalloc.empty())
    Text += "; the blocks of " + C.OtherMalloc + " are not known";
  if (!C.Collected.empty())
    Text += "; the heap of " + C.Collected + "'s objects is not part of it";
  return Text;
}
