// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrappers of the driver's entry points.
//
// A wrapper has the signature of its function, and passes the arguments as
// CUPTI does, in a structure with equal members. Functions are found by the
// names that the driver exports, or by the names without a version that
// cuGetProcAddress takes.

#include "Cuda/Ended.h"
#include "Cuda/Wrappers.h"

#include <cstring>

using namespace memkit::capture;
using namespace memkit::capture::cuda;

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

template <typename Fn>
static CUresult through(Call C, const CallerFrame &Caller, Fn Real) {
  if (!beginWrapped(C))
    return Real();
  CUresult Result = Real();
  endWrapped(C, Result, Caller);
  return Result;
}

namespace {
template <CUpti_CallbackId Id, typename Params, typename Fn> struct Wrapper;
template <CUpti_CallbackId Id, typename Params, typename... Args>
struct Wrapper<Id, Params, CUresult(Args...)> {
  static CUresult (*Real)(Args...);
  static CUresult call(Args... A) {
    CallerFrame Caller = MEMKIT_CALLER;
    Params P{A...};
    return through({Id, &P, nullptr}, Caller, [&] { return Real(A...); });
  }
};
template <CUpti_CallbackId Id, typename Params, typename... Args>
CUresult (*Wrapper<Id, Params, CUresult(Args...)>::Real)(Args...);
struct NoParams {};

using AnyFunction = void (*)();
struct WrapperEntry {
  const char *Name;
  AnyFunction Function;
  AnyFunction *Real;
  /// The first version of CUDA whose cuGetProcAddress returns this function for
  /// the name without a version; 0: the name has one function.
  int Since = 0;
};

template <CUpti_CallbackId Id, typename Params, typename Fn>
WrapperEntry entry(const char *Name) {
  using W = Wrapper<Id, Params, Fn>;
  return {Name, reinterpret_cast<AnyFunction>(&W::call),
          reinterpret_cast<AnyFunction *>(&W::Real)};
}
} // namespace

#define ENTRY(NAME) AS(NAME, NAME, NAME)
#define AS(NAME, ID_NAME, PARAMS_NAME)                                         \
  entry<ID(ID_NAME), PARAMS_NAME##_params, decltype(::NAME)>(#NAME)
#define PER_THREAD(NAME)                                                       \
  entry<ID(NAME##_ptsz), NAME##_params, decltype(::NAME)>(#NAME "_ptsz")
#define SINCE(VERSION, ENTRY) since(VERSION, ENTRY)

static constexpr WrapperEntry since(int Version, WrapperEntry E) {
  E.Since = Version;
  return E;
}

// Versions of functions that some headers do not declare.
using OfStream = CUresult(CUstream);
using OfDevice = CUresult(CUdevice);
using OfContext = CUresult(CUcontext);
using RegisterOld = decltype(::cuMemHostRegister_v2);
using MakeContext = CUresult(CUcontext *, unsigned, CUdevice);
using MakeContextOn = CUresult(CUcontext *, CUexecAffinityParam *, int,
                               unsigned, CUdevice);
using OpenOld = decltype(::cuIpcOpenMemHandle_v2);
struct RecaptureParams {
  CUstream Stream;
  CUstreamCaptureMode Mode;
  CUgraph Graph;
  void *Callback, *Data;
};
using Recapture = CUresult(CUstream, CUstreamCaptureMode, CUgraph, void *,
                           void *);
struct ContextParams {
  CUcontext Context;
};
using AddNode = CUresult(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                         CUgraphNodeParams *);
using AddNodeData = CUresult(CUgraphNode *, CUgraph, const CUgraphNode *,
                             const CUgraphEdgeData *, size_t,
                             CUgraphNodeParams *);

static const WrapperEntry Entries[] = {
    SINCE(3020, ENTRY(cuMemAlloc_v2)),
    SINCE(3020, ENTRY(cuMemAllocPitch_v2)),
    ENTRY(cuMemAllocManaged),
    ENTRY(cuMemHostAlloc),
    SINCE(3020, ENTRY(cuMemAllocHost_v2)),
    SINCE(4000,
          (entry<ID(cuMemHostRegister), cuMemHostRegister_params, RegisterOld>(
              "cuMemHostRegister"))),
    SINCE(6050, ENTRY(cuMemHostRegister_v2)),
    SINCE(3020, ENTRY(cuMemFree_v2)),
    ENTRY(cuMemFreeHost),
    ENTRY(cuMemHostUnregister),
    ENTRY(cuMemAllocAsync),
    PER_THREAD(cuMemAllocAsync),
    ENTRY(cuMemAllocFromPoolAsync),
    PER_THREAD(cuMemAllocFromPoolAsync),
    ENTRY(cuMemFreeAsync),
    PER_THREAD(cuMemFreeAsync),
    ENTRY(cuMemPoolCreate),
    ENTRY(cuMemPoolDestroy),
    ENTRY(cuMemPoolTrimTo),
    ENTRY(cuMemPoolImportPointer),
    ENTRY(cuDeviceSetMemPool),
    ENTRY(cuMemSetMemPool),
    ENTRY(cuGraphAddMemAllocNode),
    ENTRY(cuGraphAddMemFreeNode),
    SINCE(12020, (entry<ID(cuGraphAddNode), cuGraphAddNode_params, AddNode>(
                     "cuGraphAddNode"))),
    SINCE(12030,
          (entry<ID(cuGraphAddNode_v2), cuGraphAddNode_v2_params, AddNodeData>(
              "cuGraphAddNode_v2"))),
    SINCE(13040, (entry<GraphAddNodeV3, cuGraphAddNode_v2_params, AddNodeData>(
                     "cuGraphAddNode_v3"))),
    ENTRY(cuDeviceGraphMemTrim),
    ENTRY(cuGraphUpload),
    PER_THREAD(cuGraphUpload),
    ENTRY(cuStreamSynchronize),
    PER_THREAD(cuStreamSynchronize),
    SINCE(2000, (entry<ID(cuCtxSynchronize), NoParams, CUresult()>(
                    "cuCtxSynchronize"))),
    SINCE(13000, (entry<CtxSynchronizeV2, ContextParams, OfContext>(
                     "cuCtxSynchronize_v2"))),
    ENTRY(cuEventSynchronize),
    SINCE(
        10000,
        (entry<ID(cuStreamBeginCapture), cuStreamBeginCapture_params, OfStream>(
            "cuStreamBeginCapture"))),
    SINCE(10000, (entry<ID(cuStreamBeginCapture_ptsz),
                        cuStreamBeginCapture_ptsz_params, OfStream>(
                     "cuStreamBeginCapture_ptsz"))),
    SINCE(10010, ENTRY(cuStreamBeginCapture_v2)),
    SINCE(10010, PER_THREAD(cuStreamBeginCapture_v2)),
    ENTRY(cuStreamBeginCaptureToGraph),
    PER_THREAD(cuStreamBeginCaptureToGraph),
    entry<StreamBeginRecaptureToGraph, RecaptureParams, Recapture>(
        "cuStreamBeginRecaptureToGraph"),
    entry<StreamBeginRecaptureToGraphPtsz, RecaptureParams, Recapture>(
        "cuStreamBeginRecaptureToGraph_ptsz"),
    ENTRY(cuStreamEndCapture),
    PER_THREAD(cuStreamEndCapture),
    SINCE(2000, (entry<ID(cuStreamDestroy), cuStreamDestroy_params, OfStream>(
                    "cuStreamDestroy"))),
    SINCE(4000, ENTRY(cuStreamDestroy_v2)),
    ENTRY(cuMemAddressReserve),
    ENTRY(cuMemAddressFree),
    ENTRY(cuMemCreate),
    ENTRY(cuMemRelease),
    ENTRY(cuMemMap),
    ENTRY(cuMemUnmap),
    ENTRY(cuMemRetainAllocationHandle),
    ENTRY(cuMemImportFromShareableHandle),
    ENTRY(cuMulticastCreate),
    SINCE(3020, ENTRY(cuArrayCreate_v2)),
    SINCE(3020, ENTRY(cuArray3DCreate_v2)),
    ENTRY(cuArrayDestroy),
    ENTRY(cuMipmappedArrayCreate),
    ENTRY(cuMipmappedArrayDestroy),
    SINCE(4010,
          (entry<ID(cuIpcOpenMemHandle), cuIpcOpenMemHandle_params, OpenOld>(
              "cuIpcOpenMemHandle"))),
    SINCE(11000, ENTRY(cuIpcOpenMemHandle_v2)),
    ENTRY(cuIpcCloseMemHandle),
    ENTRY(cuExternalMemoryGetMappedBuffer),
    ENTRY(cuExternalMemoryGetMappedMipmappedArray),
    ENTRY(cuModuleLoad),
    ENTRY(cuModuleLoadData),
    ENTRY(cuModuleLoadDataEx),
    ENTRY(cuModuleLoadFatBinary),
    ENTRY(cuModuleUnload),
    ENTRY(cuLibraryLoadData),
    ENTRY(cuLibraryLoadFromFile),
    ENTRY(cuLibraryUnload),
    SINCE(3020, (entry<ID(cuCtxCreate_v2), cuCtxCreate_v2_params, MakeContext>(
                    "cuCtxCreate_v2"))),
    SINCE(11040,
          (entry<ID(cuCtxCreate_v3), cuCtxCreate_v3_params, MakeContextOn>(
              "cuCtxCreate_v3"))),
    SINCE(12050, ENTRY(cuCtxCreate_v4)),
    SINCE(2000, (entry<ID(cuCtxDestroy), cuCtxDestroy_params, OfContext>(
                    "cuCtxDestroy"))),
    SINCE(4000, ENTRY(cuCtxDestroy_v2)),
    ENTRY(cuDevicePrimaryCtxRetain),
    SINCE(7000, (entry<ID(cuDevicePrimaryCtxRelease),
                       cuDevicePrimaryCtxRelease_params, OfDevice>(
                    "cuDevicePrimaryCtxRelease"))),
    SINCE(11000, ENTRY(cuDevicePrimaryCtxRelease_v2)),
    SINCE(7000,
          (entry<ID(cuDevicePrimaryCtxReset), cuDevicePrimaryCtxReset_params,
                 OfDevice>("cuDevicePrimaryCtxReset"))),
    SINCE(11000, ENTRY(cuDevicePrimaryCtxReset_v2)),
};

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

static void *wrapNamed(const char *Name, void *Real) {
  for (const WrapperEntry &E : Entries) {
    if (strcmp(Name, E.Name) != 0)
      continue;
    // The driver's look-up of its own function has returned the wrapper
    // already.
    if (Real == reinterpret_cast<void *>(E.Function))
      return Real;
    // Every look-up of the name finds the same function.
    __atomic_store_n(E.Real, reinterpret_cast<AnyFunction>(Real),
                     __ATOMIC_RELEASE);
    HasWrappers.store(true, std::memory_order_relaxed);
    return reinterpret_cast<void *>(E.Function);
  }
  return Real;
}

static decltype(&cuGetProcAddress_v2) RealGetProcAddress;
using OldGetProcAddress = CUresult (*)(const char *, void **, int, cuuint64_t);
static OldGetProcAddress RealOldGetProcAddress;
static CUresult getProcAddress(const char *, void **, int, cuuint64_t,
                               CUdriverProcAddressQueryResult *);
static CUresult oldGetProcAddress(const char *, void **, int, cuuint64_t);

/// The driver's version; \p Version if the driver does not report one.
static int driverVersion(int Version) {
  int Is = 0;
  if (!Cuda.DriverGetVersion)
    openDriver();
  return Cuda.DriverGetVersion && !Cuda.DriverGetVersion(&Is) ? Is : Version;
}

/// Is \p Full the name \p Base, with or without a version, in the form for
/// per-thread default streams if \p PerThread, else in the other form?
static bool isVersionOf(const char *Full, const char *Base, bool PerThread) {
  size_t N = strlen(Base);
  if (strncmp(Full, Base, N) != 0)
    return false;
  const char *Rest = Full + N;
  if (Rest[0] == '_' && Rest[1] == 'v' && Rest[2] >= '0' && Rest[2] <= '9')
    Rest += 3;
  return strcmp(Rest, PerThread ? "_ptsz" : "") == 0;
}

/// A name without a version is the name of the newest function in both the
/// driver and CUDA \p Version.
static void *wrapAsked(const char *Name, void *Real, int Version,
                       cuuint64_t Flags) {
  if (!Real)
    return Real;
  if (strcmp(Name, "cuGetProcAddress") == 0)
    return Version >= 12000 ? wrap("cuGetProcAddress_v2", Real)
                            : wrap("cuGetProcAddress", Real);
  int Newest = driverVersion(Version);
  Version = Version < Newest ? Version : Newest;
  // Functions without a stream have one form.
  for (bool PerThread :
       {(Flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0, false}) {
    const WrapperEntry *Best = nullptr;
    for (const WrapperEntry &E : Entries)
      if (isVersionOf(E.Name, Name, PerThread) && E.Since <= Version &&
          (!Best || Best->Since < E.Since))
        Best = &E;
    if (Best)
      return wrapNamed(Best->Name, Real);
  }
  return Real;
}

static CUresult getProcAddress(const char *Name, void **To, int Version,
                               cuuint64_t Flags,
                               CUdriverProcAddressQueryResult *Status) {
  CUresult R = RealGetProcAddress(Name, To, Version, Flags, Status);
  if (!R && To)
    *To = wrapAsked(Name, *To, Version, Flags);
  return R;
}

static CUresult oldGetProcAddress(const char *Name, void **To, int Version,
                                  cuuint64_t Flags) {
  CUresult R = RealOldGetProcAddress(Name, To, Version, Flags);
  if (!R && To)
    *To = wrapAsked(Name, *To, Version, Flags);
  return R;
}

void *cuda::wrap(const char *Name, void *Real) {
  if (LooksUp)
    return Real;
  // A program that has cuGetProcAddress gets wrappers from it.
  if (strncmp(Name, "cuGetProcAddress", 16) == 0)
    HasWrappers.store(true, std::memory_order_relaxed);
  if (strcmp(Name, "cuGetProcAddress_v2") == 0) {
    RealGetProcAddress = reinterpret_cast<decltype(RealGetProcAddress)>(Real);
    return reinterpret_cast<void *>(&getProcAddress);
  }
  if (strcmp(Name, "cuGetProcAddress") == 0) {
    RealOldGetProcAddress = reinterpret_cast<OldGetProcAddress>(Real);
    return reinterpret_cast<void *>(&oldGetProcAddress);
  }
  return wrapNamed(Name, Real);
}
