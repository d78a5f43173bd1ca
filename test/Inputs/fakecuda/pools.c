// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream-ordered allocators. A pool takes pages of 2 MiB of its device and keeps them
// until it is trimmed; one of the host takes none.
#include "fakecuda.h"
#include <stdlib.h>

struct CUmemPoolHandle_st {
  int Device;
  size_t Used, Reserved, MaxUsed, MaxReserved;
};

static CUmemoryPool Default[MaxDevices], Current[MaxDevices];

static CUmemoryPool makePool(int Device) {
  CUmemoryPool P = calloc(1, sizeof(*P));
  P->Device = Device;
  return P;
}
static CUmemoryPool poolOf(int Device) {
  if (!Default[Device])
    Default[Device] = makePool(Device);
  return Current[Device] ? Current[Device] : Default[Device];
}

static CUresult give(CUdeviceptr *To, size_t Bytes, CUmemoryPool P) {
  size_t Grown = allOf(P->Used + Bytes);
  if (!Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (Grown > P->Reserved) {
    if (P->Device >= 0 && !takeBytes(P->Device, Grown - P->Reserved))
      return CUDA_ERROR_OUT_OF_MEMORY;
    P->Reserved = Grown;
  }
  P->Used += Bytes;
  P->MaxUsed = P->Used > P->MaxUsed ? P->Used : P->MaxUsed;
  P->MaxReserved = P->Reserved > P->MaxReserved ? P->Reserved : P->MaxReserved;
  *To = takeAddresses(Bytes);
  addBlock((struct Block){.Address = *To, .Bytes = Bytes, .Kind = Pooled, .Device = P->Device, .Context = current(), .Of = P});
  return CUDA_SUCCESS;
}
void givePooled(struct Block *B) { ((CUmemoryPool)B->Of)->Used -= B->Bytes; }

static CUresult giveBack(CUdeviceptr P) {
  struct Block B;
  if (!removeBlock(P, &B))
    return CUDA_ERROR_INVALID_VALUE;
  if (B.Kind == Pooled)
    givePooled(&B);
  else if (B.Kind == OfGraph)
    giveOfGraph(&B);
  else if (B.Kind != Imported)
    giveBytes(B.Device, B.Bytes);
  return CUDA_SUCCESS;
}

// While its stream captures, an allocation is a node of a graph: addresses alone.
#define ALLOC(NAME)                                                            \
  EXPORT CUresult NAME(CUdeviceptr *To, size_t Bytes, CUstream S) {            \
    ENTER(NAME, To, Bytes, S);                                                 \
    CUgraph Graph = capturedBy(S);                                             \
    if (!R_ && Graph)                                                          \
      *To = addGraphMemory(Graph, Bytes);                                      \
    else if (!R_)                                                              \
      R_ = give(To, Bytes, poolOf(current()->Device));                         \
    LEAVE;                                                                     \
  }
ALLOC(cuMemAllocAsync)
ALLOC(cuMemAllocAsync_ptsz)
#define FROM_POOL(NAME)                                                        \
  EXPORT CUresult NAME(CUdeviceptr *To, size_t Bytes, CUmemoryPool P, CUstream S) { \
    ENTER(NAME, To, Bytes, P, S);                                              \
    if (!R_)                                                                   \
      R_ = give(To, Bytes, P);                                                 \
    LEAVE;                                                                     \
  }
FROM_POOL(cuMemAllocFromPoolAsync)
FROM_POOL(cuMemAllocFromPoolAsync_ptsz)
#define FREE(NAME)                                                             \
  EXPORT CUresult NAME(CUdeviceptr P, CUstream S) {                            \
    ENTER(NAME, P, S);                                                         \
    CUgraph Graph = capturedBy(S);                                             \
    if (!R_ && Graph)                                                          \
      freeGraphMemory(Graph, P);                                               \
    else if (!R_)                                                              \
      R_ = giveBack(P);                                                        \
    LEAVE;                                                                     \
  }
FREE(cuMemFreeAsync)
FREE(cuMemFreeAsync_ptsz)

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *To, const CUmemPoolProps *Props) {
  ENTER(cuMemPoolCreate, To, Props);
  if (!R_)
    *To = makePool(Props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? Props->location.id : -1);
  LEAVE;
}
EXPORT CUresult cuMemPoolDestroy(CUmemoryPool Pool) {
  ENTER(cuMemPoolDestroy, Pool);
  if (!R_ && Pool->Device >= 0)
    giveBytes(Pool->Device, Pool->Reserved);
  LEAVE;
}
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool Pool, size_t Min) {
  ENTER(cuMemPoolTrimTo, Pool, Min);
  size_t Keep = allOf(Min > Pool->Used ? Min : Pool->Used);
  if (!R_ && Keep < Pool->Reserved) {
    giveBytes(Pool->Device, Pool->Reserved - Keep);
    Pool->Reserved = Keep;
  }
  LEAVE;
}
EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool Pool, CUmemPool_attribute What, void *Value) {
  *(cuuint64_t *)Value = What == CU_MEMPOOL_ATTR_USED_MEM_CURRENT       ? Pool->Used
                         : What == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT ? Pool->Reserved
                         : What == CU_MEMPOOL_ATTR_USED_MEM_HIGH        ? Pool->MaxUsed
                         : What == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH    ? Pool->MaxReserved
                                                                        : 0;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *To, CUdevice D) {
  poolOf(D);
  *To = Default[D];
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *To, CUdevice D) {
  *To = poolOf(D);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceSetMemPool(CUdevice D, CUmemoryPool P) {
  cuDeviceSetMemPool_params P_ = {D, P};
  ENTER_AS(cuDeviceSetMemPool);
  if (!R_)
    Current[D] = P;
  LEAVE;
}

EXPORT CUresult cuMemSetMemPool(CUmemLocation *At, CUmemAllocationType Type, CUmemoryPool P) {
  ENTER(cuMemSetMemPool, At, Type, P);
  if (!R_)
    Current[At->id] = P;
  LEAVE;
}

// Another process's pool, and 1 MiB of it.
EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *To, void *From, CUmemAllocationHandleType Type,
                                                   unsigned long long Flags) {
  ENTER(cuMemPoolImportFromShareableHandle, To, From, Type, Flags);
  if (!R_)
    *To = makePool(-1);
  LEAVE;
}
EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *To, CUmemoryPool Pool, CUmemPoolPtrExportData *From) {
  ENTER(cuMemPoolImportPointer, To, Pool, From);
  if (!R_) {
    *To = takeAddresses(1 << 20);
    addBlock((struct Block){.Address = *To, .Bytes = 1 << 20, .Kind = Imported, .Context = current()});
  }
  LEAVE;
}
