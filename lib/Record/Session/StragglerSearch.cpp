// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that may still connect.

#include "Session/StragglerSearch.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

/// A process that executes a program now: it has the listener's path in its
/// environment, and can be preloaded.
bool StragglerSearch::mayConnect(pid_t Pid) const {
  std::string Exe = "/proc/" + std::to_string(Pid) + "/exe";
  return procfs::environHas(Pid, Listener.path()) &&
         whyNotPreloadable(Exe).empty();
}

bool StragglerSearch::find() {
  constexpr uint64_t LongestStartNs = 1'000'000'000, EveryNs = 50'000'000;
  uint64_t Now = R.nowNs();
  if (!UntilNs)
    UntilNs = Now + LongestStartNs;
  if (Now < NextNs)
    return true;
  std::vector<pid_t> Started =
      procfs::startedSince(procfs::startTicks(getpid()));
  erase(Started, getpid());
  // A forked child connects when it first allocates, however late that is.
  if (any_of(Started,
             [this](pid_t Pid) { return procfs::mapsMemfd(Pid, Tag); })) {
    NextNs = Now > UntilNs ? Now + EveryNs : 0;
    NumEmpty = 0;
    HasWaited = true;
    return true;
  }
  // The child may have connected, ended, and begun others meanwhile.
  if (std::exchange(HasWaited, false))
    UntilNs = Now + LongestStartNs;
  if (Now > UntilNs)
    return false;
  if (any_of(Started, [this](pid_t Pid) { return mayConnect(Pid); })) {
    NumEmpty = 0;
    return true;
  }
  // A daemon may fork its last child after the search has passed the child's
  // place in the process list, and end before the search reaches the daemon. So
  // stop only after two searches without a straggler.
  if (++NumEmpty < 2)
    return true;
  NumEmpty = 0;
  UntilNs = 0;
  return false;
}
