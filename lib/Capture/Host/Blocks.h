// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of blocks.
//
// The functions with which the hooks of malloc and operator new record. Each
// takes a few instructions in the usual case; none touches errno or allocates.

#ifndef MEMKIT_CAPTURE_HOST_BLOCKS_H
#define MEMKIT_CAPTURE_HOST_BLOCKS_H

#include "Runtime/Recording.h"
#include "Sampling.h"
#include "Stacks/Stack.h"
#include "Stacks/State.h"

namespace memkit::capture {

/// Has an inner hook recorded \p P, or passed \p P over?
inline bool isDecided(const void *P) {
  uintptr_t Last = ThisThread.LastAllocation;
  return Last == uintptr_t(P) || Last == PassedOver;
}

/// Is a block below MinRecorded recorded? Only a sampled block is.
inline bool isSample(ThreadState &T, const void *P, size_t Size) {
  return Sampling.IsOn && takeSample(T, P, Size, isRecording() && !T.InRealloc);
}

/// Called for an allocation without a record.
inline void pass(const ThreadState &T) {
  if (__builtin_expect(Stacks.HasPendingWork.load(std::memory_order_relaxed),
                       0))
    pollInterpreter(T);
  else if (Sampling.IsOn)
    Sampling.Mask = ~0ull;
}

/// Called after \p P was allocated, before the hook returns.
inline void recordAllocation(void *P, size_t Size, AllocFunction F,
                             const CallerFrame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  ThreadState *T = recordingThread();
  if (!T)
    return;
  if ((__builtin_expect(Size < Sampling.MinRecorded, 0) &&
       !isSample(*T, P, Size)) ||
      !isRecording() || T->InRealloc)
    return pass(*T);
  if (!hasRoom(*T))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(wire::AllocateRecord{uintptr_t(P), Size, F, Stack},
                  blockClock());
}

/// While MinRecorded is UINT64_MAX: has \p P, about to be freed, a record?
/// Removes \p P from the sampled blocks.
inline bool endSample(const void *P) {
  return Sampling.IsOn && Sampling.Blocks.remove(P);
}

/// Called before \p P is freed. Not null.
inline void recordFree(void *P) {
  ThreadState *T = recordingThread();
  if (!T || T->Freeing == uintptr_t(P) || T->InRealloc)
    return;
  if (__builtin_expect(Sampling.MinRecorded == UINT64_MAX, 0) && !endSample(P))
    return;
  if (hasRoom(*T))
    T->Ring.write(wire::FreeRecord{uintptr_t(P)}, blockClock());
}

/// Is \p P too small to have a record? Then its free needs no record. The
/// usable size is at least the requested size.
inline bool isTooSmall(void *P) {
  return __builtin_expect(Sampling.MinRecorded != 0, 0) && !Sampling.IsOn &&
         Real.UsableSize && Real.UsableSize(P) < Sampling.MinRecorded;
}

/// Called before \p P is reallocated. False: the start is not recorded, and the
/// new block must be recorded as an allocation.
inline bool recordReallocBegin(void *P) {
  ThreadState *T = recordingThread();
  if (!T)
    return false;
  if (!isRecording()) { // While recording is off, record the free alone.
    recordFree(P);
    return false;
  }
  if (__builtin_expect(Sampling.MinRecorded == UINT64_MAX, 0) && !endSample(P))
    return false;
  if (!hasRoom(*T))
    return false;
  T->Ring.write(wire::ReallocBeginRecord{uintptr_t(P)}, blockClock());
  return true;
}

/// Called after the reallocation; \p P null: the call failed, and \p Old stays
/// allocated. The margin of the ring has room for the record. While sampling, a
/// result that is not sampled or is too small still ends the old block.
inline void recordReallocEnd(void *Old, void *P, size_t Size, AllocFunction F,
                             const CallerFrame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  ThreadState *T = recordingThread();
  if (!T)
    return;
  if (__builtin_expect(Sampling.IsOn, 0)) {
    if (!P)
      Sampling.Blocks.insert(Old);
    else if (!takeSample(*T, P, Size, true))
      P = reinterpret_cast<void *>(wire::Unrecorded);
  }
  bool Recorded = P && uintptr_t(P) != wire::Unrecorded;
  uint32_t Stack = Recorded ? stackNode(*T, Caller) : 0;
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(wire::ReallocEndRecord{uintptr_t(P), P ? Size : 0, F, Stack});
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_BLOCKS_H
