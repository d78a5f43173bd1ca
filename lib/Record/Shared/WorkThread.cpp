// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that the machine may refuse.

#include "Shared/WorkThread.h"
#include <csignal>
#include <memory>
#include <utility>

using namespace memkit;

static void *runWork(void *Of) {
  std::unique_ptr<std::function<void()>> Work(
      static_cast<std::function<void()> *>(Of));
  (*Work)();
  return nullptr;
}

static bool startThread(pthread_t &Thread, std::function<void()> Work) {
  auto Of = std::make_unique<std::function<void()>>(std::move(Work));
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  bool Started = pthread_create(&Thread, nullptr, runWork, Of.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  if (Started)
    (void)Of.release(); // runWork's now
  return Started;
}

bool WorkThread::start(std::function<void()> Work) {
  return Started = startThread(Thread, std::move(Work));
}

void WorkThread::join() {
  if (std::exchange(Started, false))
    pthread_join(Thread, nullptr);
}

bool WorkThread::startDetached(std::function<void()> Work) {
  pthread_t Thread;
  if (!startThread(Thread, std::move(Work)))
    return false;
  pthread_detach(Thread);
  return true;
}
