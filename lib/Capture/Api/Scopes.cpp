// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by which a program reports scopes, steps and marks.
//
// The functions behind include/memkit/memkit.h and the Python package, except
// the one that waits (Stats.cpp). Each writes one record to the thread's ring.
//
// The recorder alone keeps the open scopes, from the records of a ring in
// order. So a longjmp leaves no stale state in the process.

#include "Api/Scopes.h"

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Source.h"
#include "Stacks/Stack.h"

using namespace memkit;
using namespace memkit::capture;
using wire::MarkWhat;

/// The calling thread, with room for a record; or null.
static ThreadState *threadWithRoom() {
  ThreadState *T = recordingThread();
  return T && hasRoom(*T) ? T : nullptr;
}

static void writeMark(uint32_t Text, MarkWhat What) {
  if (ThreadState *T = threadWithRoom())
    T->Ring.write(wire::MarkRecord{Text, What, 0});
}

MEMKIT_EXPORT void memrec_step() {
  writeMark(0, MarkWhat::Step);
  forSources(&Source::Stepped);
}

MEMKIT_EXPORT void memrec_mark(const char *Name, size_t Size) {
  if (recordingThread())
    writeMark(Proc.Names.intern(Name, Size), MarkWhat::User);
}

/// The number of the alert, from 1; 0: nothing is recorded, or too many alerts.
MEMKIT_EXPORT uint32_t memrec_alert(const char *Condition, size_t Size) {
  ThreadState *T = threadWithRoom();
  // So that the count cannot come around.
  if (!T ||
      Proc.Ctl->NextAlert.load(std::memory_order_relaxed) >= wire::MaxAlerts)
    return 0;
  uint32_t Number =
      Proc.Ctl->NextAlert.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Number > wire::MaxAlerts)
    return 0;
  T->Ring.write(wire::MarkRecord{Proc.Names.intern(Condition, Size),
                                 MarkWhat::Alert, Number});
  return Number;
}

/// How often the condition of an alert began to hold. To: value and bound of
/// the last time.
MEMKIT_EXPORT uint64_t memrec_alerted(uint32_t Number, uint64_t To[2]) {
  if (!Number || Number > wire::MaxAlerts || !recordingThread())
    return 0;
  const wire::AlertSlot &S = Proc.Ctl->Alerts[Number - 1];
  uint64_t Count = S.Count.load(std::memory_order_acquire);
  To[0] = S.Value.load(std::memory_order_relaxed);
  To[1] = S.Bound.load(std::memory_order_relaxed);
  return Count;
}

uint64_t capture::beginScope(const char *Name, size_t Size, unsigned Flags,
                             const CallerFrame &Caller) {
  ThreadState *T = threadWithRoom();
  if (!T)
    return 0;
  uint64_t Number = Kept.Scopes.fetch_add(1, std::memory_order_relaxed) + 1;
  uint32_t Text = Proc.Names.intern(Name, Size), Stack = 0;
  if (!(uint64_t(Flags) << 32 & wire::SF_NoPath)) {
    Stack = stackNode(*T, Caller);
    forSources(&Source::BeforeScope, *T, Caller);
  }
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return 0;
  T->Ring.write(wire::ScopeBeginRecord{Text, uint64_t(Flags) << 32, Number,
                                       wire::ScopeBeginRecord::atStack(Stack)},
                RingWriter::ClockRead::Early);
  return Number;
}

MEMKIT_EXPORT uint64_t memrec_scope_begin(const char *Name, size_t Size,
                                          unsigned Flags) {
  CallerFrame Caller = MEMKIT_CALLER;
  return beginScope(Name, Size, Flags, Caller);
}

void capture::endScope(uint64_t Number) {
  if (!Number)
    return;
  if (ThreadState *T = threadWithRoom())
    T->Ring.write(wire::ScopeEndRecord{Number}, RingWriter::ClockRead::Early);
}

MEMKIT_EXPORT void memrec_scope_end(uint64_t Number) { endScope(Number); }

static void setRecording(bool On) {
  Kept.Stopped = !On;
  if (!recordingThread() || recorderGone(*Proc.Ctl) || isRecording() == On)
    return;
  Proc.SomeUnknown = true;
  std::atomic<uint32_t> &Bits = Proc.Ctl->Settings.Recording;
  if (On)
    Bits.fetch_or(wire::RB_On, std::memory_order_relaxed);
  else
    Bits.fetch_and(~uint32_t(wire::RB_On), std::memory_order_relaxed);
  writeMark(0, On ? MarkWhat::On : MarkWhat::Off);
}

MEMKIT_EXPORT void memrec_start() { setRecording(true); }
MEMKIT_EXPORT void memrec_stop() { setRecording(false); }

MEMKIT_EXPORT int memrec_recording() {
  return recordingThread() && isRecording() && !recorderGone(*Proc.Ctl);
}
