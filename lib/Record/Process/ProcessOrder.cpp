// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of one address, in their order.
//
// A block may be allocated by one thread and freed by another, whose record
// comes first. Of two records of one address that cannot be so the later one is
// held until the other has come, until the end of the next pass at most. While
// a realloc runs its block is the ring's: its address may be given out again
// before the record of its end.

#include "Process/ProcessState.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

/// A record that concerns the block at its address.
void ProcessState::at(const wire::Record &Rec, uint32_t RingIndex) {
  if (LLVM_UNLIKELY(!isAddress(Rec.Address)))
    return bad();
  if (LLVM_UNLIKELY(!Held.empty()))
    if (auto It = Held.find(Rec.Address); It != Held.end()) {
      holdBack(It->second, Rec, RingIndex);
      settle(It->second);
      if (It->second.empty())
        Held.erase(It);
      return;
    }
  if (LLVM_UNLIKELY(!apply(Rec, RingIndex))) {
    if ((R.Wanted.MinSize || HasStopped) && !isPut(Rec)) {
      // A block that was not recorded, most likely: nobody waits for it, and
      // who takes its address must not be freed by it.
      if (Rec.kind() == uint8_t(RecordKind::ReallocBegin))
        hold(Rec, RingIndex);
      return;
    }
    holdBack(Held[Rec.Address], Rec, RingIndex);
  }
}

/// Until the record comes that the one given waits for.
void ProcessState::holdBack(Queue &Q, const wire::Record &Rec,
                            uint32_t RingIndex) {
  HeldRecord H{Rec, RingIndex, HeldRecord::None, R.Pass};
  if (Rec.kind() == uint8_t(RecordKind::Free))
    if (auto Early = R.Recent.before(*this, RingIndex, Rec))
      H.EarlyRing = Early->Ring;
  Q.push_back(H);
  if (Rec.kind() == uint8_t(RecordKind::ReallocBegin))
    hold(Rec, RingIndex);
}

/// Notes that the ring's realloc waits for its block.
void ProcessState::hold(const wire::Record &Rec, uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  reattach(S, RingIndex);
  S.Realloc = Ring::HeldBack;
  S.ReallocAddress = Rec.Address;
}

/// Does what the record says; false when its block is not as it must be.
bool ProcessState::apply(const wire::Record &Rec, uint32_t RingIndex) {
  return isPut(Rec) ? allocate(Rec, RingIndex) : take(Rec, RingIndex);
}

bool ProcessState::take(const wire::Record &Rec, uint32_t RingIndex) {
  LiveEntry E;
  if (LLVM_UNLIKELY(Snapshots.active()) && Live.get(Rec.Address, &E))
    beforeFree(E.AllocationId);
  if (LLVM_UNLIKELY(!Live.take(Rec.Address, E)))
    return false;
  Snapshots.onTake(E, LiveTable::shardOf(Rec.Address));
  if (Rec.kind() == uint8_t(RecordKind::Free)) {
    emitFree(E, Rec.Tsc, RingIndex);
    return true;
  }
  Ring &S = Rings[RingIndex];
  reattach(S, RingIndex);
  S.Realloc = Ring::Detached;
  S.ReallocAddress = Rec.Address;
  S.Block = E;
  return true;
}

/// A realloc began and never ended: its block is where it was.
void ProcessState::reattach(Ring &S, uint32_t RingIndex) {
  if (S.Realloc == Ring::HeldBack) {
    endHeldRealloc(S, RingIndex, false);
  } else if (S.Realloc == Ring::Detached) {
    if (!Live.insert(S.ReallocAddress, S.Block)) {
      R.addLoss(Id, LossKind::DoubleAllocate, 1);
      emitFree(S.Block, 0, RingIndex);
    }
  }
  S.Realloc = Ring::NoRealloc;
}

/// A realloc, if it is one, does not wait for its block any more.
void ProcessState::noLongerHeld(const HeldRecord &H) {
  Ring &S = Rings[H.Ring];
  if (H.Rec.kind() == uint8_t(RecordKind::ReallocBegin) &&
      S.Realloc == Ring::HeldBack && S.ReallocAddress == H.Rec.Address)
    S.Realloc = Ring::NoRealloc;
}

void ProcessState::endHeldRealloc(Ring &S, uint32_t RingIndex, bool Moved) {
  S.Realloc = Ring::NoRealloc;
  auto It = Held.find(S.ReallocAddress);
  if (It == Held.end())
    return;
  Queue &Q = It->second;
  for (HeldRecord &H : Q) {
    if (H.Ring != RingIndex ||
        H.Rec.kind() != uint8_t(RecordKind::ReallocBegin))
      continue;
    if (Moved)
      H.Rec = wire::encodeAt(H.Rec.Tsc, wire::FreeRecord{H.Rec.Address});
    else
      Q.erase(&H);
    break;
  }
  if (Q.empty())
    Held.erase(It);
}

void ProcessState::endRealloc(const wire::Record &Rec, uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  bool Moved = Rec.Address != 0;
  if (S.Realloc == Ring::HeldBack) {
    endHeldRealloc(S, RingIndex, Moved);
  } else if (S.Realloc == Ring::Detached) {
    if (Moved) {
      emitFree(S.Block, Rec.Tsc, RingIndex);
      S.Realloc = Ring::NoRealloc;
    } else {
      reattach(S, RingIndex);
    }
  } else if (!Moved) {
    bad();
  }
  if (Moved && Rec.Address != wire::Unrecorded &&
      Rec.size() >= R.Wanted.MinSize)
    at(Rec, RingIndex);
}

/// A ring has freed the block and allocated it anew, and the free found none:
/// if another ring's free came too early, then it is that one that waits, for
/// this allocation.
bool ProcessState::swapEarly(Queue &Q) {
  for (size_t I = 0; I != Q.size(); ++I) {
    HeldRecord &H = Q[I];
    if (H.EarlyRing != HeldRecord::None &&
        any_of(ArrayRef(Q).drop_front(I + 1), [&](const HeldRecord &Later) {
          return Later.Ring == H.Ring && isPut(Later.Rec);
        })) {
      H.Ring = std::exchange(H.EarlyRing, HeldRecord::None);
      return true;
    }
  }
  return false;
}

/// Does what has become possible. Of two records of one ring the first is
/// first; of two rings either may be.
void ProcessState::settle(Queue &Q) {
  for (bool Progress = true; Progress && !Q.empty();) {
    Progress = false;
    for (size_t I = 0; I != Q.size(); ++I) {
      HeldRecord H = Q[I];
      bool First =
          none_of(ArrayRef(Q).take_front(I), [&](const HeldRecord &Other) {
            return Other.Ring == H.Ring;
          });
      if (!First || Live.contains(H.Rec.Address) == isPut(H.Rec))
        continue;
      Q.erase(Q.begin() + I);
      // Its realloc still runs: from now on the block is the thread's.
      noLongerHeld(H);
      apply(H.Rec, H.Ring);
      Progress = true;
      break;
    }
    Progress = Progress || swapEarly(Q);
  }
}

/// The record that would explain the first of the queue was lost.
void ProcessState::force(Queue &Q) {
  HeldRecord H = Q.front();
  Q.erase(Q.begin());
  if (apply(H.Rec, H.Ring))
    return;
  if (isPut(H.Rec)) {
    LiveEntry Old;
    if (Live.take(H.Rec.Address, Old)) {
      Snapshots.onTake(Old, LiveTable::shardOf(H.Rec.Address));
      R.addLoss(Id, LossKind::DoubleAllocate, 1);
      emitFree(Old, H.Rec.Tsc, H.Ring);
    }
    apply(H.Rec, H.Ring);
  } else {
    if (Forked)
      R.Stats.inheritedFree(Id);
    else if (!R.Wanted.MinSize && !HasStopped) // else it may be of a block that
                                               // was not recorded
      R.addLoss(Id, LossKind::UnknownFree, 1);
    noLongerHeld(H);
  }
}

void ProcessState::settleHeld(bool All) {
  if (Held.empty())
    return;
  SmallVector<uint64_t, 16> Old;
  for (auto &[Address, Q] : Held)
    if (All || Q.front().Pass < R.Pass)
      Old.push_back(Address);
  // By time, so that what is emitted does not depend on the hash's order.
  sort(Old, [this](uint64_t A, uint64_t B) {
    return Held[A].front().Rec.Tsc < Held[B].front().Rec.Tsc;
  });
  for (uint64_t Address : Old) {
    Queue Q = std::move(Held[Address]);
    while (!Q.empty() && (All || Q.front().Pass < R.Pass)) {
      force(Q);
      settle(Q);
    }
    if (Q.empty())
      Held.erase(Address);
    else
      Held[Address] = std::move(Q);
  }
}
