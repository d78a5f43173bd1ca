//===- memrec.cpp - Runs a program and records its memory -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "memkit/Record/Recorder.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <malloc.h>

using namespace llvm;
using namespace memkit;

/// Of failures of our own, as env and timeout have it.
static constexpr int ExitFailed = 125;

static cl::opt<std::string>
    Output("o",
           cl::desc("Write the trace to FILE, - for standard output; %p is "
                    "the program's pid, %h the host, %r the rank, %t the "
                    "time, %q{VAR} a variable (default: trace.fb, "
                    "trace.%r.fb when a rank is set)"),
           cl::value_desc("FILE"), cl::Prefix, cl::cat(toolCategory()));
static cl::opt<bool> Force("force",
                           cl::desc("Overwrite FILE though it is no trace"),
                           cl::cat(toolCategory()));
static cl::opt<std::string> OnFull(
    "on-full",
    cl::desc("When a thread's ring is full: wait for the recorder for at "
             "most so long, or drop events and count them"),
    cl::value_desc("wait[:10s]|drop"), cl::init("wait:10s"),
    cl::cat(toolCategory()));
static cl::opt<unsigned>
    MaxDepth("max-depth",
             cl::desc("Frames of a stack that are kept: its root part and its "
                      "leaf part (default: 1024)"),
             cl::value_desc("N"), cl::init(1024), cl::cat(toolCategory()));
static cl::opt<wire::StackBits> Stacks(
    "stacks", cl::desc("Which frames stacks have:"), cl::init(wire::SB_Mixed),
    cl::values(clEnumValN(wire::SB_Mixed, "mixed",
                          "Python's and the native ones below (default)"),
               clEnumValN(wire::SB_Python, "python", "Python's alone"),
               clEnumValN(wire::SB_Native, "native",
                          "native ones, the interpreter's among them"),
               clEnumValN(wire::SB_None, "none",
                          "the function that called malloc alone")),
    cl::cat(toolCategory()));
static cl::opt<std::string>
    MinSize("min-size",
            cl::desc("Leave out allocations of fewer bytes, and their frees"),
            cl::value_desc("SIZE"), cl::cat(toolCategory()));
static cl::opt<std::string>
    Sample("sample",
           cl::desc("Of the allocations of malloc record a sample, one byte in "
                    "SIZE on average (512K is a good one): all sums of "
                    "host.malloc are estimates then"),
           cl::value_desc("SIZE"), cl::cat(toolCategory()));
static cl::list<std::string>
    Heaps("heap",
          cl::desc("Record these heaps alone: host.malloc, host.mmap, "
                   "host.reserved, host.file, host.device, host.stack, "
                   "host.brk"),
          cl::value_desc("GLOB,..."), cl::CommaSeparated,
          cl::cat(toolCategory()));
static cl::opt<bool>
    NoFollow("no-follow",
             cl::desc("Do not record what the program starts by exec"),
             cl::cat(toolCategory()));
static cl::opt<bool>
    NoWait("no-wait",
           cl::desc("End when the program ends, though others that it started "
                    "still run"),
           cl::cat(toolCategory()));
static cl::opt<bool>
    NoSymbols("no-symbols",
              cl::desc("Leave functions and lines to memdump --symbolize"),
              cl::cat(toolCategory()));
static cl::opt<std::string> Config(
    "config",
    cl::desc("Read options from FILE, one a line; MEMREC_OPTIONS and the "
             "command line win over it"),
    cl::value_desc("FILE"), cl::cat(toolCategory()));
static cl::opt<std::string> Library("library",
                                    cl::desc("The capture library to preload"),
                                    cl::value_desc("FILE"),
                                    cl::cat(toolCategory()));
static cl::opt<bool>
    Check("check", cl::desc("Say what can be recorded here and why not"),
          cl::cat(toolCategory()));

/// libmemrec.so, relative to this program: as installed, with a multiarch
/// folder or without.
static std::string findLibrary(const char *Argv0) {
  if (!Library.empty()) {
    SmallString<128> Path(Library);
    sys::fs::make_absolute(Path);
    return std::string(Path);
  }
  std::string Self =
      sys::fs::getMainExecutable(Argv0, reinterpret_cast<void *>(&findLibrary));
  StringRef Prefix = sys::path::parent_path(sys::path::parent_path(Self));
  SmallString<128> Plain(Prefix);
  sys::path::append(Plain, "lib/memkit/libmemrec.so");
  for (const char *Folder :
       {"lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64"}) {
    SmallString<128> Path(Prefix);
    sys::path::append(Path, Folder, "memkit/libmemrec.so");
    if (!sys::fs::exists(Plain) && sys::fs::exists(Path))
      return std::string(Path);
  }
  return std::string(Plain);
}

// Taken from the arguments before options are parsed; declared for --help.
static cl::list<std::string> Command(cl::Positional,
                                     cl::desc("[--] program [arguments]"),
                                     cl::cat(toolCategory()));

static Error parseOnFull(RecordOptions &O) {
  StringRef Text = OnFull;
  if (Text == "drop") {
    O.WaitOnFull = false;
    return Error::success();
  }
  if (!Text.consume_front("wait") ||
      (!Text.empty() && !Text.consume_front(":")))
    return makeUsageError("--on-full=" + OnFull +
                          ": should be wait, wait:TIME or drop");
  if (Text.empty())
    return Error::success();
  Expected<uint64_t> Ns = parseTime(Text);
  if (!Ns)
    return joinErrors(makeUsageError("--on-full=" + OnFull), Ns.takeError());
  O.WaitMs = uint32_t(std::min<uint64_t>(*Ns / 1000000, 1u << 30));
  return Error::success();
}

/// Sets To to the size that the option of Name gives, if it is given.
static Error parseSizeOption(StringRef Name, StringRef Text, uint64_t &To) {
  if (Text.empty())
    return Error::success();
  Expected<uint64_t> Size = parseSize(Text);
  if (!Size)
    return joinErrors(makeUsageError("--" + Name + "=" + Text),
                      Size.takeError());
  To = *Size;
  return Error::success();
}

static Error parseSizes(RecordOptions &O) {
  if (Error E = parseSizeOption("min-size", MinSize, O.MinSize))
    return E;
  if (Error E = parseSizeOption("sample", Sample, O.SampleBytes))
    return E;
  if (!Sample.empty() && (!O.SampleBytes || O.SampleBytes > MaxSampleBytes))
    return makeUsageError("--sample=" + Sample + ": should be 1 to " +
                          formatSize(MaxSampleBytes));
  // For tests, whose samples must come alike.
  if (const char *Seed = getenv("MEMREC_SAMPLE_SEED"))
    O.SampleSeed = strtoull(Seed, nullptr, 10);
  return Error::success();
}

static const char *stacksName(uint32_t Bits) {
  static constexpr const char *Names[] = {"none", "native", "python", "mixed"};
  return Names[Bits];
}

/// The options that shape the trace, for its header.
static std::vector<std::string> describe(const RecordOptions &O) {
  std::vector<std::string> Text = {"on-full=" + OnFull,
                                   "max-depth=" + std::to_string(O.MaxDepth)};
  if (O.Stacks != wire::SB_Mixed)
    Text.push_back(std::string("stacks=") + stacksName(O.Stacks));
  if (O.MinSize)
    Text.push_back("min-size=" + std::to_string(O.MinSize));
  if (O.SampleBytes)
    Text.push_back("sample=" + std::to_string(O.SampleBytes));
  if (!O.Heaps.empty())
    Text.push_back("heap=" + join(O.Heaps, ","));
  if (!O.Follow)
    Text.push_back("no-follow=1");
  if (!O.Symbols)
    Text.push_back("no-symbols=1");
  return Text;
}

static void sayEnd(const RecordResult &R) {
  if (R.Signal)
    say("the program was killed by signal " + Twine(R.Signal) + ", " +
        strsignal(R.Signal));
  std::string Line = R.Output == "-" ? "standard output" : R.Output;
  Line += ": " + formatSize(R.Bytes) + ", " + formatCount(R.Events) +
          " events, " + formatCount(R.LostEvents) + " lost, peak " +
          formatSize(R.PeakBytes) + (R.Sampled ? " (estimated)" : "");
  if (R.Detached)
    Line += "; the program runs on";
  if (R.Output != "-")
    Line += "; next: memleak " + R.Output;
  say(Line);
  uint64_t Events = std::max<uint64_t>(R.Events, 1);
  sayVerbose(formatCount(R.Recorded) + " processes; the recorder took " +
             std::to_string(R.CpuNs / Events) +
             " ns an event, its longest pause " + formatTime(R.LongestPauseNs));
}

/// What record() did, as messages and an exit status.
static int report(const RecordResult &R) {
  if (!R.NotRun.empty()) {
    reportError(makeError(R.NotRun));
    return R.Status;
  }
  if (R.Lost && !R.ReaderGone) {
    reportError(makeError(R.Why));
    return R.Status ? R.Status : ExitFailed;
  }
  if (R.ReaderGone)
    sayVerbose("the reader of the trace went away; the recording ended there");
  else
    sayEnd(R);
  return R.Status;
}

/// Large blocks come from the kernel and go back to it, whatever was freed
/// before: else they would stand among the small ones in the heap, and a
/// recorder that runs for days would grow by the holes that they leave.
static void keepHeapSmall() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 32 << 10);
#endif
}

static int fail(Error E) {
  reportError(std::move(E));
  return ExitFailed;
}

int main(int Argc, char **Argv) {
  ToolDescription D{"memrec",
                    "runs a program and records its memory in a trace",
                    "memrec -- python3 train.py\n"
                    "memrec -o build.fb make\n"
                    "memrec -o - ./server | memdump - | less",
                    ExitFailed};
  Expected<Arguments> A = collectArguments(Argc, Argv);
  if (!A) {
    parseToolOptions(1, Argv, D);
    return fail(A.takeError());
  }
  std::vector<char *> Options;
  for (std::string &Option : A->Options)
    Options.push_back(Option.data());
  parseToolOptions(int(Options.size()), Options.data(), D);

  RecordOptions O;
  O.Library = findLibrary(Argv[0]);
  if (Check)
    return checkRecording(O.Library,
                          [](const Twine &Line) { outs() << Line << '\n'; })
               ? 0
               : ExitError;
  if (A->Command.empty())
    return fail(makeUsageError("no program to run; try 'memrec --help'"));
  if (!sys::fs::exists(O.Library))
    return fail(makeError(O.Library + ": the capture library is not there "
                                      "(--library names another)"));
  if (Error E = parseOnFull(O))
    return fail(std::move(E));
  if (Error E = parseSizes(O))
    return fail(std::move(E));
  O.Heaps.assign(Heaps.begin(), Heaps.end());
  O.Command = A->Command;
  O.Output = Output;
  O.Force = Force;
  O.MaxDepth = MaxDepth;
  O.Stacks = Stacks;
  O.Follow = !NoFollow;
  O.WaitForAll = !NoWait;
  O.Symbols = !NoSymbols;
  O.Options = describe(O);
  O.Warn = [](const Twine &What) { warn(What); };
  O.Note = [](const Twine &What) { sayVerbose(What); };
  keepHeapSmall();
  Expected<RecordResult> R = record(O);
  if (!R)
    return fail(R.takeError());
  return report(*R);
}
