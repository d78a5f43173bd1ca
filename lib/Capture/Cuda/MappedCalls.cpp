//===- MappedCalls.cpp - Mapped, imported and opaque memory ---------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Virtual memory (reserve, create, map, unmap, release), arrays, and what other
// processes and interfaces share.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Ended.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;
using wire::RecordKind;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Half bytes of a channel of an element; 0: not known here.
static uint64_t halfBytes(CUarray_format F, uint64_t Channels) {
  switch (F) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 2 * Channels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 4 * Channels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 8 * Channels;
  default:
    break;
  }
  // Normalized integers of 8 and 16 bits, in groups of three, then blocks of 16
  // elements in 8 or 16 bytes.
  unsigned N = unsigned(F);
  if (N >= 0xc0 && N <= 0xcb)
    return (N - 0xc0) / 3 % 2 ? 4 * Channels : 2 * Channels;
  if (N >= 0x91 && N <= 0x9e)
    return N == 0x91 || N == 0x92 || N == 0x97 || N == 0x98 ? 1 : 2;
  return 0;
}

/// Bytes of an array as its description has it, without what the driver adds.
/// None where it has no memory of its own, but what cuMemCreate made is mapped
/// into it.
static uint64_t sizeOf(const CUDA_ARRAY3D_DESCRIPTOR &D, unsigned Levels = 1) {
  if (D.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
    return 0;
  uint64_t Half = halfBytes(D.Format, D.NumChannels), All = 0;
  bool Layered = D.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  auto AtLevel = [](uint64_t N, unsigned Level) {
    return N >> Level ? N >> Level : 1;
  };
  for (unsigned L = 0; L != Levels && L != 64; ++L)
    All += AtLevel(D.Width, L) * AtLevel(D.Height, L) *
           (Layered ? AtLevel(D.Depth, 0) : AtLevel(D.Depth, L)) * Half;
  return All / 2;
}

static bool afterArray(const Call &C, Ended &E) {
  switch (C.Id) {
  case ID(cuArrayCreate_v2): {
    PARAMS(cuArrayCreate_v2);
    CUDA_ARRAY3D_DESCRIPTOR D = {};
    D.Width = P.pAllocateArray->Width;
    D.Height = P.pAllocateArray->Height;
    D.Format = P.pAllocateArray->Format;
    D.NumChannels = P.pAllocateArray->NumChannels;
    E.gave(CudaFunction::ArrayCreate, CudaHeap::Array, P.pHandle, sizeOf(D));
    return true;
  }
  case ID(cuArray3DCreate_v2): {
    PARAMS(cuArray3DCreate_v2);
    E.gave(CudaFunction::Array3DCreate, CudaHeap::Array, P.pHandle,
           sizeOf(*P.pAllocateArray));
    return true;
  }
  case ID(cuMipmappedArrayCreate): {
    PARAMS(cuMipmappedArrayCreate);
    E.gave(CudaFunction::MipmappedArrayCreate, CudaHeap::Array, P.pHandle,
           sizeOf(*P.pMipmappedArrayDesc, P.numMipmapLevels));
    return true;
  }
  case ID(cuExternalMemoryGetMappedMipmappedArray): {
    PARAMS(cuExternalMemoryGetMappedMipmappedArray);
    E.gave(CudaFunction::ExternalMipmappedArray, CudaHeap::Array, P.mipmap,
           sizeOf(P.mipmapDesc->arrayDesc, P.mipmapDesc->numLevels));
    return true;
  }
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Virtual memory
//===----------------------------------------------------------------------===//

static void unmapped(const Call &C, uint64_t Address, uint64_t Size) {
  Event E{RecordKind::DeviceUnmap, CudaFunction::None, Address, Size};
  E.Place = TheContexts.place(C.Context).in(CudaHeap::Physical);
  Memrec->Write(E, nullptr);
}

bool cuda::beforeMapped(const Call &C) {
  switch (C.Id) {
  case ID(cuMemAddressFree): {
    PARAMS(cuMemAddressFree);
    freed(C, P.ptr, uint32_t(CudaHeap::Reserved));
    return true;
  }
  case ID(cuMemRelease): {
    PARAMS(cuMemRelease);
    freed(C, P.handle, uint32_t(CudaHeap::Physical));
    return true;
  }
  case ID(cuMemUnmap): {
    PARAMS(cuMemUnmap);
    unmapped(C, P.ptr, P.size);
    return true;
  }
  case ID(cuArrayDestroy): {
    PARAMS(cuArrayDestroy);
    freed(C, uint64_t(P.hArray), uint32_t(CudaHeap::Array));
    return true;
  }
  case ID(cuMipmappedArrayDestroy): {
    PARAMS(cuMipmappedArrayDestroy);
    freed(C, uint64_t(P.hMipmappedArray), uint32_t(CudaHeap::Array));
    return true;
  }
  case ID(cuIpcCloseMemHandle): {
    PARAMS(cuIpcCloseMemHandle);
    freed(C, P.dptr, CudaPlace::AnyHeap);
    return true;
  }
  default:
    return false;
  }
}

/// Memory of the device that it names, or of the host; of no context.
static void gavePhysical(Ended &E, const cuMemCreate_params &P) {
  ContextPlace Place;
  if (P.prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    Place.Device = uint32_t(P.prop->location.id);
    introduceDevice(Place.Device);
  }
  E.give({CudaFunction::MemCreate, CudaHeap::Physical,
          E.failed() ? 0 : uint64_t(*P.handle), P.size},
         Place);
}

/// How long what another process shares is, the driver knows.
static uint64_t sizeAt(const CUdeviceptr *To) {
  size_t Bytes = 0;
  return !capturesGraph() && Cuda.MemGetAddressRange &&
                 !Cuda.MemGetAddressRange(nullptr, &Bytes, *To)
             ? Bytes
             : 0;
}

bool cuda::afterMapped(const Call &C, Ended &E, const Frame &Caller) {
  switch (C.Id) {
  case ID(cuMemAddressReserve): {
    PARAMS(cuMemAddressReserve);
    if (!E.failed())
      E.gave(CudaFunction::MemAddressReserve, CudaHeap::Reserved, P.ptr,
             P.size);
    return true;
  }
  case ID(cuMemCreate): {
    PARAMS(cuMemCreate);
    gavePhysical(E, P);
    return true;
  }
  case ID(cuMemRetainAllocationHandle): {
    PARAMS(cuMemRetainAllocationHandle);
    E.gave(CudaFunction::None, CudaHeap::Physical, P.handle, 0);
    return true;
  }
  case ID(cuMemImportFromShareableHandle): {
    PARAMS(cuMemImportFromShareableHandle);
    E.gave(CudaFunction::MemImport, CudaHeap::Physical, P.handle, 0);
    return true;
  }
  case ID(cuMulticastCreate): {
    PARAMS(cuMulticastCreate);
    // It is released and mapped like memory, and has none of its own.
    if (!E.failed())
      E.gave(CudaFunction::MulticastCreate, CudaHeap::Physical, P.mcHandle, 0);
    return true;
  }
  case ID(cuMemMap): {
    PARAMS(cuMemMap);
    if (E.failed())
      return true;
    Event M{RecordKind::DeviceMap, CudaFunction::MemMap, P.ptr, P.size};
    M.Place = TheContexts.place(C.Context).in(CudaHeap::Physical);
    M.DetailAddress = P.handle;
    M.DetailSize = P.offset;
    Memrec->Write(M, &Caller);
    return true;
  }
  case ID(cuIpcOpenMemHandle):
  case ID(cuIpcOpenMemHandle_v2): {
    PARAMS(cuIpcOpenMemHandle_v2);
    if (!E.failed())
      E.gave(CudaFunction::IpcOpenMemHandle, CudaHeap::Imported, P.pdptr,
             sizeAt(P.pdptr));
    return true;
  }
  case ID(cuMemPoolImportPointer): {
    PARAMS(cuMemPoolImportPointer);
    if (!E.failed())
      E.gave(CudaFunction::MemPoolImportPointer, CudaHeap::Imported, P.ptr_out,
             sizeAt(P.ptr_out));
    return true;
  }
  case ID(cuExternalMemoryGetMappedBuffer): {
    PARAMS(cuExternalMemoryGetMappedBuffer);
    E.gave(CudaFunction::ImportExternalMemory, CudaHeap::Imported, P.devPtr,
           P.bufferDesc->size);
    return true;
  }
  default:
    return afterArray(C, E);
  }
}
