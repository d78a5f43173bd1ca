// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops a process for a while.

#include "Attach/StoppedProcess.h"
#include "Attach/TargetTasks.h"
#include "Attach/TargetThread.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <chrono>
#include <thread>

using namespace llvm;
using namespace memkit;

static uint64_t nowNs() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

StoppedProcess::StoppedProcess() = default;
StoppedProcess::StoppedProcess(StoppedProcess &&) = default;
StoppedProcess::~StoppedProcess() = default;

uint64_t StoppedProcess::standsNs() const { return nowNs() - BegunNs; }

namespace {
/// A thread that the kernel does not give to memrec: one that ends right now,
/// or another tracer's. What ends is gone soon.
class Refusals {
public:
  /// Waits a little; false: it took too long.
  bool mayTryAgain() {
    constexpr uint64_t MaxNs = 1'000'000'000;
    if (!FirstNs)
      FirstNs = nowNs();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return nowNs() - FirstNs < MaxNs;
  }

private:
  uint64_t FirstNs = 0; ///< 0: none yet
};
} // namespace

Expected<StoppedProcess> StoppedProcess::stop(pid_t Pid) {
  // Threads that still run may start others.
  constexpr unsigned MaxRounds = 100, TimeoutMs = 1000;
  StoppedProcess P;
  P.BegunNs = nowNs();
  Refusals Refused;
  for (unsigned Round = 0; Round != MaxRounds;) {
    bool HasNew = false, HasRefused = false;
    for (const TargetTask &T : tasksOf(Pid)) {
      if (any_of(P.Threads, [&](auto &H) { return H->tid() == T.Tid; }))
        continue;
      auto Thread = std::make_unique<TargetThread>(T.Tid);
      if (!Thread->isHeld()) {
        int Why = errno;
        if (T.isGone())
          continue;
        HasRefused = true;
        if (Refused.mayTryAgain())
          continue;
        errno = Why;
        return failErrno("has a thread that cannot be stopped");
      }
      if (T.MayStop && !Thread->stop(TimeoutMs) && !T.isGone())
        return makeError("has a thread that does not stop");
      P.Threads.push_back(std::move(Thread));
      HasNew = true;
    }
    Round += HasNew;
    if (!HasNew && !HasRefused)
      return P.Threads.empty()
                 ? Expected<StoppedProcess>(makeError("has ended"))
                 : std::move(P);
  }
  return makeError("starts threads faster than memrec can stop them");
}
