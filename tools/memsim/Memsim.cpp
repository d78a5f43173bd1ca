// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows what a recorded program would take with other allocators.

#include "Allocators.h"
#include "Cli/HelpText.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "DeviceText.h"
#include "HostRun.h"
#include "Laws.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

enum class SimFormat { Text, Markdown, Json };

static cl::list<std::string> Inputs(cl::Positional, cl::desc("<trace>"),
                                    cl::cat(toolCategory()));
static cl::opt<std::string>
    Vary("vary", cl::value_desc("name"),
         cl::desc("Of recordings that differ in this quantity, each with its "
                  "value (8=a.fb 16=b.fb): how memory follows from it, and, "
                  "with --as, which value fits"),
         cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::list<std::string>
    With("with", cl::value_desc("allocator"),
         cl::desc("Try this allocator, one flag each. Of devices: torch "
                  "(PyTorch's defaults), torch:SETTINGS (as in "
                  "PYTORCH_CUDA_ALLOC_CONF), torch:recorded. Of the host: "
                  "glibc, glibc:TUNABLE=N,..., jemalloc, jemalloc:MALLOC_CONF, "
                  "tcmalloc, mimalloc, or the path of a library. Default: the "
                  "recorded one and the usual alternatives"),
         cl::cat(toolCategory()));
static cl::opt<std::string>
    DeviceBytes("device-bytes", cl::value_desc("size"),
                cl::desc("What the process may take of each device (default: "
                         "as recorded; none recorded: no limit)"),
                cl::cat(toolCategory()));
static cl::opt<std::string>
    As("as", cl::value_desc("size"),
       cl::desc("Of a recording on the CPU: whether its tensors fit a device "
                "with this size"),
       cl::cat(toolCategory()));
static cl::opt<unsigned>
    Scale("scale", cl::value_desc("N"), cl::init(1),
          cl::desc("Host: replay one block in N, where the machine's memory "
                   "is too small for all"),
          cl::cat(toolCategory()));
static cl::opt<bool> Search("search",
                            cl::desc("Try 64 settings of PyTorch's allocator, "
                                     "and list the best"),
                            cl::cat(toolCategory()));
static cl::opt<bool>
    Timeline("timeline",
             cl::desc("Host: draw the resident memory of each replay over the "
                      "recorded time"),
             cl::cat(toolCategory()));
static cl::opt<std::string> StuckAfter(
    "stuck-after", cl::value_desc("time"), cl::init("60s"),
    cl::desc("Host: kill a replay that makes no progress for so long (default "
             "60s); 0: never"),
    cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool> Ascii("ascii", cl::desc("Draw with ASCII characters"),
                           cl::cat(toolCategory()));
static cl::opt<SimFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(SimFormat::Text, "text", "for people (default)"),
               clEnumValN(SimFormat::Markdown, "markdown",
                          "for a comment on a change"),
               clEnumValN(SimFormat::Json, "json", "for scripts")),
    cl::init(SimFormat::Text), cl::cat(toolCategory()));

/// The value of --as or --device-bytes; 0: neither.
static Expected<uint64_t> readDeviceBytes() {
  if (!As.empty() && !DeviceBytes.empty())
    return makeUsageError("--as is for recordings on the CPU, --device-bytes "
                          "for recordings on a device; give one of them");
  const auto &Of = As.empty() ? DeviceBytes : As;
  if (Of.empty())
    return 0;
  std::string Name = ("--" + Of.ArgStr).str();
  Expected<uint64_t> Bytes = parseSize(Of);
  if (!Bytes)
    return makeUsageError(Name + ": " + toString(Bytes.takeError()));
  if (!*Bytes || *Bytes > TorchAllocator::Unlimited)
    return makeUsageError(Name + "=" + Of + ": not from 1 to 256 TiB");
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

static Error write(function_ref<void(raw_ostream &)> Print) {
  auto Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  Print((*Out)->os());
  return (*Out)->keep();
}

/// For people: a page that Print fills.
static void writePage(raw_ostream &OS, const Trace &T,
                      function_ref<void(SimPage &)> Print) {
  SimPage P(OS, OutputFormat == SimFormat::Markdown);
  P.title(("Other allocators: " + T.name()).str());
  Print(P);
}

static Error writeDevices(const DeviceView &V) {
  return write([&](raw_ostream &OS) {
    if (OutputFormat == SimFormat::Json)
      return writeDeviceJson(OS, V);
    writePage(OS, V.T, [&](SimPage &P) { printDevices(P, V); });
  });
}

static Error writeHost(const HostView &V) {
  return write([&](raw_ostream &OS) {
    if (OutputFormat == SimFormat::Json)
      return writeHostJson(OS, V);
    writePage(OS, V.T, [&](SimPage &P) {
      printHost(P, V);
      if (Timeline)
        printHostTimeline(P, V, Ascii || !isUtf8Locale());
    });
  });
}

static bool knowsDevice(const Trace &T, uint64_t Bytes) {
  return Bytes || any_of(T.devices(), [](const Device &D) { return D.Bytes; });
}

static bool hasDeviceTensors(const Trace &T) {
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (hasTensors(T, Heap, TensorSource::Devices))
      return true;
  return false;
}

/// Of a program that ran on the CPU. The tensors that a program on a device has
/// on the host say nothing of the device.
static Expected<DeviceFit> fitCpu(const Trace &T, const Selection &Sel,
                                  const TorchConfig &C, uint64_t Bytes) {
  if (hasDeviceTensors(T))
    return makeError(T.name() +
                     ": the tensors are on a device already; --device-bytes=" +
                     As + " is another size of it");
  auto Found = fitDevice(T, Sel, C, Bytes);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return makeError(T.name() +
                     ": no allocation of a tensor of PyTorch is in the trace "
                     "or the selection; memrec records them with their events");
  return **Found;
}

static Error noTensors(const Trace &T) {
  return makeError(T.name() +
                   ": no allocation of a tensor on a device is in the trace or "
                   "the selection; memrec records them with their events");
}

static Error simulateDevices(const Trace &T, const Selection &Sel,
                             uint64_t Bytes) {
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
  std::optional<DeviceFit> Fit;
  if (!As.empty()) {
    Expected<DeviceFit> Found = fitCpu(T, Sel, Configs.front(), Bytes);
    if (!Found)
      return Found.takeError();
    Fit = *Found;
  }
  auto Targets = simulateTorch(T, Sel, Configs, Bytes,
                               Fit ? TensorSource::Cpu : TensorSource::Devices);
  if (!Targets)
    return Targets.takeError();
  if (Targets->empty())
    return noTensors(T);
  if (Fit)
    erase_if(*Targets, [&](const TargetResults &R) {
      return R.Target.Process != Fit->Target.Process;
    });
  std::vector<RankedConfig> Ranked;
  if (Search)
    Ranked = takeRanked(*Targets, Tried);
  return writeDevices(
      {T, Recorded, *Chosen, *Targets, Ranked, Tried.size(), Fit});
}

/// Whether --with names allocators of the host; without a --with, whether the
/// trace has no tensor on a device.
static Expected<bool> isOfHost(const Trace &T) {
  if (With.empty()) {
    if (!As.empty())
      return false;
    return !hasDeviceTensors(T) && !Search && DeviceBytes.empty();
  }
  bool Of = isHostAllocator(With[0]);
  for (const std::string &Text : With)
    if (isHostAllocator(Text) != Of)
      return makeUsageError("--with=" + With[0] + " and --with=" + Text +
                            ": allocators of the host and of devices need a "
                            "call each");
  if (Of && (Search || !DeviceBytes.empty() || !As.empty()))
    return makeUsageError("--search, --device-bytes and --as are for "
                          "allocators of devices");
  return Of;
}

static Expected<int> simulate(const Trace &T, const SelectionSpec &Spec,
                              uint64_t Bytes, const char *Argv0) {
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  Expected<bool> OfHost = isOfHost(T);
  if (!OfHost)
    return OfHost.takeError();
  if (!*OfHost) {
    if (Timeline)
      return makeUsageError("--timeline is for allocators of the host");
    if (Error E = simulateDevices(T, *Sel, Bytes))
      return std::move(E);
    return ExitOk;
  }
  if (!Scale)
    return makeUsageError("--scale=0: at least 1 is needed");
  Expected<uint64_t> StuckNs = parseTime(StuckAfter);
  if (!StuckNs)
    return makeUsageError("--stuck-after: " + toString(StuckNs.takeError()));
  Expected<bool> IsDone =
      runHost(T, *Sel, {With, Scale, *StuckNs, Argv0}, writeHost);
  if (!IsDone)
    return IsDone.takeError();
  return *IsDone ? ExitOk : ExitError;
}

/// Whether a recording of --vary has tensors of PyTorch on the CPU alone.
static Expected<bool> isOfTensors(const VariedTrace &Of) {
  auto T = Trace::open(Of.Path, TP_Names);
  if (!T)
    return T.takeError();
  return !hasDeviceTensors(**T) && any_of((*T)->heaps(), [&](const Heap &H) {
    return (*T)->string(H.Name) == "torch.cpu";
  });
}

static Expected<int> showLaws(SelectionSpec Spec, uint64_t Bytes) {
  if (Search || Timeline || !DeviceBytes.empty())
    return makeUsageError("--vary goes with --as and --with=torch:SETTINGS");
  auto Traces = parseVaried(Inputs);
  if (!Traces)
    return Traces.takeError();
  LawRequest R{Vary, std::move(*Traces), std::move(Spec), false, {}, Bytes};
  if (Bytes)
    if (Error E = isOfTensors(R.Traces.front()).moveInto(R.OnDevice))
      return std::move(E);
  std::vector<std::string> Settings(With.begin(), With.end());
  if (Settings.empty())
    Settings.push_back("torch");
  auto Chosen = chooseAllocators(Settings, {});
  if (!Chosen)
    return Chosen.takeError();
  R.Config = Chosen->front().Config;
  auto All = findLaws(R);
  if (!All)
    return All.takeError();
  Error E = write([&](raw_ostream &OS) {
    if (OutputFormat == SimFormat::Json)
      return writeLawJson(OS, *All);
    SimPage P(OS, OutputFormat == SimFormat::Markdown);
    P.title("Memory by " + Vary);
    printLaws(P, *All);
  });
  if (E)
    return std::move(E);
  return ExitOk;
}

static Expected<std::string> chooseInput() {
  if (Inputs.size() > 1)
    return makeUsageError("one recording, or --vary=NAME with the values of "
                          "several: '" +
                          Inputs[1] + "'");
  std::string Input = Inputs.empty() ? "" : Inputs[0];
  if (Error E = chooseTrace(Input))
    return std::move(E);
  return Input;
}

static Expected<int> run(SelectionFlags &Flags, const char *Argv0) {
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Expected<uint64_t> Bytes = readDeviceBytes();
  if (!Bytes)
    return Bytes.takeError();
  if (!Vary.empty())
    return showLaws(*Spec, *Bytes);
  Expected<std::string> Input = chooseInput();
  if (!Input)
    return Input.takeError();
  Expected<std::unique_ptr<Trace>> T =
      Trace::open(*Input, TP_Totals | TP_Names | TP_Stacks, showProgress());
  if (!T)
    return T.takeError();
  for_each((*T)->warnings(), [](const std::string &W) { warn(W); });
  if (importedFrom((*T)->header()).isCensus())
    return makeError((*T)->name() +
                     ": a census has the blocks of one moment, and no requests "
                     "to serve; memrec records a run");
  Expected<int> Status = simulate(**T, *Spec, *Bytes, Argv0);
  if (!Status)
    return Status;
  for_each((*T)->reader().unknownWarnings(),
           [](const std::string &W) { warn(W); });
  return Status;
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
       "memsim --search --device-bytes=24GiB trace.fb\n"
       "memsim --as=80GiB recorded-on-the-cpu.fb\n"
       "memsim --vary=batch --as=80GiB 8=a.fb 16=b.fb 32=c.fb\n"
       "memsim --with=glibc:arena_max=1 --with=jemalloc trace.fb"},
      [&] { return run(Flags, Argv[0]); });
}
