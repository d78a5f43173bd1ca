// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the effect of a call of the driver on memory.
//
// Frees are recorded before the call, allocations after the call, so no other
// thread can be given memory that is still allocated in the records. A case for
// several versions of a call reads the parameters of one version: the members
// are the same.

#include "Cuda/Calls.h"

#include "Cuda/Ended.h"
#include "Cuda/Overheads.h"
#include "Cuda/Samples.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;

const CUpti_CallbackId cuda::WantedCalls[] = {
    ID(cuMemAlloc_v2),
    ID(cuMemAllocPitch_v2),
    ID(cuMemAllocManaged),
    ID(cuMemHostAlloc),
    MemHostAllocV2,
    ID(cuMemAllocHost),
    ID(cuMemAllocHost_v2),
    ID(cuMemHostRegister),
    ID(cuMemHostRegister_v2),
    ID(cuMemFree_v2),
    ID(cuMemFreeHost),
    ID(cuMemHostUnregister),
    ID(cuMemAllocAsync),
    ID(cuMemAllocAsync_ptsz),
    ID(cuMemAllocFromPoolAsync),
    ID(cuMemAllocFromPoolAsync_ptsz),
    ID(cuMemFreeAsync),
    ID(cuMemFreeAsync_ptsz),
    ID(cuMemPoolCreate),
    ID(cuMemPoolDestroy),
    ID(cuMemPoolTrimTo),
    ID(cuMemPoolImportPointer),
    ID(cuDeviceSetMemPool),
    MemSetMemPool,
    ID(cuGraphAddMemAllocNode),
    ID(cuGraphAddMemFreeNode),
    ID(cuGraphAddNode),
    ID(cuGraphAddNode_v2),
    GraphAddNodeV3,
    ID(cuDeviceGraphMemTrim),
    ID(cuGraphUpload),
    ID(cuGraphUpload_ptsz),
    ID(cuStreamSynchronize),
    ID(cuStreamSynchronize_ptsz),
    ID(cuCtxSynchronize),
    CtxSynchronizeV2,
    ID(cuEventSynchronize),
    ID(cuStreamBeginCapture),
    ID(cuStreamBeginCapture_ptsz),
    ID(cuStreamBeginCapture_v2),
    ID(cuStreamBeginCapture_v2_ptsz),
    ID(cuStreamBeginCaptureToGraph),
    ID(cuStreamBeginCaptureToGraph_ptsz),
    StreamBeginRecaptureToGraph,
    StreamBeginRecaptureToGraphPtsz,
    ID(cuStreamEndCapture),
    ID(cuStreamEndCapture_ptsz),
    ID(cuStreamDestroy),
    ID(cuStreamDestroy_v2),
    ID(cuMemAddressReserve),
    ID(cuMemAddressFree),
    ID(cuMemCreate),
    ID(cuMemRelease),
    ID(cuMemMap),
    ID(cuMemUnmap),
    ID(cuMemRetainAllocationHandle),
    ID(cuMemImportFromShareableHandle),
    ID(cuMulticastCreate),
    ID(cuArrayCreate_v2),
    ID(cuArray3DCreate_v2),
    ID(cuArrayDestroy),
    ID(cuMipmappedArrayCreate),
    ID(cuMipmappedArrayDestroy),
    ID(cuIpcOpenMemHandle),
    ID(cuIpcOpenMemHandle_v2),
    ID(cuIpcCloseMemHandle),
    ID(cuExternalMemoryGetMappedBuffer),
    ID(cuExternalMemoryGetMappedMipmappedArray),
    ID(cuCtxCreate),
    ID(cuCtxCreate_v2),
    ID(cuCtxCreate_v3),
    ID(cuCtxCreate_v4),
    ID(cuDevicePrimaryCtxRetain),
    ID(cuModuleLoad),
    ID(cuModuleLoadData),
    ID(cuModuleLoadDataEx),
    ID(cuModuleLoadFatBinary),
    ID(cuModuleUnload),
    ID(cuLibraryLoadData),
    ID(cuLibraryLoadFromFile),
    ID(cuLibraryUnload),
};
const unsigned cuda::NumWantedCalls =
    sizeof(WantedCalls) / sizeof(*WantedCalls);

void cuda::freed(const Call &C, uint64_t Address, uint32_t Heap) {
  if (!Address)
    return;
  ContextPlace P = TheContexts.place(C.Context);
  writeRecord(wire::DeviceFreeRecord{
      Address, CudaPlace::pack(P.Device, Heap, P.Number)});
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void cuda::before(const Call &C) {
  switch (C.Id) {
  case ID(cuMemFree_v2): {
    PARAMS(cuMemFree_v2);
    return freed(C, P.dptr, CudaPlace::AnyHeap);
  }
  case ID(cuMemFreeHost): {
    PARAMS(cuMemFreeHost);
    return freed(C, uint64_t(P.p), CudaPlace::AnyHeap);
  }
  case ID(cuMemHostUnregister): {
    PARAMS(cuMemHostUnregister);
    return freed(C, uint64_t(P.p), uint32_t(CudaHeap::Registered));
  }
  default:
    beforePool(C) || beforeGraph(C) || beforeMapped(C) || beforeOverhead(C);
  }
}

static void record(const Call &C, Ended &E, const CallerFrame &Caller) {
  switch (C.Id) {
  case ID(cuMemAlloc_v2): {
    PARAMS(cuMemAlloc_v2);
    return E.gave(CudaFunction::MemAlloc, CudaHeap::Device, P.dptr, P.bytesize);
  }
  case ID(cuMemAllocPitch_v2): {
    PARAMS(cuMemAllocPitch_v2);
    // The pitch of a failed allocation is unknown.
    return E.gave(CudaFunction::MemAllocPitch, CudaHeap::Device, P.dptr,
                  (E.failed() ? P.WidthInBytes : *P.pPitch) * P.Height);
  }
  case ID(cuMemAllocManaged): {
    PARAMS(cuMemAllocManaged);
    return E.gave(CudaFunction::MemAllocManaged, CudaHeap::Managed, P.dptr,
                  P.bytesize);
  }
  case ID(cuMemHostAlloc):
  case MemHostAllocV2: {
    PARAMS(cuMemHostAlloc);
    return E.gave(CudaFunction::MemHostAlloc, CudaHeap::Pinned, P.pp,
                  P.bytesize);
  }
  case ID(cuMemAllocHost): {
    PARAMS(cuMemAllocHost);
    return E.gave(CudaFunction::MemAllocHost, CudaHeap::Pinned, P.pp,
                  P.bytesize);
  }
  case ID(cuMemAllocHost_v2): {
    PARAMS(cuMemAllocHost_v2);
    return E.gave(CudaFunction::MemAllocHost, CudaHeap::Pinned, P.pp,
                  P.bytesize);
  }
  case ID(cuMemHostRegister):
  case ID(cuMemHostRegister_v2): {
    PARAMS(cuMemHostRegister_v2);
    return E.gave(CudaFunction::MemHostRegister, CudaHeap::Registered, &P.p,
                  P.bytesize);
  }
  default:
    afterPool(C, E) || afterGraph(C, E) || afterMapped(C, E, Caller);
  }
}

void cuda::after(const Call &C, CUresult Result, const CallerFrame &Caller) {
  if (afterOverhead(C, Result))
    return;
  Ended E(C, Result, Caller);
  record(C, E, Caller);
  if (!E.tookDevice() || capturesGraph())
    return;
  ContextPlace P = TheContexts.place(C.Context);
  askGraphs(P, false);
  sampleDevice(P);
}
