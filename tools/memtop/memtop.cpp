// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches a recording that runs, or replays a trace, in a terminal.

#include "Cli/LargePages.h"
#include "Cli/SelectionFlags.h"
#include "Cli/ToolMain.h"
#include "Options.h"
#include "Trace/OpenFile.h"
#include "llvm/ADT/STLExtras.h"
#include <csignal>
#include <ctime>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// The recording or the trace to show: without an argument the only recording
/// that runs, else trace.fb.
static Error chooseInput(std::string &Input) {
  if (!Input.empty())
    return Error::success();
  Error NoFile = Error::success();
  if (LiveClient::all().empty()) {
    NoFile = chooseTrace(Input);
    if (!NoFile)
      return Error::success();
  }
  consumeError(std::move(NoFile));
  // Lists the recordings if there are several.
  Expected<LiveClient> C = LiveClient::connect("live:");
  if (!C)
    return C.takeError();
  Input = C->name();
  return Error::success();
}

static volatile std::sig_atomic_t AsksToEnd;

/// Ends printJson() by a signal: memrec, which memtop has started, is to end,
/// and its trace to go.
static void endBySignals() {
  struct sigaction A = {};
  A.sa_handler = [](int) { AsksToEnd = 1; };
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(Signal, &A, nullptr);
}

/// Returns early when a signal comes.
static void sleepFor(uint64_t Ns) {
  constexpr uint64_t NsPerS = 1'000'000'000;
  timespec T = {time_t(Ns / NsPerS), long(Ns % NsPerS)};
  nanosleep(&T, nullptr);
}

static Error printJson(Feed &S, const TopOptions &O) {
  constexpr size_t MaxRows = 50;
  for (unsigned Lines = 0;;) {
    Expected<WatchFrame> F = frameOf(S, O.State, UINT64_MAX);
    if (!F)
      return F.takeError();
    outs() << frameJson(*F, O.State, MaxRows);
    outs().flush();
    if (outs().has_error())
      return Error::success(); // the reader has gone
    if (O.Once || ++Lines == O.Count || !S.run().IsLive || AsksToEnd)
      return Error::success();
    sleepFor(S.intervalNs(O.Shown.IntervalNs));
    if (AsksToEnd)
      return Error::success();
    S.refresh();
  }
}

static Error printFrame(Feed &S, TopOptions &O) {
  Expected<WatchFrame> F = frameOf(S, O.State, UINT64_MAX);
  if (!F)
    return F.takeError();
  Pictured Last;
  outs() << drawFrame(*F, O.State, O.How, Last).text();
  return Error::success();
}

static Error show(Feed &S, TopOptions O) {
  bool IsPrinted = O.Once || O.IsJson;
  if (!IsPrinted)
    return watch(S, std::move(O.State), O.Shown);
  O.State.CursorNs = O.Shown.AtNs;
  return O.IsJson ? printJson(S, O) : printFrame(S, O);
}

static Expected<int> run(const SelectionFlags &Flags) {
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Expected<TopOptions> O = topOptions();
  if (!O)
    return O.takeError();
  bool IsTerminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (!O->Once && !O->IsJson && !IsTerminal)
    return makeUsageError("memtop needs a terminal; --once prints one frame, "
                          "--format=json a line each second");
  std::unique_ptr<AttachedRecorder> Attached;
  if (!O->Attach.Target.empty()) {
    if (Error E = AttachedRecorder::start(O->Attach).moveInto(Attached))
      return std::move(E);
    O->Input = Attached->name();
    if (O->Once || O->IsJson)
      endBySignals();
    // A frame of the first moment would show nothing.
    if (O->Once)
      sleepFor(O->Shown.IntervalNs);
  }
  if (Error E = chooseInput(O->Input))
    return std::move(E);
  if (O->Shown.Speed && isLive(O->Input))
    return makeUsageError("--play replays a trace; " + O->Input +
                          " is a recording that runs");
  Expected<std::unique_ptr<Feed>> S = Feed::open(O->Input, *Spec);
  if (!S)
    return S.takeError();
  // Of a recording, the title says that it runs.
  if (!isLive(O->Input))
    for_each((*S)->trace().trace().warnings(),
             [](const std::string &Text) { warn(Text); });
  if (Error E = chooseHeapAndMoment(*O, **S))
    return std::move(E);
  if (Error E = show(**S, std::move(*O)))
    return std::move(E);
  return 0;
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_Process | SF_Stack | SF_AllFrames);
  return runTool(Argc, Argv,
                 {"memtop",
                  "Watches the memory of a program that memrec records.",
                  "memtop live:4711\n"
                  "memtop -p 4711\n"
                  "memtop --once live:4711\n"
                  "memtop --play=10 trace.fb\n"
                  "memtop --once --at=peak trace.fb"},
                 [&] { return run(Flags); });
}
