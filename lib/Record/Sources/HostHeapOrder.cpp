// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the records of one malloc address in order.
//
// A block may be allocated by one thread and freed by another, whose record
// comes first. When two records of an address contradict each other, the later
// one is held until the missing record has come, at most until the end of the
// next pass. While a realloc runs, its block belongs to its ring: the address
// may be allocated again before the record of the realloc's end.

#include "Sources/BlockSnapshots.h"
#include "Sources/HostHeap.h"
#include "Sources/SharedSources.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

void HostHeap::take(const wire::AllocateRecord &Rec, RecordOrigin From) {
  at(wire::encodeAt(From.Tsc, Rec), From.Ring);
}
void HostHeap::take(const wire::FreeRecord &Rec, RecordOrigin From) {
  at(wire::encodeAt(From.Tsc, Rec), From.Ring);
}
void HostHeap::take(const wire::ReallocBeginRecord &Rec, RecordOrigin From) {
  at(wire::encodeAt(From.Tsc, Rec), From.Ring);
}

/// Takes a record of the block at its address.
void HostHeap::at(const wire::Record &Rec, uint32_t Ring) {
  if (LLVM_UNLIKELY(!isAddress(Rec.Address)))
    return Sink.bad();
  giveUpBefore(Rec.Tsc);
  if (LLVM_UNLIKELY(!Held.empty()))
    if (auto It = Held.find(Rec.Address); It != Held.end()) {
      holdBack(It->second, Rec, Ring);
      settle(It->second);
      if (It->second.size() > MaxHeld)
        forceFirst(Rec.Address);
      else if (It->second.empty())
        Held.erase(It);
      return;
    }
  if (LLVM_LIKELY(apply(Rec, Ring)))
    return;
  if (!isPut(Rec) && isInherited()) {
    if (Rec.is(RecordKind::ReallocBegin))
      hold(Rec, Ring);
    else
      Sink.noteInherited();
    return;
  }
  if ((MinSize || Sink.HasUnknown) && !isPut(Rec)) {
    // Most likely the block was not recorded: no record waits for the block,
    // and Rec must not free the next block at the same address.
    if (Rec.is(RecordKind::ReallocBegin))
      hold(Rec, Ring);
    return;
  }
  HeldQueue &Q = Held[Rec.Address];
  holdBack(Q, Rec, Ring);
  if (Sink.isForked() && Rec.is(RecordKind::Free) &&
      Q.front().EarlyRing == HeldRecord::None)
    Unknown.push_back({Rec.Tsc, Rec.Address});
}

/// Gives up waiting for the allocations of unknown blocks that a child of fork
/// has freed, once no clock may be so wrong. The child may free all blocks of
/// its parent, and held records take long.
void HostHeap::giveUpBefore(uint64_t Tsc) {
  while (LLVM_UNLIKELY(!Unknown.empty()) &&
         Unknown.front().first + RecentFrees::MaxSkew < Tsc) {
    uint64_t Address = Unknown.front().second;
    Unknown.pop_front();
    auto It = Held.find(Address);
    if (It == Held.end() || It->second.size() != 1 ||
        !It->second.front().Rec.is(RecordKind::Free))
      continue; // waits for the end of the pass
    HeldQueue Q = std::move(It->second);
    Held.erase(Address);
    force(Q);
  }
}

/// Whether an unknown block that ends was allocated by the parent: a child of
/// fork starts without blocks, and its only ring has its records in their
/// order, so nothing is missing. Most children end without a thread, and free
/// all that they inherited.
bool HostHeap::isInherited() {
  return Sink.isForked() && Sink.shared().ringsUsed() == 1;
}

/// Holds Rec until the missing record comes.
void HostHeap::holdBack(HeldQueue &Q, const wire::Record &Rec, uint32_t Ring) {
  HeldRecord H{Rec, Ring, HeldRecord::None, Shared.Pass};
  if (Rec.is(RecordKind::Free))
    if (auto Early = Shared.Recent.before(Sink.process(), Ring, Rec))
      H.EarlyRing = Early->Ring;
  Q.push_back(H);
  if (Rec.is(RecordKind::ReallocBegin))
    hold(Rec, Ring);
}

/// Notes that the ring's realloc waits for its block.
void HostHeap::hold(const wire::Record &Rec, uint32_t Ring) {
  reattach(Ring);
  RunningRealloc &S = realloc(Ring);
  S.State = RunningRealloc::HeldBack;
  S.Address = Rec.Address;
}

/// Applies the record; false if the state of its address contradicts it.
bool HostHeap::apply(const wire::Record &Rec, uint32_t Ring) {
  return isPut(Rec) ? allocate(Rec, Ring) : remove(Rec, Ring);
}

bool HostHeap::remove(const wire::Record &Rec, uint32_t Ring) {
  LiveEntry E;
  Adopted.noteEnd(Rec.Address);
  if (LLVM_UNLIKELY(Snapshots.active()) && Live.get(Rec.Address, &E))
    Snapshots.beforeEnd(E.AllocationId);
  if (LLVM_UNLIKELY(!Live.take(Rec.Address, E)))
    return false;
  dropChunk(Rec.Address, E.Size);
  Snapshots.taken(Table, Rec.Address, E);
  if (Rec.is(RecordKind::Free)) {
    emitFree({Rec.Tsc, Ring}, E);
    return true;
  }
  reattach(Ring);
  realloc(Ring) = {RunningRealloc::Detached, Rec.Address, E};
  return true;
}

/// A realloc started and never ended: its block stays at its old address.
void HostHeap::reattach(uint32_t Ring) {
  RunningRealloc &S = realloc(Ring);
  if (S.State == RunningRealloc::HeldBack) {
    endHeldRealloc(Ring, false);
  } else if (S.State == RunningRealloc::Detached) {
    if (Live.insert(S.Address, S.Block)) {
      noteChunk(S.Address, S.Block.Size);
    } else {
      Sink.doubleAllocate();
      emitFree({0, Ring}, S.Block);
    }
  }
  S.State = RunningRealloc::None;
}

/// If H starts a realloc, the realloc no longer waits for its block.
void HostHeap::noLongerHeld(const HeldRecord &H) {
  RunningRealloc &S = realloc(H.Ring);
  if (H.Rec.is(RecordKind::ReallocBegin) &&
      S.State == RunningRealloc::HeldBack && S.Address == H.Rec.Address)
    S.State = RunningRealloc::None;
}

void HostHeap::endHeldRealloc(uint32_t Ring, bool Moved) {
  RunningRealloc &S = realloc(Ring);
  S.State = RunningRealloc::None;
  auto It = Held.find(S.Address);
  if (It == Held.end()) {
    if (Moved && isInherited())
      Sink.noteInherited();
    return;
  }
  HeldQueue &Q = It->second;
  for (HeldRecord &H : Q) {
    if (H.Ring != Ring || !H.Rec.is(RecordKind::ReallocBegin))
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

void HostHeap::take(const wire::ReallocEndRecord &Rec, RecordOrigin From) {
  RunningRealloc &S = realloc(From.Ring);
  bool Moved = Rec.Address != 0;
  if (S.State == RunningRealloc::HeldBack) {
    endHeldRealloc(From.Ring, Moved);
  } else if (S.State == RunningRealloc::Detached) {
    if (Moved) {
      emitFree(From, S.Block);
      S.State = RunningRealloc::None;
    } else {
      reattach(From.Ring);
    }
  } else if (!Moved) {
    Sink.bad();
  }
  if (Moved && Rec.Address != wire::Unrecorded && Rec.Size >= MinSize)
    at(wire::encodeAt(From.Tsc, Rec), From.Ring);
}

/// A ring freed a block and allocated its address anew, but the free found no
/// block. If another ring's free came too early, moves the held free to the
/// other ring, where the free waits for the new allocation.
bool HostHeap::swapEarly(HeldQueue &Q) {
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

/// Applies all records that have become possible. Records of one ring keep
/// their order; of two rings, either may come first.
void HostHeap::settle(HeldQueue &Q) {
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
      // If H starts a realloc that still runs, apply() detaches its block.
      noLongerHeld(H);
      apply(H.Rec, H.Ring);
      Progress = true;
      break;
    }
    Progress = Progress || swapEarly(Q);
  }
}

/// Applies the first record as it is: after so many others, the one that would
/// explain it is lost, and not only late.
void HostHeap::forceFirst(uint64_t Address) {
  HeldQueue Q = std::move(Held[Address]);
  force(Q);
  settle(Q);
  holdAgain(Address, std::move(Q));
}

/// Puts back what is left of a queue.
void HostHeap::holdAgain(uint64_t Address, HeldQueue Q) {
  if (Q.empty())
    Held.erase(Address);
  else
    Held[Address] = std::move(Q);
}

/// Applies the first record of the queue: the record that would explain it was
/// lost.
void HostHeap::force(HeldQueue &Q) {
  HeldRecord H = Q.front();
  Q.erase(Q.begin());
  if (apply(H.Rec, H.Ring))
    return;
  if (isPut(H.Rec)) {
    LiveEntry Old;
    if (Live.take(H.Rec.Address, Old)) {
      dropChunk(H.Rec.Address, Old.Size);
      Snapshots.taken(Table, H.Rec.Address, Old);
      // A block that was adopted may have been freed just then.
      if (!Adopted.has(Old.AllocationId))
        Sink.doubleAllocate();
      emitFree({H.Rec.Tsc, H.Ring}, Old);
    }
    apply(H.Rec, H.Ring);
  } else {
    if (MinSize) // the block may be too small to be recorded
      Sink.noteInherited();
    else
      Sink.unknownFree();
    noLongerHeld(H);
  }
}

void HostHeap::settleHeld(bool All) {
  if (Held.empty())
    return;
  // By time, so that the events do not depend on the hash's order.
  SmallVector<std::pair<uint64_t, uint64_t>, 16> Old; // clocks and addresses
  for (auto &[Address, Q] : Held)
    if (All || Q.front().Pass < Shared.Pass)
      Old.push_back({Q.front().Rec.Tsc, Address});
  sort(Old);
  for (auto [Clock, Address] : Old) {
    HeldQueue Q = std::move(Held[Address]);
    while (!Q.empty() && (All || Q.front().Pass < Shared.Pass)) {
      force(Q);
      settle(Q);
    }
    holdAgain(Address, std::move(Q));
  }
  // A pass visits the whole table.
  if (Held.empty())
    Held.shrink_and_clear();
}

void HostHeap::releaseRing(uint32_t Ring) {
  // A block that was being reallocated stays at its old address; a realloc of
  // an unknown block becomes a free.
  if (realloc(Ring).State == RunningRealloc::HeldBack)
    endHeldRealloc(Ring, true);
  else
    reattach(Ring);
}
