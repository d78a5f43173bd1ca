// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a program and records it.

#include "Recorder.h"
#include "Attach/AttachCheck.h"
#include "Attach/StoppedProcess.h"
#include "Attach/TargetThread.h"
#include "Launch/Launch.h"
#include "Launch/NoMemory.h"
#include "Output/MemorySink.h"
#include "Output/TraceOutput.h"
#include "Session/Session.h"
#include "Session/SignalPassing.h"
#include "Shared/MachineFacts.h"
#include "Shared/MemoryGroup.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "Support/RunEach.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

namespace {

/// Writes the trace to the output; remembers whether the reader has gone.
class OutputSink : public Sink {
public:
  explicit OutputSink(TraceOutput &Out) : Out(Out) {}
  Error write(StringRef Bytes) override {
    while (!Bytes.empty()) {
      ssize_t N = ::write(Out.fd(), Bytes.data(), Bytes.size());
      if (N < 0 && errno == EINTR)
        continue;
      if (N < 0 && errno == EAGAIN) {
        pollfd P{Out.fd(), POLLOUT, 0};
        poll(&P, 1, 1000);
        continue;
      }
      if (N < 0) {
        ReaderGone = errno == EPIPE;
        return createStringError(
            inconvertibleErrorCode(),
            (Out.isStdout() ? "standard output" : Out.name()) + ": " +
                strerror(errno));
      }
      Bytes = Bytes.drop_front(size_t(N));
    }
    return Error::success();
  }
  bool ReaderGone = false;

private:
  TraceOutput &Out;
};

/// A copy for tools that look at the recording; null: the output can be read.
Expected<std::unique_ptr<MemorySink>> copyFor(const TraceOutput &Out) {
  if (Out.isRegular())
    return nullptr;
  return MemorySink::create("memkit trace");
}

void onToggle(int) { ++TheRequests.Toggles; }
void onFlush(int) { ++TheRequests.Flushes; }

/// Takes requests to the recorder. Signals that the user ignores stay ignored.
void takeSignals() {
  auto Set = [](int Signal, void (*Handler)(int)) {
    struct sigaction Old, New{};
    sigaction(Signal, nullptr, &Old);
    if (Old.sa_handler == SIG_IGN && Handler != SIG_IGN)
      return;
    New.sa_handler = Handler;
    sigaction(Signal, &New, nullptr);
  };
  Set(SIGUSR1, onToggle);
  Set(SIGUSR2, onFlush);
  // A failed write is an error, and must not end the recorder.
  Set(SIGPIPE, SIG_IGN);
  Set(SIGXFSZ, SIG_IGN);
}

/// The recorder needs two descriptors for each process, and large shared
/// memory. The program keeps its own limits.
void raiseLimits() {
  for (auto Kind : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
    rlimit L;
    if (getrlimit(Kind, &L) == 0 && L.rlim_cur < L.rlim_max) {
      L.rlim_cur = L.rlim_max;
      setrlimit(Kind, &L);
    }
  }
}

/// Keeps closed standard streams closed for the program, but prevents files of
/// the recorder from getting their numbers.
void holdStandardStreams() {
  for (int Fd = 0; Fd != 3; ++Fd)
    if (fcntl(Fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != Fd)
      break;
}

std::string outputPattern(const RecordOptions &O, int32_t Rank) {
  if (!O.Output.empty())
    return O.Output;
  return Rank < 0 ? "trace.fb" : "trace.%r.fb";
}

Header makeHeader(const RecordOptions &O, const JobPlace &Place,
                  const TscClock &Clock) {
  Header H;
  H.Tool = "memrec " MEMKIT_VERSION;
  H.Command = O.Command;
  H.Host = procfs::hostName();
  H.BootId = procfs::bootId();
  H.Os = procfs::osName();
  H.Pid = uint32_t(getpid());
  H.Rank = Place.Rank;
  H.WorldSize = Place.WorldSize;
  H.Options = O.Options;
  H.Start = Clock.start();
  H.TscHz = Clock.hz();
  H.PageSize = uint32_t(sysconf(_SC_PAGESIZE));
  H.Cpus = uint32_t(sysconf(_SC_NPROCESSORS_ONLN));
  H.Machine = machineFacts();
  return H;
}

/// The libraries that a program loads; empty: none.
struct CaptureLibraries {
  std::string Capture, Cuda;
};

Expected<CaptureLibraries> findLibraries(Greeter &Listener,
                                         const RecordOptions &O) {
  Expected<std::string> Capture = Listener.preloadable(O.Library);
  if (!Capture)
    return Capture.takeError();
  if (O.Cuda == wire::CudaMode::Off || O.CudaLibrary.empty())
    return CaptureLibraries{*Capture, ""};
  Expected<std::string> Cuda = Listener.preloadable(O.CudaLibrary);
  if (!Cuda)
    return Cuda.takeError();
  return CaptureLibraries{*Capture, *Cuda};
}

Launch::Plan makePlan(const RecordOptions &O, const std::string &Path,
                      const std::string &Socket, const CaptureLibraries &Ours,
                      bool Stdout) {
  Launch::Plan P;
  P.Path = Path;
  P.Command = O.Command;
  P.StdoutToStderr = Stdout;
  if (Ours.Capture.empty())
    return P;
  std::string Preload = Ours.Capture;
  if (std::optional<std::string> Users = getProcessEnv("LD_PRELOAD");
      Users && !Users->empty())
    Preload += ":" + *Users;
  P.Variables = {{"LD_PRELOAD", Preload},
                 {wire::SocketVar, Socket},
                 {wire::PreloadVar, Ours.Capture}};
  std::optional<std::string> Nvtx = getProcessEnv(wire::NvtxVar);
  if (!Nvtx || Nvtx->empty() || *Nvtx == O.Library)
    P.Variables.emplace_back(wire::NvtxVar, Ours.Capture);
  else if (*Nvtx != Ours.Capture)
    O.Warn(Twine(wire::NvtxVar) + " is already set to " + *Nvtx +
           ": NVTX ranges are not recorded");
  if (Ours.Cuda.empty())
    return P;
  std::optional<std::string> Cuda = getProcessEnv(wire::CudaVar);
  if (!Cuda || Cuda->empty() || *Cuda == O.CudaLibrary)
    P.Variables.emplace_back(wire::CudaVar, Ours.Cuda);
  else if (*Cuda != Ours.Cuda)
    O.Warn(Twine(wire::CudaVar) + " is already set to " + *Cuda +
           ": CUDA's driver is recorded only where programs look up its "
           "functions");
  return P;
}

/// Sets which events are written, and to where.
Error chooseEvents(Recording &R, const RecordOptions &O, TraceOutput &Out) {
  switch (O.Events) {
  case RecordEvents::All:
    R.setMaxBytes(O.BoundBytes);
    break;
  case RecordEvents::None:
    R.leaveOutEvents();
    break;
  case RecordEvents::Last:
    if (!Out.isRegular())
      return createStringError(inconvertibleErrorCode(),
                               Out.name() +
                                   ": --events=last needs an output file");
    Expected<std::unique_ptr<EventTail>> Tail =
        EventTail::create(sys::path::parent_path(Out.name()), O.BoundBytes);
    if (!Tail)
      return Tail.takeError();
    R.keepLast(std::move(*Tail));
  }
  return Error::success();
}

/// The result for a program that exec refused with Error.
RecordResult notRun(const std::string &Program, int Error) {
  RecordResult Result;
  Result.Status = Error == ENOENT ? 127 : 126;
  Result.NotRun = Program + ": " + strerror(Error);
  return Result;
}

/// A glob for heaps that the program did not use may be a mistake.
void warnOfHeaps(const RecordOptions &O, const Recording &R) {
  for (const std::string &Text : O.Heaps) {
    Expected<GlobPattern> Glob = GlobPattern::create(Text);
    if (!Glob) {
      consumeError(Glob.takeError());
      continue;
    }
    bool IsUsed = false;
    for (uint32_t Heap = 1; !IsUsed && R.stats().hasHeap(Heap); ++Heap)
      IsUsed = R.stats().heapStats(Heap).Allocations &&
               Glob->match(R.heaps().heapName(Heap));
    if (!IsUsed)
      O.Warn("--heap=" + Text + ": the program had no such memory");
  }
}

void fill(RecordResult &Result, Recording &R, const Session &S) {
  TotalStats Host = R.stats().spaceStats(0);
  Result.Bytes = R.bytes();
  Result.EventBytes = R.eventBytes();
  Result.EventsEndNs = R.eventsEndNs();
  Result.Events = R.stats().events();
  Result.Sampled = R.wanted().SampleBytes != 0;
  Result.LostEvents = R.losses();
  Result.LostDeviceWork = R.deviceLosses(LossKind::DeviceWork);
  Result.CutDeviceSpans = R.deviceLosses(LossKind::DeviceSpans);
  Result.PeakBytes = Host.PeakBytes;
  for (uint32_t Space = 1; Space < R.stats().numSpaces(); ++Space)
    if (uint64_t Peak = R.stats().spaceStats(Space).PeakBytes)
      Result.DevicePeaks.emplace_back(R.heaps().spaceName(Space), Peak);
  Result.LiveBytes = Host.LiveBytes;
  Result.LiveBlocks = Host.LiveBlocks;
  Result.Recorded = S.processesRecorded();
  rusage Used;
  if (getrusage(RUSAGE_THREAD, &Used) == 0)
    for (const timeval &T : {Used.ru_utime, Used.ru_stime})
      Result.CpuNs +=
          uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_usec) * 1000;
  Result.CpuNs += R.writeThreadNs();
  Result.LongestPauseNs = S.longestPauseNs();
  Result.Nameless = S.namelessBinary();
}

/// Whether a second thread of the recorder takes no processor from the program.
/// The variable MEMREC_WRITE_THREAD decides in place of the machine.
bool hasFreeProcessors() {
  constexpr size_t MinProcessors = 4;
  if (std::optional<std::string> Wanted = getProcessEnv("MEMREC_WRITE_THREAD"))
    return *Wanted != "0";
  return usableProcessors() >= MinProcessors;
}

/// Waits for a program that runs on unrecorded; returns its status, or 0 after
/// a second SIGTERM.
int waitAlone(pid_t Pid, SignalPassing &Signals) {
  constexpr useconds_t StepUs = 10000;
  int Status = 0;
  for (;;) {
    bool IsWaiting = Signals.isWaiting();
    pid_t Ended = waitpid(Pid, &Status, IsWaiting ? WNOHANG : 0);
    if (Ended == Pid)
      break;
    if (TheRequests.Stop || Signals.terminations() > 1 ||
        (Ended < 0 && errno != EINTR))
      return 0;
    Signals.pass(Pid);
    if (IsWaiting)
      usleep(StepUs);
  }
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

//===----------------------------------------------------------------------===//
// Parts of each recording
//===----------------------------------------------------------------------===//

Expected<HeapChoice> chooseHeaps(const RecordOptions &O) {
  Expected<HeapChoice> Wanted =
      HeapChoice::create(O.Heaps, O.MinSize, O.PythonObjects);
  if (Wanted)
    Wanted->SampleBytes = O.SampleBytes;
  return Wanted;
}

Expected<TraceOutput> openOutput(const RecordOptions &O, pid_t Pid,
                                 int32_t Rank) {
  NameFields Fields{uint32_t(Pid), procfs::hostName(), Rank,
                    std::time(nullptr)};
  Expected<std::string> Name =
      expandName(outputPattern(O, Rank), Fields, getProcessEnv);
  if (!Name)
    return Name.takeError();
  return TraceOutput::open(*Name, O.OnOldFile);
}

/// After Session::finish().
void sumUp(const RecordOptions &O, Recording &R, Session &S,
           RecordResult &Result) {
  if (!O.StepRange.empty() && !R.maxSteps())
    O.Warn("no range matching '" + O.StepRange +
           "' ended, so there are no steps");
  warnOfHeaps(O, R);
  S.warnOfTimePoints();
  fill(Result, R, S);
}

void closeOutput(Recording &R, TraceOutput &Out, const OutputSink &Sink,
                 RecordResult &Result) {
  Error E = R.takeError();
  if (Error Close = Out.close())
    E = joinErrors(std::move(E), std::move(Close));
  if (!E)
    return;
  Result.Lost = true;
  Result.ReaderGone = Sink.ReaderGone;
  Result.Why = toString(std::move(E));
}

//===----------------------------------------------------------------------===//
// A program that runs already
//===----------------------------------------------------------------------===//

/// These signals end the recording of a program that memrec has attached to;
/// the program goes on.
void takeEndSignals() {
  struct sigaction New{};
  New.sa_handler = [](int) {
    TheRequests.Stop = true;
    ++TheRequests.Interrupts;
  };
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction Old;
    if (sigaction(Signal, nullptr, &Old) == 0 && Old.sa_handler != SIG_IGN)
      sigaction(Signal, &New, nullptr);
  }
}

/// Why the process could not be attached to.
Error refusal(pid_t Pid, const std::string &Why) {
  return createStringError(inconvertibleErrorCode(),
                           "process " + processText(Pid) + " " + Why);
}

/// Takes the user and the groups of the process: root never parses another
/// user's memory and files.
Error becomeUserOf(pid_t Pid, Greeter &Listener) {
  TargetOwner Owner = ownerOf(Pid);
  if (Owner.User == ~0u || Owner.Group == ~0u)
    return refusal(Pid, "has ended");
  if (geteuid() != 0 || Owner.User == 0)
    return Error::success();
  if (Error E = Listener.giveTo(Owner.User, Owner.Group))
    return E;
  if (setgroups(1, &Owner.Group) != 0 ||
      setresgid(Owner.Group, Owner.Group, Owner.Group) != 0 ||
      setresuid(Owner.User, Owner.User, Owner.User) != 0)
    return createStringError(inconvertibleErrorCode(),
                             "cannot take the program's user: %s",
                             strerror(errno));
  // A process that changes its user may otherwise not read its own /proc.
  prctl(PR_SET_DUMPABLE, 1);
  return Error::success();
}

/// Opened with the rights of memrec's start; none: no census is wanted, or the
/// process has gone.
std::optional<TargetMemory> memoryForCensus(const RecordOptions &O) {
  if (!O.CountsBefore)
    return std::nullopt;
  Expected<TargetMemory> Memory = TargetMemory::open(O.Attach);
  if (Memory) {
    Memory->stopAt(TheRequests.Stop);
    return std::move(*Memory);
  }
  consumeError(Memory.takeError());
  return std::nullopt;
}

Expected<RecordResult> recordRunning(const RecordOptions &O) {
  if (Error E = checkTarget(O.Attach, O.PrivateAllocators))
    return std::move(E);
  Expected<HeapChoice> Wanted = chooseHeaps(O);
  if (!Wanted)
    return Wanted.takeError();
  std::string Root = procfs::seesOurFiles(O.Attach)
                         ? std::string()
                         : "/proc/" + std::to_string(O.Attach) + "/root";
  Expected<std::unique_ptr<Greeter>> Listener =
      Greeter::create(ownerOf(O.Attach).User != geteuid(), Root);
  if (!Listener && !Root.empty())
    return refusal(O.Attach,
                   "has no folder where memrec may put its library: " +
                       toString(Listener.takeError()));
  if (!Listener)
    return Listener.takeError();
  Expected<std::string> Library = (*Listener)->preloadable(O.Library);
  if (!Library)
    return Library.takeError();
  Expected<std::unique_ptr<AttachProcess>> By =
      AttachProcess::start(*Library, O.PrivateAllocators);
  if (!By)
    return By.takeError();
  takeSignals();
  takeEndSignals();
  raiseLimits();
  Expected<TraceOutput> Out = openOutput(O, O.Attach, /*Rank=*/-1);
  if (!Out)
    return Out.takeError();
  OutputSink Sink(*Out);
  Expected<std::unique_ptr<MemorySink>> Copy = copyFor(*Out);
  if (!Copy)
    return Copy.takeError();
  std::optional<TargetMemory> Memory = memoryForCensus(O);
  if (Error E = becomeUserOf(O.Attach, **Listener))
    return std::move(E);
  TscClock Clock = TscClock::calibrated();
  Expected<std::unique_ptr<Recording>> R = Recording::create(
      Sink, makeHeader(O, JobPlace(), Clock), Clock, *Wanted, Copy->get());
  if (!R)
    return R.takeError();
  if (Error E = chooseEvents(**R, O, *Out))
    return std::move(E);
  if (hasFreeProcessors())
    (*R)->writeByThread();
  if (!O.StepRange.empty())
    (*R)->setStepRange(O.StepRange);
  RecordResult Result;
  Result.Output = Out->name();
  Session S(O, **R, **Listener, "memkit." + std::to_string(getpid()),
            Out->name());
  S.setProgram(O.Attach, procfs::exePath(O.Attach), "");
  S.attachBy(**By, std::move(Memory));
  if (Error E = S.openDoor(*Copy ? (*Copy)->fd() : Out->fd()))
    O.Warn("tools cannot look at this recording while it runs: " +
           toString(std::move(E)));
  S.run();
  By->reset();
  S.finish();
  const AttachControl &Attaching = S.attaching();
  if (!Attaching.hasMain()) {
    consumeError((*R)->takeError());
    Out->remove();
    return refusal(O.Attach, Attaching.problem().empty()
                                 ? "has ended, or memrec was interrupted"
                                 : Attaching.problem());
  }
  if (!Attaching.problem().empty())
    O.Warn("process " + processText(O.Attach) + " " + Attaching.problem() +
           "; what stays of memkit in it records nothing, and goes when memrec "
           "-p attaches and detaches again");
  for (const std::string &Why : Attaching.refusals())
    O.Warn(Why);
  sumUp(O, **R, S, Result);
  closeOutput(**R, *Out, Sink, Result);
  Result.Detached = !S.programEnded();
  Result.DetachResult = Attaching.detached();
  // In a container the library is a copy, which only an exec looks for again.
  if (Result.Detached && (Root.empty() || (*R)->names().numProcesses() > 1))
    (*Listener)->keepLibraries();
  return Result;
}

//===----------------------------------------------------------------------===//
// A picture of a program that runs already
//===----------------------------------------------------------------------===//

/// The words that may be addresses in the registers of all threads.
std::vector<uint64_t> registersOf(const StoppedProcess &Of) {
  std::vector<uint64_t> Out;
  for (const std::unique_ptr<TargetThread> &T : Of.threads())
    if (TargetRegisters R; T->get(R))
      Out.insert(Out.end(),
                 {R.rax, R.rbx, R.rcx, R.rdx, R.rsi, R.rdi, R.rbp, R.r8, R.r9,
                  R.r10, R.r11, R.r12, R.r13, R.r14, R.r15});
  return Out;
}

/// Becomes the user of the process, and reads what lives in it.
Expected<Census> countAll(const RecordOptions &O, const TargetMemory &Memory,
                          Greeter &Listener) {
  std::optional<StoppedProcess> Stopped;
  std::optional<std::vector<uint64_t>> Registers;
  if (O.CensusStops) {
    Expected<StoppedProcess> P = StoppedProcess::stop(O.Attach);
    if (!P)
      return refusal(O.Attach, toString(P.takeError()));
    Stopped.emplace(std::move(*P));
    Registers = registersOf(*Stopped);
  }
  if (Error E = becomeUserOf(O.Attach, Listener))
    return std::move(E);
  Expected<Census> C = takeCensus(Memory, std::move(Registers));
  if (!C) {
    std::string Why = toString(C.takeError());
    if (TheRequests.Stop)
      return createStringError(inconvertibleErrorCode(), "interrupted");
    return refusal(O.Attach, Why);
  }
  C->IsAll = true;
  if (Stopped)
    C->StoodNs = Stopped->standsNs();
  return C;
}

Expected<RecordResult> recordCensus(const RecordOptions &O) {
  if (Error E = checkReadable(O.Attach))
    return std::move(E);
  Expected<HeapChoice> Wanted = chooseHeaps(O);
  if (!Wanted)
    return Wanted.takeError();
  Expected<std::unique_ptr<Greeter>> Listener =
      Greeter::create(ownerOf(O.Attach).User != geteuid());
  if (!Listener)
    return Listener.takeError();
  Expected<TargetMemory> Memory = TargetMemory::open(O.Attach);
  if (!Memory)
    return refusal(O.Attach, toString(Memory.takeError()));
  Memory->stopAt(TheRequests.Stop);
  takeSignals();
  takeEndSignals();
  raiseLimits();
  Expected<TraceOutput> Out = openOutput(O, O.Attach, /*Rank=*/-1);
  if (!Out)
    return Out.takeError();
  OutputSink Sink(*Out);
  TscClock Clock = TscClock::calibrated();
  Expected<Census> C = countAll(O, *Memory, **Listener);
  if (!C) {
    Out->remove();
    return C.takeError();
  }
  Header H = makeHeader(O, JobPlace(), Clock);
  H.Imported = {"format=census", "lacks=frees", "lacks=requests"};
  Expected<std::unique_ptr<Recording>> R =
      Recording::create(Sink, H, Clock, *Wanted, nullptr);
  if (!R)
    return R.takeError();
  RecordResult Result;
  Result.Output = Out->name();
  Session S(O, **R, **Listener, "memkit." + std::to_string(getpid()),
            Out->name());
  S.setProgram(O.Attach, procfs::exePath(O.Attach), "");
  if (Error E = S.takeCensus(*C))
    return std::move(E);
  S.finish();
  sumUp(O, **R, S, Result);
  closeOutput(**R, *Out, Sink, Result);
  Result.Detached = !S.programEnded();
  if (O.Counted)
    O.Counted(*C, O.Attach);
  return Result;
}

} // namespace

Expected<RecordResult> memkit::record(const RecordOptions &O) {
  holdStandardStreams();
  if (O.Attach)
    return O.CensusOnly ? recordCensus(O) : recordRunning(O);
  Expected<HeapChoice> Wanted = chooseHeaps(O);
  if (!Wanted)
    return Wanted.takeError();
  std::string Path;
  if (int Error = findProgram(O.Command[0], Path))
    return notRun(O.Command[0], Error);
  Expected<std::unique_ptr<Greeter>> Listener = Greeter::create();
  if (!Listener)
    return Listener.takeError();
  std::string WhyNot = whyNotPreloadable(Path);
  Expected<CaptureLibraries> Ours =
      WhyNot.empty() ? findLibraries(**Listener, O) : CaptureLibraries();
  if (!Ours)
    return Ours.takeError();
  Launch::Plan Plan =
      makePlan(O, Path, (*Listener)->path(), *Ours, O.Output == "-");
  // Nobody would remove its folder.
  Plan.BeforeAlone = [&] { Listener->reset(); };
  Expected<Launch> Child = Launch::create(Plan);
  if (!Child)
    return Child.takeError();

  takeSignals();
  SignalPassing Signals;
  Signals.start();
  raiseLimits();
  prepareForNoMemory();
  JobPlace Place = findPlace(getProcessEnv).Place;
  Expected<TraceOutput> Out = openOutput(O, Child->pid(), Place.Rank);
  if (!Out)
    return Out.takeError();
  OutputSink Sink(*Out);
  Expected<std::unique_ptr<MemorySink>> Copy = copyFor(*Out);
  if (!Copy)
    return Copy.takeError();
  TscClock Clock = TscClock::calibrated();
  Expected<std::unique_ptr<Recording>> R = Recording::create(
      Sink, makeHeader(O, Place, Clock), Clock, *Wanted, Copy->get());
  if (!R && !Sink.ReaderGone)
    return R.takeError();
  if (!R)
    Listener->reset(); // The program runs unrecorded.
  else if (Error E = chooseEvents(**R, O, *Out))
    return std::move(E);
  if (R && hasFreeProcessors())
    (*R)->writeByThread();
  if (R && !O.StepRange.empty())
    (*R)->setStepRange(O.StepRange);
  if (int Error = Child->go()) {
    Out->remove();
    waitAlone(Child->pid(), Signals);
    return notRun(O.Command[0], Error);
  }
  waitWithoutMemoryFor(Child->pid());
  if (R && O.Started)
    O.Started(Out->name());
  if (!R) {
    RecordResult Result;
    Result.Why = toString(R.takeError());
    Result.Lost = Result.ReaderGone = true;
    Result.Status = waitAlone(Child->pid(), Signals);
    return Result;
  }

  RecordResult Result;
  Result.Output = Out->name();
  MemoryGroup Group = MemoryGroup::own();
  uint64_t KillsBefore = Group.kills();
  Session S(O, **R, **Listener, "memkit." + std::to_string(getpid()),
            Out->name());
  S.setProgram(Child->pid(), Path, WhyNot);
  S.passSignals(Signals);
  if (Error E = S.openDoor(*Copy ? (*Copy)->fd() : Out->fd()))
    O.Warn("tools cannot look at this recording while it runs: " +
           toString(std::move(E)));
  S.run();
  S.finish();
  sumUp(O, **R, S, Result);
  Result.OomKills = std::max(Group.kills(), KillsBefore) - KillsBefore;
  Result.OomGroupLimit = Group.limit();
  Result.OomOnMachine = Group.isMachine();
  closeOutput(**R, *Out, Sink, Result);
  if (!S.programEnded() || !O.WaitForAll)
    (*Listener)->keepLibraries();
  Listener->reset();
  Result.Detached = !S.programEnded();
  Result.Signal = S.programSignal();
  if (S.programEnded())
    Result.Status = S.programStatus();
  else if (SignalPassing::terminations() < 2) {
    // The recording is over, but not the program: who started memrec waits for
    // the program, and wants its status.
    TheRequests.Stop = false;
    Result.Status = waitAlone(Child->pid(), Signals);
    Result.WentOn = true;
  }
  return Result;
}
