// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by which a program reports blocks of its own allocator.
//
// The functions behind memkit_allocated(), memkit_freed() and their kin for
// devices, of include/memkit/memkit.h. Each writes one record to the thread's
// ring.

#include "Reported/DeviceName.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// More than any block has: a negative number, as a rule.
static bool isNoSize(size_t Size) { return Size >> 48; }

/// Called after the program's allocator has made the block, before any other
/// thread can free the block.
MEMKIT_EXPORT void memrec_allocated(const char *Pool, size_t PoolSize,
                                    const void *P, size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThreadState *T = recordingThread();
  if (!T || !P || isNoSize(Size) || !isRecording())
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

/// The text `DEVICE.POOL`; 0: Device is no device's name.
static uint32_t heapText(const char *Device, size_t DeviceSize,
                         const char *Pool, size_t PoolSize) {
  char Name[MaxDeviceName + 1 + 64];
  if (!isDeviceName(Device, DeviceSize))
    return 0;
  std::memcpy(Name, Device, DeviceSize);
  Name[DeviceSize] = '.';
  size_t Room = sizeof(Name) - DeviceSize - 1;
  size_t Rest = PoolSize < Room ? PoolSize : Room;
  std::memcpy(Name + DeviceSize + 1, Pool, Rest);
  return Proc.Names.intern(Name, DeviceSize + 1 + Rest);
}

/// As memrec_allocated(), of a block in the memory of a device.
MEMKIT_EXPORT void memrec_device_allocated(const char *Device,
                                           size_t DeviceSize, const char *Pool,
                                           size_t PoolSize, uint64_t Address,
                                           size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThreadState *T = recordingThread();
  if (!T || !Address || isNoSize(Size) || !isRecording())
    return;
  uint32_t Heap = heapText(Device, DeviceSize, Pool, PoolSize);
  uint32_t Stack = stackNode(*T, Caller);
  if (Heap && T->Epoch == Proc.Epoch.load(std::memory_order_relaxed) &&
      hasRoom(*T))
    T->Ring.write(wire::DevicePoolAllocateRecord{Address, Size, Stack, Heap});
}

/// As memrec_freed(), of a block in the memory of a device.
MEMKIT_EXPORT void memrec_device_freed(const char *Device, size_t DeviceSize,
                                       const char *Pool, size_t PoolSize,
                                       uint64_t Address) {
  ThreadState *T = recordingThread();
  if (!T || !Address)
    return;
  uint32_t Heap = heapText(Device, DeviceSize, Pool, PoolSize);
  if (Heap && hasRoom(*T))
    T->Ring.write(wire::DevicePoolFreeRecord{Address, Heap});
}
