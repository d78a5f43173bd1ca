// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of processes.

#include "Session/ProcessExits.h"
#include "Shared/ProcFs.h"
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

void ProcessExits::find(uint64_t Tsc) {
  LastPassTsc = std::exchange(PassTsc, Tsc);
  // One poll() for all pidfds.
  Polls.clear();
  Polls.push_back({Program.pidFd(), POLLIN, 0});
  for (ChildProcess &P : Children)
    Polls.push_back({P.EndNs || P.Exit.IsEnding ? -1 : P.PidFd, POLLIN, 0});
  findGone();
  if (poll(Polls.data(), Polls.size(), 0) <= 0)
    return;
  if (Polls[0].revents)
    Program.reap();
  for (size_t I = 0; I + 1 < Polls.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!Polls[I + 1].revents)
      continue;
    if (P.Pid != Program.pid()) {
      setEnding(P, false);
      if (std::optional<int> Wait = procfs::zombieStatus(P.Pid))
        P.Exit.WaitStatus = *Wait;
    } else if (Program.ended()) {
      setEnding(P, false);
      P.Exit.WaitStatus = Program.waitStatus();
      if (P.Exit.WaitStatus < 0)
        P.Exit.WaitStatus = procfs::zombieStatus(P.Pid).value_or(-1);
    }
  }
}

/// Polls the processes that have no pidfd because descriptors ran out.
void ProcessExits::findGone() {
  for (ChildProcess &P : Children)
    if (P.PidFd < 0 && !P.EndNs && !P.Exit.IsEnding && P.Pid != Program.pid() &&
        kill(P.Pid, 0) != 0 && errno == ESRCH)
      setEnding(P, false);
}

void ProcessExits::setEnding(ChildProcess &P, bool Replaced) {
  P.Exit.IsEnding = true;
  P.Exit.IsReplaced = Replaced;
  P.Exit.Tsc = LastPassTsc;
  if (!P.State || Replaced)
    return;
  uint64_t ExitTsc =
      P.State->shared().control().ExitTsc.load(std::memory_order_relaxed);
  if (ExitTsc <= PassTsc)
    P.Exit.Tsc = std::max(P.Exit.Tsc, ExitTsc);
}

/// Whether the recorder has taken all records in P's rings.
bool ProcessExits::isDrained(ChildProcess &P) {
  SharedProcess &S = P.State->shared();
  for (uint32_t I = 0, Used = S.ringsUsed(); I != Used; ++I)
    if (S.ringHeader(I).Head.load(std::memory_order_acquire) !=
        P.State->ring(I).Tail)
      return false;
  return true;
}

void ProcessExits::endBefore(uint64_t Tsc) {
  NextEndTsc = NoTsc;
  for (size_t I = 0; I != Children.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!P.Exit.IsEnding || P.EndNs || !P.State)
      continue;
    if (P.Exit.Tsc < Tsc && isDrained(P))
      end(P);
    else
      expectEnd(P);
  }
}

bool ProcessExits::isDue(ChildProcess &P) const {
  if (!P.Exit.IsEnding || P.EndNs)
    return false;
  // Wait at most four passes: a wrong clock must not hold records back for
  // ever.
  return !P.State || isDrained(P) || ++P.Exit.Passes >= 4;
}

/// Whether the kernel has killed P for want of memory, as far as its counts
/// tell.
void ProcessExits::noteKill(ChildProcess &P, int32_t Status, uint32_t Signal) {
  // A process whose parent has taken the status leaves nothing behind.
  bool MayBeKilled = Signal == SIGKILL || (Status < 0 && !P.Exit.IsReplaced);
  if (!MayBeKilled || Group.kills() <= Kills)
    return;
  ++Kills;
  MetLimit Limit{LimitKind::Group, Group.limit(), std::nullopt};
  if (Group.isMachine() || !Limit.Bytes) {
    HostUse Machine;
    readMemInfo(procfs::readFile("/proc/meminfo"), Machine);
    Limit = {LimitKind::Machine, Machine.Total, std::nullopt};
  }
  P.State->noteKill(P.EndNs, Limit);
}

/// The highest resident memory that the process has told, in bytes; 0: not
/// known. The program may write anything there.
static uint64_t highestResident(const wire::Control &C) {
  constexpr uint64_t MaxBytes = uint64_t(1) << 48;
  uint64_t Bytes = C.HighestResident.load(std::memory_order_relaxed);
  return C.HasExitStatus.load(std::memory_order_acquire) && Bytes <= MaxBytes
             ? Bytes
             : 0;
}

void ProcessExits::end(ChildProcess &P) {
  Execs.passStatus(P);
  int32_t Status = -1;
  uint32_t Signal = 0;
  uint64_t MostResident = 0;
  if (!P.Exit.IsReplaced && P.Exit.WaitStatus >= 0) {
    Signal = WIFSIGNALED(P.Exit.WaitStatus)
                 ? uint32_t(WTERMSIG(P.Exit.WaitStatus))
                 : 0;
    Status = Signal ? 128 + int32_t(Signal) : WEXITSTATUS(P.Exit.WaitStatus);
  }
  if (P.State) {
    P.State->settleHeld(true);
    P.State->countLosses();
    Reports.report(P);
    wire::Control &C = P.State->shared().control();
    if (!P.Exit.IsReplaced && Status < 0 && C.HasExitStatus.load())
      Status = C.ExitStatus.load() & 0xff;
    if (!P.Exit.IsReplaced)
      MostResident = highestResident(C);
    P.State->snapshots().finish();
  }
  // A process that an exec replaced at once may end before its first pass.
  P.EndNs = R.boundaryNs(std::max(R.times().Clock.toNs(P.Exit.Tsc), P.StartNs));
  if (P.State) {
    noteKill(P, Status, Signal);
    P.State->finish(P.EndNs);
    R.stats().expectLastCut(P.Process);
    R.cutInterval(P.Process, P.EndNs);
    P.State->releaseShared();
  }
  Roles.setTitle(P);
  Roles.nameDataWorker(P);
  Uses.processEnded(P.Process);
  R.stats().endProcess(P.Process, P.EndNs, Status, Signal);
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = P.Process;
  M.TimeNs = P.EndNs;
  if (Status >= 0)
    M.Values = {uint64_t(Status), Signal};
  if (MostResident && Status >= 0) {
    M.Values.push_back(MostResident);
    R.stats().noteResident(P.Process, MostResident, 0);
  }
  R.addMark(std::move(M));
  Symbols.endJit(P);
  if (P.PidFd >= 0)
    close(std::exchange(P.PidFd, -1));
}
