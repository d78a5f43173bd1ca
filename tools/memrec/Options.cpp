// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of memrec's options.

#include "Options.h"
#include "Bounds.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "RunCommand.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::opt<std::string>
    Output("o",
           cl::desc("Write the trace to FILE, - for standard output; %p is "
                    "the program's pid, %h the host, %r the rank, %t the "
                    "time, %q{VAR} a variable (default: trace.fb, "
                    "trace.%r.fb when a rank is set)"),
           cl::value_desc("FILE"), cl::Prefix, cl::cat(toolCategory()));
static cl::opt<bool> Force("force",
                           cl::desc("Overwrite FILE even if it is not a trace"),
                           cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<unsigned>
    Keep("keep",
         cl::desc("Keep N old traces of the same name: FILE.old, the newest, "
                  "FILE.old.2, ... (default: 1)"),
         cl::value_desc("N"), cl::init(1),
         cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string>
    KeepBytes("keep-bytes",
              cl::desc("Keep old traces of the same name up to SIZE in total"),
              cl::value_desc("SIZE"), cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string> OnFull(
    "on-full",
    cl::desc("If a thread's ring is full: wait for the recorder, at most this "
             "long, or drop and count events"),
    cl::value_desc("wait[:10s]|drop"), cl::init("wait:10s"),
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<unsigned> MaxDepth(
    "max-depth",
    cl::desc("Maximum frames of a stack; the middle of longer stacks is "
             "left out (default: 1024)"),
    cl::value_desc("N"), cl::init(1024), cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<wire::StackBits> Stacks(
    "stacks", cl::desc("Frames of stacks:"), cl::init(wire::SB_Mixed),
    cl::values(
        clEnumValN(wire::SB_Mixed, "mixed",
                   "Python frames and the native frames below (default)"),
        clEnumValN(wire::SB_Python, "python", "Python frames only"),
        clEnumValN(wire::SB_Native, "native",
                   "native frames only, with the interpreter's"),
        clEnumValN(wire::SB_None, "none",
                   "only the function that called malloc")),
    cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<wire::TorchBits> Torch(
    "torch", cl::desc("What to record of PyTorch, TensorFlow and JAX:"),
    cl::values(clEnumValN(wire::TB_All, "all",
                          "tensors, with their operators and layers (default)"),
               clEnumValN(wire::TB_AllAndShapes, "shapes",
                          "all, and of PyTorch the shapes and dtypes of "
                          "operators' inputs, with floating point operations"),
               clEnumValN(wire::TB_Heaps, "heaps", "tensors only"),
               clEnumValN(wire::TB_None, "none", "nothing")),
    cl::init(wire::TB_All), cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<wire::CudaMode> Cuda(
    "cuda", cl::desc("What to record of CUDA's driver:"),
    cl::values(clEnumValN(wire::CudaMode::Cupti, "cupti",
                          "memory of CUDA's driver, through CUPTI (default); "
                          "like interpose if another tool uses CUPTI"),
               clEnumValN(wire::CudaMode::Interpose, "interpose",
                          "memory of CUDA's driver, by intercepting the driver "
                          "functions that programs look up"),
               clEnumValN(wire::CudaMode::Time, "time",
                          "as cupti, and the time of kernels, copies, memsets "
                          "and graphs on the devices"),
               clEnumValN(wire::CudaMode::Off, "off", "nothing")),
    cl::init(wire::CudaMode::Cupti), cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<std::string>
    Step("step",
         cl::desc("Only ranges whose name matches REGEX end steps "
                  "(record_function, NVTX, memkit.scope, optimizers)"),
         cl::value_desc("REGEX"), cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<bool> PythonObjects(
    "python-objects",
    cl::desc("Also record blocks of Python's own allocators: heap "
             "python.object"),
    cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<bool> NoPrivate(
    "no-private",
    cl::desc("Do not record the blocks of allocators that are built into "
             "libraries and programs: heaps private.*"),
    cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<std::string>
    MinSize("min-size", cl::desc("Do not record allocations below SIZE"),
            cl::value_desc("SIZE"), cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string> Sample(
    "sample",
    cl::desc("Sample malloc: one byte in SIZE on average (512K is a good "
             "choice); stats of host.malloc become estimates"),
    cl::value_desc("SIZE"), cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string> SampleInterval(
    "sample-interval",
    cl::desc("Interval between samples of resident memory; 0: never "
             "(default: 100ms)"),
    cl::value_desc("TIME"), cl::init("100ms"),
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string> DeviceInterval(
    "device-interval",
    cl::desc("Interval between samples of the used memory of devices; 0: never "
             "(default: 100ms)"),
    cl::value_desc("TIME"), cl::init("100ms"),
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::list<std::string> ResidentAt(
    "resident-at",
    cl::desc("Also find out what the resident memory consists of when these "
             "steps start, or when a process exits (end)"),
    cl::value_desc("end|step:N,..."), cl::CommaSeparated,
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<bool> MallocInfo(
    "malloc-info",
    cl::desc("Ask the allocator of each process at its normal exit what it "
             "holds (malloc_info of glibc; jemalloc, tcmalloc, mimalloc)"),
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::list<std::string> Heaps(
    "heap",
    cl::desc("Record only these heaps: host.malloc, host.mmap, "
             "host.reserved, host.touched, host.file, host.device, host.stack, "
             "host.brk, python.object, torch.*, tf.*, jax.*, nvtx.*, "
             "cuda*"),
    cl::value_desc("GLOB,..."), cl::CommaSeparated,
    cl::cat(helpGroup(HelpGroup::Record)));
static cl::list<std::string> Alert(
    "alert",
    cl::desc("Say when a condition holds: host:live>2GiB, rss>80%, "
             "cuda:0:used>90%, growth>1MiB/min, lost, oom; may be repeated"),
    cl::value_desc("CONDITION"), cl::cat(toolCategory()));
static cl::list<std::string>
    OnAlert("on-alert",
            cl::desc("What an alert does, too: snapshot, stop (the recording), "
                     "holders (see --holders), signal:TERM (to the program), "
                     "exec:COMMAND; may be repeated"),
            cl::value_desc("ACTION"), cl::cat(toolCategory()));
static cl::list<std::string> Holders(
    "holders",
    cl::desc("Find the names of Python that hold memory: at the end, when "
             "memory is refused (oom), or when a condition of --alert holds; "
             "may be repeated"),
    cl::value_desc("end|oom|CONDITION"), cl::cat(toolCategory()));
static cl::opt<bool>
    SaysKilled("say-killed",
               cl::desc("Also with -q: say by which signal the program was "
                        "killed"),
               cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<WantedBundle> Bundle(
    "bundle", cl::ValueOptional, cl::init(WantedBundle::None),
    cl::desc("At the end, also write one file to send: the trace, memstat's "
             "page, the machine, versions, warnings"),
    cl::values(clEnumValN(WantedBundle::Plain, "", ""),
               clEnumValN(WantedBundle::Plain, "plain", "these (the default)"),
               clEnumValN(WantedBundle::Environment, "environment",
                          "also the values of variables that change how "
                          "memory is allocated")),
    cl::cat(toolCategory()));
static cl::opt<bool>
    NoFollow("no-follow", cl::desc("Do not record programs started by exec"),
             cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<bool> NoWait(
    "no-wait",
    cl::desc("End when the program ends, even if its children still run"),
    cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool> NoSymbols(
    "no-symbols",
    cl::desc("Do not resolve symbols; memdump --symbolize adds them later"),
    cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<KeptSources>
    Source("source",
           cl::desc("The text of the program's own source in the trace:"),
           cl::values(clEnumValN(KeptSources::Lines, "lines",
                                 "lines that allocate (default)"),
                      clEnumValN(KeptSources::Functions, "functions",
                                 "the functions around these lines"),
                      clEnumValN(KeptSources::None, "none", "nothing")),
           cl::init(KeptSources::Lines), cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<bool> NoSource("no-source", cl::desc("As --source=none"),
                              cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<std::string> Config(
    "config",
    cl::desc("Read options from FILE, one a line; MEMREC_OPTIONS and the "
             "command line override them"),
    cl::value_desc("FILE"), cl::cat(toolCategory()));
static cl::opt<std::string> Library("library",
                                    cl::desc("The capture library to preload"),
                                    cl::value_desc("FILE"),
                                    cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool>
    Check("check", cl::desc("Report what can be recorded here, or why not"),
          cl::cat(toolCategory()));

// collectArguments() takes the command before options are parsed; declared here
// for --help.
static cl::list<std::string> Command(cl::Positional,
                                     cl::desc("[--] program [arguments]"),
                                     cl::cat(toolCategory()));

bool memkit::wantsCheck() { return Check; }
bool memkit::saysKilled() { return SaysKilled; }
WantedBundle memkit::wantedBundle() { return Bundle; }

/// libmemrec.so lies at a path relative to this program: that of an
/// installation, with or without a multiarch folder.
std::string memkit::findLibrary(const char *Argv0) {
  if (!Library.empty()) {
    SmallString<128> Path(Library);
    // Without a current folder the path stays as given.
    if (sys::fs::make_absolute(Path))
      return Library;
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

bool memkit::wantsCuda() { return Cuda.getNumOccurrences() != 0; }

std::string memkit::findCudaLibrary(StringRef Library) {
  SmallString<128> Path(sys::path::parent_path(Library));
  sys::path::append(Path, "libmemrec-cuda.so");
  return sys::fs::exists(Path) ? std::string(Path) : std::string();
}

std::string memkit::findPythonFolder(const char *Argv0) {
  SmallString<128> Folder(
      sys::path::parent_path(sys::path::parent_path(sys::fs::getMainExecutable(
          Argv0, reinterpret_cast<void *>(&findPythonFolder)))));
  sys::path::append(Folder, "share/memkit/python");
  SmallString<128> Package(Folder);
  sys::path::append(Package, "memkit/__init__.py");
  return sys::fs::exists(Package) ? std::string(Folder) : std::string();
}

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

/// Sets To to the size that option Name gives; leaves To unchanged without the
/// option.
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
  // For tests, whose samples must be reproducible.
  if (const char *Seed = getenv("MEMREC_SAMPLE_SEED"))
    O.SampleSeed = strtoull(Seed, nullptr, 10);
  return Error::success();
}

static Error parseKeep(RecordOptions &O) {
  OutputPolicy &To = O.OnOldFile;
  To.Force = Force;
  if (Keep > OutputPolicy::MaxKeep)
    return makeUsageError("--keep=" + std::to_string(Keep) +
                          ": should be 0 to " +
                          std::to_string(OutputPolicy::MaxKeep));
  To.Keep = Keep;
  if (KeepBytes.empty())
    return Error::success();
  if (Error E = parseSizeOption("keep-bytes", KeepBytes, To.KeepBytes))
    return E;
  if (!To.KeepBytes)
    return makeUsageError("--keep-bytes=0: --keep=0 keeps no old trace");
  if (!Keep.getNumOccurrences())
    To.Keep = OutputPolicy::MaxKeep;
  return Error::success();
}

static Error parseStep(RecordOptions &O) {
  std::string Why;
  if (Step.getNumOccurrences() && Step.empty())
    return makeUsageError("--step= needs a regular expression");
  if (!Step.empty() && !Regex(Step).isValid(Why))
    return makeUsageError("--step=" + Step + ": " + Why);
  O.StepRange = Step;
  return Error::success();
}

/// A condition is an alert whose action is the search.
static Error parseHolders(RecordOptions &O) {
  for (StringRef Text : Holders) {
    if (Text == "end") {
      O.Holders |= wire::HW_End;
      continue;
    }
    if (Text == "oom") {
      O.Holders |= wire::HW_Oom;
      continue;
    }
    Expected<AlertRule> R = parseAlert(Text);
    if (!R)
      return makeUsageError("--holders: neither end, nor oom, nor an alert: " +
                            toString(R.takeError()));
    O.Alerts.push_back(std::move(*R));
    if (!(O.Holders & wire::HW_Asked))
      O.OnAlert.push_back({AlertAction::ActionKind::Holders, 0, {}});
    O.Holders |= wire::HW_Asked;
  }
  return Error::success();
}

static Error parseAlerts(RecordOptions &O) {
  if (Error E = parseHolders(O))
    return E;
  for (StringRef Text : Alert) {
    Expected<AlertRule> R = parseAlert(Text);
    if (!R)
      return makeUsageError("--alert: " + toString(R.takeError()));
    O.Alerts.push_back(std::move(*R));
  }
  for (StringRef Text : OnAlert) {
    Expected<AlertAction> A = parseAlertAction(Text);
    if (!A)
      return makeUsageError("--on-alert: " + toString(A.takeError()));
    if (A->Kind == AlertAction::ActionKind::Holders)
      O.Holders |= wire::HW_Asked;
    O.OnAlert.push_back(std::move(*A));
  }
  if (Output == "-" && isatty(STDOUT_FILENO))
    return makeUsageError(
        "not writing a trace to a terminal; use -o FILE or a pipe");
  if (Bundle != WantedBundle::None && Output == "-")
    return makeUsageError("--bundle needs a trace in a file, not -o -");
  if (wantsRun() && Output == "-")
    return makeUsageError("--run needs a trace in a file, not -o -");
  if (!O.OnAlert.empty() && O.Alerts.empty())
    return makeUsageError("--on-alert needs --alert=CONDITION");
  return Error::success();
}

static Error parseInterval(const cl::opt<std::string> &Given, uint64_t MinMs,
                           uint64_t &To) {
  constexpr uint64_t NsPerMs = 1000000, Max = 3600 * 1000 * NsPerMs;
  std::string Text = ("--" + Given.ArgStr + "=" + Given).str();
  Expected<uint64_t> Ns = parseTime(Given);
  if (!Ns)
    return joinErrors(makeUsageError(Text), Ns.takeError());
  if (*Ns && (*Ns < MinMs * NsPerMs || *Ns > Max))
    return makeUsageError(Text + ": should be " + Twine(MinMs) +
                          "ms to 1h, or 0");
  To = *Ns;
  return Error::success();
}

static Error parseIntervals(RecordOptions &O) {
  if (Error E = parseInterval(SampleInterval, 1, O.SampleIntervalNs))
    return E;
  // The clock of these samples has steps of 4 ms.
  return parseInterval(DeviceInterval, 10, O.DeviceIntervalNs);
}

static Error parseResidentAt(RecordOptions &O) {
  for (StringRef Text : ResidentAt) {
    StringRef Number = Text;
    uint64_t Step = 0;
    if (Text == "end")
      O.ResidentAtEnd = true;
    else if (Number.consume_front("step:") && !Number.getAsInteger(10, Step) &&
             Step)
      O.ResidentSteps.push_back(Step);
    else
      return makeUsageError("--resident-at=" + Text +
                            ": should be end or step:N");
  }
  llvm::sort(O.ResidentSteps);
  O.MallocInfo = MallocInfo;
  // So that both figures are of one time point.
  O.ResidentAtEnd |= MallocInfo && O.SampleIntervalNs;
  if (!ResidentAt.empty() && !O.SampleIntervalNs)
    return makeUsageError("--resident-at needs samples, not "
                          "--sample-interval=0");
  return Error::success();
}

static const char *stacksName(uint32_t Bits) {
  static constexpr const char *Names[] = {"none", "native", "python", "mixed"};
  return Names[Bits];
}

/// The options that shape the trace, for the trace's header.
static std::vector<std::string> describe(const RecordOptions &O) {
  std::vector<std::string> Text = {"on-full=" + OnFull,
                                   "max-depth=" + std::to_string(O.MaxDepth)};
  if (O.Stacks != wire::SB_Mixed)
    Text.push_back(std::string("stacks=") + stacksName(O.Stacks));
  if (O.PythonObjects)
    Text.push_back("python-objects=1");
  if (!O.PrivateAllocators)
    Text.push_back("private=0");
  if (O.MinSize)
    Text.push_back("min-size=" + std::to_string(O.MinSize));
  if (O.SampleBytes)
    Text.push_back("sample=" + std::to_string(O.SampleBytes));
  if (!O.Heaps.empty())
    Text.push_back("heap=" + join(O.Heaps, ","));
  if (SampleInterval.getNumOccurrences())
    Text.push_back("sample-interval=" + SampleInterval);
  if (DeviceInterval.getNumOccurrences())
    Text.push_back("device-interval=" + DeviceInterval);
  if (!ResidentAt.empty())
    Text.push_back("resident-at=" + join(ResidentAt, ","));
  if (O.MallocInfo)
    Text.push_back("malloc-info=1");
  if (O.Torch != wire::TB_All)
    Text.push_back(O.Torch == wire::TB_None    ? "torch=none"
                   : O.Torch == wire::TB_Heaps ? "torch=heaps"
                                               : "torch=shapes");
  if (O.Cuda != wire::CudaMode::Cupti)
    Text.push_back(O.Cuda == wire::CudaMode::Off    ? "cuda=off"
                   : O.Cuda == wire::CudaMode::Time ? "cuda=time"
                                                    : "cuda=interpose");
  if (!O.StepRange.empty())
    Text.push_back("step=" + O.StepRange);
  for (const AlertRule &R : O.Alerts)
    Text.push_back("alert=" + R.C.Text);
  if (!Holders.empty())
    Text.push_back("holders=" + join(Holders, ","));
  if (!O.Follow)
    Text.push_back("no-follow=1");
  if (!O.Symbols)
    Text.push_back("no-symbols=1");
  if (O.Symbols)
    Text.push_back(O.Sources == KeptSources::None    ? "source=none"
                   : O.Sources == KeptSources::Lines ? "source=lines"
                                                     : "source=functions");
  return Text;
}

Expected<RecordOptions> memkit::recordOptions() {
  RecordOptions O;
  if (Error E = parseOnFull(O))
    return std::move(E);
  if (Error E = parseSizes(O))
    return std::move(E);
  if (Error E = parseIntervals(O))
    return std::move(E);
  if (Error E = parseResidentAt(O))
    return std::move(E);
  if (Error E = parseStep(O))
    return std::move(E);
  if (Error E = parseKeep(O))
    return std::move(E);
  if (Error E = parseAlerts(O))
    return std::move(E);
  O.PythonObjects = PythonObjects;
  O.PrivateAllocators = !NoPrivate;
  O.Torch = Torch;
  O.Cuda = Cuda;
  // In a sampled heap the block that encloses a Python object is often unknown.
  if (O.PythonObjects && O.SampleBytes)
    return makeUsageError("--python-objects cannot be combined with --sample");
  O.Heaps.assign(Heaps.begin(), Heaps.end());
  O.Output = Output;
  O.MaxDepth = MaxDepth;
  O.Stacks = Stacks;
  O.Follow = !NoFollow;
  O.WaitForAll = !NoWait;
  O.Symbols = !NoSymbols;
  O.Sources = NoSource ? KeptSources::None : Source;
  O.Options = describe(O);
  if (Error E = takeBounds(O))
    return std::move(E);
  return O;
}
