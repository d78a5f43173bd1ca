// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches to the programs of a recording, one after the other, and detaches.

#include "Session/AttachControl.h"
#include "Attach/AttachCheck.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>
#include <csignal>

using namespace llvm;
using namespace memkit;

AttachControl::AttachControl(AttachProcess &By, std::string Socket, pid_t Main,
                             bool WithChildren)
    : By(By), Socket(std::move(Socket)), WithChildren(WithChildren) {
  All.push_back({Main});
  Attached.Processes = 0;
}

static bool isThere(pid_t Pid) { return kill(Pid, 0) == 0 || errno == EPERM; }

void AttachControl::takeAttached(Expected<AttachResult> R) {
  bool OfMain = isMain(*Asked);
  if (!R) {
    std::string Why = toString(R.takeError());
    if (OfMain)
      Problem = Why;
    else if (isThere(All[*Asked].Pid))
      Refusals.push_back(std::move(Why));
    IsOver |= OfMain;
    return;
  }
  if (!R->Processes) {
    // A child that began meanwhile has the hooks of its parent.
    if (OfMain)
      Problem = "is recorded by another memrec already";
    IsOver |= OfMain;
    return;
  }
  All[*Asked].IsAttached = true;
  HasMain |= OfMain;
  ++Attached.Processes;
  Attached.PauseNs = std::max(Attached.PauseNs, R->PauseNs);
  Attached.SearchNs = std::max(Attached.SearchNs, R->SearchNs);
  Attached.Words += R->Words;
  Attached.Binaries += R->Binaries;
  Attached.Functions += R->Functions;
  Attached.AllStoodNs = std::max(Attached.AllStoodNs, R->AllStoodNs);
  Attached.HasFailedFunctions |= R->HasFailedFunctions;
}

void AttachControl::takeDetached(Expected<AttachResult> R) {
  AttachedProcess &P = All[*Asked];
  P.IsAttached = false;
  if (R) {
    if (isMain(*Asked))
      Detached = *R;
    return;
  }
  std::string Why = toString(R.takeError());
  if (!isThere(P.Pid))
    return;
  if (isMain(*Asked))
    Problem = std::move(Why);
  else
    Refusals.push_back("process " + processText(P.Pid) + " " + Why);
}

/// Adds processes that descend from the program and are not known. A process
/// that is attached to is followed, so a few rounds are enough.
void AttachControl::findChildren() {
  constexpr unsigned MaxRounds = 4;
  if (!WithChildren || Rounds++ >= MaxRounds)
    return;
  TargetOwner Owner = ownerOf(All[0].Pid);
  for (pid_t Pid : descendantsOf(All[0].Pid)) {
    if (any_of(All, [&](const AttachedProcess &P) { return P.Pid == Pid; }))
      continue;
    // memrec itself may descend from the program, which is a shell then.
    if (Pid == By.pid() || Pid == getpid())
      continue;
    TargetOwner Of = ownerOf(Pid);
    if (Of.User == Owner.User) {
      All.push_back({Pid});
    } else if (Rounds == 1 && Of.User != ~0u) {
      Refusals.push_back(
          "process " + processText(Pid) +
          " belongs to another user than the program: memrec -p " +
          std::to_string(Pid) + " attaches to it");
    }
  }
}

void AttachControl::askNext() {
  if (!IsEnding) {
    if (Next == All.size())
      findChildren();
    if (Next != All.size()) {
      Asked = Next++;
      By.requestAttach(All[*Asked].Pid, Socket, /*Check=*/!isMain(*Asked));
      return;
    }
    if (!IsComplete)
      IsComplete = HasNews = true;
    return;
  }
  for (size_t At = 0; At != All.size(); ++At) {
    if (!All[At].IsAttached || !isThere(All[At].Pid))
      continue;
    Asked = At;
    By.requestDetach(All[At].Pid);
    return;
  }
  IsOver = true;
}

void AttachControl::take() {
  if (IsOver)
    return;
  if (Asked) {
    std::optional<Expected<AttachResult>> Answer = By.take();
    if (!Answer)
      return;
    if (All[*Asked].IsAttached)
      takeDetached(std::move(*Answer));
    else
      takeAttached(std::move(*Answer));
    Asked.reset();
    if (IsOver)
      return;
  }
  askNext();
}
