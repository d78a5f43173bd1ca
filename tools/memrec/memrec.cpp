// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program and records its memory.

#include "Arguments.h"
#include "AttachOptions.h"
#include "Cli/ToolMain.h"
#include "Options.h"
#include "Overhead.h"
#include "PythonFacts.h"
#include "Record/Attach/AttachCheck.h"
#include "RunCommand.h"
#include "StartHint.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "memkit/Model/DeviceWork.h"
#include "memkit/Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <cstring>
#include <malloc.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// The exit status of memrec's own failures, as in env and timeout.
static constexpr int ExitFailed = 125;

/// A line also with -q.
static void sayAlways(const Twine &What) {
  errs() << "memrec: " << harmlessLines(What.str()) << '\n';
}

static void sayOomKills(const RecordResult &R) {
  std::string Where =
      R.OomOnMachine ? "on this machine" : "of this control group";
  if (R.OomGroupLimit)
    Where += " (limit " + formatSize(R.OomGroupLimit) + ")";
  if (R.OomKills)
    say("out of memory: the kernel killed " + formatCount(R.OomKills) +
        (R.OomKills == 1 ? " process " : " processes ") + Where +
        " during the recording");
}

/// `8 MiB`; with devices `8 MiB on host, 2 GiB on cuda:0`.
static std::string peakText(const RecordResult &R) {
  std::string Text =
      formatSize(R.PeakBytes) + (R.Sampled ? " (estimated)" : "");
  if (!R.DevicePeaks.empty())
    Text += " on host";
  for (const auto &[Name, Bytes] : R.DevicePeaks)
    Text += ", " + formatSize(Bytes) + " on " + Name;
  return Text;
}

static void sayEnd(const RecordResult &R) {
  if (R.DetachResult)
    say("detached: " + pauseText(*R.DetachResult));
  if (R.Signal == SIGINT)
    say("interrupted");
  else if (R.Signal)
    // memrec ends by a status, so the shell does not say it.
    (saysKilled() || wantsRun() ? sayAlways : say)(
        "the program was killed by signal " + Twine(R.Signal) + ", " +
        strsignal(R.Signal));
  sayOomKills(R);
  std::string Line = R.Output == "-" ? "standard output" : R.Output;
  Line += ": " + formatSize(R.Bytes) + ", " + formatCount(R.Events) +
          " events, " + formatCount(R.LostEvents) + " lost, peak " +
          peakText(R);
  if (R.EventsEndNs)
    Line += "; events take " + formatSize(R.EventBytes) + ", to " +
            formatTime(*R.EventsEndNs);
  if (R.WentOn)
    Line += "; the program went on unrecorded";
  else if (R.Detached)
    Line += "; the program still runs";
  if (R.Output != "-" && R.Events && !wantsRun())
    Line += "; next: memstat " + R.Output;
  say(Line);
  if (R.LostDeviceWork)
    say(lostWorkSentence(R.LostDeviceWork));
  if (R.CutDeviceSpans)
    say(cutSpansSentence(R.CutDeviceSpans));
  if (!R.Nameless.empty())
    say(sys::path::filename(R.Nameless) +
        " has no symbols; its functions appear as addresses (memdump "
        "--symbolize adds names)");
  std::string Took = R.Events
                         ? std::to_string(R.CpuNs / R.Events) + " ns an event"
                         : formatTime(R.CpuNs);
  sayVerbose(formatCount(R.Recorded) +
             (R.Recorded == 1 ? " process" : " processes") +
             "; the recorder took " + Took + "; its longest pause was " +
             formatTime(R.LongestPauseNs));
}

/// Reports the result of record() as messages; returns the exit status.
static int report(const RecordResult &R, ArrayRef<std::string> Command) {
  if (!R.NotRun.empty()) {
    std::string Hint = startHint(Command);
    reportError(makeError(
        R.NotRun + (Hint.empty() ? "" : "; did you mean '" + Hint + "'?")));
    return R.Status;
  }
  if (R.Lost && !R.ReaderGone) {
    reportError(makeError(R.Why));
    return R.Status ? R.Status : ExitFailed;
  }
  if (R.ReaderGone)
    sayVerbose("the reader closed the pipe: the recording ended");
  else
    sayEnd(R);
  return R.Status;
}

/// Fixes malloc's threshold for mapping a block by itself; freed blocks would
/// raise the threshold. Large blocks among the small ones in the heap would
/// leave holes, and a recorder that runs for days would grow by the holes.
static void keepHeapSmall() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 32 << 10);
#endif
}

/// Tells a user at a terminal what memrec does: a line at the start, then one
/// at times. The lines are whole, because the program writes to the same
/// terminal.
static void reportToTerminal(RecordOptions &O) {
  if (isQuiet() || !isatty(STDERR_FILENO))
    return;
  O.Started = [Command = commandText(O.Command)](StringRef Output) {
    constexpr unsigned MaxCommand = 60;
    std::string To = Output == "-" ? "" : " to " + Output.str();
    say("recording " + shorten(Command, MaxCommand) + To);
  };
  O.Progress = [](const RecordProgress &P) {
    std::string Line = formatTime(P.TimeNs) + ":";
    for (const RecordProgress::SpaceProgress &S : P.Spaces)
      Line += (P.Spaces.size() > 1 ? " " + S.Name : std::string()) + " live " +
              formatSize(S.LiveBytes) + ", peak " +
              formatSize(std::max(S.PeakBytes, S.LiveBytes)) + ";";
    say(Line + " trace " + formatSize(P.Bytes));
  };
}

/// Tells a user who wrote an option of memrec too late why it has no effect.
static void explainOptionAfterProgram(ArrayRef<std::string> Command) {
  std::string Late = optionAfterProgram(Command);
  if (!Late.empty())
    say(Late + " after the program is the program's; memrec's options come "
               "before it");
}

/// Says what attaching did to the process.
static void reportAttach(RecordOptions &O) {
  O.Counted = [](const Census &C, pid_t Pid) {
    say("process " + processText(Pid) + (wantsCensus() ? ": " : " before: ") +
        censusText(C));
    // A part in a hundred is what people would notice.
    bool HasChanged = C.ChangedBlocks > C.Blocks.size() / 100;
    say("the census took " + formatTime(C.TookNs) + "; the process " +
        (C.StoodNs    ? "stood for " + formatTime(C.StoodNs)
         : HasChanged ? "ran meanwhile, and " + formatCount(C.ChangedBlocks) +
                            " blocks came or went: --census=exact stops it"
                      : "ran meanwhile"));
  };
  O.Attached = [&O, Pid = O.Attach, Cuda = cudaHint(O)](const AttachResult &R,
                                                        StringRef Output) {
    say("attached to process " + processText(Pid) +
        (R.Processes > 1 ? " and " + formatCount(R.Processes - 1) + " below it"
                         : std::string()) +
        ": " + pauseText(R) +
        (O.CountsBefore ? "" : "; without what lived before") +
        (Output == "-" ? "" : "; recording to " + Output.str()) +
        "; Ctrl-C detaches");
    if (!Cuda.empty())
      say(Cuda);
  };
}

/// Lets the memstat beside this program write the bundle of a trace.
static void writeBundle(const char *Argv0, const std::string &Trace) {
  WantedBundle Kind = wantedBundle();
  if (Kind == WantedBundle::None || Trace.empty())
    return;
  static int Anchor;
  SmallString<128> Path(
      sys::path::parent_path(sys::fs::getMainExecutable(Argv0, &Anchor)));
  sys::path::append(Path, "memstat");
  std::string Problem;
  StringRef How = Kind == WantedBundle::Environment ? "--bundle=environment"
                                                    : "--bundle=plain";
  if (sys::ExecuteAndWait(Path, {Path, How, Trace}, std::nullopt, {}, 0, 0,
                          &Problem) != 0)
    warn("--bundle: " + (Problem.empty() ? Path + " failed" : Problem));
}

static int fail(Error E) {
  reportError(std::move(E));
  return ExitFailed;
}

static const ToolDescription Record{
    "memrec",
    "Runs a program, or attaches to one that runs, and records its memory in a "
    "trace.",
    "memrec -- python3 train.py\n"
    "memrec -o build.fb make\n"
    "memrec -o - ./server | memdump - | less\n"
    "memrec -p 1234 --for=30s\n"
    "memrec --census 1234",
    "[--] program [arguments]", ExitFailed};
static const ToolDescription RunAndShow{
    "memkit run",
    "Runs a program, records its memory and shows the answer. The "
    "options are memrec's.",
    "memkit run train.py --epochs 1\n"
    "memkit run --page ./server\n"
    "memkit run -m pytest tests",
    "[--] program|script|-m module [arguments]", ExitFailed};

int main(int Argc, char **Argv) {
  const ToolDescription &D =
      Argc > 1 && StringRef(Argv[1]).starts_with("--run") ? RunAndShow : Record;
  Expected<Arguments> A = collectArguments(Argc, Argv);
  if (!A) {
    parseToolOptions(1, Argv, D);
    return fail(A.takeError());
  }
  std::vector<char *> Options;
  for (std::string &Option : A->Options)
    Options.push_back(Option.data());
  parseToolOptions(int(Options.size()), Options.data(), D);

  std::string Library = findLibrary(Argv[0]);
  if (wantsCheck()) {
    bool Can = checkRecording(
        Library, [](const Twine &Line) { outs() << Line << '\n'; });
    outs() << pythonFacts() << '\n';
    return flushOutput(Can ? 0 : ExitError);
  }
  if (A->Command.empty() && !wantsAttach())
    return fail(
        makeUsageError("no program to run; try '" + D.Name + " --help'"));
  if (wantsAttach() && (wantsRun() || wantsOverhead()))
    return fail(makeUsageError(
        wantsRun() ? Twine(wantsCensus() ? "--census" : "--pid") +
                         " runs no program: without --run"
                   : "--overhead runs a program: without " +
                         Twine(wantsCensus() ? "--census" : "--pid")));
  if (!wantsAttach())
    if (Error E = prepareRun(A->Command))
      return fail(std::move(E));
  if (!wantsCensus() && !sys::fs::exists(Library))
    return fail(makeError(Library + ": capture library not found "
                                    "(choose another with --library)"));
  Expected<RecordOptions> O = recordOptions();
  if (!O)
    return fail(O.takeError());
  if (wantsOverhead() && wantsRun())
    return fail(makeUsageError("--overhead has no page: without --run"));
  O->CudaLibrary = findCudaLibrary(Library);
  O->Library = std::move(Library);
  O->PythonFolder = findPythonFolder(Argv[0]);
  O->Command = A->Command;
  if (Error E = takeAttach(*O, A->Command, A->Target))
    return fail(std::move(E));
  O->Warn = [](const Twine &What) { warn(What); };
  // Also with -q: the user asked for these lines.
  O->Alert = sayAlways;
  O->Note = [](const Twine &What) { sayVerbose(What); };
  if (wantsOverhead()) {
    Expected<int> Status = measureOverhead(*O);
    return Status ? flushOutput(*Status) : fail(Status.takeError());
  }
  explainOptionAfterProgram(O->Command);
  reportToTerminal(*O);
  if (wantsAttach())
    reportAttach(*O);
  keepHeapSmall();
  Expected<RecordResult> R = record(*O);
  if (!R)
    return fail(R.takeError());
  int Status = report(*R, O->Command);
  if (R->NotRun.empty() && !R->Lost) {
    writeBundle(Argv[0], R->Output);
    if (R->Events)
      showAnswer(Argv[0], R->Output);
  }
  return Status;
}
