//===- Recording.h - Recording events ---------------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a hook calls to record. Each is a few instructions when nothing is in
// the way; none touches errno or allocates.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_RUNTIME_RECORDING_H
#define MEMKIT_CAPTURE_RUNTIME_RECORDING_H

#include "Stack.h"

namespace memkit::capture {

using wire::AllocFunction;
using wire::Record;
using wire::RecordKind;

inline bool isRecording() {
  return Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed);
}

/// The recorder puts right the order of records of one address (Held, in its
/// ImageState), unless it does not know of all blocks.
inline RingWriter::Clock blockClock() {
  return Proc.MinSize ? RingWriter::Clock::Ordered : RingWriter::Clock::Early;
}

/// After \p P was allocated, before the hook returns.
inline void recordAllocation(void *P, size_t Size, AllocFunction F,
                             const Frame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  Thread *T = recordingThread();
  if (!T || !isRecording() || T->InRealloc || Size < Proc.MinSize)
    return;
  if (!T->Ring.hasRoom() && !makeRoom(*T))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(uintptr_t(P), Record::pack(Size, RecordKind::Allocate, F),
                  Stack, 0, blockClock());
}

/// Before \p P is freed. Not null.
inline void recordFree(void *P) {
  Thread *T = recordingThread();
  if (!T || T->Freeing == uintptr_t(P) || T->InRealloc ||
      Proc.MinSize == UINT64_MAX)
    return;
  if (T->Ring.hasRoom() || makeRoom(*T))
    T->Ring.write(uintptr_t(P), Record::pack(0, RecordKind::Free), 0, 0,
                  blockClock());
}

/// Before \p P is reallocated. False: it was not recorded, and its end must be
/// recorded as an allocation.
inline bool recordReallocBegin(void *P) {
  Thread *T = recordingThread();
  if (!T || Proc.MinSize == UINT64_MAX)
    return false;
  if (!isRecording()) { // Of what is not recorded anew only the free counts.
    recordFree(P);
    return false;
  }
  if (!T->Ring.hasRoom() && !makeRoom(*T))
    return false;
  T->Ring.write(uintptr_t(P), Record::pack(0, RecordKind::ReallocBegin), 0, 0,
                blockClock());
  return true;
}

/// After; \p P null: it failed. The margin of the ring has room for it. One
/// that is too small now to be recorded ends its old block all the same.
inline void recordReallocEnd(void *P, size_t Size, AllocFunction F,
                             const Frame &Caller) {
  ThisThread.LastAllocation = uintptr_t(P);
  Thread *T = recordingThread();
  if (!T)
    return;
  uint32_t Stack = P ? stackNode(*T, Caller) : 0;
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(uintptr_t(P),
                  Record::pack(P ? Size : 0, RecordKind::ReallocEnd, F), Stack,
                  0);
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_RECORDING_H
