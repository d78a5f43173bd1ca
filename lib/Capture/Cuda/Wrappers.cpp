//===- Wrappers.cpp - Before the driver's entry points --------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrapper has the signature of its function, and gives its arguments as CUPTI
// does: in a structure of the same members.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Wrappers.h"

#include "Cuda/Injection.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaHeap;
using wire::RecordKind;

__thread WrappedCall cuda::InWrapper;
std::atomic<bool> cuda::Listening;
std::atomic<bool> cuda::HasWrappers;

void cuda::heardBefore(const Call &C) {
  if (InWrapper.IsIn && InWrapper.Before)
    return;
  InWrapper.Before = true;
  before(C);
}

void cuda::heardAfter(const Call &C, CUresult Result, const Frame &Caller) {
  if (InWrapper.IsIn && InWrapper.After)
    return;
  InWrapper.After = true;
  after(C, Result, Caller);
}

//===----------------------------------------------------------------------===//
// Contexts, when CUPTI does not tell of them
//===----------------------------------------------------------------------===//

static CUcontext currentContext() {
  CUcontext C = nullptr;
  return Cuda.CtxGetCurrent && !Cuda.CtxGetCurrent(&C) ? C : nullptr;
}

static void endContext(CUcontext C) {
  ContextPlace P = TheContexts.known(C);
  if (!P.Number)
    return;
  Event E{RecordKind::DeviceContextEnd};
  E.Place = P.in(CudaHeap::Device);
  Memrec->Write(E, nullptr);
  TheContexts.remove(C);
}

/// Of each device, as it was retained.
static std::atomic<CUcontext> Primaries[wire::MaxCudaDevices];

/// A primary context that is active no more has ended.
static void lookAtPrimary(CUdevice D) {
  unsigned Flags = 0;
  int Active = 1;
  if (unsigned(D) >= wire::MaxCudaDevices || !Cuda.PrimaryCtxGetState ||
      Cuda.PrimaryCtxGetState(D, &Flags, &Active) || Active)
    return;
  if (CUcontext C = Primaries[D].exchange(nullptr))
    endContext(C);
}

#define ID(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME
#define PARAMS(NAME)                                                           \
  const auto &P = *static_cast<const NAME##_params *>(C.Params)

static void contextBefore(const Call &C) {
  if (C.Id != ID(cuCtxDestroy_v2))
    return;
  PARAMS(cuCtxDestroy_v2);
  endContext(P.ctx);
}

static void contextAfter(const Call &C, CUresult Result) {
  switch (C.Id) {
  case ID(cuDevicePrimaryCtxRetain): {
    PARAMS(cuDevicePrimaryCtxRetain);
    if (!Result && unsigned(P.dev) < wire::MaxCudaDevices)
      Primaries[P.dev].store(*P.pctx);
    return;
  }
  case ID(cuDevicePrimaryCtxRelease_v2): {
    PARAMS(cuDevicePrimaryCtxRelease_v2);
    return lookAtPrimary(P.dev);
  }
  case ID(cuDevicePrimaryCtxReset_v2): {
    PARAMS(cuDevicePrimaryCtxReset_v2);
    return lookAtPrimary(P.dev);
  }
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

template <typename Fn>
static CUresult through(const Call &Of, const Frame &Caller, Fn Real) {
  // The driver may call itself.
  if (InWrapper.IsIn || !hasBegun())
    return Real();
  Call C = Of;
  bool Heard = Listening.load(std::memory_order_acquire);
  InWrapper = {true, false, false};
  if (!Heard) {
    C.Context = currentContext();
    contextBefore(C);
    heardBefore(C);
  }
  CUresult Result = Real();
  if (!InWrapper.Before || !InWrapper.After)
    C.Context = currentContext();
  // It was heard of when this began, but not any more then.
  if (!InWrapper.Before)
    heardBefore(C);
  if (!InWrapper.After)
    heardAfter(C, Result, Caller);
  contextAfter(C, Result);
  InWrapper.IsIn = false;
  return Result;
}

namespace {
template <CUpti_CallbackId Id, typename Params, typename Fn> struct Wrapper;
template <CUpti_CallbackId Id, typename Params, typename... Args>
struct Wrapper<Id, Params, CUresult(Args...)> {
  static CUresult (*Real)(Args...);
  static CUresult call(Args... A) {
    Frame Caller = MEMKIT_CALLER;
    Params P{A...};
    return through({Id, &P, nullptr}, Caller, [&] { return Real(A...); });
  }
};
template <CUpti_CallbackId Id, typename Params, typename... Args>
CUresult (*Wrapper<Id, Params, CUresult(Args...)>::Real)(Args...);

using AnyFunction = void (*)();
struct Entry {
  const char *Name;
  AnyFunction Function;
  AnyFunction *Real;
};

template <CUpti_CallbackId Id, typename Params, typename Fn>
Entry entry(const char *Name) {
  using W = Wrapper<Id, Params, Fn>;
  return {Name, reinterpret_cast<AnyFunction>(&W::call),
          reinterpret_cast<AnyFunction *>(&W::Real)};
}
} // namespace

#define ENTRY(NAME) AS(NAME, NAME, NAME)
#define AS(NAME, ID_NAME, PARAMS_NAME)                                         \
  entry<CUPTI_DRIVER_TRACE_CBID_##ID_NAME, PARAMS_NAME##_params,               \
        decltype(::NAME)>(#NAME)
#define PER_THREAD(NAME)                                                       \
  entry<CUPTI_DRIVER_TRACE_CBID_##NAME##_ptsz, NAME##_params,                  \
        decltype(::NAME)>(#NAME "_ptsz")

static const Entry Entries[] = {
    ENTRY(cuMemAlloc_v2),
    ENTRY(cuMemAllocPitch_v2),
    ENTRY(cuMemAllocManaged),
    AS(cuMemHostAlloc, cuMemHostAlloc_v2, cuMemHostAlloc),
    ENTRY(cuMemAllocHost_v2),
    ENTRY(cuMemHostRegister_v2),
    ENTRY(cuMemFree_v2),
    ENTRY(cuMemFreeHost),
    ENTRY(cuMemHostUnregister),
    ENTRY(cuMemAllocAsync),
    PER_THREAD(cuMemAllocAsync),
    ENTRY(cuMemAllocFromPoolAsync),
    PER_THREAD(cuMemAllocFromPoolAsync),
    ENTRY(cuMemFreeAsync),
    PER_THREAD(cuMemFreeAsync),
    ENTRY(cuMemPoolDestroy),
    ENTRY(cuMemPoolTrimTo),
    ENTRY(cuMemPoolImportPointer),
    ENTRY(cuDeviceSetMemPool),
    ENTRY(cuGraphAddMemAllocNode),
    ENTRY(cuGraphAddMemFreeNode),
    ENTRY(cuStreamBeginCapture_v2),
    PER_THREAD(cuStreamBeginCapture_v2),
    ENTRY(cuStreamEndCapture),
    PER_THREAD(cuStreamEndCapture),
    ENTRY(cuMemAddressReserve),
    ENTRY(cuMemAddressFree),
    ENTRY(cuMemCreate),
    ENTRY(cuMemRelease),
    ENTRY(cuMemMap),
    ENTRY(cuMemUnmap),
    ENTRY(cuMemRetainAllocationHandle),
    ENTRY(cuMemImportFromShareableHandle),
    ENTRY(cuArrayCreate_v2),
    ENTRY(cuArray3DCreate_v2),
    ENTRY(cuArrayDestroy),
    ENTRY(cuMipmappedArrayCreate),
    ENTRY(cuMipmappedArrayDestroy),
    ENTRY(cuIpcOpenMemHandle_v2),
    ENTRY(cuIpcCloseMemHandle),
    ENTRY(cuExternalMemoryGetMappedBuffer),
    ENTRY(cuCtxDestroy_v2),
    ENTRY(cuDevicePrimaryCtxRetain),
    ENTRY(cuDevicePrimaryCtxRelease_v2),
    ENTRY(cuDevicePrimaryCtxReset_v2),
};

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

static void *wrapNamed(const char *Name, void *Real) {
  for (const Entry &E : Entries) {
    if (strcmp(Name, E.Name) != 0)
      continue;
    // A driver that looks itself up has found it already.
    if (Real == reinterpret_cast<void *>(E.Function))
      return Real;
    // All who look it up find the same.
    __atomic_store_n(E.Real, reinterpret_cast<AnyFunction>(Real),
                     __ATOMIC_RELEASE);
    HasWrappers.store(true, std::memory_order_relaxed);
    return reinterpret_cast<void *>(E.Function);
  }
  return Real;
}

static decltype(&cuGetProcAddress_v2) RealGetProcAddress;
using OldGetProcAddress = CUresult (*)(const char *, void **, int, cuuint64_t);
static OldGetProcAddress RealOldGetProcAddress;
static CUresult getProcAddress(const char *, void **, int, cuuint64_t,
                               CUdriverProcAddressQueryResult *);
static CUresult oldGetProcAddress(const char *, void **, int, cuuint64_t);

/// A name without a version is that of the newest that CUDA \p Version has.
static void *wrapAsked(const char *Name, void *Real, int Version,
                       cuuint64_t Flags) {
  char Text[64];
  size_t N = strlen(Name);
  if (!Real || N + 6 > sizeof(Text))
    return Real;
  if (strcmp(Name, "cuGetProcAddress") == 0)
    return Version >= 12000 ? wrap("cuGetProcAddress_v2", Real)
                            : wrap("cuGetProcAddress", Real);
  bool PerThread = Flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  // Those before CUDA 4 have other arguments.
  if (Version < 4000)
    return Real;
  static const char *const Suffixes[] = {"_v2_ptsz", "_ptsz", "_v2", ""};
  for (int I = PerThread ? 0 : 2; I != 4; ++I) {
    memcpy(Text, Name, N);
    strcpy(Text + N, Suffixes[I]);
    if (void *W = wrapNamed(Text, Real); W != Real)
      return W;
  }
  return Real;
}

static CUresult getProcAddress(const char *Name, void **To, int Version,
                               cuuint64_t Flags,
                               CUdriverProcAddressQueryResult *Status) {
  CUresult R = RealGetProcAddress(Name, To, Version, Flags, Status);
  if (!R && To)
    *To = wrapAsked(Name, *To, Version, Flags);
  return R;
}

static CUresult oldGetProcAddress(const char *Name, void **To, int Version,
                                  cuuint64_t Flags) {
  CUresult R = RealOldGetProcAddress(Name, To, Version, Flags);
  if (!R && To)
    *To = wrapAsked(Name, *To, Version, Flags);
  return R;
}

void *cuda::wrap(const char *Name, void *Real) {
  if (strcmp(Name, "cuGetProcAddress_v2") == 0) {
    RealGetProcAddress = reinterpret_cast<decltype(RealGetProcAddress)>(Real);
    return reinterpret_cast<void *>(&getProcAddress);
  }
  if (strcmp(Name, "cuGetProcAddress") == 0) {
    RealOldGetProcAddress = reinterpret_cast<OldGetProcAddress>(Real);
    return reinterpret_cast<void *>(&oldGetProcAddress);
  }
  return wrapNamed(Name, Real);
}
