// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of child processes.

#include "Session/PidFd.h"
#include "Session/ProcessTitle.h"
#include "Session/Session.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

void Session::setProgram(pid_t Pid, const std::string &Exe,
                         std::string WhyNot) {
  Program.set(Pid, Exe);
  if (!WhyNot.empty())
    addUnrecorded(Pid, 0, ProcessOrigin::Start, Exe, WhyNot);
}

//===----------------------------------------------------------------------===//
// Start of processes
//===----------------------------------------------------------------------===//

void Session::greet() {
  // An accept() that finds no connection costs more than the rest of a pass.
  if (!ListenerRings && !Listener.hasPending())
    return;
  for (const Greeter::Client &G : Listener.accept())
    welcome(G);
}

/// The parent process of G, and how G started.
uint32_t Session::parentOf(const Greeter::Client &G, ProcessOrigin &Origin) {
  auto IsProcess = [this](uint32_t Id) { return Id && R.Stats.hasProcess(Id); };
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

void Session::welcome(const Greeter::Client &G) {
  auto P = std::make_unique<ChildProcess>();
  ProcessRecord I;
  I.Pid = uint32_t(G.Pid);
  I.Parent = parentOf(G, I.Origin);
  I.StartNs = R.nowNs();
  P->Exe = procfs::exePath(G.Pid);
  I.Exe = R.Names.Names.string(P->Exe);
  P->Arguments = procfs::arguments(G.Pid);
  std::vector<std::string> Command = wordsOf(P->Arguments);
  for (const std::string &Arg : Command)
    I.Command.push_back(R.Names.Names.string(Arg));
  Roles.setFirst(*P, I, Command);
  I.Role = R.Names.Names.string(P->Role);
  P->Pid = G.Pid;
  P->PidFd = openPidFd(G.Pid);
  bool IsGone = P->PidFd < 0 && errno == ESRCH;
  P->StartNs = I.StartNs;
  std::vector<pid_t> Pids = procfs::namespacePids(G.Pid);
  P->InnerPid = Pids.back();
  P->SeesOurPids = Pids.size() == 1;
  // Read now, while the process waits for its answer: the process may be gone
  // when the recorder first sees its code.
  if (Symbols.isStarted())
    P->PerfMap.emplace(G.Pid, P->InnerPid, readClocks().RealtimeNs);
  // All records of the process before the exec are in its rings.
  if (I.Origin == ProcessOrigin::Exec)
    if (ChildProcess *Before = Children.findPid(G.Pid))
      setEnding(*Before, true);
  Execs.remove(G.Pid);
  ProgramAdded |= G.Pid == Program.pid();
  Settings.Recording = Control.recordingBits();
  Expected<std::unique_ptr<SharedProcess>> Memory =
      SharedProcess::create(R.Names.numProcesses() + 1, Settings, Tag);
  if (!Memory) {
    std::string Why = toString(Memory.takeError());
    I.Recorded = false;
    I.WhyNot = R.Names.Names.string(Why);
    O.Warn("process " + Twine(G.Pid) + " is not recorded: " + Why);
  }
  P->Process = R.Names.addProcess(I);
  P->Parent = I.Parent;
  P->IsForked = I.Origin == ProcessOrigin::Fork;
  // One interval later: the process has then started its own work.
  P->NextPssNs = I.StartNs + O.SampleIntervalNs;
  R.Stats.beginProcess(P->Process, I.StartNs);
  if (Memory) {
    Listener.answer(G, P->Process, (*Memory)->fd(), (*Memory)->size());
    P->State = std::make_unique<ProcessState>(P->Process, G.Pid,
                                              I.Origin == ProcessOrigin::Fork,
                                              std::move(*Memory), Shared);
    R.addProcess(P->State->log());
    if (Settings.Recording & wire::RB_SomeUnknown)
      P->State->expectUnknown();
    ++NumRecorded;
  } else {
    Listener.answer(G, 0, -1, 0);
  }
  ChildProcess &Added = Children.add(std::move(P));
  // The process was killed and reaped meanwhile, so no pidfd reports its end.
  if (IsGone && G.Pid != Program.pid())
    setEnding(Added, false);
}

void Session::addUnrecorded(pid_t Pid, uint32_t Parent, ProcessOrigin Origin,
                            const std::string &Exe, const std::string &Why,
                            int WaitStatus) {
  auto P = std::make_unique<ChildProcess>();
  ProcessRecord I;
  I.Pid = uint32_t(Pid);
  I.Parent = Parent;
  I.Origin = Origin;
  I.StartNs = R.nowNs();
  I.Exe = R.Names.Names.string(Exe);
  for (const std::string &Arg : Origin == ProcessOrigin::Start
                                    ? O.Command
                                    : wordsOf(procfs::arguments(Pid)))
    I.Command.push_back(R.Names.Names.string(Arg));
  I.Recorded = false;
  I.WhyNot = R.Names.Names.string(Why);
  P->Pid = Pid;
  P->PidFd = openPidFd(Pid);
  P->StartNs = I.StartNs;
  P->Process = R.Names.addProcess(I);
  R.Stats.beginProcess(P->Process, I.StartNs);
  ProgramAdded |= Pid == Program.pid();
  // With --no-follow the user knows: no warning.
  if (Pid == Program.pid() || O.Follow)
    O.Warn(Twine(Exe.empty() ? "process " + std::to_string(Pid) : Exe) +
           " is not recorded: " + Why);
  ChildProcess &Ended = Children.add(std::move(P));
  if (WaitStatus >= 0) {
    Ended.WaitStatus = WaitStatus;
    setEnding(Ended, false);
    endProcess(Ended);
  }
}

/// Adds the processes that run other programs without connecting.
void Session::addUnconnected() {
  for (const UnconnectedExec &U : Execs.takeUnconnected()) {
    const PendingExec &E = U.Exec;
    if (ChildProcess *Before = Children.findPid(E.Pid); Before && !E.Spawned)
      setEnding(*Before, true);
    addUnrecorded(E.Pid, E.Process,
                  E.Spawned ? ProcessOrigin::Spawn : ProcessOrigin::Exec, U.Exe,
                  U.Why, E.WaitStatus);
  }
}

//===----------------------------------------------------------------------===//
// End of processes
//===----------------------------------------------------------------------===//

/// Marks the processes that have ended. All their records are in their rings by
/// now, so the following pass takes all of them.
void Session::lookForEnds() {
  // One poll() for all pidfds.
  Polls.clear();
  Polls.push_back({Program.pidFd(), POLLIN, 0});
  for (ChildProcess &P : Children)
    Polls.push_back({P.EndNs || P.Ending ? -1 : P.PidFd, POLLIN, 0});
  lookForGone();
  if (poll(Polls.data(), Polls.size(), 0) <= 0)
    return;
  if (Polls[0].revents && Program.reap() && !ProgramAdded)
    addUnrecorded(Program.pid(), 0, ProcessOrigin::Start, Program.exe(),
                  "it did not connect to the recorder");
  for (size_t I = 0; I + 1 < Polls.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!Polls[I + 1].revents)
      continue;
    if (P.Pid != Program.pid()) {
      setEnding(P, false);
      if (std::optional<int> Wait = procfs::zombieStatus(P.Pid))
        P.WaitStatus = *Wait;
    } else if (Program.ended()) {
      setEnding(P, false);
      P.WaitStatus = Program.waitStatus();
    }
  }
}

/// Polls the processes that have no pidfd because descriptors ran out.
void Session::lookForGone() {
  for (ChildProcess &P : Children)
    if (P.PidFd < 0 && !P.EndNs && !P.Ending && P.Pid != Program.pid() &&
        kill(P.Pid, 0) != 0 && errno == ESRCH)
      setEnding(P, false);
}

/// Process P lived at least until the last pass, and until its announced exit.
void Session::setEnding(ChildProcess &P, bool Replaced) {
  P.Ending = true;
  P.Replaced = Replaced;
  P.EndTsc = LastPassTsc;
  if (!P.State || Replaced)
    return;
  uint64_t ExitTsc =
      P.State->shared().control().ExitTsc.load(std::memory_order_relaxed);
  if (ExitTsc <= PassTsc)
    P.EndTsc = std::max(P.EndTsc, ExitTsc);
}

bool Session::isDrained(ChildProcess &P) {
  SharedProcess &S = P.State->shared();
  for (uint32_t I = 0, Used = S.ringsUsed(); I != Used; ++I)
    if (S.ringHeader(I).Head.load(std::memory_order_acquire) !=
        P.State->ring(I).Tail)
      return false;
  return true;
}

/// Ends the processes whose last record is older than a record at Tsc.
void Session::endProcessesBefore(uint64_t Tsc) {
  NextEndTsc = ~0ull;
  for (size_t I = 0; I != Children.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!P.Ending || P.EndNs || !P.State)
      continue;
    if (P.EndTsc < Tsc && isDrained(P))
      endProcess(P);
    else
      NextEndTsc = std::min(NextEndTsc, P.EndTsc);
  }
}

void Session::endProcesses() {
  for (size_t I = 0; I != Children.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!P.Ending || P.EndNs)
      continue;
    // Wait at most four passes: a wrong clock must not hold records back for
    // ever.
    if (P.State && !isDrained(P) && ++P.EndPasses < 4)
      continue;
    if (P.State)
      drain(~0ull, &P);
    if (!P.EndNs)
      endProcess(P);
  }
}

void Session::endProcess(ChildProcess &P) {
  Execs.passStatus(P);
  int32_t Status = -1;
  uint32_t Signal = 0;
  if (!P.Replaced && P.WaitStatus >= 0) {
    Signal = WIFSIGNALED(P.WaitStatus) ? uint32_t(WTERMSIG(P.WaitStatus)) : 0;
    Status = Signal ? 128 + int32_t(Signal) : WEXITSTATUS(P.WaitStatus);
  }
  if (P.State) {
    P.State->settleHeld(true);
    P.State->countLosses();
    Reports.report(P);
    wire::Control &C = P.State->shared().control();
    if (!P.Replaced && Status < 0 && C.HasExitStatus.load())
      Status = C.ExitStatus.load() & 0xff;
    P.State->snapshots().finish();
  }
  // A process that an exec replaced at once may end before its first pass.
  P.EndNs = R.boundaryNs(std::max(R.Times.Clock.toNs(P.EndTsc), P.StartNs));
  if (P.State) {
    P.State->finish(P.EndNs);
    R.cutInterval(P.Process, P.EndNs);
    P.State->releaseShared();
  }
  Roles.setTitle(P);
  Roles.nameDataWorker(P);
  Shared.Uses.processEnded(P.Process);
  R.Stats.endProcess(P.Process, P.EndNs, Status, Signal);
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = P.Process;
  M.TimeNs = P.EndNs;
  if (Status >= 0)
    M.Values = {uint64_t(Status), Signal};
  R.addMark(std::move(M));
  Symbols.endJit(P);
  if (P.PidFd >= 0)
    close(std::exchange(P.PidFd, -1));
}

/// Whether a process that the program has started may still connect: a process
/// that forked or executed a moment ago. Called only when no process is left.
bool Session::stragglers() {
  uint64_t Now = R.nowNs();
  if (!StragglersUntilNs)
    StragglersUntilNs = Now + 1000000000;
  if (Now > StragglersUntilNs || !NumRecorded)
    return false;
  for (pid_t Pid : procfs::startedSince(procfs::startTicks(getpid()))) {
    if (Pid == getpid())
      continue;
    // Not a straggler: a process without the listener's path in its
    // environment, or one that cannot be preloaded.
    std::string Exe = "/proc/" + std::to_string(Pid) + "/exe";
    if (procfs::mapsMemfd(Pid, Tag) ||
        (procfs::environHas(Pid, Listener.path()) &&
         whyNotPreloadable(Exe).empty())) {
      NoStragglers = 0;
      return true;
    }
  }
  // A daemon may fork its last child after the scan has passed the child's
  // place in the process list, and end before the scan reaches the daemon. So
  // stop only after two scans without a straggler.
  if (++NoStragglers < 2)
    return true;
  NoStragglers = 0;
  StragglersUntilNs = 0;
  return false;
}
