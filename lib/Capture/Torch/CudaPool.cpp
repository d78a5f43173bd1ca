// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records PyTorch's memory of cudaMallocAsync.
//
// With PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync PyTorch reports nothing
// to libc10: each tensor is a block of the driver's pool. This file records the
// calls of the runtime's functions from libc10_cuda.so in place of the reports,
// and only forwards calls from other binaries.

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Stacks/Loader.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"

#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
enum CudaError : int { Success = 0, OutOfMemory = 2, NotSupported = 801 };
constexpr uint16_t CudaType = 1; ///< c10::DeviceType

/// The CUDA runtime that a calling binary was linked to.
struct Runtime {
  std::atomic<void *> LinkMap;
  int (*Malloc)(void **, size_t, void *);
  int (*Free)(void *, void *);
  int (*GetDevice)(int *);
  bool IsTorch;

  uint32_t slot() const {
    int Device = 0;
    if (!GetDevice || GetDevice(&Device))
      return NoTensorSlot;
    return Torch.slotOf(uint16_t(CudaType | uint8_t(Device) << 8));
  }
};
} // namespace

/// The known callers. A binary that has called stays loaded (Symbols.h).
static constexpr uint32_t MaxCallers = 16;
static constinit Runtime Callers[MaxCallers]{};
static std::atomic<uint32_t> NumCallers;

/// The function that the binary of LinkMap would have found, had Own, this
/// library's, not come first. Where two versions of the runtime are loaded, the
/// one that the binary needs goes first.
static void *findFor(void *LinkMap, const char *Name, void *Own = nullptr) {
  void *P = LinkMap ? symbolOfBinary(LinkMap, Name) : nullptr;
  if (!P || P == Own)
    P = nextSymbol(Name);
  for (const char *Library :
       {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"})
    if (!P)
      P = symbolOfLoaded(Library, Name);
  return P;
}

extern "C" {
MEMKIT_EXPORT int cudaMallocAsync(void **, size_t, void *);
MEMKIT_EXPORT int cudaFreeAsync(void *, void *);
}

static void fill(Runtime &R, link_map *Map) {
  R.Malloc = reinterpret_cast<decltype(R.Malloc)>(findFor(
      Map, "cudaMallocAsync", reinterpret_cast<void *>(&cudaMallocAsync)));
  R.Free = reinterpret_cast<decltype(R.Free)>(
      findFor(Map, "cudaFreeAsync", reinterpret_cast<void *>(&cudaFreeAsync)));
  R.GetDevice =
      reinterpret_cast<decltype(R.GetDevice)>(findFor(Map, "cudaGetDevice"));
  R.IsTorch = Map && strstr(Map->l_name, "/libc10_cuda.so");
}

/// The runtime of the binary of Pc. Room: filled and returned where the runtime
/// cannot be kept.
static Runtime &runtimeOf(uintptr_t Pc, Runtime &Room) {
  FoundObject O = {};
  Loader.find(Pc, O);
  for (Runtime &R : Callers)
    if (O.LinkMap && R.LinkMap.load(std::memory_order_acquire) == O.LinkMap)
      return R;
  fill(Room, static_cast<link_map *>(O.LinkMap));
  uint32_t At = NumCallers.load(std::memory_order_relaxed);
  if (!O.LinkMap || !Room.Malloc || At >= MaxCallers ||
      !NumCallers.compare_exchange_strong(At, At + 1))
    return Room;
  Runtime &R = Callers[At];
  R.Malloc = Room.Malloc;
  R.Free = Room.Free;
  R.GetDevice = Room.GetDevice;
  R.IsTorch = Room.IsTorch;
  R.LinkMap.store(O.LinkMap, std::memory_order_release);
  return R;
}

static void notePool() {
  uint32_t None = 0;
  Proc.Ctl->Findings[wire::FS_TorchCuda].Code.compare_exchange_strong(
      None, uint32_t(wire::CudaState::Pool));
}

static void recordPool(const Runtime &R, void *P, size_t Size, void *Stream,
                       const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T || !Torch.wantsTensors() || !isRecording())
    return;
  notePool();
  uint32_t Slot = R.slot();
  uint32_t Stack = stackNode(*T, Caller);
  if (Slot == NoTensorSlot ||
      T->Epoch != Proc.Epoch.load(std::memory_order_relaxed) || !hasRoom(*T))
    return;
  auto Device = uint8_t(Slot);
  if (!P) {
    noteRefusal();
    return T->Ring.write(wire::TensorOomRecord{0, Size, Device, Stack});
  }
  T->Ring.write(
      wire::TensorRequestRecord{uintptr_t(P), Size, Device, uintptr_t(Stream)});
  if (hasRoom(*T))
    T->Ring.write(
        wire::TensorAllocateRecord{uintptr_t(P), Size, Device, Stack});
}

static void recordPoolFree(const Runtime &R, void *P) {
  ThreadState *T = recordingThread();
  if (!T || !Torch.wantsTensors() || !P)
    return;
  uint32_t Slot = R.slot();
  if (Slot != NoTensorSlot && hasRoom(*T))
    T->Ring.write(wire::TensorFreeRecord{uintptr_t(P), false, uint8_t(Slot)});
}

MEMKIT_EXPORT int cudaMallocAsync(void **P, size_t Size, void *Stream) {
  CallerFrame Caller = MEMKIT_CALLER;
  Runtime Room = {};
  Runtime &R = runtimeOf(Caller.Pc, Room);
  if (!R.Malloc)
    return NotSupported;
  int Result = R.Malloc(P, Size, Stream);
  if (R.IsTorch && Size && (Result == Success || Result == OutOfMemory))
    recordPool(R, Result == Success ? *P : nullptr, Size, Stream, Caller);
  return Result;
}

MEMKIT_EXPORT int cudaFreeAsync(void *P, void *Stream) {
  CallerFrame Caller = MEMKIT_CALLER;
  Runtime Room = {};
  Runtime &R = runtimeOf(Caller.Pc, Room);
  if (!R.Free)
    return NotSupported;
  if (R.IsTorch)
    recordPoolFree(R, P);
  return R.Free(P, Stream);
}
