// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of blocks.
//
// What the hooks of malloc and operator new call to record. Each function is a
// few instructions when nothing is in the way; none touches errno or allocates.

#ifndef MEMKIT_CAPTURE_HOST_BLOCKS_H
#define MEMKIT_CAPTURE_HOST_BLOCKS_H

#include "Runtime/Recording.h"
#include "Sampling.h"
#include "Stacks/Stack.h"

namespace memkit::capture {

/// Has a hook inside this one told of \p P, or passed it over?
inline bool isDecided(const void *P) {
  uintptr_t Last = ThisThread.LastAllocation;
  return Last == uintptr_t(P) || Last == PassedOver;
}

/// Of a block that is smaller than MinSize: is it recorded all the same? Only a
/// sampled one is.
inline bool isSample(Thread &T, const void *P, size_t Size) {
  return Sampling.Mask && takeSample(T, P, Size, isRecording() && !T.InRealloc);
}

/// After \p P was allocated, before the hook returns.
inline void recordAllocation(void *P, size_t Size, AllocFunction F,
                             const Frame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  Thread *T = recordingThread();
  if (!T || (__builtin_expect(Size < Sampling.MinRecorded, 0) &&
             !isSample(*T, P, Size)))
    return;
  if (!isRecording() || T->InRealloc)
    return;
  if (!hasRoom(*T))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(wire::AllocateRecord{uintptr_t(P), Size, F, Stack},
                  blockClock());
}

/// When MinSize is the largest number: did \p P, whose life ends, have a
/// record?
inline bool endSample(const void *P) {
  return Sampling.Mask && Sampling.Blocks.remove(P);
}

/// Before \p P is freed. Not null.
inline void recordFree(void *P) {
  Thread *T = recordingThread();
  if (!T || T->Freeing == uintptr_t(P) || T->InRealloc)
    return;
  if (__builtin_expect(Sampling.MinRecorded == UINT64_MAX, 0) && !endSample(P))
    return;
  if (hasRoom(*T))
    T->Ring.write(wire::FreeRecord{uintptr_t(P)}, blockClock());
}

/// Before \p P is reallocated. False: it was not recorded, and its end must be
/// recorded as an allocation.
inline bool recordReallocBegin(void *P) {
  Thread *T = recordingThread();
  if (!T)
    return false;
  if (!isRecording()) { // Of what is not recorded anew only the free counts.
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

/// After; \p P null: it failed, and \p Old lives on. The margin of the ring has
/// room for it. One that is not to be recorded, being too small now or no
/// sample, ends its old block all the same.
inline void recordReallocEnd(void *Old, void *P, size_t Size, AllocFunction F,
                             const Frame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  Thread *T = recordingThread();
  if (!T)
    return;
  if (__builtin_expect(Sampling.Mask, 0)) {
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
