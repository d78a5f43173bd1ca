// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by which a program reports blocks of its own allocator.
//
// The functions behind memkit_allocated() and memkit_freed() of
// include/memkit/memkit.h. Each writes one record to the thread's ring.

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

using namespace memkit;
using namespace memkit::capture;

/// Called after the program's allocator has made the block, before any other
/// thread can free the block.
MEMKIT_EXPORT void memrec_allocated(const char *Pool, size_t PoolSize,
                                    const void *P, size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThreadState *T = recordingThread();
  if (!T || !P || !isRecording())
    return;
  uint32_t Name = Proc.Names.intern(Pool, PoolSize);
  uint32_t Stack = stackNode(*T, Caller);
  if (Name && T->Epoch == Proc.Epoch.load(std::memory_order_relaxed) &&
      hasRoom(*T))
    T->Ring.write(
        wire::ReportedAllocateRecord{uintptr_t(P), Size, Stack, Name});
}

/// Called before the program's allocator takes the block back.
MEMKIT_EXPORT void memrec_freed(const char *Pool, size_t PoolSize,
                                const void *P) {
  ThreadState *T = recordingThread();
  if (!T || !P)
    return;
  uint32_t Name = Proc.Names.intern(Pool, PoolSize);
  if (Name && hasRoom(*T))
    T->Ring.write(wire::ReportedFreeRecord{uintptr_t(P), Name});
}
