// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain allocations, of the device and of the host.
#define _GNU_SOURCE
#include "fakecuda.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Bytes of the current context's device.
static CUresult give(CUdeviceptr *To, size_t Bytes, enum Kind K) {
  CUcontext C = current();
  if (!Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (!takeBytes(C->Device, Bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *To = takeAddresses(Bytes);
  addBlock((struct Block){.Address = *To, .Bytes = Bytes, .Kind = K, .Device = C->Device, .Context = C});
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *To, size_t Bytes) {
  ENTER(cuMemAlloc_v2, To, Bytes);
  if (!R_)
    R_ = give(To, Bytes, Device);
  LEAVE;
}
EXPORT CUresult cuMemAllocPitch(CUdeviceptr *To, size_t *Pitch, size_t Width, size_t Height,
                                unsigned Element) {
  ENTER(cuMemAllocPitch_v2, To, Pitch, Width, Height, Element);
  if (!R_) {
    *Pitch = (Width + 511) / 512 * 512;
    R_ = give(To, *Pitch * Height, Device);
  }
  LEAVE;
}
EXPORT CUresult cuMemAllocManaged(CUdeviceptr *To, size_t Bytes, unsigned Flags) {
  ENTER(cuMemAllocManaged, To, Bytes, Flags);
  if (!R_)
    R_ = give(To, Bytes, Managed);
  LEAVE;
}
EXPORT CUresult cuMemFree(CUdeviceptr P) {
  ENTER(cuMemFree_v2, P);
  struct Block B;
  if (!R_ && P && !removeBlock(P, &B))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_ && P && B.Kind == Pooled)
    givePooled(&B);
  else if (!R_ && P && B.Kind == OfGraph)
    giveOfGraph(&B);
  else if (!R_ && P && B.Kind != Imported)
    giveBytes(B.Device, B.Bytes);
  LEAVE;
}

// The driver's own memory of the host does not come by libc.
static CUresult giveHost(void **To, size_t Bytes) {
  if (!Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  long P = syscall(SYS_mmap, NULL, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (P == -1)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *To = (void *)P;
  addBlock((struct Block){.Address = (uintptr_t)P, .Bytes = Bytes, .Kind = Host, .Context = current()});
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostAlloc(void **To, size_t Bytes, unsigned Flags) {
  // Not every version of the headers has a name for its number.
  cuMemHostAlloc_params P_ = {To, Bytes, Flags};
  ENTER_ID(271, "cuMemHostAlloc_v2");
  if (!R_)
    R_ = giveHost(To, Bytes);
  LEAVE;
}
EXPORT CUresult cuMemAllocHost(void **To, size_t Bytes) {
  ENTER(cuMemAllocHost_v2, To, Bytes);
  if (!R_)
    R_ = giveHost(To, Bytes);
  LEAVE;
}
EXPORT CUresult cuMemFreeHost(void *P) {
  ENTER(cuMemFreeHost, P);
  struct Block B;
  if (!R_ && !removeBlock((uintptr_t)P, &B))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_)
    syscall(SYS_munmap, P, B.Bytes);
  LEAVE;
}
// One byte further, as memory of the program may start where the driver's does.
EXPORT CUresult cuMemHostRegister(void *P, size_t Bytes, unsigned Flags) {
  ENTER(cuMemHostRegister_v2, P, Bytes, Flags);
  struct Block B = {.Address = (uintptr_t)P + 1, .Bytes = Bytes, .Kind = Registered, .Context = current()};
  struct Block Old;
  if (!R_ && findBlock(B.Address, &Old))
    R_ = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  else if (!R_)
    addBlock(B);
  LEAVE;
}
EXPORT CUresult cuMemHostUnregister(void *P) {
  ENTER(cuMemHostUnregister, P);
  struct Block B;
  if (!R_ && !removeBlock((uintptr_t)P + 1, &B))
    R_ = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  LEAVE;
}
