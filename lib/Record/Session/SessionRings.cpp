// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings of the processes.

#include "Session/Session.h"
#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

void Session::addRings(ChildProcess &P) {
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
    if (P.Ending)
      findEnd(P, Records, Ring.Tail, Head);
    Merge.add(Records, Ring.Tail, Head, uint32_t(BatchRings.size()));
    BatchRings.push_back({&P, Index});
    RingOf.push_back({&I, Index});
  }
  if (P.Ending)
    NextEndTsc = std::min(NextEndTsc, P.EndTsc);
}

/// Raises P.EndTsc to the clock of the ring's last record. P then ends before
/// all later records of other processes: if the parent waits for P, the
/// parent's next allocations do not overlap P.
void Session::findEnd(ChildProcess &P, const wire::Record *Records,
                      uint64_t Tail, uint64_t Head) {
  for (uint64_t At = Tail; At != Head; ++At)
    P.EndTsc = std::max(P.EndTsc, Records[At % wire::RingRecords].Tsc);
}

/// Frees rings whose threads have ended.
void Session::freeRings(ChildProcess &P) {
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

/// Frees rings whose threads ended without releasing them: after an event later
/// than the capture library's last destructor, or without destructors. Checks
/// All rings; else 64 rings, if more than half of all rings are in use.
void Session::takeBackRings(ChildProcess &P, bool All) {
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
