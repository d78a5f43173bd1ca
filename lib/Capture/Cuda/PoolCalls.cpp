//===- PoolCalls.cpp - The driver's stream-ordered allocators -------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuMemAllocAsync and its kin give out, and what their pools have of the
// device: asked of the driver, at most once a millisecond and pool, and when a
// pool is trimmed. While a thread captures a graph the driver is not asked,
// and what that thread allocates is the graph's.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Ended.h"
#include "Cuda/Samples.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;
using wire::RecordKind;

static __thread uint32_t Captures;
static std::atomic<uint32_t> AllCaptures;
bool cuda::capturesGraph() {
  return AllCaptures.load(std::memory_order_relaxed) != 0;
}

//===----------------------------------------------------------------------===//
// What pools reserve
//===----------------------------------------------------------------------===//

namespace {
struct Pool {
  std::atomic<uint64_t> Handle;
  std::atomic<uint64_t> AskedNs;
};
} // namespace
static constexpr uint64_t AskEveryNs = 1000000;
static Pool Pools[64];

/// Those beyond the table share its last entry.
static Pool &entryOf(uint64_t Handle) {
  for (Pool &P : Pools) {
    uint64_t Is = P.Handle.load(std::memory_order_relaxed);
    if (Is == Handle ||
        (!Is && (P.Handle.compare_exchange_strong(Is, Handle) || Is == Handle)))
      return P;
  }
  return Pools[63];
}

static void tellReserved(uint64_t Handle, uint64_t Used, uint64_t Reserved,
                         const ContextPlace &P) {
  Event E{RecordKind::DeviceReserved, CudaFunction::None, Used, Reserved};
  E.Place = P.in(CudaHeap::Pool);
  E.DetailAddress = Handle;
  Memrec->Write(E, nullptr);
}

static void askPool(uint64_t Handle, const ContextPlace &P, bool Now) {
  if (!Handle || !Cuda.MemPoolGetAttribute || capturesGraph())
    return;
  Pool &Of = entryOf(Handle);
  uint64_t Ns = coarseNs();
  if (!Now && Ns - Of.AskedNs.load(std::memory_order_relaxed) < AskEveryNs)
    return;
  Of.AskedNs.store(Ns, std::memory_order_relaxed);
  auto Pool = reinterpret_cast<CUmemoryPool>(Handle);
  cuuint64_t Used = 0, Reserved = 0;
  if (!Cuda.MemPoolGetAttribute(Pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
                                &Used) &&
      !Cuda.MemPoolGetAttribute(Pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                                &Reserved))
    tellReserved(Handle, Used, Reserved, P);
}

/// The pool that a device's cuMemAllocAsync takes from; asked for again when
/// the program sets another.
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

/// 0 is the default stream; the one of each thread has a handle.
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
  case ID(cuGraphAddMemFreeNode): {
    PARAMS(cuGraphAddMemFreeNode);
    freed(C, P.dptr, CudaPlace::AnyHeap);
    return true;
  }
  case ID(cuMemPoolDestroy): {
    PARAMS(cuMemPoolDestroy);
    tellReserved(uint64_t(P.pool), 0, 0, TheContexts.place(C.Context));
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
  // Of the pool that it has from the start a device's blocks name none.
  E.gave(F, Captures ? CudaHeap::Graph : CudaHeap::Pool, To, Size, Stream,
         IsDefault ? 0 : Pool);
  if (!E.failed())
    askPool(Pool, P, false);
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
    askPool(uint64_t(P.pool), TheContexts.place(C.Context), true);
    return true;
  }
  case ID(cuDeviceSetMemPool):
    for (auto &Pool : CurrentPools)
      Pool.store(0, std::memory_order_relaxed);
    return true;
  case ID(cuGraphAddMemAllocNode): {
    PARAMS(cuGraphAddMemAllocNode);
    E.gave(CudaFunction::GraphAddMemAllocNode, CudaHeap::Graph,
           &P.nodeParams->dptr, P.nodeParams->bytesize);
    return true;
  }
  case ID(cuStreamBeginCapture):
  case ID(cuStreamBeginCapture_ptsz):
  case ID(cuStreamBeginCapture_v2):
  case ID(cuStreamBeginCapture_v2_ptsz):
  case ID(cuStreamBeginCaptureToGraph):
  case ID(cuStreamBeginCaptureToGraph_ptsz):
    Captures += !E.failed();
    AllCaptures += !E.failed();
    return true;
  case ID(cuStreamEndCapture):
  case ID(cuStreamEndCapture_ptsz):
    // It ends a capture, also one that has failed; perhaps in another thread
    // than has begun it.
    Captures -= Captures != 0;
    if (AllCaptures.fetch_sub(1) == 0)
      AllCaptures = 0;
    return true;
  default:
    return false;
  }
}
