// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples the memory that processes hold, from outside.
//
// RSS is read for each process at an interval: often after the start of the
// process, when most happens, then at the requested interval. After 4,096
// samples of a process the interval doubles, and again after each further
// 2,048, so that the trace of a run of days stays small; clock marks follow the
// same rule. PSS costs far more: it is read for children of fork only, at marks
// of the program and else at ten times the interval. Neither takes more than a
// two-hundredth of the time.

#include "Session/Session.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// The reciprocal of the share of time that sampling may take.
static constexpr uint64_t TimeShare = 200;
static constexpr uint64_t FirstIntervalNs = 1000000;
static constexpr uint32_t FirstSampleHalving = 4096, NextSampleHalving = 2048;

/// The interval after Count samples, IntervalNs at first.
static uint64_t stretched(uint64_t IntervalNs, uint32_t Count) {
  unsigned Halvings =
      Count < FirstSampleHalving
          ? 0
          : 1 + (Count - FirstSampleHalving) / NextSampleHalving;
  return IntervalNs << std::min(Halvings, 20u);
}

uint64_t Session::sampleInterval(const ChildProcess &P) const {
  return stretched(O.SampleIntervalNs, P.RssCount);
}

uint64_t Session::clockInterval(uint32_t NumClocks) {
  return stretched(1000000000, NumClocks);
}

void Session::sampleRss(ChildProcess &P, uint64_t Now) {
  if (!O.SampleIntervalNs || Now < P.NextRssNs || Now < NextRssNs)
    return;
  uint64_t Age = Now - std::min(P.StartNs, Now);
  P.NextRssNs =
      Now + std::min(sampleInterval(P), std::max(Age, FirstIntervalNs));
  auto Bytes = procfs::residentBytes(P.Pid);
  Roles.readTitle(P);
  // With very many processes all wait, to keep the share of time.
  NextRssNs = Now + (R.nowNs() - Now) * TimeShare;
  if (!Bytes)
    return;
  ++P.RssCount;
  Mark M;
  M.Kind = MarkKind::Rss;
  M.Process = P.Process;
  M.TimeNs = Now;
  M.Values = {Bytes->first, Bytes->second};
  R.Stats.noteResident(P.Process, Bytes->first, 0);
  R.addMark(std::move(M));
}

/// A mark of the program requests the PSS of its own process and of the
/// children of this process.
void Session::noteMarked(ChildProcess &Marked) {
  for (ChildProcess &P : Children)
    if (P.IsForked && (&P == &Marked || P.Parent == Marked.Process))
      P.IsMarked = true;
}

/// The child of fork to read the PSS of next: requested by a mark first, then
/// the longest due; null: none is due.
ChildProcess *Session::nextForPss(uint64_t Now) {
  ChildProcess *Next = nullptr;
  for (ChildProcess &P : Children) {
    if (!P.IsForked || P.EndNs || P.Ending || !P.State)
      continue;
    if (!P.IsMarked && Now < P.NextPssNs)
      continue;
    if (!Next || P.IsMarked > Next->IsMarked ||
        (P.IsMarked == Next->IsMarked && P.NextPssNs < Next->NextPssNs))
      Next = &P;
  }
  return Next;
}

void Session::samplePss(uint64_t Now) {
  if (!O.SampleIntervalNs)
    return;
  if (auto A = Pss.take()) {
    NextPssNs = Now + A->TookNs * TimeShare;
    bool Lives = any_of(Children, [&](const ChildProcess &P) {
      return P.Process == A->Process && !P.EndNs;
    });
    if (A->Pss && Lives) {
      Mark M;
      M.Kind = MarkKind::Pss;
      M.Process = A->Process;
      M.TimeNs = Now;
      M.Values = {A->Pss, A->Private, A->Swapped};
      R.Stats.noteResident(A->Process, 0, A->Pss);
      R.addMark(std::move(M));
    }
  }
  if (Pss.isBusy() || Now < NextPssNs)
    return;
  ChildProcess *P = nextForPss(Now);
  if (!P)
    return;
  constexpr uint64_t Rarer = 10; // than RSS
  P->IsMarked = false;
  P->NextPssNs = Now + sampleInterval(*P) * Rarer;
  Pss.ask(P->Process, P->Pid);
}

/// Reports how much of the CUDA devices is used, and by which processes.
void Session::lookAtDevices(uint64_t Now) {
  if (!Shared.Uses.isUsed())
    return;
  DeviceUses::Pids Of;
  for (ChildProcess &P : Children)
    if (P.State && !P.EndNs && !P.Ending)
      Of.push_back({P.Process, P.Pid});
  DeviceUses::News News = Shared.Uses.pass(Now, Of);
  for (const DeviceUses::Reply &Reply : News.Replies)
    for (ChildProcess &P : Children)
      if (P.Process == Reply.Process && P.isRecorded())
        P.State->shared().answer(Reply.Slot, Reply.Ticket,
                                 [&](wire::Reply &To) {
                                   To.NumHeaps = Reply.IsKnown ? 0 : UINT32_MAX;
                                 });
  for (const std::string &What : News.Missed) {
    O.Warn(What);
    if (!Children.empty())
      Reports.addAlert(Children[0], What);
  }
}
