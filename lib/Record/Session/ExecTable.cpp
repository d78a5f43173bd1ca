// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execs of recorded processes.

#include "Session/ExecTable.h"
#include "Session/PidFd.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include <sys/stat.h>

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

ExecTable::~ExecTable() {
  for (PendingExec &E : Execs)
    close(E.PidFd);
}

/// The pid, in the recorder's namespace, of the process that P calls Inner; 0
/// if unknown.
static pid_t outerPidOf(const ChildProcess &P, pid_t Inner) {
  if (P.SeesOurPids)
    return Inner;
  return Inner == P.InnerPid ? P.Pid : procfs::outerPid(P.Pid, Inner);
}

const PendingExec *ExecTable::find(pid_t Pid) const {
  for (const PendingExec &E : Execs)
    if (E.Pid == Pid)
      return &E;
  return nullptr;
}

void ExecTable::remove(pid_t Pid) {
  erase_if(Execs, [Pid](const PendingExec &E) {
    if (E.Pid == Pid)
      close(E.PidFd);
    return E.Pid == Pid;
  });
}

bool ExecTable::take(ChildProcess &P, const wire::Record &Rec) {
  auto Is = [&](RecordKind K) { return Rec.is(K); };
  if (Is(RecordKind::Exec)) {
    auto E = wire::decode<wire::ExecRecord>(Rec);
    expect(P, pid_t(E.Pid), E.Slot, Rec.Tsc);
  } else if (Is(RecordKind::Spawned)) {
    auto S = wire::decode<wire::SpawnedRecord>(Rec);
    expect(P, pid_t(S.Pid), S.Slot, Rec.Tsc);
  } else if (Is(RecordKind::ExecFailed)) {
    auto E = wire::decode<wire::ExecFailedRecord>(Rec);
    remove(outerPidOf(P, pid_t(E.Pid)));
  } else {
    return false;
  }
  return true;
}

/// Expects the process that P calls Inner to run the program of Slot from Tsc
/// on.
void ExecTable::expect(ChildProcess &P, pid_t Inner, uint64_t Slot,
                       uint64_t Tsc) {
  pid_t Pid = outerPidOf(P, Inner);
  remove(Pid);
  // If the ring was full of older records, the new process has connected before
  // the session reads this record.
  uint64_t Then = R.times().Clock.toNs(Tsc);
  if (any_of(Children, [&](const ChildProcess &Other) {
        return Other.Pid == Pid && Other.StartNs > Then;
      }))
    return;
  // A program that executes all the time must not fill the recorder's memory.
  if (Execs.size() >= 4096 || Pid <= 0)
    return;
  // A recorded program connects within a few milliseconds.
  constexpr uint64_t ConnectNs = 10'000'000;
  uint64_t Now = R.nowNs();
  PendingExec E{Pid, P.Process, "", Now, Now + ConnectNs, -1, Pid != P.Pid};
  P.State->shared().execPath(Slot, E.Path);
  E.PidFd = openPidFd(Pid);
  Execs.push_back(std::move(E));
}

void ExecTable::passStatus(ChildProcess &P) {
  for (PendingExec &E : Execs)
    if (E.Pid == P.Pid && !E.Spawned && !P.Exit.IsReplaced) {
      P.Exit.IsReplaced = true;
      E.WaitStatus = P.Exit.WaitStatus;
    }
}

std::string ExecTable::whyUnconnected(const PendingExec &E, bool Ended) {
  if (!O.Follow)
    return "not followed";
  if (Ended)
    return whyNotPreloadable(E.Path);
  std::string Exe = "/proc/" + std::to_string(E.Pid) + "/exe";
  struct stat St;
  if (stat(Exe.c_str(), &St) != 0)
    return "";
  std::array<uint64_t, 3> File = {St.st_dev, St.st_ino,
                                  uint64_t(St.st_ctim.tv_sec) * 1000000000 +
                                      uint64_t(St.st_ctim.tv_nsec)};
  if (Recordable.count(File))
    return "";
  std::string Why = whyNotPreloadable(Exe);
  constexpr size_t MaxFiles = 1024;
  if (Why.empty() && Recordable.size() < MaxFiles)
    Recordable.insert(File);
  return Why;
}

/// The longest time between two looks at a program that has not connected.
static constexpr uint64_t LongestLookNs = 100'000'000;

std::vector<UnconnectedExec> ExecTable::takeUnconnected() {
  std::vector<UnconnectedExec> Out;
  uint64_t Now = R.nowNs();
  for (size_t I = 0; I < Execs.size();) {
    PendingExec &E = Execs[I];
    uint64_t Age = Now - E.SinceNs;
    if (Now < E.NextLookNs) {
      ++I;
      continue;
    }
    // On a busy machine many programs take longer to connect, and a look reads
    // the program's file: so looks become rarer.
    E.NextLookNs = Now + std::min(Age, LongestLookNs);
    bool Ended = hasEnded(E.PidFd);
    if (!Ended && procfs::mapsMemfd(E.Pid, Tag)) {
      ++I;
      continue;
    }
    std::string Exe = Ended ? E.Path : procfs::exePath(E.Pid);
    std::string Why = whyUnconnected(E, Ended);
    bool Late = Age > 5000000000;
    if (Why.empty() && !Ended && !Late) {
      ++I;
      continue;
    }
    close(E.PidFd);
    // A process that ended at once is not reported, unless it left an exit
    // status.
    bool IsReported = !Why.empty() || !Ended || E.WaitStatus >= 0;
    if (Why.empty())
      Why = Ended ? "it ended before it connected to the recorder"
                  : "it did not connect to the recorder";
    if (IsReported)
      Out.push_back({E, std::move(Exe), std::move(Why)});
    Execs.erase(Execs.begin() + I);
  }
  return Out;
}
