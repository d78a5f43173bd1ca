// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, contexts, callbacks, and how libraries find us and are found.
#define _GNU_SOURCE
#include "fakecuda.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fakecuda_hook Hook;
static bool Initialized;
static CUcontext Primary[MaxDevices];
static uint32_t NextUid, NextCorrelation;
static __thread CUcontext Stack[16];
static __thread int Depth;

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

void fakecuda_set_hook(fakecuda_hook H) { Hook = H; }
uint32_t fakecuda_device_of(CUcontext C) { return C && C->IsThere ? (uint32_t)C->Device : ~0u; }

CUcontext current(void) { return Depth ? Stack[Depth - 1] : NULL; }
bool isInitialized(void) { return Initialized; }

// FAKECUDA_FAIL
static CUresult failureOf(const char *Name) {
  static int Calls;
  const char *Fail = getenv("FAKECUDA_FAIL");
  size_t N = strlen(Name);
  if (!Fail || strncmp(Fail, Name, N) || Fail[N] != ':')
    return CUDA_SUCCESS;
  char *End;
  long Which = strtol(Fail + N + 1, &End, 10);
  return __sync_add_and_fetch(&Calls, 1) == Which && *End == ':' ? atoi(End + 1) : CUDA_SUCCESS;
}

struct Call enter(CUpti_CallbackId Id, const char *Name, const void *Params) {
  struct Behaviour B = behaviourOf(Name);
  struct Call C = {.Id = Id, .Fail = B.Fail ? (CUresult)B.Fail : failureOf(Name), .IsSilent = B.IsSilent};
  C.Data.functionName = Name;
  C.Data.functionParams = Params;
  C.Data.context = current();
  C.Data.contextUid = C.Data.context ? C.Data.context->Uid : 0;
  C.Data.correlationId = __sync_add_and_fetch(&NextCorrelation, 1);
  C.Data.callbackSite = CUPTI_API_ENTER;
  C.Data.correlationData = &C.Correlation;
  if (Hook && !B.IsSilent && !B.IsUnannounced)
    Hook(CUPTI_CB_DOMAIN_DRIVER_API, Id, &C.Data);
  if (B.Kills)
    kill(getpid(), SIGKILL);
  return C;
}

CUresult leave(struct Call *C, CUresult R) {
  C->Data.callbackSite = CUPTI_API_EXIT;
  C->Data.functionReturnValue = &R;
  C->Data.correlationData = &C->Correlation;
  if (Hook && !C->IsSilent)
    Hook(CUPTI_CB_DOMAIN_DRIVER_API, C->Id, &C->Data);
  return R;
}

void fireResource(CUpti_CallbackId Id, CUcontext C) {
  CUpti_ResourceData D = {.context = C};
  if (Hook)
    Hook(CUPTI_CB_DOMAIN_RESOURCE, Id, &D);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int visible(int I) {
  const char *Seen = getenv("CUDA_VISIBLE_DEVICES"), *Count = getenv("FAKECUDA_DEVICES");
  int Max = Count ? atoi(Count) : 1;
  if (Max > MaxDevices)
    Max = MaxDevices;
  if (I < 0)
    return -1;
  if (!Seen)
    return I < Max ? I : -1;
  for (; *Seen; Seen += strcspn(Seen, ","), Seen += *Seen == ',')
    if (I-- == 0)
      return atoi(Seen) < Max ? atoi(Seen) : -1;
  return -1;
}

EXPORT CUresult cuDriverGetVersion(int *Version) {
  *Version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetCount(int *N) {
  for (*N = 0; visible(*N) >= 0;)
    ++*N;
  return Initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
EXPORT CUresult cuDeviceGet(CUdevice *D, int I) {
  *D = I;
  return visible(I) < 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *U, CUdevice D) {
  for (int I = 0; I != 16; ++I)
    U->bytes[I] = (char)(0xa0 + I);
  U->bytes[15] = (char)visible(D);
  return visible(D) < 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetName(char *Name, int Room, CUdevice D) {
  snprintf(Name, (size_t)Room, "Fake GPU %d", visible(D));
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetPCIBusId(char *Name, int Room, CUdevice D) {
  snprintf(Name, (size_t)Room, "0000:%02x:00.0", visible(D) + 1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceTotalMem(size_t *Bytes, CUdevice D) {
  size_t Free;
  deviceBytes(visible(D), &Free, Bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetAttribute(int *To, CUdevice_attribute Which, CUdevice D) {
  *To = Which == CU_DEVICE_ATTRIBUTE_INTEGRATED && getenv("FAKECUDA_SHARES");
  return visible(D) < 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetInfo(size_t *Free, size_t *Total) {
  ENTER(cuMemGetInfo_v2, Free, Total);
  if (!R_)
    deviceBytes(visible(current()->Device), Free, Total);
  LEAVE;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static CUcontext makeContext(int Device, bool IsPrimary) {
  CUcontext C = calloc(1, sizeof(*C));
  *C = (struct CUctx_st){Device, 1, IsPrimary, true, __sync_add_and_fetch(&NextUid, 1), NULL, takeHost()};
  takeBytes(Device, bytesOf("FAKECUDA_CONTEXT_BYTES"));
  fireResource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, C);
  return C;
}

static void endContext(CUcontext C) {
  fireResource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, C);
  endContextBlocks(C);
  endContextModules(C);
  giveBytes(C->Device, bytesOf("FAKECUDA_CONTEXT_BYTES"));
  free(C->Host);
  C->IsThere = false;
  for (int I = 0; I != Depth; ++I)
    if (Stack[I] == C)
      Stack[I] = NULL;
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *To, CUctxCreateParams *Params, unsigned Flags, CUdevice D) {
  ENTER(cuCtxCreate_v4, To, Params, Flags, D);
  ANYWHERE;
  if (!R_ && visible(D) < 0)
    R_ = CUDA_ERROR_INVALID_DEVICE;
  if (!R_)
    *To = Stack[Depth++] = makeContext(D, false);
  LEAVE;
}
EXPORT CUresult cuCtxDestroy(CUcontext C) {
  ENTER(cuCtxDestroy_v2, C);
  ANYWHERE;
  if (!R_ && !C->IsThere)
    R_ = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!R_)
    endContext(C);
  if (Depth && !Stack[Depth - 1])
    --Depth;
  LEAVE;
}
EXPORT CUresult cuCtxSetCurrent(CUcontext C) {
  Depth = Depth ? Depth : 1;
  Stack[Depth - 1] = C;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetCurrent(CUcontext *To) {
  *To = current();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxPushCurrent(CUcontext C) {
  Stack[Depth++] = C;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxPopCurrent(CUcontext *To) {
  if (To)
    *To = current();
  Depth -= Depth != 0;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetDevice(CUdevice *D) {
  *D = current() ? current()->Device : -1;
  return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *To, CUdevice D) {
  ENTER(cuDevicePrimaryCtxRetain, To, D);
  ANYWHERE;
  if (!R_ && visible(D) < 0)
    R_ = CUDA_ERROR_INVALID_DEVICE;
  if (!R_ && Primary[D])
    ++Primary[D]->References;
  else if (!R_)
    Primary[D] = makeContext(D, true);
  *To = R_ ? NULL : Primary[D];
  LEAVE;
}
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice D) {
  ENTER(cuDevicePrimaryCtxRelease_v2, D);
  ANYWHERE;
  if (!R_ && (visible(D) < 0 || !Primary[D]))
    R_ = CUDA_ERROR_INVALID_CONTEXT;
  if (!R_ && --Primary[D]->References == 0) {
    endContext(Primary[D]);
    Primary[D] = NULL;
  }
  LEAVE;
}
EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice D, unsigned *Flags, int *Active) {
  *Active = Primary[D] != NULL;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice D) {
  ENTER(cuDevicePrimaryCtxReset_v2, D);
  ANYWHERE;
  if (!R_ && Primary[D]) {
    endContext(Primary[D]);
    Primary[D] = NULL;
  }
  LEAVE;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

static void inject(void) {
  const char *Path = getenv("CUDA_INJECTION64_PATH");
  void *Library = Path && *Path ? dlopen(Path, RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*Begin)(void) = NULL;
  if (Library)
    Begin = (int (*)(void))dlsym(Library, "InitializeInjection");
  if (getenv("FAKECUDA_LOG"))
    fprintf(stderr, "fakecuda: injection of %s: %s\n", Path ? Path : "nothing",
            Library ? Begin ? "yes" : "no InitializeInjection" : "no library");
  if (Begin)
    Begin();
}

EXPORT CUresult cuInit(unsigned Flags) {
  static bool Begun;
  if (getenv("FAKECUDA_NO_DEVICE"))
    return CUDA_ERROR_NO_DEVICE;
  if (!__sync_lock_test_and_set(&Begun, true))
    inject();
  int Fail = behaviourOf("cuInit").Fail;
  if (Fail)
    return (CUresult)Fail;
  Initialized = true;
  return Flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// The newest of a name's versions that CUDA Version has.
EXPORT CUresult cuGetProcAddress_v2(const char *Name, void **To, int Version, cuuint64_t Flags,
                                    CUdriverProcAddressQueryResult *Status) {
  static const struct {
    const char *Name;
    int Since; // of its _v2
  } Changed[] = {{"cuStreamBeginCapture", 10010}, {"cuGraphAddNode", 12030}, {"cuIpcOpenMemHandle", 11000}};
  static const char *const Suffixes[] = {"_v4", "_v2", ""};
  char Text[128];
  *To = NULL;
  void *Self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  int First = 0;
  for (size_t I = 0; I != sizeof(Changed) / sizeof(*Changed); ++I)
    if (!strcmp(Name, Changed[I].Name) && Version < Changed[I].Since)
      First = 2;
  for (int Ptsz = (Flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0; Ptsz >= 0; --Ptsz)
    for (int I = First; I != 3 && Self && !*To; ++I) {
      snprintf(Text, sizeof(Text), "%s%s%s", Name, Suffixes[I], Ptsz ? "_ptsz" : "");
      *To = dlsym(Self, Text);
    }
  if (Status)
    *Status = *To ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *To ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult cuGetErrorName(CUresult R, const char **Name) {
  *Name = R == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
