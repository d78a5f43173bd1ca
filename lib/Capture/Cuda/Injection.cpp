//===- Injection.cpp - CUDA's driver finds us -----------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CUDA's driver calls in cuInit, because memrec has named this library in
// CUDA_INJECTION64_PATH: listens by CUPTI to the calls that take and give back
// memory, and to none else.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Injection.h"

#include "Cuda/Calls.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaCapture;
using wire::CudaHeap;
using wire::RecordKind;

const Table *cuda::Memrec;
static Cupti Tool;
static CUpti_SubscriberHandle Subscriber;

static uint32_t askCupti(CUcontext C) {
  uint32_t Device = wire::CudaPlace::NoDevice;
  return Tool.GetDeviceId(C, &Device) ? wire::CudaPlace::NoDevice : Device;
}

static void onContext(CUpti_CallbackId Id, const CUpti_ResourceData &D) {
  if (Id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    TheContexts.place(D.context);
    return;
  }
  ContextPlace P = TheContexts.known(D.context);
  if (!P.Number)
    return;
  Event E{RecordKind::DeviceContextEnd};
  E.Place = P.in(CudaHeap::Device);
  Memrec->Write(E, nullptr);
  TheContexts.remove(D.context);
}

static void CUPTIAPI onCallback(void *, CUpti_CallbackDomain Domain,
                                CUpti_CallbackId Id, const void *Data) {
  Frame Caller = MEMKIT_CALLER;
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE)
    return onContext(Id, *static_cast<const CUpti_ResourceData *>(Data));
  const auto &D = *static_cast<const CUpti_CallbackData *>(Data);
  Call C{Id, D.functionParams, D.context};
  if (D.callbackSite == CUPTI_API_ENTER)
    return before(C);
  after(C, *static_cast<const CUresult *>(D.functionReturnValue), Caller);
}

static CUptiResult enable() {
  CUptiResult R = CUPTI_SUCCESS;
  auto Enable = [&](CUpti_CallbackDomain Domain, CUpti_CallbackId Id) {
    // One that this version does not know is not called either.
    CUptiResult One = Tool.EnableCallback(1, Subscriber, Domain, Id);
    R = R || One == CUPTI_ERROR_INVALID_PARAMETER ? R : One;
  };
  for (unsigned I = 0; I != NumWantedCalls; ++I)
    Enable(CUPTI_CB_DOMAIN_DRIVER_API, WantedCalls[I]);
  Enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  Enable(CUPTI_CB_DOMAIN_RESOURCE,
         CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  return R;
}

static CudaCapture listen(CUptiResult &R) {
  if (!openDriver() || !openCupti(Tool))
    return CudaCapture::NoCupti;
  DeviceOf = askCupti;
  R = Tool.Subscribe(&Subscriber, onCallback, nullptr);
  if (R == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return CudaCapture::CuptiTaken;
  if (R)
    return CudaCapture::CuptiFailed;
  R = enable();
  if (!R)
    return CudaCapture::Cupti;
  Tool.Unsubscribe(Subscriber);
  return CudaCapture::CuptiFailed;
}

/// The driver's convention.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  // The driver calls once; a program may do so, too.
  static std::atomic<bool> Begun;
  if (!memrec_cuda_table || Begun.exchange(true))
    return 1;
  Memrec = memrec_cuda_table(TableVersion);
  if (!Memrec)
    return 1;
  CUptiResult R = CUPTI_SUCCESS;
  CudaCapture S = listen(R);
  Memrec->SetState(S, R);
  return 1;
}
