// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime as far as tests need it. As the real one it links no driver: it opens
// that at its first call, looks up cuGetProcAddress in it, and all else by that, before
// cuInit; it works in the primary context of the device that was set.
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static struct {
  typeof(&cuInit) Init;
  typeof(&cuDeviceGetCount) DeviceGetCount;
  typeof(&cuDevicePrimaryCtxRetain) PrimaryCtxRetain;
  typeof(&cuDevicePrimaryCtxReset) PrimaryCtxReset;
  typeof(&cuCtxSetCurrent) CtxSetCurrent;
  typeof(&cuCtxGetCurrent) CtxGetCurrent;
  typeof(&cuMemAlloc) MemAlloc;
  typeof(&cuMemFree) MemFree;
  typeof(&cuMemAllocManaged) MemAllocManaged;
  typeof(&cuMemHostAlloc) MemHostAlloc;
  typeof(&cuMemFreeHost) MemFreeHost;
  typeof(&cuMemAllocAsync) MemAllocAsync;
  typeof(&cuMemFreeAsync) MemFreeAsync;
  typeof(&cuStreamCreate) StreamCreate;
  typeof(&cuMemGetInfo) MemGetInfo;
} Driver;
static CUcontext Contexts[8];
static __thread int Device;

static int load(void) {
  void *Library = dlopen("libcuda.so.1", RTLD_NOW);
  typeof(&cuGetProcAddress_v2) Find = NULL;
  if (Library)
    Find = (typeof(Find))dlsym(Library, "cuGetProcAddress_v2");
  if (!Find)
    return cudaErrorInsufficientDriver;
  const struct {
    const char *Name;
    void *To;
  } Wanted[] = {{"cuInit", &Driver.Init},
                {"cuDeviceGetCount", &Driver.DeviceGetCount},
                {"cuDevicePrimaryCtxRetain", &Driver.PrimaryCtxRetain},
                {"cuDevicePrimaryCtxReset", &Driver.PrimaryCtxReset},
                {"cuCtxSetCurrent", &Driver.CtxSetCurrent},
                {"cuCtxGetCurrent", &Driver.CtxGetCurrent},
                {"cuMemAlloc", &Driver.MemAlloc},
                {"cuMemFree", &Driver.MemFree},
                {"cuMemAllocManaged", &Driver.MemAllocManaged},
                {"cuMemHostAlloc", &Driver.MemHostAlloc},
                {"cuMemFreeHost", &Driver.MemFreeHost},
                {"cuMemAllocAsync", &Driver.MemAllocAsync},
                {"cuMemFreeAsync", &Driver.MemFreeAsync},
                {"cuStreamCreate", &Driver.StreamCreate},
                {"cuMemGetInfo", &Driver.MemGetInfo}};
  for (size_t I = 0; I != sizeof(Wanted) / sizeof(*Wanted); ++I)
    if (Find(Wanted[I].Name, Wanted[I].To, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL))
      return cudaErrorInsufficientDriver;
  return Driver.Init(0);
}

// The thread has the device's context.
static int begin(void) {
  static int Loaded = -1;
  static int Lock;
  while (__sync_lock_test_and_set(&Lock, 1))
    ;
  if (Loaded)
    Loaded = load();
  int R = Loaded;
  if (!R && !Contexts[Device])
    R = Driver.PrimaryCtxRetain(&Contexts[Device], Device);
  __sync_lock_release(&Lock);
  return R ? R : (int)Driver.CtxSetCurrent(Contexts[Device]);
}

// Errors of the two have the same numbers, as far as they go here.
#define FORWARD(CALL)                                                          \
  int R = begin();                                                             \
  return (cudaError_t)(R ? R : (int)(CALL))

EXPORT cudaError_t cudaGetDeviceCount(int *N) { FORWARD(Driver.DeviceGetCount(N)); }
EXPORT cudaError_t cudaSetDevice(int D) {
  Device = D;
  return (cudaError_t)begin();
}
EXPORT cudaError_t cudaGetDevice(int *D) {
  *D = Device;
  return cudaSuccess;
}
EXPORT cudaError_t cudaDeviceReset(void) {
  int R = begin();
  Contexts[Device] = NULL;
  return (cudaError_t)(R ? R : (int)Driver.PrimaryCtxReset(Device));
}
EXPORT cudaError_t cudaDeviceSynchronize(void) { return (cudaError_t)begin(); }
EXPORT cudaError_t cudaMalloc(void **P, size_t Bytes) { FORWARD(Driver.MemAlloc((CUdeviceptr *)P, Bytes)); }
EXPORT cudaError_t cudaFree(void *P) { FORWARD(Driver.MemFree((CUdeviceptr)P)); }
EXPORT cudaError_t cudaMallocManaged(void **P, size_t Bytes, unsigned Flags) {
  FORWARD(Driver.MemAllocManaged((CUdeviceptr *)P, Bytes, Flags));
}
EXPORT cudaError_t cudaHostAlloc(void **P, size_t Bytes, unsigned Flags) {
  FORWARD(Driver.MemHostAlloc(P, Bytes, Flags));
}
EXPORT cudaError_t cudaMallocHost(void **P, size_t Bytes) { FORWARD(Driver.MemHostAlloc(P, Bytes, 0)); }
EXPORT cudaError_t cudaFreeHost(void *P) { FORWARD(Driver.MemFreeHost(P)); }
EXPORT cudaError_t cudaMallocAsync(void **P, size_t Bytes, cudaStream_t S) {
  FORWARD(Driver.MemAllocAsync((CUdeviceptr *)P, Bytes, S));
}
EXPORT cudaError_t cudaFreeAsync(void *P, cudaStream_t S) { FORWARD(Driver.MemFreeAsync((CUdeviceptr)P, S)); }
EXPORT cudaError_t cudaStreamCreate(cudaStream_t *S) { FORWARD(Driver.StreamCreate(S, 0)); }
EXPORT cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) { FORWARD(Driver.MemGetInfo(Free, Total)); }
EXPORT const char *cudaGetErrorString(cudaError_t E) { return E ? "an error of the fake runtime" : "no error"; }
