// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wait between two passes.

#include "Session/IdleWait.h"
#include "Session/Door.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <ctime>

using namespace llvm;
using namespace memkit;

/// The longest nap. A ring holds 8,192 records; only a program that does
/// nothing but allocate fills a ring in this time.
static constexpr uint64_t MaxNapNs = 2000000;

void IdleWait::wait(double Fullest, bool IsBusy) {
  if (Fullest >= 0.5)
    NapNs = std::max<uint64_t>(NapNs / 2, 50000);
  else if (Fullest < 0.25)
    NapNs = std::min<uint64_t>(NapNs * 2, MaxNapNs);
  // Use the nap to write sections.
  uint64_t Begin = R.nowNs(), Time = Fullest >= 0.75 ? 0 : NapNs;
  R.work(std::min(NapNs, Recording::WorkNs));
  uint64_t Spent = R.nowNs() - Begin;
  Time = R.canWork() || Spent >= Time ? 0 : Time - Spent;
  Polls.clear();
  Polls.push_back({Listener.fd(), POLLIN, 0});
  if (Program.pidFd() >= 0)
    Polls.push_back({Program.pidFd(), POLLIN, 0});
  for (const ChildProcess &P : Children)
    if (!P.EndNs && P.PidFd >= 0)
      Polls.push_back({P.PidFd, POLLIN, 0});
  size_t FirstOfDoor = Polls.size();
  if (Visitors) {
    Visitors->addPolls(Polls);
    if (Visitors->isCopying())
      Time = 0;
  }
  if (IsBusy)
    Time = 0;
  timespec Nap{0, long(Time)};
  bool Failed = ppoll(Polls.data(), Polls.size(), &Nap, nullptr) < 0;
  ListenerReady = Failed || Polls.front().revents;
  DoorReady = any_of(ArrayRef(Polls).drop_front(FirstOfDoor),
                     [=](const pollfd &P) { return Failed || P.revents; });
}
