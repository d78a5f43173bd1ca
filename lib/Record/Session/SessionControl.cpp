// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording starts and stops.
//
// At a moment that was given, or by a signal. While recording is off the
// program's hooks still tell of frees, so that what lives is known.

#include "Session/Session.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// Before the first process.
void Session::prepareControl() {
  StartAt = O.Start;
  StopAt = O.Stop;
  IsOn = StartAt.Kind == RecordMoment::None;
  if (!IsOn)
    Settings.Recording = wire::RB_SomeUnknown;
  // Steps are ends of scopes.
  if (StartAt.Kind == RecordMoment::Step || StopAt.Kind == RecordMoment::Step)
    Settings.Recording |= wire::RB_Scopes;
  // A signal that came before there was anything to start is none.
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

/// Once a pass.
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

/// From the next pass on: threads must know first that there will be blocks
/// that are not recorded.
void Session::wantRecording(bool On) {
  Wanted = On;
  Settings.Recording |= wire::RB_SomeUnknown;
  for (auto &P : Children)
    if (P->State && !P->EndNs)
      P->State->expectUnknown();
}

void Session::setRecording(bool On, uint64_t Now) {
  IsOn = On;
  Settings.Recording &= ~uint32_t(wire::RB_On);
  if (On)
    Settings.Recording |= wire::RB_On;
  for (auto &P : Children)
    if (P->State && !P->EndNs)
      P->State->setRecording(On, Now);
  O.Note(On ? "recording starts" : "recording stops");
}

/// Writes what lives, and the sums, so that a trace that is cut off later has
/// them.
void Session::flushAll() {
  for (auto &P : Children)
    if (P->State && !P->EndNs) {
      if (R.takesEvents() && !P->State->snapshots().active())
        P->State->snapshots().start();
      P->State->snapshots().finish();
    }
  R.summarizeNow();
  O.Note("snapshot and summary written, " + Twine(R.bytes()) + " bytes so far");
}

/// Where only the last events are kept: each part of the file that is dropped
/// in whole begins with what lived.
void Session::turnTail() {
  auto Lives = [](const std::unique_ptr<Child> &P) {
    return P->State && !P->EndNs;
  };
  if (any_of(Children, [&](const std::unique_ptr<Child> &P) {
        return Lives(P) && P->State->snapshots().active();
      }))
    return;
  if (!R.turnTail())
    return;
  for (auto &P : Children)
    if (Lives(P))
      P->State->snapshots().start();
}
