// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the intervals that a recorder would cut.

#include "IntervalCutter.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

uint64_t IntervalCutter::nextTimeStop() {
  uint64_t Next = UINT64_MAX;
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id)
    Next = std::min(Next, Run->stats().nextIntervalNs(Id));
  return Next;
}

Error IntervalCutter::timeStop(uint64_t TimeNs, uint64_t NextNs) {
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id)
    if (Run->stats().nextIntervalNs(Id) == TimeNs &&
        Run->stats().timeIntervalDue(Id, NextNs))
      if (Error E = cut(Id, TimeNs))
        return E;
  return Error::success();
}

Error IntervalCutter::stepBegun(uint32_t Process, uint64_t TimeNs) {
  const LiveStats &A = Run->stats();
  return A.stepIntervalDue(Process) ? cut(Process, TimeNs) : Error::success();
}

Error IntervalCutter::processEnds(uint32_t Process, uint64_t TimeNs) {
  Run->stats().expectLastCut(Process);
  if (Error E = cut(Process, TimeNs))
    return E;
  return flush(Process);
}

Error IntervalCutter::finish(uint64_t AtNs) {
  uint64_t EndNs = Run->stats().boundary(AtNs);
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id) {
    if (!Run->stats().isEnded(Id) && Run->stats().events(Id))
      if (Error E = cut(Id, EndNs))
        return E;
    if (Error E = flush(Id))
      return E;
  }
  return Error::success();
}

Error IntervalCutter::cut(uint32_t Process, uint64_t TimeNs) {
  LiveStats &A = Run->stats();
  A.cutInterval(Process, TimeNs, Run->nextAllocationId(Process),
                A.dueDetail(Process), Cut);
  return batch(Process).add(Cut,
                            [&](const Intervals &S) { return Out.write(S); });
}

Error IntervalCutter::flush(uint32_t Process) {
  return batch(Process).flush([&](const Intervals &S) { return Out.write(S); });
}
