// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lived in the programs when memrec attached to them.

#include "Session/AttachCensus.h"
#include "Attach/AttachCheck.h"
#include "Session/Requests.h"
#include "Shared/TscClock.h"

using namespace llvm;
using namespace memkit;

void AttachCensus::start() {
  IsStarted = true;
  // Children that the programs have made since have the blocks of their
  // parents.
  for (ChildProcess &P : Children.recorded())
    if (!P.IsForked && P.State->hostHeap().expectsAdopted())
      Waiting.insert(Waiting.begin(), P.Process);
  next();
}

void AttachCensus::next() {
  Process = 0;
  while (!Process && !Waiting.empty()) {
    ChildProcess *P = Children.find(Waiting.back());
    Waiting.pop_back();
    if (!P || !P->isRecorded())
      continue;
    Process = P->Process;
    Added = 0;
    ReadTsc = 0;
    if (P->Pid == Main.pid()) {
      read(Main);
      continue;
    }
    Expected<TargetMemory> Memory = TargetMemory::open(P->Pid);
    if (Memory) {
      Other.emplace(std::move(*Memory));
      Other->stopAt(TheRequests.Stop);
      read(*Other);
      continue;
    }
    O.Warn("process " + processText(P->Pid) + " " +
           toString(Memory.takeError()) + ": what lived before is not known");
    P->State->endAdopting();
    Process = 0;
  }
}

void AttachCensus::read(const TargetMemory &Memory) {
  Thread.start([this, &Memory] { Found.emplace(takeCensus(Memory)); });
}

void AttachCensus::pass(uint64_t Tsc) {
  if (!Process)
    return;
  if (Thread.isBusy()) {
    if (Thread.takeDone())
      ReadTsc = readTsc();
    return;
  }
  // What ended before the reading's end must be known.
  if (Tsc < ReadTsc)
    return;
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded())
    return end();
  if (!*Found) {
    std::string Why = toString(Found->takeError());
    if (TheRequests.Stop)
      Why = "was not read to its end before the interrupt";
    O.Warn("process " + processText(P->Pid) + " " + Why +
           ": what lived before is not known");
    return end();
  }
  constexpr size_t AtOnce = 4096;
  const Census &C = **Found;
  Added = P->State->adopt(C, Added, AtOnce, readTsc());
  if (Added != C.Blocks.size())
    return;
  if (O.Counted)
    O.Counted(C, P->Pid);
  end();
}

void AttachCensus::end() {
  if (ChildProcess *P = Children.find(Process); P && P->isRecorded())
    P->State->endAdopting();
  if (Found && !*Found)
    consumeError(Found->takeError());
  Found.reset();
  Other.reset();
  next();
}
