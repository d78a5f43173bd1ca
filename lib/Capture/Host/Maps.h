// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of mappings.
//
// Shared by the hooks of mmap, brk and pthread_create. Like the functions of
// Recording.h, none touches errno, allocates, or waits except for room in a
// ring.

#ifndef MEMKIT_CAPTURE_HOST_MAPS_H
#define MEMKIT_CAPTURE_HOST_MAPS_H

#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

namespace memkit::capture {

using wire::MapClass;

inline uint64_t roundToPages(uint64_t Bytes) {
  return (Bytes + PageBytes - 1) & ~uint64_t(PageBytes - 1);
}

/// The calling thread if \p Heap is recorded and the call is not the library's
/// own; else null.
inline ThreadState *mappingThread(wire::HeapBits Heap) {
  if (ThisThread.QuietBits)
    return nullptr;
  ThreadState *T = recordingThread();
  return T && (Proc.Ctl->Settings.Heaps & Heap) ? T : nullptr;
}

/// Writes What with the stack of the call. The record may use the margin of the
/// ring, for the end of a remap whose start is recorded.
template <class R>
inline void writeWithStack(ThreadState &T, R What, const CallerFrame &Caller) {
  What.Stack = stackNode(T, Caller);
  if (T.Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T.Ring.write(What);
}

/// Records a call that has changed pages. What: the record without its stack.
template <class R>
inline void recordPages(wire::HeapBits Heap, const R &What,
                        const CallerFrame &Caller) {
  ThreadState *T = mappingThread(Heap);
  if (T && isRecording() && hasRoom(*T))
    writeWithStack(*T, What, Caller);
}

/// Called before [Address, Address + Size) is unmapped.
inline void recordUnmap(uintptr_t Address, uint64_t Size) {
  ThreadState *T = mappingThread(wire::HB_Maps);
  if (T && hasRoom(*T))
    T->Ring.write(wire::UnmapRecord{Address, Size});
}

/// Looks up the hooked functions; called by the library's constructor. Until
/// then the hooks make the system calls themselves.
void prepareMaps();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_MAPS_H
