// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and stop of recording.

#include "Session/RecordingControl.h"
#include "Session/Requests.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

RecordingControl::RecordingControl(const RecordOptions &O, Recording &R,
                                   ChildList &Children)
    : O(O), R(R), Children(Children), StartAt(O.Start), StopAt(O.Stop),
      TogglesTaken(TheRequests.Toggles), FlushesTaken(TheRequests.Flushes) {
  IsOn = StartAt.Kind == RecordTimePoint::None;
  if (!IsOn)
    Bits = wire::RB_SomeUnknown;
  if (O.Attach)
    Bits |= wire::RB_SomeUnknown;
  // Steps end when scopes end, so scopes are needed.
  if (StartAt.Kind == RecordTimePoint::Step ||
      StopAt.Kind == RecordTimePoint::Step)
    Bits |= wire::RB_Scopes;
}

bool RecordingControl::isTimePoint(const RecordTimePoint &M,
                                   uint64_t Now) const {
  switch (M.Kind) {
  case RecordTimePoint::None:
  case RecordTimePoint::Never:
    return false;
  case RecordTimePoint::After:
    return Now >= M.Value;
  case RecordTimePoint::Step:
    return R.maxSteps() >= M.Value;
  }
  return false;
}

void RecordingControl::update(uint64_t Now) {
  if (LLVM_UNLIKELY(Requested.has_value()))
    setRecording(*std::exchange(Requested, std::nullopt), Now);
  if (isTimePoint(StartAt, Now)) {
    StartAt = RecordTimePoint();
    requestRecording(true);
  }
  if (isTimePoint(StopAt, Now)) {
    StopAt = RecordTimePoint();
    requestRecording(false);
  }
  takeSignals();
}

void RecordingControl::takeSignals() {
  if (unsigned Toggles = TheRequests.Toggles; Toggles != TogglesTaken) {
    if ((Toggles - TogglesTaken) % 2)
      toggleRecording();
    TogglesTaken = Toggles;
  }
  if (unsigned Flushes = TheRequests.Flushes; Flushes != FlushesTaken) {
    FlushesTaken = Flushes;
    writeNow();
  }
}

void RecordingControl::warnOfTimePoints() const {
  auto Warn = [&](const char *Verb, const RecordTimePoint &M, const char *So) {
    if (M.Kind == RecordTimePoint::Step)
      O.Warn("recording did not " + Twine(Verb) + " at step " + Twine(M.Value) +
             ": the program had only " + Twine(R.maxSteps()) +
             (R.maxSteps() == 1 ? " step" : " steps") + So);
    else if (M.Kind == RecordTimePoint::After)
      O.Warn("recording did not " + Twine(Verb) + " after " +
             formatTime(M.Value) + ": the program ended earlier" + So);
  };
  const char *Nothing = R.stats().events() ? "" : "; nothing was recorded";
  Warn("start", StartAt, Nothing);
  if (!*Nothing)
    Warn("stop", StopAt, "");
}

void RecordingControl::requestRecording(bool On) {
  Requested = On;
  Bits |= wire::RB_SomeUnknown;
  for (ChildProcess &P : Children.recorded())
    P.State->expectUnknown();
}

void RecordingControl::setRecording(bool On, uint64_t Now) {
  IsOn = On;
  Bits &= ~uint32_t(wire::RB_On);
  if (On)
    Bits |= wire::RB_On;
  for (ChildProcess &P : Children.recorded())
    P.State->setRecording(On, Now);
  O.Note(On ? "recording starts" : "recording stops");
}

void RecordingControl::askHolders() {
  for (ChildProcess &P : Children.recorded())
    P.State->shared().control().Settings.Recording.fetch_or(
        wire::RB_Holders, std::memory_order_relaxed);
}

void RecordingControl::writeNow() {
  for (ChildProcess &P : Children.recorded()) {
    if (R.takesEvents() && !P.State->snapshots().active())
      P.State->snapshots().start();
    P.State->snapshots().finish();
  }
  R.summarizeNow();
  O.Note("snapshot and summary written, " + Twine(R.bytes()) + " bytes so far");
}
