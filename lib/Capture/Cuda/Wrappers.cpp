// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers of the driver's entry points.
//
// The work of a wrapper before and after its call, if CUPTI does not report the
// call. Also records the ends of contexts, which nothing else reports without
// CUPTI.

#include "Cuda/Wrappers.h"

#include "Cuda/Ended.h"
#include "Cuda/Overheads.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaHeap;

__thread WrappedCall cuda::InWrapper;
std::atomic<bool> cuda::Listening;
std::atomic<bool> cuda::HasWrappers;

void cuda::noteBefore(const Call &C) {
  if (InWrapper.IsIn && InWrapper.Before)
    return;
  InWrapper.Before = true;
  before(C);
}

void cuda::noteAfter(const Call &C, CUresult Result,
                     const CallerFrame &Caller) {
  if (InWrapper.IsIn && InWrapper.After)
    return;
  InWrapper.After = true;
  after(C, Result, Caller);
}

//===----------------------------------------------------------------------===//
// Contexts without CUPTI
//===----------------------------------------------------------------------===//

static CUcontext currentContext() {
  CUcontext C = nullptr;
  return Cuda.CtxGetCurrent && !Cuda.CtxGetCurrent(&C) ? C : nullptr;
}

static void endContext(CUcontext C) {
  ContextPlace P = TheContexts.known(C);
  if (!P.Number)
    return;
  writeRecord(wire::DeviceContextEndRecord{P.in(CudaHeap::Device)});
  TheContexts.remove(C);
}

/// The primary context of each device, as retained.
static std::atomic<CUcontext> Primaries[wire::MaxCudaDevices];

/// Ends a primary context that is not active any more.
static void lookAtPrimary(CUdevice D) {
  unsigned Flags = 0;
  int Active = 1;
  if (unsigned(D) >= wire::MaxCudaDevices || !Cuda.PrimaryCtxGetState ||
      Cuda.PrimaryCtxGetState(D, &Flags, &Active) || Active)
    return;
  if (CUcontext C = Primaries[D].exchange(nullptr))
    endContext(C);
}

static void contextBefore(const Call &C) {
  if (C.Id != ID(cuCtxDestroy) && C.Id != ID(cuCtxDestroy_v2))
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
  case ID(cuDevicePrimaryCtxRelease):
  case ID(cuDevicePrimaryCtxRelease_v2): {
    PARAMS(cuDevicePrimaryCtxRelease_v2);
    return lookAtPrimary(P.dev);
  }
  case ID(cuDevicePrimaryCtxReset):
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

/// Does the call free memory that the driver may allocate again at once? The
/// wrapper records such a call in advance, because CUPTI may get another
/// subscriber during the call. (The record needs no context.)
static bool endsMemory(CUpti_CallbackId Id) {
  switch (Id) {
  case ID(cuMemFree_v2):
  case ID(cuMemFreeAsync):
  case ID(cuMemFreeAsync_ptsz):
  case ID(cuMemFreeHost):
  case ID(cuMemHostUnregister):
  case ID(cuMemRelease):
  case ID(cuMemUnmap):
  case ID(cuMemAddressFree):
  case ID(cuArrayDestroy):
  case ID(cuMipmappedArrayDestroy):
  case ID(cuIpcCloseMemHandle):
    return true;
  default:
    return false;
  }
}

bool cuda::beginWrapped(Call &C) {
  // The driver may call its own functions.
  if (InWrapper.IsIn || !hasBegun())
    return false;
  bool Heard = Listening.load(std::memory_order_acquire);
  InWrapper = {true, false, false};
  if (!Heard) {
    C.Context = currentContext();
    contextBefore(C);
  }
  if (!Heard || endsMemory(C.Id))
    noteBefore(C);
  return true;
}

void cuda::endWrapped(Call &C, CUresult Result, const CallerFrame &Caller) {
  if (!InWrapper.Before || !InWrapper.After)
    C.Context = currentContext();
  // CUPTI was to report the call at its start, but has lost its subscription.
  if (!InWrapper.Before && !isOverhead(C.Id))
    noteBefore(C);
  if (!InWrapper.After)
    noteAfter(C, Result, Caller);
  contextAfter(C, Result);
  InWrapper.IsIn = false;
}
