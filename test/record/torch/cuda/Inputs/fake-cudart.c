// A CUDA runtime without a device, with what PyTorch's libc10_cuda.so calls of one
// (versions 2.2 to 2.13): addresses are handed out, nothing lies behind them.
//
//   FAKE_CUDA_BYTES    of each of two devices (default 8 GiB)
//   fakeCudaBusy(1)    what was queued does not finish from now on
//   fakeCudaCapturing(1)   all streams are captured from now on
//
// With DRIVER defined memory and streams are those of a driver, libcuda.so.1, which it opens as
// the real one does: that one says what there is.
//
// Build it as libcudart.so.13 (or .12) with that as the version of its symbols.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Success = 0, OutOfMemory = 2, NotSupported = 801, NotReady = 600 };
enum { Devices = 2, MaxBlocks = 4096 };
static const size_t Granularity = 2 << 20;

static struct {
  uintptr_t Address;
  size_t Bytes;
  int Device;
} Blocks[MaxBlocks];
static size_t Used[Devices];
static uintptr_t NextAddress = 0x700000000000;
static int Device, Busy, Capturing;

void fakeCudaBusy(int Is) { Busy = Is; }
void fakeCudaCapturing(int Is) { Capturing = Is; }

static size_t total(void) {
  const char *Bytes = getenv("FAKE_CUDA_BYTES");
  return Bytes ? strtoull(Bytes, NULL, 10) : (size_t)8 << 30;
}

static uintptr_t takeAddresses(size_t Bytes) {
  uintptr_t P = NextAddress;
  NextAddress += (Bytes + Granularity - 1) / Granularity * Granularity;
  return P;
}

#ifdef DRIVER
#include "driver-calls.h"
#endif

static int give(void **P, size_t Bytes) {
  *P = NULL;
  for (int I = 0; I != MaxBlocks && Used[Device] + Bytes <= total(); ++I) {
    if (Blocks[I].Address)
      continue;
    Blocks[I].Address = takeAddresses(Bytes);
    Blocks[I].Bytes = Bytes;
    Blocks[I].Device = Device;
    Used[Device] += Bytes;
    *P = (void *)Blocks[I].Address;
    return Success;
  }
  return OutOfMemory;
}

static int takeBack(void *P) {
  for (int I = 0; I != MaxBlocks; ++I)
    if (P && Blocks[I].Address == (uintptr_t)P) {
      Blocks[I].Address = 0;
      Used[Blocks[I].Device] -= Blocks[I].Bytes;
    }
  return Success;
}

// Memory.
#ifndef DRIVER
int cudaMalloc(void **P, size_t Bytes) { return give(P, Bytes); }
int cudaFree(void *P) { return takeBack(P); }
int cudaMallocAsync(void **P, size_t Bytes, void *Stream) {
  return give(P, Bytes);
}
int cudaFreeAsync(void *P, void *Stream) { return takeBack(P); }
int cudaMemGetInfo(size_t *Free, size_t *Total) {
  *Total = total();
  *Free = *Total - Used[Device];
  return Success;
}
#endif
int cudaDeviceGetDefaultMemPool(void **Pool, int Of) {
  *Pool = &Used[Of];
  return Success;
}
int cudaMemPoolGetAttribute(void *Pool, int What, void *Value) {
  *(uint64_t *)Value = 0;
  return Success;
}

// Devices.
int cudaGetDeviceCount(int *N) {
  *N = Devices;
  return Success;
}
int cudaGetDevice(int *Which) {
  *Which = Device;
  return Success;
}
int cudaSetDevice(int Which) {
  Device = Which;
  return Success;
}
int cudaGetDeviceProperties(void *To, int Of) {
  enum { TotalGlobalMem = 288 };
  memset(To, 0, 512);
  *(size_t *)((char *)To + TotalGlobalMem) = total();
  return Success;
}
int cudaGetDeviceProperties_v2(void *To, int Of) {
  return cudaGetDeviceProperties(To, Of);
}
int cudaDriverGetVersion(int *Version) {
  *Version = 13000;
  return Success;
}
int cudaDeviceGetStreamPriorityRange(int *Min, int *Greatest) {
  *Min = 0;
  *Greatest = -1;
  return Success;
}
/// The memory of a device's graphs: none.
int cudaDeviceGetGraphMemAttribute(int Of, int Which, uint64_t *Value) {
  *Value = 0;
  return Success;
}
int cudaDeviceCanAccessPeer(int *Can, int A, int B) {
  *Can = 0;
  return Success;
}

// Streams and events.
static int makeHandle(void **To) {
  static uintptr_t Next = 0x5000;
  *To = (void *)(Next += 0x100);
  return Success;
}
#ifndef DRIVER
int cudaStreamCreateWithPriority(void **Stream, unsigned Flags, int Priority) {
  return makeHandle(Stream);
}
#endif
int cudaEventCreateWithFlags(void **Event, unsigned Flags) {
  return makeHandle(Event);
}
int cudaEventQuery(void *Event) { return Busy ? NotReady : Success; }
int cudaStreamQuery(void *Stream) { return Busy ? NotReady : Success; }
int cudaStreamIsCapturing(void *Stream, int *Is) {
  *Is = Capturing;
  return Success;
}
int cudaStreamGetCaptureInfo(void *Stream, int *Is) {
  *Is = Capturing;
  return Success;
}
int cudaStreamGetCaptureInfo_v2(void *Stream, int *Is) {
  *Is = Capturing;
  return Success;
}

// Errors.
const char *cudaGetErrorString(int E) {
  return E == OutOfMemory ? "out of memory" : "an error of the fake runtime";
}
const char *cudaGetErrorName(int E) { return cudaGetErrorString(E); }
int cudaGetLastError(void) { return Success; }

// What does nothing.
#define NOTHING(NAME)                                                          \
  int NAME() { return Success; }
NOTHING(cudaDeviceEnablePeerAccess)
NOTHING(cudaDeviceSetGraphMemAttribute)
NOTHING(cudaDeviceSynchronize)
NOTHING(cudaEventDestroy)
NOTHING(cudaEventElapsedTime)
NOTHING(cudaEventRecord)
NOTHING(cudaEventSynchronize)
NOTHING(cudaGraphAddEmptyNode)
NOTHING(cudaGraphNodeGetDependencies)
NOTHING(cudaGraphNodeGetType)
NOTHING(cudaIpcCloseMemHandle)
NOTHING(cudaIpcGetMemHandle)
NOTHING(cudaIpcOpenMemHandle)
NOTHING(cudaMemPoolSetAccess)
NOTHING(cudaMemPoolSetAttribute)
NOTHING(cudaMemPoolTrimTo)
NOTHING(cudaMemcpy)
NOTHING(cudaMemcpyAsync)
NOTHING(cudaMemcpyPeerAsync)
NOTHING(cudaStreamSynchronize)
NOTHING(cudaStreamUpdateCaptureDependencies)
NOTHING(cudaStreamWaitEvent)
NOTHING(cudaThreadExchangeStreamCaptureMode)

// The driver, as far as expandable segments need it.
static int getGranularity(size_t *Bytes) {
  *Bytes = Granularity;
  return Success;
}
static int reserveAddresses(uintptr_t *P, size_t Bytes) {
  *P = takeAddresses(Bytes);
  return Success;
}
static int createPages(uint64_t *Handle, size_t Bytes) {
  if (Used[Device] + Bytes > total())
    return OutOfMemory;
  Used[Device] += Bytes;
  *Handle = Bytes;
  return Success;
}
static int releasePages(uint64_t Handle) {
  Used[Device] -= Handle;
  return Success;
}
static int nothing() { return Success; }
static int getAttribute(int *Value) {
  *Value = 0;
  return Success;
}
static int errorText(int E, const char **Text) {
  *Text = cudaGetErrorString(E);
  return Success;
}

static void *driverFunction(const char *Name) {
#ifdef DRIVER
  begin();
  void *Real = driverCall(Name);
  if (Real)
    return Real;
#endif
  static const struct {
    const char *Name;
    void *Function;
  } Known[] = {{"cuMemGetAllocationGranularity", (void *)getGranularity},
               {"cuMemAddressReserve", (void *)reserveAddresses},
               {"cuMemCreate", (void *)createPages},
               {"cuMemRelease", (void *)releasePages},
               {"cuDeviceGetAttribute", (void *)getAttribute},
               {"cuGetErrorString", (void *)errorText}};
  for (size_t I = 0; I != sizeof(Known) / sizeof(*Known); ++I)
    if (!strcmp(Name, Known[I].Name))
      return Known[I].Function;
  return (void *)nothing;
}
int cudaGetDriverEntryPoint(const char *Name, void **Function, uint64_t Flags,
                            int *Found) {
  *Function = driverFunction(Name);
  if (Found)
    *Found = 0;
  return Success;
}
int cudaGetDriverEntryPointByVersion(const char *Name, void **Function,
                                     unsigned Version, uint64_t Flags,
                                     int *Found) {
  return cudaGetDriverEntryPoint(Name, Function, Flags, Found);
}
