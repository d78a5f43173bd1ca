// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a thread.

#include "Thread.h"

#include "Errand.h"
#include "Source.h"

#include <pthread.h>

using namespace memkit;
using namespace memkit::capture;

__thread ThreadState capture::ThisThread;
__thread Errand capture::ThisErrand;

static constexpr uint32_t WaitStepUs = 50;
static constexpr uint64_t NestedMargin = 32; ///< for records that must not fail

//===----------------------------------------------------------------------===//
// A full ring
//===----------------------------------------------------------------------===//

/// The longest step is 16 times the first.
static constexpr uint32_t MostDoublings = 4;

/// Sleeps in steps, short ones first, until \p Done() or the time limit of the
/// settings; false: the limit is reached.
template <typename Fn> static bool waitFor(uint64_t Epoch, Fn Done) {
  std::atomic<uint64_t> &Beat = Proc.Ctl->Heartbeat;
  uint64_t FirstBeat = Beat.load(std::memory_order_acquire);
  if (!Proc.WaitMs || recorderStands(*Proc.Ctl))
    return false;
  uint64_t Start = sys::monotonicMs();
  for (uint32_t Step = 1;; ++Step) {
    // Where the recorder is busy with many processes, their short naps would
    // keep it from the processor.
    sys::sleepMicroseconds(WaitStepUs << std::min(Step / 8, MostDoublings));
    if (Proc.Epoch.load(std::memory_order_acquire) != Epoch)
      return false; // forked in a signal handler, or turned off
    if (Done())
      return true;
    if (Step % 16 == 0 && recorderGone(*Proc.Ctl)) {
      turnOff();
      return false;
    }
    if (Step % 16 == 0 && sys::monotonicMs() - Start >= Proc.WaitMs)
      break;
  }
  if (Beat.load(std::memory_order_acquire) == FirstBeat)
    noteRecorderStands(*Proc.Ctl);
  return false;
}

bool capture::makeRoom(ThreadState &T) {
  T.Ring.refresh();
  if (T.Ring.hasRoom())
    return true;
  if (T.Ring.isNested()) { // A handler inside a hook cannot wait.
    if (T.Ring.hasMargin(NestedMargin))
      return true;
    Proc.Ctl->LostReentrant.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (recorderGone(*Proc.Ctl)) {
    turnOff();
    return false;
  }
  if (waitFor(T.Epoch, [&] {
        T.Ring.refresh();
        return T.Ring.hasRoom();
      }))
    return true;
  if (T.Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T.Ring.drop();
  return false;
}

//===----------------------------------------------------------------------===//
// Claiming a ring
//===----------------------------------------------------------------------===//

/// Claims a ring for the caller and returns its number; -1: all are taken. \p
/// Soon: one will be free soon.
static int claimRing(bool &Soon) {
  Soon = false;
  for (uint32_t I = 0; I < Proc.MaxRings; ++I) {
    std::atomic<uint32_t> &State = Proc.Headers[I].State;
    uint32_t Is = State.load(std::memory_order_relaxed);
    if (Is == uint32_t(wire::RingState::Free) &&
        State.compare_exchange_strong(Is, uint32_t(wire::RingState::Owned),
                                      std::memory_order_acq_rel))
      return int(I);
    Soon |= Is == uint32_t(wire::RingState::Released);
  }
  return -1;
}

/// If all rings are owned, the threads of some may have ended. Waits once in a
/// thread for two passes of the recorder, which searches for such rings.
static int claimOrWait(const ThreadState &T) {
  bool Soon;
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_acquire);
  int Number = claimRing(Soon);
  if (Number >= 0 || (!Soon && T.NoRingEpoch == Epoch))
    return Number;
  std::atomic<uint64_t> &Beat = Proc.Ctl->Heartbeat;
  uint64_t FirstBeat = Beat.load(std::memory_order_relaxed);
  waitFor(Epoch, [&] {
    return (Number = claimRing(Soon)) >= 0 ||
           (!Soon && Beat.load(std::memory_order_relaxed) - FirstBeat > 2);
  });
  return Number;
}

// A program without libpthread lacks these functions, and has no thread that
// ends before the program.
#pragma weak pthread_key_create
#pragma weak pthread_key_delete
#pragma weak pthread_setspecific

/// Ends the thread's recording. Must run after the destructors of other keys,
/// which may allocate: asks to be called again until the last round but one.
static void threadEnds(void *Value);

static pthread_key_t endKey() {
  static std::atomic<uint32_t> Key; // number + 1
  uint32_t K = Key.load(std::memory_order_acquire);
  pthread_key_t New;
  if (!K && pthread_key_create(&New, threadEnds) == 0) {
    if (Key.compare_exchange_strong(K, New + 1, std::memory_order_acq_rel))
      return New;
    pthread_key_delete(New);
  }
  return K - 1;
}

static constexpr uint8_t LastRound = PTHREAD_DESTRUCTOR_ITERATIONS - 1;

static void threadEnds(void *Value) {
  ThreadState &T = ThisThread;
  if (++T.Rounds < LastRound) {
    pthread_setspecific(endKey(), Value);
    return;
  }
  T.HasKey = true; // Do not register the key again.
  forSources(&Source::EndThread);
  if (!T.Epoch || T.Epoch != Proc.Epoch.load(std::memory_order_acquire))
    return;
  T.Ring.refresh();
  if (T.Ring.hasMargin(0))
    T.Ring.write(wire::ThreadEndRecord{T.StackLow, T.StackBytes});
  T.Epoch = 0;
  T.Ring.header()->State.store(uint32_t(wire::RingState::Released),
                               std::memory_order_release);
}

static void noRing(ThreadState &T) {
  T.NoRingEpoch = Proc.Epoch.load(std::memory_order_relaxed);
  T.NoRingBeat = Proc.Ctl->Heartbeat.load(std::memory_order_relaxed);
  Proc.Ctl->LostNoRing.fetch_add(1, std::memory_order_relaxed);
}

static bool takeRing(ThreadState &T) {
  int Number = claimOrWait(T);
  if (Number < 0)
    return false;
  wire::RingHeader &H = Proc.Headers[Number];
  wire::Record *R = Proc.Rings.get(uint32_t(Number) * wire::RingRecords);
  if (!R) {
    H.State.store(uint32_t(wire::RingState::Free), std::memory_order_release);
    return false;
  }
  uint32_t Used = Proc.Ctl->RingsUsed.load(std::memory_order_relaxed);
  while (Used <= uint32_t(Number) &&
         !Proc.Ctl->RingsUsed.compare_exchange_weak(Used, uint32_t(Number) + 1))
    ;
  uint32_t Tid = sys::gettid();
  H.Tid.store(Tid, std::memory_order_release);
  // Destructors of other keys may run after this library's last round. The
  // thread then takes a ring again as the same thread. No destructor reports
  // its end: the recorder detects the end.
  uint64_t Before = T.Rounds >= LastRound ? T.RingNumber + 1 : 0;
  T.RingNumber = uint32_t(Number);
  T.Ring.attach(&H, R);
  forSources(&Source::StartThread);
  T.Epoch = Proc.Epoch.load(std::memory_order_acquire);
  if (!T.Ring.hasMargin(1))
    makeRoom(T);
  if (T.Ring.hasMargin(0))
    T.Ring.write(wire::ThreadStartRecord{Tid, Before});
  return true;
}

bool capture::attachThread() {
  ThreadState &T = ThisThread;
  if (T.Attaching ||
      Proc.State.load(std::memory_order_relaxed) == ProcessPhase::Off)
    return false;
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_acquire);
  if (Epoch && T.NoRingEpoch == Epoch &&
      T.NoRingBeat == Proc.Ctl->Heartbeat.load(std::memory_order_relaxed)) {
    Proc.Ctl->LostNoRing.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  sys::SignalBlock Block;
  T.Attaching = true;
  bool Attached = false;
  if (!Epoch)
    connect();
  if (Proc.State.load(std::memory_order_acquire) == ProcessPhase::Active) {
    if (recorderGone(*Proc.Ctl))
      turnOff();
    else if (!(Attached = takeRing(T)))
      noRing(T);
  }
  if (Attached && !T.HasKey && &pthread_key_create) {
    T.HasKey = true;
    pthread_setspecific(endKey(), &T);
  }
  T.Attaching = false;
  if (Attached && !Epoch)
    forSources(&Source::Ready);
  return Attached;
}
