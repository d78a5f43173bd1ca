// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVML over the fake driver's machine, which other processes see by FAKECUDA_STATE:
// without that it finds no driver. With FAKENVML_OLD it is compiled as it was once.
//
//   FAKENVML_FAIL=NAME:CODE  calls of NAME return CODE; several with a comma between
//   FAKENVML_RESERVED=N      bytes of each device that the driver keeps
//   FAKENVML_NO_PIDS=1       what a process has is not available
//   FAKENVML_PIDS_FROM=N     processes are numbered from there on, as in another namespace
//   FAKENVML_STRIDE=32       entries of processes are as long as those of some drivers of 535
//   FAKENVML_HANG=1          no call returns once it has begun
//   FAKENVML_LOG=1           says on stderr what it is asked for at first
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "fakecuda.h"
#include <nvml.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int Begun;

static nvmlReturn_t failureOf(const char *Name) {
  while (Begun && getenv("FAKENVML_HANG"))
    pause();
  size_t N = strlen(Name);
  for (const char *At = getenv("FAKENVML_FAIL"); At; At = strchr(At, ','), At += At != NULL)
    if (!strncmp(At, Name, N) && At[N] == ':')
      return (nvmlReturn_t)atoi(At + N + 1);
  return Begun || !strncmp(Name, "nvmlInit", 8) ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}
#define BEGIN                                                                  \
  nvmlReturn_t R_ = failureOf(__func__);                                       \
  if (R_)                                                                      \
  return R_

EXPORT nvmlReturn_t nvmlInit_v2(void) {
  BEGIN;
  if (!getenv("FAKECUDA_STATE"))
    return NVML_ERROR_DRIVER_NOT_LOADED;
  if (getenv("FAKENVML_LOG"))
    fprintf(stderr, "fakenvml: begins\n");
  Begun = 1;
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlShutdown(void) {
  Begun = 0;
  return NVML_SUCCESS;
}
EXPORT const char *nvmlErrorString(nvmlReturn_t R) {
  return R == NVML_ERROR_DRIVER_NOT_LOADED ? "Driver Not Loaded" : "an error of the fake NVML";
}

// Devices have the driver's UUIDs, in another order than its own.
EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *Uuid, nvmlDevice_t *To) {
  BEGIN;
  char Text[64];
  for (int I = 0; I != MaxDevices; ++I) {
    snprintf(Text, sizeof(Text), "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae%02x", I);
    if (!strcmp(Text, Uuid)) {
      *To = (nvmlDevice_t)(uintptr_t)(I + 1);
      return NVML_SUCCESS;
    }
  }
  return NVML_ERROR_NOT_FOUND;
}
EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *N) {
  BEGIN;
  *N = 2;
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned I, nvmlDevice_t *To) {
  BEGIN;
  *To = (nvmlDevice_t)(uintptr_t)(I + 1);
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t D, char *To, unsigned N) {
  BEGIN;
  snprintf(To, N, "Fake\n%d", (int)(uintptr_t)D);
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t D, int *Major, int *Minor) {
  BEGIN;
  *Major = 9, *Minor = 0;
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *To, unsigned N) {
  BEGIN;
  snprintf(To, N, "575.51.03");
  return NVML_SUCCESS;
}
EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *To) {
  BEGIN;
  *To = 12090;
  return NVML_SUCCESS;
}

static int indexOf(nvmlDevice_t D) { return (int)(uintptr_t)D - 1; }

static size_t total(void) {
  size_t Bytes = bytesOf("FAKECUDA_BYTES");
  return Bytes ? Bytes : (size_t)8 << 30;
}
static size_t other(int Device) { return machine()->Other[Device] + bytesOf("FAKECUDA_OTHER_BYTES"); }
static size_t used(int Device) {
  struct Machine *M = machine();
  size_t Sum = other(Device);
  for (int I = 0; I != MaxProcesses; ++I)
    if (M->Processes[I].Pid && !kill(M->Processes[I].Pid, 0))
      Sum += M->Processes[I].Used[Device];
  return Sum;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t D, nvmlMemory_t *To) {
  BEGIN;
  if (getenv("FAKECUDA_SHARES"))
    return NVML_ERROR_NOT_SUPPORTED;
  size_t Reserved = bytesOf("FAKENVML_RESERVED"), Used = used(indexOf(D)) + Reserved;
  *To = (nvmlMemory_t){.total = total() + Reserved, .free = total() + Reserved - Used, .used = Used};
  return NVML_SUCCESS;
}
#ifndef FAKENVML_OLD
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t D, nvmlMemory_v2_t *To) {
  BEGIN;
  if (To->version != nvmlMemory_v2)
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  if (getenv("FAKECUDA_SHARES"))
    return NVML_ERROR_NOT_SUPPORTED;
  size_t Reserved = bytesOf("FAKENVML_RESERVED"), Used = used(indexOf(D));
  *To = (nvmlMemory_v2_t){.version = nvmlMemory_v2, .total = total() + Reserved, .reserved = Reserved,
                          .free = total() - Used, .used = Used};
  return NVML_SUCCESS;
}
#endif

static void put(char *At, size_t Stride, int Pid, size_t Used) {
  nvmlProcessInfo_v2_t Info = {.pid = (unsigned)Pid + (unsigned)bytesOf("FAKENVML_PIDS_FROM"),
                               .usedGpuMemory = getenv("FAKENVML_NO_PIDS")
                                                    ? (unsigned long long)NVML_VALUE_NOT_AVAILABLE
                                                    : Used,
                               .gpuInstanceId = ~0u, .computeInstanceId = ~0u};
  memset(At, 0, Stride);
  memcpy(At, &Info, Stride < sizeof(Info) ? Stride : sizeof(Info));
}

// Entries of Stride bytes, as far as there is room for them.
static nvmlReturn_t list(nvmlDevice_t D, unsigned *N, char *To, size_t Stride) {
  struct Machine *M = machine();
  unsigned Room = *N;
  *N = 0;
  for (int I = 0; I != MaxProcesses; ++I) {
    struct Process *P = &M->Processes[I];
    if (!P->Pid || !P->Used[indexOf(D)] || kill(P->Pid, 0))
      continue;
    if (++*N <= Room)
      put(To + (*N - 1) * Stride, Stride, P->Pid, P->Used[indexOf(D)]);
  }
  return *N > Room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}
static size_t stride(void) { return getenv("FAKENVML_STRIDE") ? 32 : sizeof(nvmlProcessInfo_v2_t); }

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t D, unsigned *N, nvmlProcessInfo_v1_t *To) {
  BEGIN;
  return list(D, N, (char *)To, sizeof(*To));
}
#ifndef FAKENVML_OLD
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t D, unsigned *N, nvmlProcessInfo_v2_t *To) {
  BEGIN;
  return list(D, N, (char *)To, sizeof(*To));
}
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t D, unsigned *N, nvmlProcessInfo_t *To) {
  BEGIN;
  return list(D, N, (char *)To, stride());
}
#endif

// Of a device that shares the machine's memory another process draws, and so does the first
// that computes.
EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t D, unsigned *N, nvmlProcessInfo_t *To) {
  BEGIN;
  size_t Stride = stride(), Room = *N, Other = other(indexOf(D));
  nvmlReturn_t R = list(D, N, (char *)To, Stride);
  if (*N > 1)
    *N = 1;
  if (!R && Other && ++*N <= Room)
    put((char *)To + (*N - 1) * Stride, Stride, 1, Other);
  return *N > Room ? NVML_ERROR_INSUFFICIENT_SIZE : R;
}
