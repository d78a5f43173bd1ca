// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory, arrays, and what is shared with others.
#include "fakecuda.h"

EXPORT CUresult cuMemGetAllocationGranularity(size_t *Bytes, const CUmemAllocationProp *Prop,
                                              CUmemAllocationGranularity_flags Which) {
  *Bytes = Granularity;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemAddressReserve(CUdeviceptr *To, size_t Bytes, size_t Alignment, CUdeviceptr Wanted,
                                    unsigned long long Flags) {
  ENTER(cuMemAddressReserve, To, Bytes, Alignment, Wanted, Flags);
  ANYWHERE;
  if (!R_ && (!Bytes || Bytes % Granularity))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_) {
    *To = takeAddresses(Bytes);
    addBlock((struct Block){.Address = *To, .Bytes = Bytes, .Kind = Range});
  }
  LEAVE;
}
EXPORT CUresult cuMemAddressFree(CUdeviceptr P, size_t Bytes) {
  cuMemAddressFree_params P_ = {P, Bytes};
  ENTER_AS(cuMemAddressFree);
  ANYWHERE;
  struct Block B;
  if (!R_ && !removeBlock(P, &B))
    R_ = CUDA_ERROR_INVALID_VALUE;
  LEAVE;
}

// A handle lives until it is released as often as it was had, and unmapped.
static uintptr_t NextHandle = 0x5100;

static CUresult newHandle(CUmemGenericAllocationHandle *To, size_t Bytes, int Device, bool Owned) {
  if (Owned && !takeBytes(Device, Bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *To = __sync_fetch_and_add(&NextHandle, 0x100);
  addBlock((struct Block){.Address = *To, .Bytes = Bytes, .Kind = Owned ? Handle : Imported, .Device = Device,
                          .References = 1});
  return CUDA_SUCCESS;
}
static CUresult leaveHandle(uintptr_t H) {
  struct Block B;
  if (!findBlock(H, &B))
    return CUDA_ERROR_INVALID_VALUE;
  changeBlock(H, -1);
  if (B.References == 1) {
    removeBlock(H, &B);
    if (B.Kind == Handle)
      giveBytes(B.Device, B.Bytes);
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *To, size_t Bytes, const CUmemAllocationProp *Prop,
                            unsigned long long Flags) {
  ENTER(cuMemCreate, To, Bytes, Prop, Flags);
  ANYWHERE;
  if (!R_ && (!Bytes || Bytes % Granularity))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_)
    R_ = newHandle(To, Bytes, Prop->location.id, true);
  LEAVE;
}
EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle H) {
  ENTER(cuMemRelease, H);
  ANYWHERE;
  if (!R_)
    R_ = leaveHandle(H);
  LEAVE;
}

// What is mapped at an address is a block one byte on: the first of a range may be
// where the range begins. Its Of is the handle.
EXPORT CUresult cuMemMap(CUdeviceptr P, size_t Bytes, size_t Offset, CUmemGenericAllocationHandle H,
                         unsigned long long Flags) {
  cuMemMap_params P_ = {P, Bytes, Offset, H, Flags};
  ENTER_AS(cuMemMap);
  ANYWHERE;
  struct Block B;
  if (!R_ && (findBlock(P + 1, &B) || !findBlock(H, &B)))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_) {
    changeBlock(H, 1);
    addBlock((struct Block){.Address = P + 1, .Bytes = Bytes, .Kind = Range, .Of = (void *)(uintptr_t)H});
  }
  LEAVE;
}
EXPORT CUresult cuMemUnmap(CUdeviceptr P, size_t Bytes) {
  cuMemUnmap_params P_ = {P, Bytes};
  ENTER_AS(cuMemUnmap);
  ANYWHERE;
  struct Block B;
  for (size_t At = 0; !R_ && At < Bytes; At += Granularity)
    if (removeBlock(P + At + 1, &B))
      leaveHandle((uintptr_t)B.Of);
  LEAVE;
}
EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *To, void *P) {
  cuMemRetainAllocationHandle_params P_ = {To, P};
  ENTER_AS(cuMemRetainAllocationHandle);
  ANYWHERE;
  struct Block B;
  if (!R_ && !findBlock((uintptr_t)P + 1, &B))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_) {
    *To = (uintptr_t)B.Of;
    changeBlock(*To, 1);
  }
  LEAVE;
}
EXPORT CUresult cuMemSetAccess(CUdeviceptr P, size_t Bytes, const CUmemAccessDesc *D, size_t N) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemExportToShareableHandle(void *To, CUmemGenericAllocationHandle H,
                                             CUmemAllocationHandleType Type, unsigned long long Flags) {
  *(int *)To = (int)H;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *To, void *From,
                                               CUmemAllocationHandleType Type) {
  ENTER(cuMemImportFromShareableHandle, To, From, Type);
  ANYWHERE;
  if (!R_)
    R_ = newHandle(To, Granularity, 0, false);
  LEAVE;
}

EXPORT CUresult cuMemGetAddressRange(CUdeviceptr *Base, size_t *Bytes, CUdeviceptr P) {
  struct Block B;
  if (!findBlock(P, &B))
    return CUDA_ERROR_NOT_FOUND;
  if (Base)
    *Base = B.Address;
  if (Bytes)
    *Bytes = B.Bytes;
  return CUDA_SUCCESS;
}

// A multicast object is released and mapped as memory is; it has none.
EXPORT CUresult cuMulticastCreate(CUmemGenericAllocationHandle *To, const CUmulticastObjectProp *Prop) {
  ENTER(cuMulticastCreate, To, Prop);
  ANYWHERE;
  if (!R_)
    R_ = newHandle(To, Prop->size, 0, false);
  LEAVE;
}
EXPORT CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle H, CUdevice D) { return CUDA_SUCCESS; }
EXPORT CUresult cuMulticastBindMem(CUmemGenericAllocationHandle To, size_t Offset, CUmemGenericAllocationHandle H,
                                   size_t From, size_t Bytes, unsigned long long Flags) {
  ENTER(cuMulticastBindMem, To, Offset, H, From, Bytes, Flags);
  LEAVE;
}
EXPORT CUresult cuMulticastUnbind(CUmemGenericAllocationHandle H, CUdevice D, size_t Offset, size_t Bytes) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemMapArrayAsync(CUarrayMapInfo *Infos, unsigned N, CUstream S) {
  ENTER(cuMemMapArrayAsync, Infos, N, S);
  LEAVE;
}

// What another process shares: 3 MiB of it. Opened twice it is at the same address.
static CUdeviceptr Opened[256];
static CUresult openShared(CUdeviceptr *To, unsigned char Number) {
  *To = Opened[Number];
  if (*To)
    changeBlock(*To, 1);
  else {
    *To = Opened[Number] = takeAddresses(3 << 20);
    addBlock((struct Block){.Address = *To, .Bytes = 3 << 20, .Kind = Imported, .References = 1});
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *To, CUipcMemHandle From, unsigned Flags) {
  ENTER(cuIpcOpenMemHandle_v2, To, From, Flags);
  if (!R_)
    R_ = openShared(To, (unsigned char)From.reserved[0]);
  LEAVE;
}
// As CUDA 4.1 has it.
EXPORT CUresult openMemHandle4010(CUdeviceptr *To, CUipcMemHandle From, unsigned Flags) __asm__("cuIpcOpenMemHandle");
CUresult openMemHandle4010(CUdeviceptr *To, CUipcMemHandle From, unsigned Flags) {
  cuIpcOpenMemHandle_params P_ = {To, From, Flags};
  ENTER_AS(cuIpcOpenMemHandle);
  if (!R_)
    R_ = openShared(To, (unsigned char)From.reserved[0]);
  LEAVE;
}
EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr P) {
  cuIpcCloseMemHandle_params P_ = {P};
  ENTER_AS(cuIpcCloseMemHandle);
  struct Block B;
  if (!R_ && !findBlock(P, &B))
    R_ = CUDA_ERROR_INVALID_VALUE;
  else if (!R_ && B.References > 1)
    changeBlock(P, -1);
  else if (!R_) {
    removeBlock(P, &B);
    for (int I = 0; I != 256; ++I)
      if (Opened[I] == P)
        Opened[I] = 0;
  }
  LEAVE;
}
EXPORT CUresult cuImportExternalMemory(CUexternalMemory *To, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *From) {
  ENTER(cuImportExternalMemory, To, From);
  if (!R_)
    *To = (CUexternalMemory)takeAddresses(1);
  LEAVE;
}
EXPORT CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *To, CUexternalMemory M,
                                                const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *D) {
  ENTER(cuExternalMemoryGetMappedBuffer, To, M, D);
  if (!R_) {
    *To = takeAddresses(D->size);
    addBlock((struct Block){.Address = *To, .Bytes = D->size, .Kind = Imported});
  }
  LEAVE;
}
EXPORT CUresult cuDestroyExternalMemory(CUexternalMemory M) { return CUDA_SUCCESS; }

// Arrays take what an element of four bytes needs; none without memory of their own.
static CUresult newArray(void *To, size_t Elements) {
  CUcontext C = current();
  if (Elements && !takeBytes(C->Device, Elements * 4))
    return CUDA_ERROR_OUT_OF_MEMORY;
  uintptr_t A = takeAddresses(1);
  *(uintptr_t *)To = A;
  addBlock((struct Block){.Address = A, .Bytes = Elements * 4, .Kind = Array, .Device = C->Device, .Context = C});
  return CUDA_SUCCESS;
}
static size_t elements(const CUDA_ARRAY3D_DESCRIPTOR *D) {
  if (D->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
    return 0;
  return D->Width * (D->Height ? D->Height : 1) * (D->Depth ? D->Depth : 1);
}
static CUresult endArray(void *A) {
  struct Block B;
  if (!removeBlock((uintptr_t)A, &B))
    return CUDA_ERROR_INVALID_HANDLE;
  giveBytes(B.Device, B.Bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuArrayCreate(CUarray *To, const CUDA_ARRAY_DESCRIPTOR *D) {
  ENTER(cuArrayCreate_v2, To, D);
  if (!R_)
    R_ = newArray(To, D->Width * (D->Height ? D->Height : 1));
  LEAVE;
}
EXPORT CUresult cuArray3DCreate(CUarray *To, const CUDA_ARRAY3D_DESCRIPTOR *D) {
  ENTER(cuArray3DCreate_v2, To, D);
  if (!R_)
    R_ = newArray(To, elements(D));
  LEAVE;
}
EXPORT CUresult cuArrayDestroy(CUarray A) {
  ENTER(cuArrayDestroy, A);
  if (!R_)
    R_ = endArray(A);
  LEAVE;
}
EXPORT CUresult cuMipmappedArrayCreate(CUmipmappedArray *To, const CUDA_ARRAY3D_DESCRIPTOR *D, unsigned Levels) {
  ENTER(cuMipmappedArrayCreate, To, D, Levels);
  if (!R_)
    R_ = newArray(To, elements(D) * 2);
  LEAVE;
}
EXPORT CUresult cuMipmappedArrayDestroy(CUmipmappedArray A) {
  ENTER(cuMipmappedArrayDestroy, A);
  if (!R_)
    R_ = endArray(A);
  LEAVE;
}
EXPORT CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *To, CUexternalMemory M,
                                                        const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *D) {
  ENTER(cuExternalMemoryGetMappedMipmappedArray, To, M, D);
  if (!R_)
    R_ = newArray(To, 0);
  LEAVE;
}
