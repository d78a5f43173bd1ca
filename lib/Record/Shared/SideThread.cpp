// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread for what would stop the recorder too long.

#include "Shared/SideThread.h"
#include <ctime>
#include <utility>

using namespace memkit;

SideThread::~SideThread() {
  if (!Worker.isStarted())
    return;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Over = true;
  }
  Wake.notify_one();
  Worker.join();
}

void SideThread::start(std::function<void()> Job) {
  Busy = true;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Next = std::move(Job);
  }
  if (Worker.isStarted())
    return Wake.notify_one();
  if (!Worker.start([this] { run(); }))
    runHere();
}

/// Without a thread the caller does the work.
void SideThread::runHere() {
  std::unique_lock<std::mutex> Guard(Lock);
  takeJob(Guard);
}

std::optional<uint64_t> SideThread::takeDone() {
  if (!Busy)
    return std::nullopt;
  std::lock_guard<std::mutex> Guard(Lock);
  Busy = !Took;
  return std::exchange(Took, std::nullopt);
}

uint64_t SideThread::wait() {
  std::unique_lock<std::mutex> Guard(Lock);
  Done.wait(Guard, [this] { return Took.has_value(); });
  Busy = false;
  return *std::exchange(Took, std::nullopt);
}

static uint64_t threadNs() {
  timespec T = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

void SideThread::takeJob(std::unique_lock<std::mutex> &Guard) {
  std::function<void()> Job = std::exchange(Next, nullptr);
  Guard.unlock();
  uint64_t Begin = threadNs();
  Job();
  Job = nullptr;
  uint64_t Ns = threadNs() - Begin;
  Guard.lock();
  Took = Ns;
}

void SideThread::run() {
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    Wake.wait(Guard, [this] { return Over || Next; });
    if (Over)
      return;
    takeJob(Guard);
    Done.notify_one();
  }
}
