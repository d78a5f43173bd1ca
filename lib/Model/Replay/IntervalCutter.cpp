// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the intervals that a recorder would cut.

#include "IntervalCutter.h"
#include <algorithm>
#include <functional>

using namespace memkit;
using llvm::Error;

/// Adds a process to Due unless it has steps or has ended.
void IntervalCutter::push(uint32_t Process) {
  uint64_t TimeNs = Run->stats().nextIntervalNs(Process);
  IsDue[Process] = TimeNs != UINT64_MAX;
  if (!IsDue[Process])
    return;
  Due.push_back({TimeNs, Process});
  std::push_heap(Due.begin(), Due.end(), std::greater());
}

/// Takes the earliest process out of Due.
uint32_t IntervalCutter::pop() {
  std::pop_heap(Due.begin(), Due.end(), std::greater());
  uint32_t Process = Due.back().Process;
  Due.pop_back();
  IsDue[Process] = false;
  return Process;
}

uint64_t IntervalCutter::nextTimeStop() {
  // A step or an end has put the interval of a process off.
  while (!Due.empty() &&
         Run->stats().nextIntervalNs(Due.front().Process) != Due.front().TimeNs)
    push(pop());
  return Due.empty() ? UINT64_MAX : Due.front().TimeNs;
}

uint64_t IntervalCutter::nextTimeStopWith(uint32_t Process, uint64_t TimeNs) {
  IsDue.resize(numProcesses() + size_t(1));
  if (!IsDue[Process]) {
    // Puts the interval off by the time in which the process has done nothing.
    Run->stats().timeIntervalDue(Process, TimeNs);
    push(Process);
  }
  return nextTimeStop();
}

Error IntervalCutter::timeStop(uint64_t TimeNs, uint64_t NextNs) {
  while (nextTimeStop() == TimeNs) {
    uint32_t Process = pop();
    if (Run->stats().timeIntervalDue(Process, NextNs))
      if (Error E = cut(Process, TimeNs))
        return E;
  }
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
