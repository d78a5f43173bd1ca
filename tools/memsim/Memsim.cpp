// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows what a recorded program would take with other allocators.

#include "Allocators.h"
#include "Cli/HelpText.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/ToolMain.h"
#include "DeviceText.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

enum class SimFormat { Text, Json };

static cl::opt<std::string> Input(cl::Positional, cl::desc("<trace>"),
                                  cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::list<std::string>
    With("with", cl::value_desc("allocator"),
         cl::desc("Simulate this allocator, one flag each: torch (PyTorch's "
                  "allocator of devices with its defaults), torch:SETTINGS "
                  "(as in PYTORCH_CUDA_ALLOC_CONF), torch:recorded (the "
                  "settings of the recorded run). Default: the recorded "
                  "settings and the usual alternatives"),
         cl::cat(toolCategory()));
static cl::opt<std::string>
    DeviceBytes("device-bytes", cl::value_desc("size"),
                cl::desc("What the process may take of each device (default: "
                         "as recorded; none recorded: no limit)"),
                cl::cat(toolCategory()));
static cl::opt<bool> Search("search",
                            cl::desc("Try 64 settings of PyTorch's allocator, "
                                     "and list the best"),
                            cl::cat(toolCategory()));
static cl::opt<SimFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(SimFormat::Text, "text", "for people (default)"),
               clEnumValN(SimFormat::Json, "json", "for scripts")),
    cl::init(SimFormat::Text), cl::cat(toolCategory()));

static Expected<uint64_t> readDeviceBytes() {
  if (DeviceBytes.empty())
    return 0;
  Expected<uint64_t> Bytes = parseSize(DeviceBytes);
  if (!Bytes)
    return makeUsageError("--device-bytes: " + toString(Bytes.takeError()));
  if (!*Bytes || *Bytes > TorchAllocator::Unlimited)
    return makeUsageError("--device-bytes=" + DeviceBytes +
                          ": not from 1 to 256 TiB");
  return *Bytes;
}

/// Moves the results of settings to try from behind the others into Ranked.
static std::vector<RankedConfig> takeRanked(std::vector<TargetResults> &Targets,
                                            ArrayRef<TorchConfig> Tried) {
  std::vector<TargetResults> Of = Targets;
  for (auto &&[From, To] : zip_equal(Targets, Of)) {
    size_t Kept = From.Results.size() - Tried.size();
    To.Results.erase(To.Results.begin(), To.Results.begin() + Kept);
    From.Results.resize(Kept);
  }
  return rankConfigs(Tried, Of);
}

static Error write(const DeviceView &V) {
  auto Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  if (OutputFormat == SimFormat::Json)
    writeDeviceJson((*Out)->os(), V);
  else
    printDevices((*Out)->os(), V);
  return (*Out)->keep();
}

static bool knowsDevice(const Trace &T, uint64_t Bytes) {
  return Bytes || any_of(T.devices(), [](const Device &D) { return D.Bytes; });
}

static Error noTensors(const Trace &T) {
  return makeError(T.name() +
                   ": no allocation of a tensor on a device is in the trace or "
                   "the selection; memrec records them with their events");
}

static Error simulate(const Trace &T, const SelectionSpec &Spec,
                      uint64_t Bytes) {
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  RecordedTorchConfig Recorded = recordedTorchConfig(T.header());
  auto Chosen = chooseAllocators(With, Recorded);
  if (!Chosen)
    return Chosen.takeError();
  std::vector<TorchConfig> Configs, Tried;
  for (const ChosenAllocator &A : *Chosen)
    Configs.push_back(A.Config);
  if (Search)
    Tried = torchConfigsToTry(knowsDevice(T, Bytes));
  append_range(Configs, Tried);
  auto Targets = simulateTorch(T, *Sel, Configs, Bytes);
  if (!Targets)
    return Targets.takeError();
  if (Targets->empty())
    return noTensors(T);
  std::vector<RankedConfig> Ranked;
  if (Search)
    Ranked = takeRanked(*Targets, Tried);
  return write({T, Recorded, *Chosen, *Targets, Ranked, Tried.size()});
}

static Expected<int> run(SelectionFlags &Flags) {
  if (Error E = chooseTrace(Input))
    return std::move(E);
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Expected<uint64_t> Bytes = readDeviceBytes();
  if (!Bytes)
    return Bytes.takeError();
  Expected<std::unique_ptr<Trace>> T =
      Trace::open(Input, TP_Totals | TP_Names | TP_Stacks, showProgress());
  if (!T)
    return T.takeError();
  for_each((*T)->warnings(), [](const std::string &W) { warn(W); });
  if (Error E = simulate(**T, *Spec, *Bytes))
    return std::move(E);
  for_each((*T)->reader().unknownWarnings(),
           [](const std::string &W) { warn(W); });
  return ExitOk;
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_Heap | SF_Process);
  return runTool(
      Argc, Argv,
      {"memsim",
       "Shows what a recorded program would take with other allocators.",
       "memsim trace.fb\n"
       "memsim --with=torch:expandable_segments:True,max_split_size_mb:128 "
       "trace.fb\n"
       "memsim --search --device-bytes=24GiB trace.fb"},
      [&] { return run(Flags); });
}
