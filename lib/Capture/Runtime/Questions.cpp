// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the recorder.

#include "Questions.h"

#include "Thread.h"

#include <cstring>
#include <linux/futex.h>

using namespace memkit;
using namespace memkit::capture;
using wire::ReplyPhase;
using wire::ReplySlot;

/// The time limits for a recorder without a heartbeat, and for a slow recorder.
/// A recorder that shares two processors with many programs, or waits for a
/// busy disk, has stood for more than a second.
static constexpr uint64_t StillMs = 3000, SlowMs = 10000;

static bool isLeft() {
  return Proc.Ctl->Leaves.load(std::memory_order_acquire);
}

static uint32_t claimSlot(uint32_t Ticket) {
  for (uint32_t I = 0; I < wire::NumReplySlots; ++I) {
    uint32_t Free = 0;
    if (Proc.Ctl->Replies[I].State.compare_exchange_strong(
            Free, replyState(Ticket, ReplyPhase::Asked),
            std::memory_order_acq_rel))
      return I;
  }
  return wire::NumReplySlots;
}

namespace {
/// A wait for the recorder, MaxMs at most.
class ReplyWait {
public:
  explicit ReplyWait(uint64_t MaxMs) : MaxMs(MaxMs) {}

  /// False: the wait is over. Always false in a forked child, which must not
  /// touch its parent's memory.
  bool goesOn() {
    if (Proc.Epoch.load(std::memory_order_acquire) != Epoch)
      return false;
    uint64_t Now = sys::monotonicMs(), Beat = beat();
    if (Beat != LastBeat) {
      LastBeat = Beat;
      MovedMs = Now;
    }
    if (recorderGone(*Proc.Ctl) || isLeft())
      return false;
    if (Now - MovedMs >= StillMs) {
      noteRecorderStands(*Proc.Ctl);
      return false;
    }
    return Now - BegunMs < MaxMs;
  }

private:
  static uint64_t beat() {
    return Proc.Ctl->Heartbeat.load(std::memory_order_acquire);
  }
  const uint64_t MaxMs;
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_acquire);
  uint64_t BegunMs = sys::monotonicMs(), MovedMs = BegunMs, LastBeat = beat();
};
} // namespace

static void sleepOn(std::atomic<uint32_t> &Word, uint32_t While) {
  timespec T = {0, 20000000};
  sys::call(SYS_futex, long(&Word), FUTEX_WAIT, While, long(&T));
}

/// Waits for the answer in slot \p I.
static bool takeAnswer(uint32_t I, uint32_t Ticket, ReplyWait &W,
                       wire::Reply &To) {
  ReplySlot &S = Proc.Ctl->Replies[I];
  uint32_t Asked = replyState(Ticket, ReplyPhase::Asked), Is;
  while ((Is = S.State.load(std::memory_order_acquire)) == Asked) {
    sleepOn(S.State, Asked);
    if (W.goesOn())
      continue;
    if (!Proc.Ctl || &S != &Proc.Ctl->Replies[I])
      return false; // a child
    if (S.State.compare_exchange_strong(
            Is, replyState(Ticket, ReplyPhase::Abandoned),
            std::memory_order_acq_rel))
      return false;
  }
  memcpy(&To, &S.Answer, sizeof(To));
  S.State.store(0, std::memory_order_release);
  return true;
}

/// Publishes What, a record of a question, with a slot and a ticket, and waits
/// for the answer.
template <class R>
static bool askAny(R What, wire::Reply &To, uint64_t MaxMs = SlowMs) {
  ThreadState *T = recordingThread();
  // A signal handler inside a hook would wait in vain: the question is
  // published together with the hook's record, after the handler.
  if (!T || T->Ring.isNested() || recorderGone(*Proc.Ctl) ||
      recorderStands(*Proc.Ctl) || isLeft())
    return false;
  ReplyWait W(MaxMs);
  uint32_t Ticket =
      Proc.Ctl->NextTicket.fetch_add(1, std::memory_order_relaxed) & 0x3fffffff;
  uint32_t Slot;
  while ((Slot = claimSlot(Ticket)) == wire::NumReplySlots) {
    sys::sleepMicroseconds(500);
    if (!W.goesOn())
      return false;
  }
  if (!hasRoom(*T)) {
    if (Proc.Ctl)
      Proc.Ctl->Replies[Slot].State.store(0, std::memory_order_release);
    return false;
  }
  What.Slot = Slot;
  What.Ticket = Ticket;
  T->Ring.write(What);
  return takeAnswer(Slot, Ticket, W, To) && To.NumHeaps <= wire::MaxReplyHeaps;
}

bool capture::ask(const wire::AskRecord &What, wire::Reply &To) {
  return askAny(What, To);
}
bool capture::ask(const wire::DeviceAskRecord &What, wire::Reply &To) {
  return askAny(What, To);
}
bool capture::ask(const wire::AskDetoursRecord &What, wire::Reply &To) {
  return askAny(What, To, wire::Detour::MaxWaitMs);
}
