// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of devices in a thread.

#include "Devices/DeviceThread.h"
#include "Shared/WorkThread.h"
#include <chrono>
#include <utility>

using namespace memkit;

DeviceThread::~DeviceThread() {
  if (!Both)
    return;
  std::unique_lock<std::mutex> Guard(Both->Lock);
  Both->Over = true;
  Both->Wake.notify_one();
  // The library's exit handlers, at the end of the process, should find no
  // thread in it.
  Both->Idle.wait_for(Guard, std::chrono::milliseconds(200),
                      [&] { return !Both->IsIn; });
}

void DeviceThread::start() {
  if (Both)
    return;
  Both = std::make_shared<Shared>();
  Both->Of = std::move(Library);
  // Without a thread, nothing is answered.
  WorkThread::startDetached([Of = Both] { run(Of); });
}

void DeviceThread::ask(DeviceQuestion Q) {
  start();
  std::lock_guard<std::mutex> Guard(Both->Lock);
  Both->Asked.push_back(std::move(Q));
  Both->Wake.notify_one();
}

std::optional<DeviceThread::DeviceAnswer> DeviceThread::take() {
  if (!Both)
    return std::nullopt;
  std::lock_guard<std::mutex> Guard(Both->Lock);
  if (Both->Done.empty())
    return std::nullopt;
  DeviceAnswer A = std::move(Both->Done.front());
  Both->Done.pop_front();
  return A;
}

void DeviceThread::run(std::shared_ptr<Shared> S) {
  std::string NotOpen = S->Of->open();
  std::unique_lock<std::mutex> Guard(S->Lock);
  for (;;) {
    S->IsIn = false;
    S->Idle.notify_one();
    S->Wake.wait(Guard, [&] { return S->Over || !S->Asked.empty(); });
    if (S->Over)
      return;
    DeviceQuestion Q = std::move(S->Asked.front());
    S->Asked.pop_front();
    DeviceAnswer A;
    A.Wrong = NotOpen;
    A.IsOpen = NotOpen.empty();
    if (A.IsOpen) {
      S->IsIn = true;
      Guard.unlock();
      A.Wrong = S->Of->read(Q.Uuid, Q.SharesMemory, A.Is);
      Guard.lock();
    }
    S->Done.push_back(std::move(A));
  }
}
