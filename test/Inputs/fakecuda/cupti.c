// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI over the fake driver: callbacks to one subscriber.
//
//   FAKECUPTI_TAKEN=NAME another tool has it already, and calls itself so; 1: no name
//   FAKECUPTI_FAIL=CODE  it refuses to be subscribed to
//   FAKECUPTI_LOG=1      says on stderr which callbacks of the driver are wanted
//   FAKECUPTI_CALLS=N    it knows no calls from number N on, as an older one
//   FAKECUPTI_RUNTIME=ID kernels are launched as by the runtime: cudaLaunchKernel is told, too, with
//                        the correlation id of the inner call (same), or one of its own, which the
//                        work has, too (own)
#define _GNU_SOURCE
#include "activity.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxIds = 1024 };
static CUpti_CallbackFunc Callback;
static void *UserData;
static unsigned char Enabled[CUPTI_CB_DOMAIN_SIZE][MaxIds];
static uint32_t (*DeviceOf)(CUcontext);

static void tell(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const void *Data) {
  CUpti_CallbackFunc F = Callback;
  if (F && Enabled[Domain][Id])
    F(UserData, Domain, Id, Data);
}

// FAKECUPTI_RUNTIME: what the launch of a kernel looks like outside of the driver's call.
static CUpti_CallbackData ofRuntime(const CUpti_CallbackData *D) {
  CUpti_CallbackData Outer = *D;
  if (!strcmp(getenv("FAKECUPTI_RUNTIME"), "own"))
    Outer.correlationId += 1000000;
  return Outer;
}

static void hook(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const void *Data) {
  bool IsLaunch = getenv("FAKECUPTI_RUNTIME") && Domain == CUPTI_CB_DOMAIN_DRIVER_API &&
                  Id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  CUpti_CallbackData Outer;
  if (!IsLaunch) {
    noteActivity(Domain, Id, Data);
    return tell(Domain, Id, Data);
  }
  Outer = ofRuntime(Data);
  if (Outer.callbackSite == CUPTI_API_ENTER)
    tell(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &Outer);
  noteActivity(Domain, Id, &Outer);
  tell(Domain, Id, Data);
  if (Outer.callbackSite == CUPTI_API_EXIT)
    tell(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &Outer);
}

void *ofDriver(const char *Name) {
  void *Driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return Driver ? dlsym(Driver, Name) : NULL;
}

bool attach(void) {
  void *Driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void (*Set)(fakecuda_hook) = NULL;
  if (Driver) {
    Set = (void (*)(fakecuda_hook))dlsym(Driver, "fakecuda_set_hook");
    DeviceOf = (uint32_t(*)(CUcontext))dlsym(Driver, "fakecuda_device_of");
  }
  if (Set)
    Set(hook);
  return Set != NULL;
}

EXPORT CUptiResult cuptiGetVersion(uint32_t *Version) {
  const char *Is = getenv("FAKECUPTI_VERSION");
  *Version = Is ? (uint32_t)atoi(Is) : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

static CUptiResult subscribe(CUpti_SubscriberHandle *S, CUpti_CallbackFunc F, void *Data) {
  if (Callback || getenv("FAKECUPTI_TAKEN"))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  const char *Fail = getenv("FAKECUPTI_FAIL");
  if (Fail)
    return (CUptiResult)atoi(Fail);
  if (!attach())
    return CUPTI_ERROR_UNKNOWN;
  memset(Enabled, 0, sizeof(Enabled));
  UserData = Data;
  Callback = F;
  *S = (CUpti_SubscriberHandle)&Callback;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *S, CUpti_CallbackFunc F, void *Data) {
  return subscribe(S, F, Data);
}
EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *S, CUpti_CallbackFunc F, void *Data,
                                     CUpti_SubscriberParams *Params) {
  if (Params && !Params->structSize)
    return CUPTI_ERROR_INVALID_PARAMETER;
  CUptiResult R = subscribe(S, F, Data);
  const char *Taken = getenv("FAKECUPTI_TAKEN");
  if (R == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && Params && Params->oldSubscriberName)
    snprintf(Params->oldSubscriberName, Params->oldSubscriberSize, "%s", Taken && strcmp(Taken, "1") != 0 ? Taken : "");
  return R;
}

static bool isOurs(CUpti_SubscriberHandle S) { return Callback && S == (CUpti_SubscriberHandle)&Callback; }

EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle S) {
  if (!isOurs(S))
    return CUPTI_ERROR_INVALID_PARAMETER;
  Callback = NULL;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t Enable, CUpti_SubscriberHandle S, CUpti_CallbackDomain Domain,
                                       CUpti_CallbackId Id) {
  const char *Calls = getenv("FAKECUPTI_CALLS");
  bool OfDriver = Domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if (!isOurs(S) || Domain >= CUPTI_CB_DOMAIN_SIZE || Id >= MaxIds || (OfDriver && Calls && Id >= (unsigned)atoi(Calls)))
    return CUPTI_ERROR_INVALID_PARAMETER;
  Enabled[Domain][Id] = Enable != 0;
  if (OfDriver && getenv("FAKECUPTI_LOG"))
    fprintf(stderr, "fakecupti: wants %u\n", Id);
  if (Domain == CUPTI_CB_DOMAIN_RUNTIME_API && getenv("FAKECUPTI_LOG"))
    fprintf(stderr, "fakecupti: %s of the runtime %u\n", Enable ? "wants" : "wants no more", Id);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiEnableDomain(uint32_t Enable, CUpti_SubscriberHandle S, CUpti_CallbackDomain Domain) {
  if (!isOurs(S) || Domain >= CUPTI_CB_DOMAIN_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  memset(Enabled[Domain], Enable != 0, MaxIds);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetDeviceId(CUcontext C, uint32_t *Device) {
  *Device = DeviceOf ? DeviceOf(C) : ~0u;
  return *Device == ~0u ? CUPTI_ERROR_INVALID_CONTEXT : CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult R, const char **Text) {
  *Text = R ? "an error of the fake CUPTI" : "success";
  return CUPTI_SUCCESS;
}
