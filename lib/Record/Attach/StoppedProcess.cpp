// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops a process for a while.

#include "Attach/StoppedProcess.h"
#include "Attach/TargetTasks.h"
#include "Attach/TargetThread.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace llvm;
using namespace memkit;

static uint64_t nowNs() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

StoppedProcess::StoppedProcess() = default;
StoppedProcess::StoppedProcess(StoppedProcess &&) = default;
StoppedProcess::~StoppedProcess() = default;

uint64_t StoppedProcess::standsNs() const { return nowNs() - BegunNs; }

Expected<StoppedProcess> StoppedProcess::stop(pid_t Pid) {
  // Threads that still run may start others.
  constexpr unsigned MaxRounds = 100, TimeoutMs = 1000;
  StoppedProcess P;
  P.BegunNs = nowNs();
  for (unsigned Round = 0; Round != MaxRounds; ++Round) {
    bool HasNew = false;
    for (const TargetTask &T : tasksOf(Pid)) {
      if (any_of(P.Threads, [&](auto &H) { return H->tid() == T.Tid; }))
        continue;
      auto Thread = std::make_unique<TargetThread>(T.Tid);
      if (!Thread->isHeld()) {
        if (T.isGone())
          continue;
        return makeError("has a thread that cannot be stopped");
      }
      if (T.MayStop && !Thread->stop(TimeoutMs) && !T.isGone())
        return makeError("has a thread that does not stop");
      P.Threads.push_back(std::move(Thread));
      HasNew = true;
    }
    if (!HasNew)
      return P.Threads.empty()
                 ? Expected<StoppedProcess>(makeError("has ended"))
                 : std::move(P);
  }
  return makeError("starts threads faster than memrec can stop them");
}
