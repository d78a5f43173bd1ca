// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a process.

#include "Scopes/ProcessSteps.h"
#include "Output/Recording.h"

using namespace memkit;

void ProcessSteps::report(uint64_t TimeNs, uint32_t Thread) {
  HasOwnSteps = true;
  if (!R.stepRange())
    add(TimeNs, Thread);
}

bool ProcessSteps::isMadeBy(uint64_t Maker) {
  if (R.stepRange() || HasOwnSteps)
    return false;
  FirstMaker = FirstMaker ? FirstMaker : Maker;
  return FirstMaker == Maker;
}

void ProcessSteps::add(uint64_t TimeNs, uint32_t Thread) {
  while (R.stats().isCutting(Process))
    R.goOnCutting(Process);
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.boundaryNs(TimeNs);
  M.Id = ++Count;
  R.noteSteps(Count);
  R.stats().beginStep(Process, M.Id, M.TimeNs);
  if (R.stats().stepIntervalDue(Process))
    R.cutInterval(Process, M.TimeNs);
  R.addMark(std::move(M));
}
