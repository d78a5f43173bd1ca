// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of mappings.
//
// What the hooks of mmap, brk and pthread_create share. As Recording.h: none
// touches errno, allocates, or waits but for room in a ring.

#ifndef MEMKIT_CAPTURE_HOST_MAPS_H
#define MEMKIT_CAPTURE_HOST_MAPS_H

#include "Runtime/Recording.h"

namespace memkit::capture {

using wire::MapClass;

inline uint64_t roundToPages(uint64_t Bytes) {
  return (Bytes + PageBytes - 1) & ~uint64_t(PageBytes - 1);
}

inline uint64_t withClass(uintptr_t Address, MapClass C) {
  return Address | uint64_t(C);
}

/// The calling thread when \p Heap is recorded and the call is not the
/// library's own; else null.
inline Thread *mappingThread(wire::HeapBits Heap) {
  if (ThisThread.QuietBits)
    return nullptr;
  Thread *T = recordingThread();
  return T && (Proc.Ctl->Settings.Heaps & Heap) ? T : nullptr;
}

/// Writes a record that says where it was called from. It may use the margin of
/// the ring: for the end of what has begun.
inline void writeWithStack(Thread &T, uint64_t Address, uint64_t Size,
                           RecordKind K, AllocFunction F, const Frame &Caller) {
  uint32_t Stack = stackNode(T, Caller);
  if (T.Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T.Ring.write(Address, Record::pack(Size, K, F), Stack, 0);
}

/// What has become of pages. After it has.
inline void recordPages(wire::HeapBits Heap, uint64_t Address, uint64_t Size,
                        RecordKind K, AllocFunction F, const Frame &Caller) {
  Thread *T = mappingThread(Heap);
  if (T && isRecording() && (T->Ring.hasRoom() || makeRoom(*T)))
    writeWithStack(*T, Address, Size, K, F, Caller);
}

/// Before [Address, Address + Size) is given back.
inline void recordUnmap(uintptr_t Address, uint64_t Size) {
  Thread *T = mappingThread(wire::HB_Maps);
  if (T && (T->Ring.hasRoom() || makeRoom(*T)))
    T->Ring.write(Address, Record::pack(Size, RecordKind::Unmap), 0, 0);
}

/// Looks up what the hooks stand before; from the library's constructor. Until
/// then they make the system calls themselves.
void prepareMaps();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_MAPS_H
