// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a process.

#include "Scopes/ProcessSteps.h"
#include "Output/Recording.h"
#include <utility>

using namespace memkit;

void ProcessSteps::report(uint64_t TimeNs, uint32_t Thread) {
  bool IsFirst = !std::exchange(HasOwnSteps, true);
  if (!R.stepRange())
    add(TimeNs, Thread, IsFirst && Count);
}

bool ProcessSteps::isMadeBy(uint64_t Maker) {
  if (R.stepRange() || HasOwnSteps)
    return false;
  FirstMaker = FirstMaker ? FirstMaker : Maker;
  return FirstMaker == Maker;
}

void ProcessSteps::add(uint64_t TimeNs, uint32_t Thread, bool IsOwn) {
  while (R.stats().isCutting(Process))
    R.goOnCutting(Process);
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.boundaryNs(TimeNs);
  M.Id = ++Count;
  if (IsOwn)
    M.Values = {1};
  R.noteSteps(Count);
  R.stats().beginStep(Process, M.Id, M.TimeNs);
  if (R.stats().stepIntervalDue(Process))
    R.cutInterval(Process, M.TimeNs);
  R.addMark(std::move(M));
}
