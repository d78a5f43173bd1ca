// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records PyTorch's reports of its memory.
//
// Order: PyTorch reports a tensor's memory after the allocation and before the
// free, in the same thread. The tensor's records are therefore between the
// records of the block around the tensor.

#include "TorchHooks.h"

#include "CompiledCode.h"
#include "CudaAllocator.h"
#include "CudaTracker.h"
#include "Python/PythonCalls.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Stacks/LoadWatch.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"

#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

#define C10_ENABLED "_ZN3c1022memoryProfilingEnabledEv"
#define C10_REPORT(SIZES)                                                      \
  "_ZN3c1027reportMemoryUsageToProfilerEPv" SIZES "NS_6DeviceE"
#define C10_OOM(SIZES)                                                         \
  "_ZN3c1027reportOutOfMemoryToProfilerE" SIZES "NS_6DeviceE"

//===----------------------------------------------------------------------===//
// libc10's own
//===----------------------------------------------------------------------===//

/// The functions looked up by this process or before a fork.
static constinit struct {
  std::atomic<bool (*)()> Enabled; ///< set last
  void *Report, *Oom;
} Before{};

bool TorchHooks::find() {
  if (!Before.Enabled.load(std::memory_order_acquire) && !lookUpOwn()) {
    State.store(Missing, std::memory_order_release);
    return false;
  }
  Enabled = Before.Enabled.load(std::memory_order_acquire);
  Report = reinterpret_cast<ReportFn>(Before.Report);
  Oom = reinterpret_cast<OomFn>(Before.Oom);
  State.store(Found, std::memory_order_release);
  return true;
}

/// Concurrent threads find the same functions.
bool TorchHooks::lookUpOwn() {
  auto Find = [](const char *Name) {
    return symbolOfLoaded("libc10.so", Name);
  };
  auto E = reinterpret_cast<EnabledFn>(Find(C10_ENABLED));
  void *R = Find(C10_REPORT("lmm")), *O = Find(C10_OOM("lmm"));
  lookUpCudaAllocator();
  R = R ? R : Find(C10_REPORT("lll"));
  O = O ? O : Find(C10_OOM("lll"));
  Before.Report = R;
  Before.Oom = O;
  if (R)
    Before.Enabled.store(E, std::memory_order_release);
  return E && R;
}

static constexpr uint8_t CpuType = 0, CudaType = 1; ///< c10::DeviceType

/// libc10 reports tensors of the CPU only while a profiler wants them, and
/// tensors of other devices always; its own function then checks for a
/// profiler.
void TorchHooks::forward(void *P, int64_t Size, uint64_t Allocated,
                         uint64_t Reserved, uint16_t Device) {
  if (lookUp() && (uint8_t(Device) != CpuType || Enabled()))
    Report(P, Size, Allocated, Reserved, Device);
}

void TorchHooks::forwardOom(int64_t Size, uint64_t Allocated, uint64_t Reserved,
                            uint16_t Device) {
  if (lookUp() && Oom && (uint8_t(Device) != CpuType || Enabled()))
    Oom(Size, Allocated, Reserved, Device);
}

uint32_t TorchHooks::slotOf(uint16_t Device) {
  return tensorSlot(
      *Ctl, wire::TensorDeviceWord::pack(wire::TensorFramework::Torch, Device));
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void writeReserved(ThreadState &T, uint32_t Slot, uint64_t Allocated,
                          uint64_t Reserved) {
  if (hasRoom(T))
    T.Ring.write(
        wire::TensorReservedRecord{Allocated, Reserved, uint8_t(Slot)});
}

/// In a program that ran before, hostTensorMade() and hostTensorEnds() know the
/// host's tensors; libc10 reports them only if a profiler asks.
static bool isKnownOtherwise(uint16_t Device) {
  return Kept.IsLate && uint8_t(Device) == CpuType;
}

static void recordTensor(void *P, int64_t Size, uint64_t Allocated,
                         uint64_t Reserved, uint16_t Device,
                         const CallerFrame &Caller) {
  TorchHooks &H = Torch;
  ThreadState *T = recordingThread();
  if (!T || !H.wantsTensors() || !P)
    return;
  if (Size >= 0 && __builtin_expect(H.wantsShapes(), 0))
    H.dtypes().forget(uintptr_t(P));
  uint32_t Slot = H.slotOf(Device);
  if (Slot == NoTensorSlot)
    return;
  bool IsCuda = uint8_t(Device) == CudaType;
  if (Size >= 0 && IsCuda)
    Cuda.beforeAllocation(
        *T, {uintptr_t(P), uint64_t(Size), Allocated, Reserved, Slot}, Caller);
  // Before the record of an allocation, which needs the reserved memory.
  if (uint8_t(Device) != CpuType && H.noteReserved(Slot, Reserved))
    writeReserved(*T, Slot, Allocated, Reserved);
  if (!hasRoom(*T))
    return;
  if (Size < 0) {
    bool InUse = IsCuda && Cuda.isInUse(uintptr_t(P));
    T->Ring.write(wire::TensorFreeRecord{uintptr_t(P), InUse, uint8_t(Slot)});
  } else if (isRecording()) {
    uint32_t Stack = stackNode(*T, Caller);
    if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
      return;
    T->Ring.write(wire::TensorAllocateRecord{uintptr_t(P), uint64_t(Size),
                                             uint8_t(Slot), Stack});
  }
}

static void recordOom(int64_t Size, uint64_t Reserved, uint16_t Device,
                      const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T || !Torch.wantsTensors())
    return;
  uint32_t Slot = Torch.slotOf(Device);
  if (Slot == NoTensorSlot)
    return;
  if (uint8_t(Device) == CudaType)
    Cuda.beforeOom(*T, uint64_t(Size), Slot);
  if (!hasRoom(*T))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  noteRefusal();
  T->Ring.write(
      wire::TensorOomRecord{Reserved, uint64_t(Size), uint8_t(Slot), Stack});
}

//===----------------------------------------------------------------------===//
// The functions that PyTorch calls
//===----------------------------------------------------------------------===//

MEMKIT_EXPORT bool torchEnabled() asm(C10_ENABLED);
MEMKIT_EXPORT void torchReport(void *, int64_t, uint64_t, uint64_t,
                               uint16_t) asm(C10_REPORT("lmm"));
MEMKIT_EXPORT void torchReportSigned(void *, int64_t, uint64_t, uint64_t,
                                     uint16_t) asm(C10_REPORT("lll"));
MEMKIT_EXPORT void torchOom(int64_t, uint64_t, uint64_t,
                            uint16_t) asm(C10_OOM("lmm"));
MEMKIT_EXPORT void torchOomSigned(int64_t, uint64_t, uint64_t,
                                  uint16_t) asm(C10_OOM("lll"));

bool torchEnabled() {
  if (Torch.wantsContexts())
    Torch.operators().attach();
  return Torch.wantsTensors() || Torch.isProfiled();
}

void torchReport(void *P, int64_t Size, uint64_t Allocated, uint64_t Reserved,
                 uint16_t Device) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!isKnownOtherwise(Device))
    recordTensor(P, Size, Allocated, Reserved, Device, Caller);
  Torch.forward(P, Size, Allocated, Reserved, Device);
}

void torchReportSigned(void *P, int64_t Size, uint64_t Allocated,
                       uint64_t Reserved, uint16_t Device) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!isKnownOtherwise(Device))
    recordTensor(P, Size, Allocated, Reserved, Device, Caller);
  Torch.forward(P, Size, Allocated, Reserved, Device);
}

void torchOom(int64_t Size, uint64_t Allocated, uint64_t Reserved,
              uint16_t Device) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!isKnownOtherwise(Device))
    recordOom(Size, Reserved, Device, Caller);
  Torch.forwardOom(Size, Allocated, Reserved, Device);
}

void torchOomSigned(int64_t Size, uint64_t Allocated, uint64_t Reserved,
                    uint16_t Device) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!isKnownOtherwise(Device))
    recordOom(Size, Reserved, Device, Caller);
  Torch.forwardOom(Size, Allocated, Reserved, Device);
}

//===----------------------------------------------------------------------===//
// The functions that decide whether libc10 reports a tensor of the host
//===----------------------------------------------------------------------===//

// A program that runs already is led here, and not to torchEnabled(): while
// libc10 reports, it keeps a table of all blocks, and warns of each block that
// is not in the table. In other programs libc10 calls its own.

#define C10_REPORTER "_ZN3c1025ProfiledCPUMemoryReporter"
#define C10_NEW C10_REPORTER "3NewEPvm"
#define C10_DELETE C10_REPORTER "6DeleteEPv"
#define C10_FAILED C10_REPORTER "11OutOfMemoryEm"

static constinit RealFunction<void (*)(void *, void *, size_t)>
    RealNew("libc10.so", C10_NEW);
static constinit RealFunction<void (*)(void *, void *)> RealDelete("libc10.so",
                                                                   C10_DELETE);
static constinit RealFunction<void (*)(void *, size_t)> RealFailed("libc10.so",
                                                                   C10_FAILED);
static constexpr uint16_t HostDevice = 0xff00 | CpuType; ///< index -1: current

static void hostTensorMade(void *Reporter, void *P, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (Torch.wantsContexts())
    Torch.operators().attach();
  if (Bytes)
    recordTensor(P, int64_t(Bytes), 0, 0, HostDevice, Caller);
  RealNew.get(Caller.Pc)(Reporter, P, Bytes);
}

static void hostTensorEnds(void *Reporter, void *P) {
  CallerFrame Caller = MEMKIT_CALLER;
  recordTensor(P, -1, 0, 0, HostDevice, Caller);
  RealDelete.get(Caller.Pc)(Reporter, P);
}

static void hostTensorFailed(void *Reporter, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  recordOom(int64_t(Bytes), 0, HostDevice, Caller);
  RealFailed.get(Caller.Pc)(Reporter, Bytes);
}

static constexpr char LibC10[] = "libc10.so";
static const FrameworkHook TensorHooks[] = {
    {LibC10, C10_DELETE, true, reinterpret_cast<void (*)()>(hostTensorEnds)},
    {LibC10, C10_NEW, false, reinterpret_cast<void (*)()>(hostTensorMade)},
    {LibC10, C10_FAILED, false, reinterpret_cast<void (*)()>(hostTensorFailed)},
    {LibC10, C10_REPORT("lmm")},
    {LibC10, C10_REPORT("lll")},
    {LibC10, C10_OOM("lmm")},
    {LibC10, C10_OOM("lll")},
    {}};

//===----------------------------------------------------------------------===//
// Of a process and its threads
//===----------------------------------------------------------------------===//

static bool connectSource(int, const wire::Regions &, wire::Control &C) {
  Torch.begin(C);
  return true;
}

/// Called by the interpreter, with its lock held.
static int attachObserver(void *) {
  if (recordingThread() && Torch.wantsContexts())
    Torch.operators().attach();
  return 0;
}

/// While PyTorch is being loaded, its observers may not be made yet. The
/// interpreter attaches ours afterwards, before the first range of the program;
/// without an interpreter the first tensor does.
static void foundBinary(const void *LinkMap) {
  const char *Path = static_cast<const link_map *>(LinkMap)->l_name;
  const char *Name = strrchr(Path, '/');
  if (Name && !strcmp(Name + 1, "libtorch_cpu.so") && Torch.wantsContexts() &&
      Torch.layers().canAsk())
    Py.Pending.ask(attachObserver, nullptr);
}

static void foundInterpreter(const void *LinkMap) {
  Torch.layers().begin(Exports(LinkMap));
  beginCompiledCode(Torch.compiled(), Exports(LinkMap));
  if (Torch.wantsContexts())
    watchLoads("libtorch_cpu.so", foundBinary);
}

static void beforeScope(ThreadState &T, const CallerFrame &Caller) {
  Torch.operators().beforeScope(T, Caller);
}

constinit ProcessTorch capture::Torch;
constinit const Source capture::TorchSource = {
    .State = &Torch,
    .StateBytes = sizeof(Torch),
    .Connect = connectSource,
    .StartThread = [] { ThisTorch.Count = 0; },
    .EndThread = [] { ThisTorch.release(); },
    .FoundInterpreter = foundInterpreter,
    .FoundBinary = foundBinary,
    .FoundCompiler =
        [] {
          if (Torch.wantsContexts())
            Torch.compiled().ask();
        },
    .BeforeScope = beforeScope,
    .FrameworkHooks = TensorHooks,
    .Bound = [] { Operators::stay(); },
    .Leave = [] { Operators::leave(); }};
