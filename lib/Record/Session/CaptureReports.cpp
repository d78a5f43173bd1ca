// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what memrec records of Python, PyTorch, TensorFlow and CUDA.

#include "Session/CaptureReports.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/syscall.h>

using namespace llvm;
using namespace memkit;
using wire::PythonState;

void CaptureReports::report(ChildProcess &P) {
  reportCuda(P);
  reportTorchCuda(P);
  reportTorch(P);
  reportJax(P);
  reportTensorFlow(P);
  reportPython(P);
  notePython(P);
  noteAllocator(P);
  reportSandbox(P);
}

/// Who a message is about: `process 12 (train.py): `.
static std::string subjectOf(const ChildProcess &P) {
  return "process " + std::to_string(P.Pid) +
         (P.Role.empty() ? "" : " (" + P.Role + ")") + ": ";
}

/// `3.11.4`, from PY_VERSION_HEX.
static std::string pythonVersion(uint32_t Hex) {
  return std::to_string(Hex >> 24) + "." + std::to_string(Hex >> 16 & 255) +
         "." + std::to_string(Hex >> 8 & 255);
}

static std::string versionName(uint32_t Hex) {
  return Hex ? "Python " + pythonVersion(Hex) : "Python";
}

static const char *whyNotWalked(PythonState S) {
  switch (S) {
  case PythonState::UnknownVersion:
    return "memkit does not know this version, and its structures differ from "
           "those of earlier ones";
  case PythonState::DebugBuild:
    return "a debug build";
  case PythonState::FreeThreaded:
    return "a free-threaded build";
  case PythonState::OtherLayout:
    return "its structures do not match its version";
  case PythonState::PyPy:
    return "only CPython's are";
  case PythonState::NoSymbols:
    return "expected symbols are missing";
  default:
    return nullptr;
  }
}

static const char *whyNotTracked(wire::CudaState S) {
  using wire::CudaState;
  switch (S) {
  case CudaState::NoTracker:
    return "its allocator does not report them";
  case CudaState::UnknownVersion:
    return "memkit does not know this version";
  case CudaState::OtherLayout:
    return "its allocator differs from its version's";
  case CudaState::OtherAllocator:
    return "its allocator was replaced by another";
  default:
    return nullptr;
  }
}

void CaptureReports::addAlert(const ChildProcess &P, StringRef What) {
  Mark M;
  M.Kind = MarkKind::Alert;
  M.Process = P.Process;
  M.TimeNs = R.lastNs();
  M.Name = R.Names.Names.string(What);
  R.addMark(std::move(M));
}

/// Reports, once in a run, what PyTorch's CUDA allocator records.
void CaptureReports::reportTorchCuda(ChildProcess &P) {
  if (TorchCudaReported)
    return;
  using wire::CudaState;
  auto State = CudaState(
      P.State->shared().control().TorchCuda.load(std::memory_order_acquire));
  TorchCudaReported = State != CudaState::None;
  std::string Who = subjectOf(P);
  std::string What = "PyTorch on CUDA: ";
  if (State == CudaState::Tracked)
    return O.Note(Who + What + "requests, streams and segments are recorded");
  if (State == CudaState::Pool)
    What += "it uses cudaMallocAsync: tensors are that heap's blocks, reserved "
            "memory is unknown";
  else if (const char *Why = whyNotTracked(State))
    What +=
        std::string("requests, streams and segments are not recorded: ") + Why;
  else
    return;
  O.Warn(Who + What);
  addAlert(P, What);
}

/// `: NAME` of the tool that uses CUPTI, as the program reports it, or empty.
static std::string rivalOf(const wire::Control &C) {
  std::string Name(C.CudaRival, strnlen(C.CudaRival, sizeof(C.CudaRival)));
  for (char &B : Name)
    B = isPrint(B) ? B : '?';
  return Name.empty() ? "" : ": " + Name;
}

static std::string howListened(wire::CudaCapture State,
                               const wire::Control &C) {
  using wire::CudaCapture;
  std::string Rival = rivalOf(C);
  switch (State) {
  case CudaCapture::NoCupti:
    return "no libcupti was found: neither loaded, nor in the loader's path, "
           "beside the CUDA runtime, in CUDA_HOME or /usr/local/cuda";
  case CudaCapture::CuptiTaken:
    return "another tool uses CUPTI" +
           (Rival.empty() ? " (nsys, ncu, a debugger, a profiler)" : Rival);
  case CudaCapture::CuptiFailed:
    return "CUPTI refused, error " + std::to_string(C.CuptiResult);
  case CudaCapture::NotInjected:
    return "the driver has loaded another tool" + Rival;
  case CudaCapture::NotWanted:
    return "the program looks up no driver function";
  default:
    return "";
  }
}

/// Reports how the CUDA driver is captured: once in a run, and again when a
/// process has a problem.
void CaptureReports::reportCuda(ChildProcess &P) {
  using wire::CudaCapture;
  const wire::Control &C = P.State->shared().control();
  auto State = CudaCapture(C.Cuda.load(std::memory_order_acquire));
  bool IsHeard =
      State == CudaCapture::Cupti || State == CudaCapture::Interposed;
  if (State == CudaCapture::None || CudaReported >= (IsHeard ? 1u : 2u))
    return;
  CudaReported = IsHeard ? 1 : 2;
  if (IsHeard)
    Uses.begin();
  std::string Who = subjectOf(P);
  std::string What = "CUDA: memory of the driver is ";
  if (State == CudaCapture::Cupti &&
      CudaCapture(C.CudaWhy) != CudaCapture::CuptiOlder)
    return O.Note(Who + What + "recorded through CUPTI");
  if (State == CudaCapture::Interposed) {
    What += "recorded where the program looks up driver functions";
    auto Why = CudaCapture(C.CudaWhy);
    if (std::string Of = howListened(Why, C);
        !Of.empty() && Why != CudaCapture::NotWanted)
      What += ": " + Of;
    return O.Note(Who + What);
  }
  if (State == CudaCapture::Cupti)
    What += "recorded by a CUPTI older than the driver: " +
            std::to_string(C.CuptiResult) + " unknown calls are not recorded";
  else
    What += "not recorded: " + howListened(State, C);
  O.Warn(Who + What);
  addAlert(P, What);
}

/// Reports whether the shapes of PyTorch's operators are recorded, if wanted.
void CaptureReports::reportShapes(ChildProcess &P) {
  auto State = wire::ShapesState(
      P.State->shared().control().TorchShapes.load(std::memory_order_acquire));
  if (State == wire::ShapesState::Recorded)
    return O.Note(subjectOf(P) +
                  "PyTorch: the shapes of operators' inputs are recorded");
  if (State != wire::ShapesState::UnknownLayout)
    return;
  std::string What = "PyTorch: the shapes of operators' inputs are not "
                     "recorded: memkit does not know this version";
  O.Warn(subjectOf(P) + What);
  addAlert(P, What);
}

/// Reports, once in a run, which PyTorch scopes are recorded.
void CaptureReports::reportTorch(ChildProcess &P) {
  if (TorchReported)
    return;
  auto State = wire::TorchState(
      P.State->shared().control().Torch.load(std::memory_order_acquire));
  TorchReported = State != wire::TorchState::None;
  if (TorchReported)
    reportShapes(P);
  std::string Who = subjectOf(P) + "PyTorch: ";
  if (State == wire::TorchState::Observed)
    O.Note(Who + "its operators and layers are recorded");
  else if (State == wire::TorchState::NoSequence)
    O.Warn(Who +
           "layers of the backward pass are not recorded: expected symbols are "
           "missing");
  else if (State == wire::TorchState::NoObserver)
    O.Warn(
        Who +
        "operators and layers are not recorded: expected symbols are missing");
}

/// Reports, once in a run, what is recorded of JAX.
void CaptureReports::reportJax(ChildProcess &P) {
  using wire::JaxState;
  auto State =
      JaxState(P.State->shared().control().Jax.load(std::memory_order_acquire));
  if (JaxReported || State == JaxState::None || State == JaxState::Searching)
    return;
  JaxReported = true;
  std::string Who = subjectOf(P), What = "JAX: ";
  switch (State) {
  case JaxState::Recorded:
    return O.Note(Who + What +
                  "its buffers and compiled programs are recorded");
  case JaxState::NoRunner:
    What +=
        "what a program allocates after its call, on another thread, is not "
        "assigned to the program: memkit does not know this version";
    break;
  case JaxState::NoCalls:
    What += "its compiled programs are not recorded: memkit does not know this "
            "version";
    break;
  case JaxState::UnknownVersion:
    What += "its buffers are blocks of malloc only: memkit does not know this "
            "version";
    break;
  case JaxState::NoSymbols:
    What += "its buffers are blocks of malloc only: its library has no symbol "
            "table";
    break;
  default:
    return;
  }
  O.Warn(Who + What);
  addAlert(P, What);
}

/// What is not recorded of TensorFlow, for the bits of what is missing.
static std::string missingOfTensorFlow(uint32_t Bits) {
  static constexpr std::pair<uint32_t, StringLiteral> Texts[] = {
      {wire::TF_NoTensors, "tensors"},
      {wire::TF_NoOperators, "operators and layers"},
      {wire::TF_NoTypes, "types of operators"},
      {wire::TF_NoFunctions, "calls of tf.function"},
      {wire::TF_NoSteps, "the callers of operators in other threads"},
      {wire::TF_NoPrograms, "programs of XLA"},
      {wire::TF_NoData, "data types"}};
  std::string Text;
  for (const auto &[Bit, Part] : Texts)
    if (Bits & Bit)
      Text += (Text.empty() ? "" : ", ") + Part.str();
  return Text;
}

/// `TensorFlow 2.21.0`; the program writes the version.
static std::string tensorFlowName(const wire::Control &C) {
  StringRef Version(C.TensorFlowVersion,
                    strnlen(C.TensorFlowVersion, sizeof(C.TensorFlowVersion)));
  Version = Version.take_while([](char B) { return isPrint(B) && B != ' '; });
  return ("TensorFlow" + (Version.empty() ? "" : " " + Version)).str();
}

/// Reports once in a run what is recorded of TensorFlow, and each missing part.
void CaptureReports::reportTensorFlow(ChildProcess &P) {
  const wire::Control &C = P.State->shared().control();
  uint32_t Bits = C.TensorFlow.load(std::memory_order_acquire);
  uint32_t New = Bits & ~TensorFlowReported;
  if (O.Torch == wire::TB_None || !(Bits & wire::TF_Seen) || !New)
    return;
  TensorFlowReported |= Bits;
  std::string Name = tensorFlowName(C);
  if (New & wire::TF_Seen && Name != "TensorFlow")
    addVersion(P.Process, "tensorflow=" + Name.substr(strlen("TensorFlow ")));
  if (New & wire::TF_Seen && !(Bits & wire::TF_NoTensors))
    O.Note(subjectOf(P) + Name +
           (Bits & wire::TF_NoOperators || O.Torch == wire::TB_Heaps
                ? ": its tensors are recorded"
                : ": its tensors, operators and layers are recorded"));
  std::string Missing = missingOfTensorFlow(New);
  if (Missing.empty())
    return;
  std::string What =
      Name + ": not recorded: " + Missing + ": expected symbols are missing";
  O.Warn(subjectOf(P) + What);
  addAlert(P, What);
}

/// Why the program's sandbox ends the recording; empty: not known.
static std::string sandboxText(uint32_t Why) {
  if (Why == wire::StrictSandbox)
    return "seccomp's strict mode";
  if (Why == wire::NoClockSandbox)
    return "no clock (PR_SET_TSC)";
  static constexpr std::pair<uint32_t, StringLiteral> Names[] = {
      {SYS_rt_sigprocmask, "rt_sigprocmask"},
      {SYS_nanosleep, "nanosleep"},
      {SYS_mmap, "mmap"},
      {SYS_munmap, "munmap"},
      {SYS_mremap, "mremap"},
      {SYS_madvise, "madvise"},
      {SYS_getpid, "getpid"},
      {SYS_gettid, "gettid"},
      {SYS_clock_gettime, "clock_gettime"},
  };
  for (auto [Number, Name] : Names)
    if (Why == Number + 1)
      return ("a seccomp filter that kills on " + Name).str();
  return "a seccomp filter";
}

/// Reports once that a process is recorded no more.
void CaptureReports::reportSandbox(ChildProcess &P) {
  uint32_t Why =
      P.State->shared().control().Sandbox.load(std::memory_order_acquire);
  if (!Why || P.SandboxReported)
    return;
  P.SandboxReported = true;
  std::string What =
      "it enters a sandbox, " + sandboxText(Why) + ": its recording ends here";
  O.Warn(subjectOf(P) + What);
  addAlert(P, What);
}

/// Reports, once for each version and result, what is recorded of Python.
void CaptureReports::reportPython(ChildProcess &P) {
  bool Frames = O.Stacks & wire::SB_Python;
  bool Objects = R.Wanted.wants(HostHeapKind::PythonObject);
  if (P.PythonReported || !(Frames || Objects))
    return;
  const wire::Control &C = P.State->shared().control();
  auto State = PythonState(C.Python.load(std::memory_order_acquire));
  if (State == PythonState::None)
    return;
  P.PythonReported = true;
  uint32_t Version = C.PythonVersion.load(std::memory_order_relaxed);
  // Report each kind once, and at most 17: the program writes these values, and
  // must not fill the screen.
  if (PythonsReported.size() > 16 ||
      !PythonsReported.insert({uint32_t(State), Version}).second)
    return;
  std::string Who =
      subjectOf(P) +
      (State == PythonState::PyPy ? "PyPy" : versionName(Version));
  if (Objects && C.Objects.load(std::memory_order_acquire) ==
                     uint32_t(wire::ObjectState::NoSymbols)) {
    O.Warn(Who + ": its objects are not recorded: " +
           whyNotWalked(PythonState::NoSymbols));
    Objects = false;
  }
  const char *What = !Objects ? "frames"
                     : Frames ? "frames and objects"
                              : "objects";
  if (State == PythonState::Walked)
    O.Note(Who + ": its " + What + " are recorded");
  else if (State == PythonState::Compared)
    O.Warn(Who + ": memkit does not know this version; its " + What +
           " are recorded, since they are where earlier versions have them");
  else if (const char *Why = whyNotWalked(State))
    O.Warn(Who + ": its own " + What + " are not recorded: " + Why);
}

void CaptureReports::addVersion(uint32_t Process, const std::string &Version) {
  Mark M;
  M.Kind = MarkKind::Version;
  M.Process = Process;
  M.TimeNs = R.lastNs();
  M.Name = R.Names.Names.string(Version);
  R.addMark(std::move(M));
}

void CaptureReports::notePython(ChildProcess &P) {
  const wire::Control &C = P.State->shared().control();
  uint32_t Python = C.PythonVersion.load(std::memory_order_relaxed);
  if (Python && !std::exchange(P.PythonNoted, true))
    addVersion(P.Process, "python=" + pythonVersion(Python));
}

/// `jemalloc 5.3.0`; the program writes the version.
static std::string allocatorName(wire::ServingKind Kind,
                                 const wire::AllocatorReport &Of) {
  static constexpr StringLiteral Names[] = {
      "", "glibc", "jemalloc", "tcmalloc", "mimalloc", "another allocator"};
  static_assert(std::size(Names) == wire::NumServingKinds);
  StringRef Version(Of.Version, strnlen(Of.Version, sizeof(Of.Version)));
  Version = Version.take_while([](char C) { return isPrint(C); }).trim();
  return (Names[size_t(Kind)] + (Version.empty() ? "" : " ") + Version).str();
}

/// The answer of the allocator to --malloc-info, once.
void CaptureReports::noteAllocator(ChildProcess &P) {
  const wire::AllocatorReport &Of = P.State->shared().control().Allocator;
  uint32_t Kind = Of.Kind.load(std::memory_order_acquire);
  if (!O.MallocInfo || !Kind || Kind >= wire::NumServingKinds ||
      std::exchange(P.AllocatorNoted, true))
    return;
  Mark M;
  M.Kind = MarkKind::Allocator;
  M.Process = P.Process;
  M.TimeNs = R.lastNs();
  M.Name = R.Names.Names.string(allocatorName(wire::ServingKind(Kind), Of));
  M.Values = {Of.All.InUse, Of.All.Free, Of.All.Apart, Of.All.Reserved};
  uint32_t Arenas = std::min(Of.NumArenas, wire::MaxArenaFigures);
  R.addMark(M);
  for (uint32_t I = 0; I != Arenas; ++I) {
    M.Id = I + 1;
    M.Values = {Of.Arenas[I].InUse, Of.Arenas[I].Free};
    R.addMark(M);
  }
  if (wire::ServingKind(Kind) == wire::ServingKind::Unknown)
    O.Warn("--malloc-info: " + subjectOf(P) +
           "the allocator does not say what it holds");
}

void CaptureReports::addVersions(
    const std::vector<SoftwareThread::FoundVersion> &Found) {
  for (const SoftwareThread::FoundVersion &F : Found)
    addVersion(F.Process, F.Text);
}
