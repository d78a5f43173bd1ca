// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads how much memory a process shares with others.

#include "Session/PssThread.h"
#include "Shared/ProcFs.h"
#include <chrono>
#include <csignal>
#include <utility>

using namespace memkit;

PssThread::~PssThread() {
  if (!Worker.joinable())
    return;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Over = true;
  }
  Wake.notify_one();
  Worker.join();
}

void PssThread::ask(uint32_t OfProcess, pid_t Pid) {
  Busy = true;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Asked = Pid;
    Process = OfProcess;
  }
  if (Worker.joinable())
    return Wake.notify_one();
  // Block all signals: the recorder's thread handles them.
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  Worker = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

std::optional<PssThread::PssAnswer> PssThread::take() {
  if (!Busy)
    return std::nullopt;
  std::lock_guard<std::mutex> Guard(Lock);
  Busy = !Done;
  return std::exchange(Done, std::nullopt);
}

void PssThread::run() {
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    Wake.wait(Guard, [this] { return Over || Asked; });
    if (Over)
      return;
    pid_t Pid = std::exchange(Asked, 0);
    PssAnswer A;
    A.Process = Process;
    Guard.unlock();
    auto Begin = std::chrono::steady_clock::now();
    if (auto Shares = procfs::sharesOf(Pid)) {
      A.Pss = Shares->Pss;
      A.Private = Shares->Private;
      A.Swapped = Shares->Swapped;
    }
    A.TookNs = uint64_t(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - Begin)
            .count());
    Guard.lock();
    Done = A;
  }
}
