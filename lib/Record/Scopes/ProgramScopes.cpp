// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, marks and queries of the program itself.

#include "Scopes/ProgramScopes.h"
#include "Output/Recording.h"
#include "Shared/SharedProcess.h"
#include <cstring>

using namespace llvm;
using namespace memkit;
using wire::MarkWhat;

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

bool ProgramScopes::take(const wire::ScopeBeginRecord &Rec, ScopeOrigin From) {
  uint64_t Flags = Rec.Flags, Number = Rec.Number;
  ScopeThreads::RingScopes &Of = Threads.ring(From.Ring);
  uint32_t Text = ScopeNames::numberOf(Rec.Text);
  const ScopeNames::ScopeName &N = Threads.name(Text);
  bool Measured = !(Flags & wire::SF_NoMeasure);
  bool EndsStep = N.EndsSteps && Measured && !Of.isInStep();
  if (Flags & wire::SF_NoPath) {
    if (Measured)
      Threads.measured().begin(Number, Text, Threads.timeNs(From));
    if (EndsStep && StepScopes.size() < ScopeThreads::MaxOfRing)
      StepScopes.insert(Number);
    return true;
  }
  RunningScope O = ScopeThreads::newScope(Of, Number);
  O.Measured = Measured ? ScopeMeasure::Scope : ScopeMeasure::None;
  O.EndsStep = EndsStep;
  ScopeTree::Entered In =
      R.scopePaths().enter(Of.Now.ScopePath, ScopeKind::User, N.Text,
                           Depth.at(Rec.stack(), Flags & wire::SF_Python));
  Threads.open(O, In.ScopePath, Text, From);
  noteName(In, N, From);
  return true;
}

/// Adds a mark with the name of a scope whose scope path has another name.
void ProgramScopes::noteName(const ScopeTree::Entered &In,
                             const ScopeNames::ScopeName &N, ScopeOrigin From) {
  if (!In.Folded || FoldedMarks++ >= MaxFoldedMarks)
    return;
  Mark M;
  M.Kind = MarkKind::ScopeName;
  M.ScopePath = In.ScopePath;
  M.Name = N.String;
  addMark(std::move(M), From);
}

void ProgramScopes::endPathless(uint64_t Number, uint64_t TimeNs) {
  Threads.endMeasured(Number, TimeNs, ScopeKind::User);
  if (StepScopes.erase(Number))
    Threads.steps().add(TimeNs, 0);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void ProgramScopes::addMark(Mark M, ScopeOrigin From) {
  M.Process = Threads.process();
  M.Thread = From.Thread;
  M.TimeNs = R.times().markNs(From.Tsc);
  R.addMark(std::move(M));
}

bool ProgramScopes::take(const wire::MarkRecord &Rec, ScopeOrigin From) {
  if (Rec.What == MarkWhat::Step) {
    Threads.steps().report(Threads.timeNs(From), From.Thread);
    return true;
  }
  if (Rec.What == MarkWhat::Alert) {
    if (Rec.Range && Rec.Range <= wire::MaxAlerts)
      R.tell(&RecordingListener::askedForAlert, Threads.process(),
             uint32_t(Rec.Range),
             Threads.name(ScopeNames::numberOf(Rec.Text)).Text);
    return true;
  }
  Mark M;
  if (!fill(Rec, M))
    return false;
  addMark(std::move(M), From);
  return true;
}

/// Sets what the record says of a mark. False: no known kind.
bool ProgramScopes::fill(const wire::MarkRecord &Rec, Mark &M) {
  switch (Rec.What) {
  case MarkWhat::User:
    M.Kind = MarkKind::User;
    WasMarked = true;
    M.Name = Threads.name(ScopeNames::numberOf(Rec.Text)).String;
    return true;
  case MarkWhat::RangeBegin:
    M.Kind = MarkKind::RangeBegin;
    M.Name = Threads.name(ScopeNames::numberOf(Rec.Text)).String;
    M.Id = Rec.Range;
    return true;
  case MarkWhat::RangeEnd:
    M.Kind = MarkKind::RangeEnd;
    M.Id = Rec.Range;
    return true;
  case MarkWhat::On:
    M.Kind = MarkKind::RecordOn;
    return true;
  case MarkWhat::Off:
    M.Kind = MarkKind::RecordOff;
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Replies to queries
//===----------------------------------------------------------------------===//

static void write(const ScopeStatsRow &Row, StringRef Name,
                  wire::HeapReply &To) {
  std::memset(To.Name, 0, sizeof(To.Name));
  std::memcpy(To.Name, Name.data(), std::min(Name.size(), sizeof(To.Name) - 1));
  To.Allocations = Row.Allocations;
  To.Frees = Row.Frees;
  To.AllocatedBytes = Row.AllocatedBytes;
  To.FreedBytes = Row.FreedBytes;
  To.Before = Row.Before;
  To.Peak = Row.Peak;
  To.After = Row.After;
}

static void write(const ScopeStatsRow &Row, wire::ReservedReply &To) {
  To.IsKnown = Row.IsReservedKnown;
  To.Reserved = Row.Reserved;
  To.Peak = Row.ReservedPeak;
  To.Active = Row.Active;
}

void ProgramScopes::write(const ScopeResult &S, wire::Reply &To) const {
  To.DurationNs = S.DurationNs;
  To.NumHeaps = 0;
  To.Pad = 0;
  ::write(S.Rows[0], "host", To.Total);
  for (uint32_t Heap = 1;
       Heap < S.Rows.size() && To.NumHeaps != wire::MaxReplyHeaps; ++Heap)
    if (R.stats().hasHeapOf(Threads.process(), Heap)) {
      To.ActiveAtPeak[To.NumHeaps] = S.Rows[Heap].ActiveAtPeak;
      ::write(S.Rows[Heap], To.Reserved[To.NumHeaps]);
      ::write(S.Rows[Heap], R.heaps().heapName(Heap), To.Heaps[To.NumHeaps++]);
    }
}

bool ProgramScopes::take(const wire::AskRecord &Rec, ScopeOrigin From) {
  uint64_t Number = Rec.Scope;
  return Threads.shared().answer(Rec.Slot, Rec.Ticket, [&](wire::Reply &To) {
    if (!Number)
      for (const RunningScope &O : Threads.ring(From.Ring).Opens)
        Number = O.Measured == ScopeMeasure::Scope ? O.Number : Number;
    const ScopeResult *Found =
        Threads.measured().find(Number, Threads.timeNs(From));
    wire::Reply None{};
    None.NumHeaps = UINT32_MAX;
    if (Found)
      write(*Found, To);
    else
      To = None;
  });
}
