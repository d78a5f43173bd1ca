// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a large trace from a seed.

#include "Shape.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace memkit;
using namespace memkit::gentrace;
using namespace llvm;

static cl::OptionCategory Category("Options");

static cl::opt<std::string> Output("o", cl::desc("The trace to write"),
                                   cl::value_desc("FILE"), cl::Required,
                                   cl::cat(Category));

template <class T> using Opt = cl::opt<T>;
static const Shape Usual;
static Opt<uint64_t> EventCount("events", cl::desc("Events in all"),
                                cl::init(Usual.Events), cl::cat(Category));
static Opt<unsigned> StackCount("stacks", cl::desc("Stacks"),
                                cl::init(Usual.Stacks), cl::cat(Category));
static Opt<unsigned> NodeCount("nodes", cl::desc("Nodes of the stack tree"),
                               cl::init(Usual.Nodes), cl::cat(Category));
static Opt<unsigned> HeapCount("heaps", cl::desc("Heaps"),
                               cl::init(Usual.Heaps), cl::cat(Category));
static Opt<unsigned> ProcessCount("processes", cl::desc("Processes"),
                                  cl::init(Usual.Processes), cl::cat(Category));
static Opt<unsigned> ThreadCount("threads", cl::desc("Threads of each process"),
                                 cl::init(Usual.Threads), cl::cat(Category));
static Opt<unsigned> StepCount("steps", cl::desc("Steps of the first process"),
                               cl::init(Usual.Steps), cl::cat(Category));
static Opt<uint64_t> LiveCount("live", cl::desc("Blocks live at a time, about"),
                               cl::init(Usual.Live), cl::cat(Category));
static Opt<uint64_t> Seed("seed", cl::desc("Another seed, another trace"),
                          cl::init(Usual.Seed), cl::cat(Category));
static Opt<bool> Nested("nested",
                        cl::desc("Blocks lie in blocks of other heaps"),
                        cl::cat(Category));
static Opt<bool> Addresses("addresses", cl::desc("Record addresses"),
                           cl::cat(Category));

static Shape shapeFromOptions() {
  Shape S;
  S.Events = EventCount;
  S.Stacks = std::max(1u, StackCount.getValue());
  S.Nodes = NodeCount;
  S.Heaps = std::min(65535u, std::max(1u, HeapCount.getValue()));
  S.Processes = std::max(1u, ProcessCount.getValue());
  S.Threads = std::min(MaxSectionThreads, std::max(1u, ThreadCount.getValue()));
  S.Steps = StepCount;
  S.Live = LiveCount;
  S.Seed = Seed;
  S.Nested = Nested;
  S.Addresses = Addresses;
  return S;
}

static Error generate(int Fd) {
  Shape S = shapeFromOptions();
  Header H;
  H.Tool = "memkit-gentrace " MEMKIT_VERSION;
  H.Command = {"generated", "--seed=" + std::to_string(S.Seed)};
  H.Host = "nowhere";
  H.Pid = 1000;
  H.PageSize = 4096;
  H.Cpus = 8;
  FdSink To(Fd, Output);
  auto Out = TraceWriter::create(To, H);
  if (!Out)
    return Out.takeError();
  std::vector<uint32_t> HeapNames;
  if (Error E = writeNames(S, **Out, HeapNames))
    return E;
  return writeProgram(S, **Out, HeapNames);
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(
      Argc, Argv,
      "Makes a large trace from a seed\n\n"
      "  memkit-gentrace --events=50000000 "
      "--stacks=500000 --nodes=2000000 --heaps=50 -o t.fb\n");
  int Fd;
  std::error_code Code = sys::fs::openFileForWrite(Output, Fd);
  Error E = Code ? createStringError(Code, Output + ": " + Code.message())
                 : generate(Fd);
  if (!Code)
    if (std::error_code Closed = sys::Process::SafelyCloseFileDescriptor(Fd))
      E = joinErrors(std::move(E),
                     createStringError(Closed, Output.getValue()));
  if (!E)
    return 0;
  logAllUnhandledErrors(std::move(E), errs(), "memkit-gentrace: error: ");
  return 1;
}
