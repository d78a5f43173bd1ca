// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs that one thread adds and several threads run.

#include "JobQueue.h"
#include <utility>

using namespace memkit;

JobQueue::QueuedJob JobQueue::takeAbove(size_t Max) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Waiting.size() <= Max)
    return nullptr;
  QueuedJob J = std::move(Waiting.front());
  Waiting.pop_front();
  return J;
}

void JobQueue::add(QueuedJob J) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Waiting.push_back(std::move(J));
  }
  Changed.notify_one();
  while (QueuedJob Oldest = takeAbove(MaxWaiting))
    Oldest();
}

void JobQueue::end() {
  while (QueuedJob Oldest = takeAbove(0))
    Oldest();
  stop();
}

void JobQueue::stop() {
  std::lock_guard<std::mutex> Guard(Lock);
  Waiting.clear();
  IsEnded = true;
  Changed.notify_all();
}

void JobQueue::help() {
  for (;;) {
    std::unique_lock<std::mutex> Guard(Lock);
    Changed.wait(Guard, [this] { return IsEnded || !Waiting.empty(); });
    if (Waiting.empty())
      return;
    QueuedJob J = std::move(Waiting.front());
    Waiting.pop_front();
    Guard.unlock();
    J();
  }
}
