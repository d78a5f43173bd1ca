// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and stops recording, at a given moment or by a signal.
//
// While recording is off, the program's hooks still report frees, so that the
// recorder knows which blocks live.

#include "Session/Session.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// Called before the first process.
void Session::prepareControl() {
  StartAt = O.Start;
  StopAt = O.Stop;
  IsOn = StartAt.Kind == RecordMoment::None;
  if (!IsOn)
    Settings.Recording = wire::RB_SomeUnknown;
  // Steps end when scopes end, so scopes are needed.
  if (StartAt.Kind == RecordMoment::Step || StopAt.Kind == RecordMoment::Step)
    Settings.Recording |= wire::RB_Scopes;
  // Ignore signals from before the recording.
  TogglesSeen = TheRequests.Toggles;
  FlushesSeen = TheRequests.Flushes;
}

bool Session::isMoment(const RecordMoment &M, uint64_t Now) const {
  switch (M.Kind) {
  case RecordMoment::None:
  case RecordMoment::Never:
    return false;
  case RecordMoment::After:
    return Now >= M.Value;
  case RecordMoment::Step:
    return R.MaxSteps >= M.Value;
  }
  return false;
}

/// Called once a pass.
void Session::control(uint64_t Now) {
  if (LLVM_UNLIKELY(Wanted.has_value()))
    setRecording(*std::exchange(Wanted, std::nullopt), Now);
  if (isMoment(StartAt, Now)) {
    StartAt = RecordMoment();
    wantRecording(true);
  }
  if (isMoment(StopAt, Now)) {
    StopAt = RecordMoment();
    wantRecording(false);
  }
  if (unsigned Toggles = TheRequests.Toggles; Toggles != TogglesSeen) {
    if ((Toggles - TogglesSeen) % 2)
      wantRecording(!Wanted.value_or(IsOn));
    TogglesSeen = Toggles;
  }
  if (unsigned Flushes = TheRequests.Flushes; Flushes != FlushesSeen) {
    FlushesSeen = Flushes;
    flushAll();
  }
  turnTail();
}

void Session::warnOfMoments() const {
  auto Warn = [&](const char *Verb, const RecordMoment &M, const char *So) {
    if (M.Kind == RecordMoment::Step)
      O.Warn("no step " + Twine(M.Value) + " to " + Verb + " at: there were " +
             Twine(R.MaxSteps) + " steps" + So);
    else if (M.Kind == RecordMoment::After)
      O.Warn("no " + Twine(Verb) + " after " + formatTime(M.Value) +
             ": the program ended before" + So);
  };
  const char *Nothing = R.Stats.events() ? "" : "; nothing was recorded";
  Warn("start", StartAt, Nothing);
  if (!*Nothing)
    Warn("stop", StopAt, "");
}

/// Starts or stops recording from the next pass on: the threads must know
/// before then that some blocks will not be recorded.
void Session::wantRecording(bool On) {
  Wanted = On;
  Settings.Recording |= wire::RB_SomeUnknown;
  for (ChildProcess &P : Children.recorded())
    P.State->expectUnknown();
}

void Session::setRecording(bool On, uint64_t Now) {
  IsOn = On;
  Settings.Recording &= ~uint32_t(wire::RB_On);
  if (On)
    Settings.Recording |= wire::RB_On;
  for (ChildProcess &P : Children.recorded())
    P.State->setRecording(On, Now);
  O.Note(On ? "recording starts" : "recording stops");
}

/// Writes the live blocks and the stats, so that they survive a trace that is
/// cut off later.
void Session::flushAll() {
  for (ChildProcess &P : Children.recorded()) {
    if (R.takesEvents() && !P.State->snapshots().active())
      P.State->snapshots().start();
    P.State->snapshots().finish();
  }
  R.summarizeNow();
  O.Note("snapshot and summary written, " + Twine(R.bytes()) + " bytes so far");
}

/// With only the last events kept, events are dropped by whole parts of the
/// file. Starts a new part when due: a part starts with a snapshot of all live
/// blocks.
void Session::turnTail() {
  if (any_of(Children.recorded(),
             [](ChildProcess &P) { return P.State->snapshots().active(); }))
    return;
  if (!R.turnTail())
    return;
  for (ChildProcess &P : Children.recorded())
    P.State->snapshots().start();
}
