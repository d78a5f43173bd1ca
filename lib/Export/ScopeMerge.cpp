// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the times of scopes with replayed events.

#include "ScopeMerge.h"

using namespace llvm;

namespace memkit {

ScopeMerge::ScopeMerge(const Trace &T, const Selection &Sel, MergedScope Do)
    : T(T), Sel(Sel), Do(std::move(Do)) {
  for (uint32_t Process = 0; Process <= T.processes().size(); ++Process)
    Processes.push_back(Process && Sel.hasProcess(Process) &&
                                hasScopeTimes(T, Process)
                            ? std::make_unique<ScopesOfProcess>(T, Process)
                            : nullptr);
  for (const std::unique_ptr<ScopesOfProcess> &Of : Processes)
    if (Of)
      Merged.push_back(Of.get());
}

/// Reads all changes up to UntilNs and one more.
Error ScopeMerge::readAhead(ScopesOfProcess &Of, uint64_t UntilNs) {
  while (Of.Ahead.empty() || Of.Ahead.back().TimeNs <= UntilNs) {
    Expected<const ScopeChange *> Next = Of.Cursor.peek();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      return Error::success();
    Of.Ahead.push_back(**Next);
    Of.Cursor.next();
  }
  return Error::success();
}

void ScopeMerge::take(ScopesOfProcess &Of, const ScopeChange &C) {
  auto Change = [&](uint32_t Thread, uint32_t ScopePath, uint64_t TimeNs) {
    if (Sel.hasThread(Thread))
      Of.Occurrences.change(Thread, ScopePath, TimeNs, Do);
  };
  if (C.TimeNs >= sinceNs() && !Of.IsInWindow) {
    Of.IsInWindow = true;
    for (uint32_t Thread = 1; Thread < Of.Threads.size(); ++Thread)
      if (uint32_t ScopePath = Of.Threads[Thread].ScopePath)
        Change(Thread, ScopePath, sinceNs());
  }
  Of.Threads[C.Thread] = {C.ScopePath, C.TimeNs};
  if (Of.IsInWindow)
    Change(C.Thread, C.ScopePath, C.TimeNs);
}

/// Takes the changes before an event: by time, and by the scope path where the
/// rounded time of a change may lie on the wrong side of the event.
void ScopeMerge::takeUpTo(ScopesOfProcess &Of, const ReplayedEvent &E) {
  ScopesOfProcess::ThreadNow &Now = Of.Threads[E.Thread];
  bool IsAllocation = E.Kind == EventKind::Allocate;
  auto IsClose = [&](const ScopeChange &C) {
    uint64_t Gap = C.TimeNs - std::min(Now.SinceNs, C.TimeNs);
    uint64_t Distance =
        std::max(C.TimeNs, E.TimeNs) - std::min(C.TimeNs, E.TimeNs);
    return Distance <= Gap / 16 + 2 * TimeUnitNs;
  };
  size_t At = 0;
  bool Waits = false; // later changes of the thread
  while (At != Of.Ahead.size() && Of.Ahead[At].TimeNs <= E.TimeNs) {
    const ScopeChange C = Of.Ahead[At];
    bool IsOwn = IsAllocation && C.Thread == E.Thread;
    Waits |= IsOwn && Now.ScopePath == E.ScopePath && IsClose(C);
    if (IsOwn && Waits) {
      ++At;
      continue;
    }
    take(Of, C);
    Of.Ahead.erase(Of.Ahead.begin() + ptrdiff_t(At));
  }
  constexpr unsigned MaxEarly = 2;
  for (unsigned Taken = 0; IsAllocation && !Waits && At != Of.Ahead.size() &&
                           Now.ScopePath != E.ScopePath && Taken != MaxEarly;) {
    const ScopeChange C = Of.Ahead[At];
    if (C.Thread != E.Thread) {
      ++At;
      continue;
    }
    if (!IsClose(C))
      return;
    take(Of, C);
    Of.Ahead.erase(Of.Ahead.begin() + ptrdiff_t(At));
    ++Taken;
  }
}

Error ScopeMerge::before(const ReplayedEvent &E) {
  ScopesOfProcess *Of = Processes[E.Process].get();
  if (!Of)
    return Error::success();
  uint64_t Gap = E.TimeNs - std::min(Of->Threads[E.Thread].SinceNs, E.TimeNs);
  if (Error Bad = readAhead(*Of, E.TimeNs + Gap / 8 + 2 * TimeUnitNs))
    return Bad;
  takeUpTo(*Of, E);
  return Error::success();
}

Error ScopeMerge::advance(uint64_t TimeNs) {
  for (ScopesOfProcess *Of : Merged) {
    if (Error Bad = readAhead(*Of, TimeNs))
      return Bad;
    auto IsFar = [&](const ScopeChange &C) {
      uint64_t Since = Of->Threads[C.Thread].SinceNs;
      uint64_t Gap = C.TimeNs - std::min(Since, C.TimeNs);
      return C.TimeNs + Gap / 16 + 2 * TimeUnitNs < TimeNs;
    };
    for (; !Of->Ahead.empty() && IsFar(Of->Ahead.front());
         Of->Ahead.pop_front())
      take(*Of, Of->Ahead.front());
  }
  return Error::success();
}

Error ScopeMerge::finish(ScopesOfProcess &Of) {
  const TimePoint *Last = Sel.times().last();
  uint64_t EndNs = Last ? std::min(T.endNs(), Last->TimeNs) : T.endNs();
  if (Error E = readAhead(Of, EndNs))
    return E;
  for (; !Of.Ahead.empty() && Of.Ahead.front().TimeNs <= EndNs;
       Of.Ahead.pop_front())
    take(Of, Of.Ahead.front());
  // Scopes that were open all the time, if there was no change in the window.
  if (!Of.IsInWindow && EndNs >= sinceNs())
    for (uint32_t Thread = 1; Thread < Of.Threads.size(); ++Thread)
      if (uint32_t ScopePath = Of.Threads[Thread].ScopePath) {
        take(Of, {sinceNs(), Thread, ScopePath});
        break;
      }
  Of.Occurrences.finish(EndNs, Do);
  return Error::success();
}

Error ScopeMerge::finish() {
  for (ScopesOfProcess *Of : Merged)
    if (Error E = finish(*Of))
      return E;
  return Error::success();
}

} // namespace memkit
