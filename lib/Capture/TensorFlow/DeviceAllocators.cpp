// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of TensorFlow's tensors on a GPU.
//
// BFCAllocator takes regions from the device and divides them into chunks, one
// for a tensor. Its name tells the device: `GPU_1_bfc`; `gpu_host_bfc` is host
// memory that is pinned for all GPUs. The host's allocator has a BFCAllocator
// inside, too, of another name, whose tensors Allocators.cpp records.

#include "Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Runtime/TensorSlots.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"
#include "TensorFlowHooks.h"

#include <cstdlib>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Allocators and their devices
//===----------------------------------------------------------------------===//

namespace {
/// std::string of libstdc++; Short holds up to 15 bytes.
struct String {
  char *Text;
  size_t Bytes;
  char Short[16];
};

/// An allocator that has made a tensor or a region.
struct DeviceAllocator {
  std::atomic<const void *> Object; ///< null: a free place
  /// Of its device, plus FirstSlot; else one of the values below.
  std::atomic<uint32_t> Slot;
  std::atomic<uint64_t> Reserved; ///< bytes of its regions
};

constexpr uint32_t SlotUnknown = 0, NoGpu = 1, FirstSlot = 2;

/// More allocators than a machine has devices.
constexpr uint32_t MaxAllocators = 64;
/// Fork wipes the page.
struct alignas(PageBytes) DeviceAllocators {
  DeviceAllocator At[MaxAllocators];
};
constinit DeviceAllocators Known{};
} // namespace

/// The device of an allocator's name, as c10 numbers it. False: no GPU.
static bool deviceOf(const String &Name, uint16_t &Device) {
  static constexpr char Gpu[] = "GPU_", Host[] = "gpu_host_bfc";
  constexpr uint16_t Cuda = 1, AllGpus = 0xff00; // c10's CUDA; index -1
  if (Name.Bytes == sizeof(Host) - 1 &&
      !memcmp(Name.Text, Host, sizeof(Host) - 1)) {
    Device = AllGpus | wire::TensorDeviceWord::Pinned;
    return true;
  }
  size_t I = sizeof(Gpu) - 1;
  if (Name.Bytes <= I || memcmp(Name.Text, Gpu, I))
    return false;
  unsigned Index = 0;
  size_t First = I;
  for (; I != Name.Bytes && Name.Text[I] >= '0' && Name.Text[I] <= '9'; ++I)
    if ((Index = Index * 10 + unsigned(Name.Text[I] - '0')) > 127)
      return false;
  Device = uint16_t(Index << 8 | Cuda);
  return I != First && Name.Bytes - I == 4 && !memcmp(Name.Text + I, "_bfc", 4);
}

using NameFn = void (*)(String *, void *);

/// A value of DeviceAllocator::Slot.
__attribute__((noinline)) static uint32_t findSlot(void *Allocator) {
  Quiet Q;
  auto Name = reinterpret_cast<NameFn>(
      symbolOfLoaded(tf::Framework, TF_DEVICE_ALLOCATOR_NAME));
  if (!Name)
    return NoGpu;
  String Is;
  Name(&Is, Allocator);
  uint16_t Device = 0;
  bool IsGpu = deviceOf(Is, Device);
  if (Is.Text != Is.Short)
    free(Is.Text);
  uint32_t Slot =
      IsGpu ? tensorSlot(*Proc.Ctl,
                         wire::TensorDeviceWord::pack(
                             wire::TensorFramework::TensorFlow, Device))
            : NoTensorSlot;
  return Slot == NoTensorSlot ? NoGpu : Slot + FirstSlot;
}

/// The allocator, if its device is a GPU; else null. A thread that comes while
/// another finds the device finds it, too.
static DeviceAllocator *allocatorOf(void *Object) {
  for (DeviceAllocator &A : Known.At) {
    const void *Is = A.Object.load(std::memory_order_acquire);
    if (!Is && !A.Object.compare_exchange_strong(Is, Object) && Is != Object)
      continue;
    if (Is && Is != Object)
      continue;
    uint32_t Slot = A.Slot.load(std::memory_order_relaxed);
    if (__builtin_expect(Slot == SlotUnknown, 0))
      A.Slot.store(Slot = findSlot(Object), std::memory_order_relaxed);
    return Slot == NoGpu ? nullptr : &A;
  }
  return nullptr;
}

static uint8_t slotOf(const DeviceAllocator &A) {
  return uint8_t(A.Slot.load(std::memory_order_relaxed) - FirstSlot);
}

/// A thread that may record tensors; null: none.
static ThreadState *tensorThread() {
  ThreadState *T = recordingThread();
  return T && tf::Hooks.wantsTensors() && hasRoom(*T) ? T : nullptr;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

using ChunkSizeFn = size_t (*)(const void *, const void *);

/// The bytes of the chunk around a tensor; \p Bytes where not known.
static size_t chunkBytes(const void *Allocator, const void *P, size_t Bytes) {
  static constinit std::atomic<ChunkSizeFn> Found{nullptr};
  ChunkSizeFn Size = Found.load(std::memory_order_relaxed);
  if (__builtin_expect(!Size, 0)) {
    Size = reinterpret_cast<ChunkSizeFn>(
        symbolOfLoaded(tf::Framework, TF_DEVICE_CHUNK_SIZE));
    Found.store(Size, std::memory_order_relaxed);
  }
  return Size ? Size(Allocator, P) : Bytes;
}

/// After the call. \p MayFail: the caller has another way without the memory.
static void noteAllocated(void *Allocator, void *P, size_t Bytes, bool MayFail,
                          const CallerFrame &Caller) {
  ThreadState *T = Bytes ? tensorThread() : nullptr;
  DeviceAllocator *A = T && isRecording() ? allocatorOf(Allocator) : nullptr;
  if (!A || (!P && MayFail))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  uint8_t Slot = slotOf(*A);
  if (!P) {
    noteRefusal();
    return T->Ring.write(wire::TensorOomRecord{
        A->Reserved.load(std::memory_order_relaxed), Bytes, Slot, Stack});
  }
  T->Ring.write(wire::TensorRequestRecord{uintptr_t(P), Bytes, Slot, 0});
  if (hasRoom(*T))
    T->Ring.write(wire::TensorAllocateRecord{
        uintptr_t(P), chunkBytes(Allocator, P, Bytes), Slot, Stack});
}

using ChunkAllocateFn = void *(*)(void *, size_t, size_t, const bool *);
using ChunkFreeFn = void (*)(void *, void *);
static constinit RealFunction<ChunkAllocateFn> RealAllocate(tf::Framework,
                                                            TF_DEVICE_ALLOCATE);
static constinit RealFunction<ChunkFreeFn> RealFree(tf::Framework,
                                                    TF_DEVICE_FREE);

/// \p Attributes begins with retry_on_failure.
MEMKIT_EXPORT void *tfDeviceAllocate(void *, size_t, size_t,
                                     const bool *) asm(TF_DEVICE_ALLOCATE);
MEMKIT_EXPORT void tfDeviceFree(void *, void *) asm(TF_DEVICE_FREE);

void *tfDeviceAllocate(void *Self, size_t Alignment, size_t Bytes,
                       const bool *Attributes) {
  CallerFrame Caller = MEMKIT_CALLER;
  bool MayFail = !*Attributes;
  void *P = RealAllocate.get(Caller.Pc)(Self, Alignment, Bytes, Attributes);
  noteAllocated(Self, P, Bytes, MayFail, Caller);
  return P;
}

void tfDeviceFree(void *Self, void *P) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (ThreadState *T = P ? tensorThread() : nullptr)
    if (DeviceAllocator *A = allocatorOf(Self))
      T->Ring.write(wire::TensorFreeRecord{uintptr_t(P), false, slotOf(*A)});
  RealFree.get(Caller.Pc)(Self, P);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The allocator that takes a region in this thread.
static __thread void *Extending __attribute__((tls_model("initial-exec")));

using ExtendFn = bool (*)(void *, size_t, size_t);
static constinit RealFunction<ExtendFn> RealExtend(tf::Framework,
                                                   TF_DEVICE_EXTEND);
MEMKIT_EXPORT bool tfDeviceExtend(void *, size_t, size_t) asm(TF_DEVICE_EXTEND);

bool tfDeviceExtend(void *Self, size_t Alignment, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  void *Outer = Extending;
  Extending = Self;
  bool Is = RealExtend.get(Caller.Pc)(Self, Alignment, Bytes);
  Extending = Outer;
  return Is;
}

/// Pinned memory of the host has no regions.
static bool isPinned(const DeviceAllocator &A) {
  uint32_t Word =
      Proc.Ctl->TensorDevices[slotOf(A)].load(std::memory_order_relaxed);
  return uint8_t(Word) == wire::TensorDeviceWord::Pinned;
}

static void noteRegion(void *P, size_t Bytes, const CallerFrame &Caller) {
  ThreadState *T = Extending && P && Bytes ? tensorThread() : nullptr;
  DeviceAllocator *A = T ? allocatorOf(Extending) : nullptr;
  if (!A)
    return;
  A->Reserved.fetch_add(Bytes, std::memory_order_relaxed);
  if (isPinned(*A))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (isRecording() && T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(wire::TensorSegmentRecord{
        uintptr_t(P), Bytes, slotOf(*A), Stack, wire::SegmentChange::Region});
}

using DeviceRegionFn = void *(*)(void *, void *, size_t);
static constinit RealFunction<DeviceRegionFn> RealRegion(tf::Framework,
                                                         TF_DEVICE_REGION);
static constinit RealFunction<DeviceRegionFn>
    RealMoreRegion(tf::Framework, TF_DEVICE_MORE_REGION);
MEMKIT_EXPORT void *tfDeviceRegion(void *, void *,
                                   size_t) asm(TF_DEVICE_REGION);
MEMKIT_EXPORT void *tfDeviceMoreRegion(void *, void *,
                                       size_t) asm(TF_DEVICE_MORE_REGION);

void *tfDeviceRegion(void *Self, void *P, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  noteRegion(P, Bytes, Caller);
  return RealRegion.get(Caller.Pc)(Self, P, Bytes);
}

/// The region may extend the one before it.
void *tfDeviceMoreRegion(void *Self, void *P, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  noteRegion(P, Bytes, Caller);
  return RealMoreRegion.get(Caller.Pc)(Self, P, Bytes);
}

constinit const Source capture::TensorFlowDeviceSource = {
    .State = &Known, .StateBytes = sizeof(Known)};
