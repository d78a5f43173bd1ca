// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that may still connect.

#include "Session/StragglerSearch.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Not a straggler: a process without the listener's path in its environment,
/// or one that cannot be preloaded.
bool StragglerSearch::isStraggler(pid_t Pid) const {
  if (Pid == getpid())
    return false;
  std::string Exe = "/proc/" + std::to_string(Pid) + "/exe";
  return procfs::mapsMemfd(Pid, Tag) ||
         (procfs::environHas(Pid, Listener.path()) &&
          whyNotPreloadable(Exe).empty());
}

bool StragglerSearch::find() {
  uint64_t Now = R.nowNs();
  if (!UntilNs)
    UntilNs = Now + 1000000000;
  if (Now > UntilNs)
    return false;
  if (any_of(procfs::startedSince(procfs::startTicks(getpid())),
             [this](pid_t Pid) { return isStraggler(Pid); })) {
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
