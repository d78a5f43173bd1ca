// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped, imported and opaque memory.
//
// Virtual memory (reserve, create, map, unmap, release), and memory shared by
// other processes and interfaces.

#include "Cuda/Ended.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;

//===----------------------------------------------------------------------===//
// Virtual memory
//===----------------------------------------------------------------------===//

static void unmapped(const Call &C, uint64_t Address, uint64_t Size) {
  writeRecord(wire::DeviceUnmapRecord{
      Address, Size, TheContexts.place(C.Context).in(CudaHeap::Physical)});
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

/// Records memory of the device in the properties, or of the host, without a
/// context.
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

/// The size of imported memory, from the driver; 0: unknown.
static uint64_t sizeAt(const CUdeviceptr *To) {
  size_t Bytes = 0;
  return !capturesGraph() && Cuda.MemGetAddressRange &&
                 !Cuda.MemGetAddressRange(nullptr, &Bytes, *To)
             ? Bytes
             : 0;
}

bool cuda::afterMapped(const Call &C, Ended &E, const CallerFrame &Caller) {
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
    // A multicast object is released and mapped like memory, but has no memory
    // of its own.
    if (!E.failed())
      E.gave(CudaFunction::MulticastCreate, CudaHeap::Physical, P.mcHandle, 0);
    return true;
  }
  case ID(cuMemMap): {
    PARAMS(cuMemMap);
    if (E.failed())
      return true;
    uint32_t Place = TheContexts.place(C.Context).in(CudaHeap::Physical);
    wire::DeviceDetailRecord Of{P.handle, P.offset, Place};
    writeRecord(
        wire::DeviceMapRecord{P.ptr, P.size, CudaFunction::MemMap, 0, Place},
        &Caller, &Of);
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
