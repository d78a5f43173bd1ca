// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings of the processes.

#include "Session/RingReader.h"
#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Maximum records merged before they are processed.
static constexpr size_t BatchRecords = 2048;

/// Notes that the rings' writers have all free room again.
void RingReader::noteRead() {
  uint64_t Now = R.nowNs();
  if (ReadNs && Now > ReadNs)
    LongestPauseNs = std::max(LongestPauseNs, Now - ReadNs);
  ReadNs = Now;
}

void RingReader::start(uint64_t Limit) {
  Merge.start(Limit);
  BatchRings.clear();
  RingOf.clear();
}

ArrayRef<MergedRecord> RingReader::next() {
  Batch.resize(BatchRecords);
  size_t Count = Merge.next(Batch.data(), BatchRecords);
  if (Count) {
    // Before the records are processed.
    giveRoomBack();
    noteRead();
  }
  return ArrayRef(Batch).take_front(Count);
}

/// Gives the room of the merged records back to the writers.
void RingReader::giveRoomBack() {
  for (const RingMerge::RingCursor &C : Merge.cursors()) {
    BatchRing &S = BatchRings[C.Source];
    RingThread &Ring = S.P->State->ring(S.Ring);
    if (Ring.Tail == C.Tail)
      continue;
    Ring.Tail = C.Tail;
    S.P->State->shared().ringHeader(S.Ring).Tail.store(
        C.Tail, std::memory_order_release);
  }
}

void RingReader::add(ChildProcess &P) {
  ProcessState &I = *P.State;
  uint32_t Used = I.shared().ringsUsed();
  for (uint32_t Index = 0; Index != Used; ++Index) {
    uint64_t Head =
        I.shared().ringHeader(Index).Head.load(std::memory_order_acquire);
    RingThread &Ring = I.ring(Index);
    if (Head == Ring.Tail)
      continue;
    const wire::Record *Records = I.shared().ring(Index);
    if (!Records || Head - Ring.Tail > wire::RingRecords) {
      // The ring's positions are wrong, or its memory cannot be mapped: its
      // records are lost.
      R.addLoss(I.id(), Records ? LossKind::BadRecord : LossKind::NoRing, 1);
      Ring.Tail = Head;
      I.shared().ringHeader(Index).Tail.store(Head, std::memory_order_release);
      continue;
    }
    Fullest = std::max(Fullest, double(Head - Ring.Tail) / wire::RingRecords);
    if (P.Exit.IsEnding)
      findEnd(P, Records, Ring.Tail, Head);
    Merge.add(Records, Ring.Tail, Head, uint32_t(BatchRings.size()));
    BatchRings.push_back({&P, Index});
    RingOf.push_back({&I, Index, I.id()});
  }
}

/// Raises P.Exit.Tsc to the clock of the ring's last record. P then ends before
/// all later records of other processes: if the parent waits for P, the
/// parent's next allocations do not overlap P.
void RingReader::findEnd(ChildProcess &P, const wire::Record *Records,
                         uint64_t Tail, uint64_t Head) {
  for (uint64_t At = Tail; At != Head; ++At)
    P.Exit.Tsc = std::max(P.Exit.Tsc, Records[At % wire::RingRecords].Tsc);
}

void RingReader::freeRings(ChildProcess &P) {
  ProcessState &I = *P.State;
  for (uint32_t Index = 0; Index != I.rings().size(); ++Index) {
    wire::RingHeader &H = I.shared().ringHeader(Index);
    if (H.State.load(std::memory_order_acquire) !=
            uint32_t(wire::RingState::Released) ||
        H.Head.load(std::memory_order_acquire) != I.ring(Index).Tail)
      continue;
    I.releaseRing(Index);
    H.State.store(uint32_t(wire::RingState::Free), std::memory_order_release);
  }
}

void RingReader::takeBackRings(ChildProcess &P, bool All) {
  constexpr uint32_t Some = 64;
  ProcessState &I = *P.State;
  uint32_t Used =
      std::min<uint32_t>(I.shared().ringsUsed(), uint32_t(I.rings().size()));
  uint32_t Max = I.shared().maxRings();
  if (!P.SeesOurPids || !Used || (!All && Used <= Max / 2))
    return;
  All |= Used == Max;
  for (uint32_t N = All ? Used : std::min(Some, Used); N--;) {
    uint32_t Index = P.NextOrphan++ % Used;
    wire::RingHeader &H = I.shared().ringHeader(Index);
    // A ring that was just claimed has no thread yet, and an old Tid.
    if (!I.ring(Index).Thread ||
        H.State.load(std::memory_order_acquire) !=
            uint32_t(wire::RingState::Owned) ||
        syscall(SYS_tkill, pid_t(I.ring(Index).LastTid), 0) == 0 ||
        errno != ESRCH)
      continue;
    // The thread writes no more, so its records are complete.
    if (H.Head.load(std::memory_order_acquire) != I.ring(Index).Tail)
      continue;
    I.releaseRing(Index);
    H.State.store(uint32_t(wire::RingState::Free), std::memory_order_release);
  }
}
