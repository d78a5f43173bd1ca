// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of processes.

#include "Session/ProcessStarts.h"
#include "Session/PidFd.h"
#include "Session/ProcessTitle.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cerrno>

using namespace llvm;
using namespace memkit;

static ProcessSettings makeSettings(const RecordOptions &O,
                                    const Recording &R) {
  ProcessSettings Settings;
  Settings.Wait = O.WaitOnFull;
  Settings.WaitMs = O.WaitMs;
  Settings.MaxDepth = O.MaxDepth;
  Settings.Follow = O.Follow;
  Settings.MinSize = R.wanted().MinSize;
  Settings.Heaps = R.wanted().wireBits();
  Settings.SampleBytes = R.wanted().SampleBytes;
  Settings.SampleSeed = O.SampleSeed;
  Settings.Stacks = O.Stacks;
  Settings.PythonObjects = R.wanted().wants(HostHeapKind::PythonObject);
  Settings.PrivateAllocators = O.PrivateAllocators && R.wanted().Private;
  Settings.PythonFolder = O.PythonFolder;
  Settings.Torch = O.Torch;
  Settings.Holders = O.Holders;
  constexpr uint32_t LongestUs = 1'000'000;
  Settings.EndWaitUs = O.ResidentAtEnd ? LongestUs : 0;
  Settings.MallocInfo = O.MallocInfo;
  if (!R.wanted().Tensors)
    Settings.Torch &= ~uint32_t(wire::TB_Heaps);
  if (R.wanted().Cuda)
    Settings.Cuda = O.Cuda;
  constexpr uint64_t NsPerMs = 1'000'000;
  Settings.DeviceIntervalMs = uint32_t(O.DeviceIntervalNs / NsPerMs);
  return Settings;
}

ProcessStarts::ProcessStarts(const SessionParts &Of, SharedSources &Shared,
                             Greeter &Listener, ProcessExits &Exits,
                             const RecordingControl &Control, std::string Tag)
    : O(Of.O), R(Shared.R), Shared(Shared), Listener(Listener),
      Children(Of.Children), Program(Of.Program), Execs(Of.Execs), Exits(Exits),
      Roles(Of.Roles), Symbols(Of.Symbols), Control(Control),
      Tag(std::move(Tag)), Settings(makeSettings(O, R)),
      Stragglers(R, Listener, this->Tag) {}

void ProcessStarts::greet(bool Ready) {
  // An accept() that finds no connection costs more than the rest of a pass.
  if (!Ready && !Listener.hasPending())
    return;
  for (const Greeter::Client &G : Listener.accept())
    welcome(G);
}

/// The parent process of G, and how G started.
uint32_t ProcessStarts::parentOf(const Greeter::Client &G,
                                 ProcessOrigin &Origin) {
  auto IsProcess = [this](uint32_t Id) {
    return Id && R.stats().hasProcess(Id);
  };
  if (ChildProcess *Before = Children.findPid(G.Pid);
      Before && !G.Hello.ParentProcess) {
    Origin = ProcessOrigin::Exec;
    return Before->Process;
  }
  if (IsProcess(G.Hello.ParentProcess)) {
    Origin = ProcessOrigin::Fork;
    return G.Hello.ParentProcess;
  }
  if (G.Pid == Program.pid()) {
    Origin = ProcessOrigin::Start;
    return 0;
  }
  Origin = ProcessOrigin::Spawn;
  if (const PendingExec *E = Execs.find(G.Pid))
    return E->Process;
  ChildProcess *Parent = Children.findPid(procfs::parentPid(G.Pid));
  return Parent ? Parent->Process : 0;
}

/// Whether a process that is recorded already asks again, with no exec between:
/// for the guest of an emulator (qemu-user), or for another namespace of the
/// loader.
bool ProcessStarts::isSecondCopy(const Greeter::Client &G) {
  return !G.Hello.ParentProcess && Children.findPid(G.Pid) &&
         procfs::mapsMemfd(G.Pid, Tag);
}

/// The place that launchers have given the process with this environment.
static LaunchedPlace placeIn(StringRef Environment) {
  StringMap<StringRef> Values(64);
  for (StringRef Variable : split(Environment, '\0')) {
    auto [Name, Value] = Variable.split('=');
    Values.try_emplace(Name, Value);
  }
  return findPlace([&](StringRef Name) -> std::optional<std::string> {
    auto Found = Values.find(Name);
    if (Found == Values.end())
      return std::nullopt;
    return Found->second.str();
  });
}

/// What the recorder reads of a process that waits for its answer: the process
/// may be gone soon after.
struct ProcessStarts::StartFacts {
  std::string Exe, Arguments, Environment;
  std::vector<pid_t> Pids; ///< by namespace
  int PidFd = -1;
  bool IsGone = false; ///< killed and reaped, so no pidfd reports its end
};

ProcessStarts::StartFacts ProcessStarts::readFacts(pid_t Pid) {
  StartFacts F;
  F.Exe = procfs::exePath(Pid);
  F.Arguments = procfs::arguments(Pid);
  F.Environment = procfs::environment(Pid);
  F.PidFd = openPidFd(Pid);
  F.IsGone = F.PidFd < 0 && errno == ESRCH;
  F.Pids = procfs::namespacePids(Pid);
  return F;
}

void ProcessStarts::take(const StartFacts &Facts, pid_t Pid, ChildProcess &To) {
  To.Pid = Pid;
  To.PidFd = Facts.PidFd;
  To.Exe = Facts.Exe;
  To.Arguments = Facts.Arguments;
  To.InnerPid = Facts.Pids.back();
  To.SeesOurPids = Facts.Pids.size() == 1;
  if (!procfs::seesOurFiles(Pid))
    To.Root = "/proc/" + std::to_string(Pid) + "/root";
}

Expected<ChildProcess &> ProcessStarts::adoptProgram() {
  auto P = std::make_unique<ChildProcess>();
  ProcessRecord I;
  I.Pid = uint32_t(Program.pid());
  I.Origin = ProcessOrigin::Start;
  P->StartNs = I.StartNs = R.nowNs();
  StartFacts Facts = readFacts(Program.pid());
  Expected<std::unique_ptr<SharedProcess>> Memory =
      SharedProcess::create(R.names().numProcesses() + 1, Settings, Tag);
  if (!Memory)
    return Memory.takeError();
  take(Facts, Program.pid(), *P);
  describe(*P, I, Facts.Environment);
  ProgramAdded = true;
  return enter(std::move(P), I, std::move(*Memory));
}

/// Reads what is necessary, answers, and only then enters the process: the
/// process waits for the answer.
void ProcessStarts::welcome(const Greeter::Client &G) {
  if (isSecondCopy(G)) {
    Listener.answer(G, 0, -1, 0);
    return;
  }
  auto P = std::make_unique<ChildProcess>();
  ProcessRecord I;
  I.Pid = uint32_t(G.Pid);
  I.Parent = parentOf(G, I.Origin);
  P->StartNs = I.StartNs = R.nowNs();
  StartFacts Facts = readFacts(G.Pid);
  uint32_t Number = R.names().numProcesses() + 1;
  if (Symbols.isStarted()) {
    uint64_t NowNs = readClocks().RealtimeNs;
    P->PerfMap.emplace(G.Pid, Facts.Pids.back(), NowNs);
    Symbols.addSources(Number, G.Pid, NowNs);
  }
  Settings.Recording = Control.recordingBits();
  Expected<std::unique_ptr<SharedProcess>> Memory =
      SharedProcess::create(Number, Settings, Tag);
  if (Memory) {
    Listener.answer(G, Number, (*Memory)->fd(), (*Memory)->size());
  } else {
    std::string Why = toString(Memory.takeError());
    I.Recorded = false;
    I.WhyNot = R.names().Names.string(Why);
    O.Warn("process " + Twine(G.Pid) + " is not recorded: " + Why);
    Listener.answer(G, 0, -1, 0);
  }
  take(Facts, G.Pid, *P);
  describe(*P, I, Facts.Environment);
  // All records of the process before the exec are in its rings.
  if (I.Origin == ProcessOrigin::Exec)
    if (ChildProcess *Before = Children.findPid(G.Pid))
      Exits.setEnding(*Before, true);
  Execs.remove(G.Pid);
  ProgramAdded |= G.Pid == Program.pid();
  ChildProcess &Added =
      enter(std::move(P), I, Memory ? std::move(*Memory) : nullptr);
  if (Facts.IsGone && G.Pid != Program.pid())
    Exits.setEnding(Added, false);
}

/// Fills in the names of a process in its record.
void ProcessStarts::describe(ChildProcess &P, ProcessRecord &I,
                             StringRef Environment) {
  I.Exe = R.names().Names.string(P.Exe);
  std::vector<std::string> Command = wordsOf(P.Arguments);
  for (const std::string &Arg : Command)
    I.Command.push_back(R.names().Names.string(Arg));
  LaunchedPlace Place = placeIn(Environment);
  I.Place = Place.Place;
  I.Place.Job = R.names().Names.string(Place.Job);
  Roles.setFirst(P, I, Command);
  I.Role = R.names().Names.string(P.Role);
}

/// Adds a process that has been answered. Memory: null if the process is not
/// recorded.
ChildProcess &ProcessStarts::enter(std::unique_ptr<ChildProcess> P,
                                   const ProcessRecord &I,
                                   std::unique_ptr<SharedProcess> Memory) {
  P->Process = R.names().addProcess(I);
  P->Parent = I.Parent;
  P->IsForked = I.Origin == ProcessOrigin::Fork;
  // One interval later: the process has then started its own work.
  P->Samples.NextPssNs = I.StartNs + O.SampleIntervalNs;
  R.stats().beginProcess(P->Process, I.StartNs);
  if (Memory) {
    P->State = std::make_unique<ProcessState>(P->Process, P->Pid, P->IsForked,
                                              std::move(Memory), Shared);
    R.addProcess(P->State->log());
    if (O.Attach && O.CountsBefore && !P->IsForked)
      P->State->expectAdopted();
    if (Settings.Recording & wire::RB_SomeUnknown)
      P->State->expectUnknown();
    ++NumRecorded;
  }
  return Children.add(std::move(P));
}

void ProcessStarts::addUnrecorded(pid_t Pid, uint32_t Parent,
                                  ProcessOrigin Origin, const std::string &Exe,
                                  const std::string &Why, int WaitStatus) {
  auto P = std::make_unique<ChildProcess>();
  ProcessRecord I;
  I.Pid = uint32_t(Pid);
  I.Parent = Parent;
  I.Origin = Origin;
  I.StartNs = R.nowNs();
  I.Exe = R.names().Names.string(Exe);
  for (const std::string &Arg : Origin == ProcessOrigin::Start
                                    ? O.Command
                                    : wordsOf(procfs::arguments(Pid)))
    I.Command.push_back(R.names().Names.string(Arg));
  I.Recorded = false;
  I.WhyNot = R.names().Names.string(Why);
  P->Pid = Pid;
  P->PidFd = openPidFd(Pid);
  P->StartNs = I.StartNs;
  P->Process = R.names().addProcess(I);
  R.stats().beginProcess(P->Process, I.StartNs);
  ProgramAdded |= Pid == Program.pid();
  // Not to follow is the user's wish: no warning.
  if (Pid == Program.pid() || O.Follow)
    O.Warn(Twine(Exe.empty() ? "process " + std::to_string(Pid) : Exe) +
           " is not recorded: " + Why);
  ChildProcess &Ended = Children.add(std::move(P));
  if (WaitStatus >= 0) {
    Ended.Exit.WaitStatus = WaitStatus;
    Exits.setEnding(Ended, false);
    Exits.end(Ended);
  }
}

void ProcessStarts::addUnconnected() {
  for (const UnconnectedExec &U : Execs.takeUnconnected()) {
    const PendingExec &E = U.Exec;
    if (ChildProcess *Before = Children.findPid(E.Pid); Before && !E.Spawned)
      Exits.setEnding(*Before, true);
    addUnrecorded(E.Pid, E.Process,
                  E.Spawned ? ProcessOrigin::Spawn : ProcessOrigin::Exec, U.Exe,
                  U.Why, E.WaitStatus);
  }
}

void ProcessStarts::addProgram(const std::string &Why) {
  addUnrecorded(Program.pid(), 0, ProcessOrigin::Start, Program.exe(), Why);
}

void ProcessStarts::addEndedProgram() {
  // A program that ran before may end before memrec has attached, which says
  // so.
  if (Program.ended() && !ProgramAdded && !O.Attach)
    addProgram("it did not connect to the recorder");
}
