// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's stream-ordered allocators.
//
// Records the blocks of cuMemAllocAsync and its variants, and the memory that
// their pools reserve on the device. The driver is asked for a pool's memory at
// most once a millisecond, and before and after a trim. While a thread captures
// a graph, the driver is not asked, and the thread's allocations belong to the
// graph. A pool may be on another device than the stream's, on the host, or of
// managed memory.

#include "Cuda/Ended.h"
#include "Cuda/Samples.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;
using wire::PoolTimePoint;

//===----------------------------------------------------------------------===//
// Reserved memory of pools
//===----------------------------------------------------------------------===//

namespace {
struct DriverPool {
  std::atomic<uint64_t> Handle;
  std::atomic<uint64_t> AskedNs;
  std::atomic<uint32_t> Place; ///< 0: the stream's; else Known | CudaPlace
  HighWater Max;
};
} // namespace
static constexpr uint64_t AskEveryNs = 1000000;
static constexpr uint32_t Known = 1u << 31;
static DriverPool Pools[64];

static DriverPool *findPool(uint64_t Handle) {
  for (DriverPool &P : Pools)
    if (P.Handle.load(std::memory_order_relaxed) == Handle)
      return &P;
  return nullptr;
}

/// Pools beyond the table share the last entry.
static DriverPool &entryOf(uint64_t Handle) {
  if (DriverPool *P = findPool(Handle))
    return *P;
  for (DriverPool &P : Pools)
    if (uint64_t None = 0; P.Handle.compare_exchange_strong(None, Handle))
      return P;
  return Pools[63];
}

/// Notes the heap and device of a pool that the program makes.
static void madePool(uint64_t Handle, const CUmemPoolProps &Of) {
  CudaHeap Heap = CudaHeap::Pool;
  uint32_t Device = CudaPlace::NoDevice;
  if (int(Of.allocType) == MemAllocationManaged)
    Heap = CudaHeap::Managed;
  if (Of.location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    Device = uint32_t(Of.location.id);
    introduceDevice(Device);
  } else if (Heap == CudaHeap::Pool) {
    Heap = CudaHeap::Pinned;
  }
  DriverPool &P = entryOf(Handle);
  if (P.Handle.load(std::memory_order_relaxed) == Handle)
    P.Place.store(Known | CudaPlace::pack(Device, uint32_t(Heap), 0),
                  std::memory_order_relaxed);
}

static void forgetPool(uint64_t Handle) {
  if (DriverPool *P = findPool(Handle)) {
    P->Place.store(0, std::memory_order_relaxed);
    P->AskedNs.store(0, std::memory_order_relaxed);
    P->Max.take(0, 0, 0, 0);
    P->Handle.store(0, std::memory_order_release);
  }
}

namespace {
/// The place of a pool's memory.
struct PoolPlace {
  CudaHeap Heap;
  ContextPlace Of;
};
} // namespace

/// Memory on another device than the context's has no context number, because
/// the memory does not end with the context.
static PoolPlace placeOf(uint64_t Handle, const ContextPlace &Context) {
  const DriverPool *P = Handle ? findPool(Handle) : nullptr;
  uint32_t Is = P ? P->Place.load(std::memory_order_relaxed) : 0;
  if (!Is)
    return {CudaHeap::Pool, Context};
  auto Heap = CudaHeap(CudaPlace::heap(Is));
  uint32_t Device = CudaPlace::device(Is);
  // Managed memory without a device belongs to the stream's context.
  if (Device == Context.Device ||
      (Heap == CudaHeap::Managed && Device == CudaPlace::NoDevice))
    return {Heap, Context};
  return {Heap, {Device, 0}};
}

static void reportReserved(uint64_t Handle, uint64_t Used, uint64_t Reserved,
                           const ContextPlace &P,
                           PoolTimePoint M = PoolTimePoint::Any) {
  uint32_t Place = P.in(CudaHeap::Pool);
  wire::DeviceDetailRecord Of{Handle, 0, Place};
  writeRecord(wire::DeviceReservedRecord{Used, Reserved, M, Place}, nullptr,
              Handle ? &Of : nullptr);
}

static bool ask(CUmemoryPool P, CUmemPool_attribute What, uint64_t &Out) {
  cuuint64_t Value = 0;
  bool Is = !Cuda.MemPoolGetAttribute(P, What, &Value);
  Out = Value;
  return Is;
}

static void look(uint64_t Handle, DriverPool &Of, const ContextPlace &P,
                 PoolTimePoint M) {
  auto At = reinterpret_cast<CUmemoryPool>(Handle);
  uint64_t Used, Reserved, MaxUsed, Max;
  if (!ask(At, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, Used) ||
      !ask(At, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, Reserved))
    return;
  // Pools beyond the table share an entry, so they have no high-water mark.
  if (findPool(Handle) && ask(At, CU_MEMPOOL_ATTR_USED_MEM_HIGH, MaxUsed) &&
      ask(At, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, Max) &&
      Of.Max.take(MaxUsed, Max, Used, Reserved))
    reportReserved(Handle, MaxUsed, Max, P);
  reportReserved(Handle, Used, Reserved, P, M);
}

static void askPool(uint64_t Handle, const ContextPlace &P, bool Now,
                    PoolTimePoint M = PoolTimePoint::Any) {
  PoolPlace At = placeOf(Handle, P);
  if (!Handle || !Cuda.MemPoolGetAttribute || capturesGraph() ||
      At.Heap != CudaHeap::Pool)
    return;
  DriverPool &Of = entryOf(Handle);
  uint64_t Ns = coarseNs();
  if (!Now && Ns - Of.AskedNs.load(std::memory_order_relaxed) < AskEveryNs)
    return;
  Of.AskedNs.store(Ns, std::memory_order_relaxed);
  look(Handle, Of, At.Of, M);
}

/// The pool of each device from which cuMemAllocAsync allocates; 0: to be
/// asked, also after the program has set another pool.
static std::atomic<uint64_t> CurrentPools[wire::MaxCudaDevices];

static uint64_t currentPool(uint32_t Device) {
  if (Device >= wire::MaxCudaDevices || !Cuda.DeviceGetMemPool)
    return 0;
  uint64_t Is = CurrentPools[Device].load(std::memory_order_relaxed);
  CUmemoryPool P = nullptr;
  if (!Is && !capturesGraph() && !Cuda.DeviceGetMemPool(&P, CUdevice(Device))) {
    Is = uint64_t(P);
    CurrentPools[Device].store(Is, std::memory_order_relaxed);
  }
  return Is;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// 0 is the default stream; the default stream of each thread has a handle.
static uint64_t streamOf(CUstream S, bool PerThread) {
  if (!S || S == CU_STREAM_LEGACY)
    return PerThread && !S ? uint64_t(CU_STREAM_PER_THREAD) : 0;
  return uint64_t(S);
}

bool cuda::beforePool(const Call &C) {
  switch (C.Id) {
  case ID(cuMemFreeAsync):
  case ID(cuMemFreeAsync_ptsz): {
    PARAMS(cuMemFreeAsync);
    freed(C, P.dptr, CudaPlace::AnyHeap);
    return true;
  }
  case ID(cuMemPoolTrimTo): {
    PARAMS(cuMemPoolTrimTo);
    askPool(uint64_t(P.pool), TheContexts.place(C.Context), true);
    return true;
  }
  case ID(cuMemPoolDestroy): {
    PARAMS(cuMemPoolDestroy);
    PoolPlace At = placeOf(uint64_t(P.pool), TheContexts.place(C.Context));
    if (At.Heap == CudaHeap::Pool)
      reportReserved(uint64_t(P.pool), 0, 0, At.Of);
    forgetPool(uint64_t(P.pool));
    return true;
  }
  default:
    return false;
  }
}

static void gaveAsync(const Call &C, Ended &E, CudaFunction F, CUdeviceptr *To,
                      uint64_t Size, uint64_t Stream, uint64_t Pool) {
  ContextPlace P = TheContexts.place(C.Context);
  bool IsDefault = !Pool;
  if (IsDefault)
    Pool = currentPool(P.Device);
  PoolPlace At = placeOf(Pool, P);
  if (isCaptured(Stream)) {
    At = {CudaHeap::Graph, P};
    capturedMemory(C);
  }
  // A block of cuMemAllocAsync names no pool.
  E.give({F, At.Heap, E.failed() ? 0 : uint64_t(*To), Size, Stream,
          IsDefault ? 0 : Pool},
         At.Of);
  // Ask the pool when a sample of the device is due, so that the pool's memory
  // and the device's used memory are of one time.
  if (!E.failed())
    askPool(Pool, P, isSampleDue(P));
}

bool cuda::afterPool(const Call &C, Ended &E) {
  switch (C.Id) {
  case ID(cuMemAllocAsync):
  case ID(cuMemAllocAsync_ptsz): {
    PARAMS(cuMemAllocAsync);
    gaveAsync(C, E, CudaFunction::MemAllocAsync, P.dptr, P.bytesize,
              streamOf(P.hStream, C.Id == ID(cuMemAllocAsync_ptsz)), 0);
    return true;
  }
  case ID(cuMemAllocFromPoolAsync):
  case ID(cuMemAllocFromPoolAsync_ptsz): {
    PARAMS(cuMemAllocFromPoolAsync);
    gaveAsync(C, E, CudaFunction::MemAllocFromPoolAsync, P.dptr, P.bytesize,
              streamOf(P.hStream, C.Id == ID(cuMemAllocFromPoolAsync_ptsz)),
              uint64_t(P.pool));
    return true;
  }
  case ID(cuMemFreeAsync):
  case ID(cuMemFreeAsync_ptsz): {
    ContextPlace P = TheContexts.place(C.Context);
    askPool(currentPool(P.Device), P, false);
    return true;
  }
  case ID(cuMemPoolTrimTo): {
    PARAMS(cuMemPoolTrimTo);
    if (!E.failed())
      askPool(uint64_t(P.pool), TheContexts.place(C.Context), true,
              PoolTimePoint::Trimmed);
    return true;
  }
  case ID(cuMemPoolCreate): {
    PARAMS(cuMemPoolCreate);
    if (!E.failed())
      madePool(uint64_t(*P.pool), *P.poolProps);
    return true;
  }
  case ID(cuDeviceSetMemPool):
  case MemSetMemPool:
    for (auto &Pool : CurrentPools)
      Pool.store(0, std::memory_order_relaxed);
    return true;
  default:
    return false;
  }
}
