// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --overhead: what recording costs a program.
//
// A pair of runs, one alone and one recorded, shares the machine's state: the
// ratio of a pair varies less than its times. Every second pair begins with the
// recorded run. The mean ratio is that of the logarithms, with Student's
// interval.

#include "Overhead.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "memkit/Analysis/ConfidenceInterval.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <numeric>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::opt<std::string> Pairs(
    "overhead", cl::ValueOptional, cl::value_desc("pairs"),
    cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("As 'memkit overhead': run the program alone and recorded in "
             "turn, and tell the ratio of their times (5 pairs)"));

bool memkit::wantsOverhead() { return Pairs.getNumOccurrences() != 0; }

namespace {
/// What a recorded run tells of itself. Plain data, for a pipe.
struct RecordedRun {
  uint64_t Events = 0, Lost = 0, RecorderNs = 0;
};
/// A run that has ended.
struct TimedRun {
  double Seconds = 0;
  double Processor = 0; ///< seconds of all its processes
  int Status = 0;       ///< as of waitpid()
  RecordedRun Recorded;
};
/// The mean of ratios, and the 95 % confidence interval of the mean.
struct Ratio {
  double Mean, Low, High;
};
} // namespace

/// Ctrl-C: the temporary trace goes.
static volatile sig_atomic_t Interrupted = 0;

static double secondsOf(const timeval &T) {
  return double(T.tv_sec) + double(T.tv_usec) / 1e6;
}

/// The program's streams lead nowhere: its output would come many times.
static void closeStreams(bool KeepsErrors) {
  int Null = open("/dev/null", O_RDWR);
  dup2(Null, STDIN_FILENO);
  dup2(Null, STDOUT_FILENO);
  if (!KeepsErrors)
    dup2(Null, STDERR_FILENO);
  close(Null);
}

[[noreturn]] static void runAlone(const std::vector<std::string> &Command) {
  closeStreams(/*KeepsErrors=*/false);
  std::vector<std::string> Words = Command;
  std::vector<char *> Argv;
  for (std::string &Word : Words)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  constexpr int NotFound = 127;
  _exit(NotFound);
}

[[noreturn]] static void runRecorded(const RecordOptions &O, int Result) {
  closeStreams(/*KeepsErrors=*/false);
  Expected<RecordResult> R = record(O);
  if (!R)
    _exit(ExitError);
  RecordedRun Run{R->Events, R->LostEvents, R->CpuNs};
  bool IsFine = R->NotRun.empty() && !R->Lost &&
                write(Result, &Run, sizeof(Run)) == ssize_t(sizeof(Run));
  _exit(IsFine ? R->Status : ExitError);
}

/// Runs the command once. O: null for a run alone.
static Expected<TimedRun> runOnce(const std::vector<std::string> &Command,
                                  const RecordOptions *O) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return makeError("a pipe: " + Twine(std::strerror(errno)));
  auto Begin = std::chrono::steady_clock::now();
  pid_t Child = fork();
  if (Child == 0) {
    if (O)
      runRecorded(*O, Ends[1]);
    runAlone(Command);
  }
  close(Ends[1]);
  TimedRun Run;
  rusage Used{};
  bool HasEnded = Child > 0;
  while (HasEnded && wait4(Child, &Run.Status, 0, &Used) < 0)
    HasEnded = errno == EINTR;
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Begin;
  bool HasResult = !O || read(Ends[0], &Run.Recorded, sizeof(RecordedRun)) ==
                             ssize_t(sizeof(RecordedRun));
  close(Ends[0]);
  if (!HasEnded || !HasResult)
    return makeError(Command[0] + ": the recorded run did not work; memrec "
                                  "without --overhead tells why");
  Run.Seconds = Took.count();
  Run.Processor = secondsOf(Used.ru_utime) + secondsOf(Used.ru_stime);
  return Run;
}

static Ratio ratioOf(ArrayRef<TimedRun> Recorded, ArrayRef<TimedRun> Alone,
                     double TimedRun::*Time) {
  std::vector<double> Logs;
  for (auto [R, A] : zip(Recorded, Alone))
    // Shorter than the clock of processor time can tell.
    Logs.push_back(std::log(std::max(R.*Time, 1e-3) / std::max(A.*Time, 1e-3)));
  double Count = double(Logs.size());
  double Mean = std::accumulate(Logs.begin(), Logs.end(), 0.0) / Count;
  double Squares = 0;
  for (double L : Logs)
    Squares += (L - Mean) * (L - Mean);
  constexpr double TwoSided = 0.975;
  double Half = studentQuantile(TwoSided, Count - 1) *
                std::sqrt(Squares / (Count - 1) / Count);
  return {std::exp(Mean), std::exp(Mean - Half), std::exp(Mean + Half)};
}

static double meanOf(ArrayRef<TimedRun> Runs, double TimedRun::*Time) {
  double Sum = 0;
  for (const TimedRun &R : Runs)
    Sum += R.*Time;
  return Sum / double(Runs.size());
}

static std::string timeText(double Seconds) {
  return formatTime(uint64_t(std::max(Seconds, 0.0) * 1e9));
}

static void printRatio(raw_ostream &OS, StringRef What, const Ratio &R,
                       double Alone, double Recorded) {
  OS << left_justify(What, 16) << format("×%.2f", R.Mean)
     << format(" (95 %%: ×%.2f to ×%.2f), ", R.Low, R.High) << timeText(Alone)
     << " alone, " << timeText(Recorded) << " recorded\n";
}

static void print(raw_ostream &OS, ArrayRef<TimedRun> Alone,
                  ArrayRef<TimedRun> Recorded) {
  double Before = meanOf(Alone, &TimedRun::Processor);
  double After = meanOf(Recorded, &TimedRun::Processor);
  printRatio(OS, "time", ratioOf(Recorded, Alone, &TimedRun::Seconds),
             meanOf(Alone, &TimedRun::Seconds),
             meanOf(Recorded, &TimedRun::Seconds));
  printRatio(OS, "processor time",
             ratioOf(Recorded, Alone, &TimedRun::Processor), Before, After);
  uint64_t Events = 0, Lost = 0;
  double Recorder = 0;
  for (const TimedRun &R : Recorded) {
    Events += R.Recorded.Events;
    Lost += R.Recorded.Lost;
    Recorder += double(R.Recorded.RecorderNs) / 1e9;
  }
  double Runs = double(Recorded.size());
  Recorder /= Runs;
  double Added = After - Before;
  double Rest = std::max(Added - Recorder, 0.0);
  OS << left_justify("added", 16) << timeText(Added)
     << " of processor time: " << timeText(Recorder) << " take the events, "
     << timeText(Rest) << " in the program, at its start and for names\n";
  double PerRun = double(Events) / Runs;
  OS << left_justify("events", 16) << formatCount(uint64_t(PerRun)) << " a run";
  // With few events the start and the names are nearly all of it.
  constexpr double Many = 10'000;
  if (PerRun >= Many)
    OS << format("; %.0f ns each to take them, %.0f ns the rest",
                 Recorder / PerRun * 1e9, Rest / PerRun * 1e9);
  OS << (Lost ? "; " + formatCount(Lost) + " lost" : "; none lost") << '\n';
}

/// Says that the ratio is mostly that of the starts. Other programs only
/// lengthen a run, so the shortest shows how long the program is.
static void noteStart(ArrayRef<TimedRun> Alone) {
  constexpr double Short = 0.2;
  if (any_of(Alone, [](const TimedRun &R) { return R.Seconds < Short; }))
    say("the program is short: most of this is the start of a recording, which "
        "longer programs have once");
}

/// Says that recording has changed how the program ends.
static void warnOfStatus(ArrayRef<TimedRun> Alone,
                         ArrayRef<TimedRun> Recorded) {
  auto CodeOf = [](const TimedRun &R) {
    constexpr int Signalled = 128;
    return WIFSIGNALED(R.Status) ? Signalled + WTERMSIG(R.Status)
                                 : WEXITSTATUS(R.Status);
  };
  for (auto [A, R] : zip(Alone, Recorded))
    if (CodeOf(A) != CodeOf(R))
      return warn("the program ended with status " + Twine(CodeOf(A)) +
                  " alone, and with " + Twine(CodeOf(R)) + " recorded");
  if (CodeOf(Alone[0]))
    warn("the program ends with status " + Twine(CodeOf(Alone[0])) +
         ", alone and recorded");
}

Expected<int> memkit::measureOverhead(const RecordOptions &Given) {
  constexpr unsigned UsualPairs = 5, MaxPairs = 1000;
  unsigned Count = UsualPairs;
  if (!Pairs.empty() && (StringRef(Pairs).getAsInteger(10, Count) ||
                         Count < 2 || Count > MaxPairs))
    return makeUsageError("--overhead: 2 to 1000 pairs, not '" + Pairs + "'");
  SmallString<128> Trace;
  struct sigaction Action{};
  Action.sa_handler = [](int) { Interrupted = 1; };
  sigaction(SIGINT, &Action, nullptr);
  if (std::error_code Code =
          sys::fs::createTemporaryFile("memkit-overhead", "fb", Trace))
    return makeError("a temporary file: " + Code.message());
  RecordOptions O = Given;
  O.Output = Trace.str().str();
  std::vector<TimedRun> Alone, Recorded;
  Error Failed = Error::success();
  auto Run = [&](std::vector<TimedRun> *To, const RecordOptions *How) {
    if (Failed || Interrupted)
      return;
    Expected<TimedRun> R = runOnce(O.Command, How);
    if (!R)
      Failed = R.takeError();
    else if (To)
      To->push_back(*R);
  };
  Run(nullptr, nullptr); // files come into the machine's cache
  for (unsigned I = 0; I != Count && !Failed && !Interrupted; ++I) {
    if (I % 2)
      Run(&Recorded, &O);
    Run(&Alone, nullptr);
    if (I % 2 == 0)
      Run(&Recorded, &O);
    if (!Failed && !Interrupted && isatty(STDERR_FILENO))
      say("pair " + Twine(I + 1) + " of " + Twine(Count) + ": " +
          timeText(Alone.back().Seconds) + " alone, " +
          timeText(Recorded.back().Seconds) + " recorded");
  }
  for (StringRef End : {"", ".old"})
    (void)sys::fs::remove(Trace + End);
  constexpr int Signalled = 128;
  if (Interrupted) {
    consumeError(std::move(Failed));
    return Signalled + SIGINT;
  }
  if (Failed)
    return std::move(Failed);
  constexpr int NotFound = 127;
  if (WIFEXITED(Alone[0].Status) && WEXITSTATUS(Alone[0].Status) == NotFound)
    return makeError(O.Command[0] + ": cannot be run");
  print(outs(), Alone, Recorded);
  noteStart(Alone);
  warnOfStatus(Alone, Recorded);
  return ExitOk;
}
