// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the requests to PyTorch's allocator of pinned host memory.

#include "PinnedAllocator.h"

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"
#include "VirtualTable.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

PinnedAllocator capture::Pinned;

#define SET_HOST_ALLOCATOR                                                     \
  "_ZN2at16setHostAllocatorEN3c1010DeviceTypeEPNS_13HostAllocatorEh"
static constexpr char ClassName[] =
    "*N2at4cuda12_GLOBAL__N_124CUDACachingHostAllocatorE";

/// c10::DataPtr: the address, libstdc++'s std::unique_ptr with its deleter, the
/// device (c10/util/UniqueVoidPtr.h, c10/core/Allocator.h).
struct PinnedAllocator::DataPtr {
  void *Data;
  PinnedFreeFn Delete;
  Block *Context;
  uint8_t DeviceType, DeviceIndex;
};

/// The first members of at::HostBlock (ATen/core/CachingHostAllocator.h).
struct PinnedAllocator::Block {
  char Mutex[40];
  size_t Size; ///< in bytes, rounded
  void *Data;
};

//===----------------------------------------------------------------------===//
// The functions that PyTorch calls
//===----------------------------------------------------------------------===//

/// The result is an object that the caller provides.
static PinnedAllocator::DataPtr *
allocatePinned(PinnedAllocator::DataPtr *Result, void *Allocator,
               size_t Requested) {
  CallerFrame Caller = MEMKIT_CALLER;
  Pinned.allocate(*Result, Allocator, Requested, Caller);
  return Result;
}

static void freePinned(void *Context) {
  Pinned.free(static_cast<PinnedAllocator::Block *>(Context));
}

MEMKIT_EXPORT void setHostAllocator(uint8_t, void *,
                                    uint8_t) asm(SET_HOST_ALLOCATOR);

void setHostAllocator(uint8_t DeviceType, void *Allocator, uint8_t Priority) {
  static constexpr uint8_t Cuda = 1; ///< c10::DeviceType
  void *Real = symbolOfLoaded("libtorch_cpu.so", SET_HOST_ALLOCATOR);
  if (!Real)
    Real = nextSymbol(SET_HOST_ALLOCATOR);
  if (DeviceType == Cuda && Allocator && Torch.wantsTensors())
    Pinned.attach(Allocator);
  if (Real)
    reinterpret_cast<void (*)(uint8_t, void *, uint8_t)>(Real)(
        DeviceType, Allocator, Priority);
}

//===----------------------------------------------------------------------===//
// PinnedAllocator
//===----------------------------------------------------------------------===//

void PinnedAllocator::attach(void *Allocator) {
  auto **Table = static_cast<void ***>(Allocator);
  void **Of = *Table;
  if (RealAllocate || strcmp(className(Of), ClassName))
    return;
  unsigned N = countFunctions(Of, MaxFunctions);
  if (N <= Allocate || N == MaxFunctions)
    return;
  memcpy(Functions, Of - 2, (2 + N) * sizeof(void *));
  RealAllocate = reinterpret_cast<PinnedAllocateFn>(Of[Allocate]);
  Functions[2 + Allocate] = reinterpret_cast<void *>(allocatePinned);
  *Table = Functions + 2;
}

/// Pinned memory has one heap in a process.
static uint32_t slot() {
  return Torch.slotOf(wire::TensorDeviceWord::Pinned | 0xff00);
}

bool PinnedAllocator::record(const DataPtr &Made, size_t Requested,
                             const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T || !Torch.wantsTensors() || !isRecording())
    return false;
  auto P = uintptr_t(Made.Data);
  uint32_t Slot = slot();
  if (Slot == NoTensorSlot || !hasRoom(*T))
    return false;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return false;
  T->Ring.write(wire::TensorRequestRecord{P, Requested, uint8_t(Slot), 0});
  if (!hasRoom(*T))
    return false;
  T->Ring.write(
      wire::TensorAllocateRecord{P, Made.Context->Size, uint8_t(Slot), Stack});
  return true;
}

void PinnedAllocator::allocate(DataPtr &Result, void *Allocator,
                               size_t Requested, const CallerFrame &Caller) {
  RealAllocate(&Result, Allocator, Requested); // may throw
  const Block *B = Result.Context;
  if (!Result.Data || !B || B->Data != Result.Data || B->Size < Requested)
    return;
  PinnedFreeFn Known = nullptr;
  if (!RealFree.compare_exchange_strong(Known, Result.Delete) &&
      Known != Result.Delete)
    return;
  if (record(Result, Requested, Caller))
    Result.Delete = freePinned;
}

void PinnedAllocator::free(Block *B) {
  if (ThreadState *T = recordingThread()) {
    uint32_t Slot = slot();
    if (Slot != NoTensorSlot && hasRoom(*T))
      T->Ring.write(
          wire::TensorFreeRecord{uintptr_t(B->Data), false, uint8_t(Slot)});
  }
  RealFree.load(std::memory_order_relaxed)(B);
}
