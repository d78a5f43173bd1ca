// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of CUDA's driver that give work to a device.

#include "Cuda/Launches.h"

#include "Cuda/Writer.h"
#include "Wire/DeviceTimeRecords.h"

#include <atomic>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;

#define ID(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME
/// A call, and its form for a thread's own default stream.
#define BOTH(NAME, SUFFIX) ID(NAME), ID(NAME##SUFFIX)

constexpr CUpti_CallbackId cuda::LaunchCalls[] = {
    BOTH(cuLaunchKernel, _ptsz),
    BOTH(cuGraphLaunch, _ptsz),
    BOTH(cuLaunchKernelEx, _ptsz),
    BOTH(cuLaunchCooperativeKernel, _ptsz),
    ID(cuLaunchCooperativeKernelMultiDevice),
    ID(cuLaunch),
    ID(cuLaunchGrid),
    ID(cuLaunchGridAsync),
    ID(cuMemcpy_v2),
    BOTH(cuMemcpy, _ptds),
    BOTH(cuMemcpyAsync, _ptsz),
    BOTH(cuMemcpyPeer, _ptds),
    BOTH(cuMemcpyPeerAsync, _ptsz),
    BOTH(cuMemcpyHtoD_v2, _ptds),
    BOTH(cuMemcpyHtoDAsync_v2, _ptsz),
    BOTH(cuMemcpyDtoH_v2, _ptds),
    BOTH(cuMemcpyDtoHAsync_v2, _ptsz),
    BOTH(cuMemcpyDtoD_v2, _ptds),
    BOTH(cuMemcpyDtoDAsync_v2, _ptsz),
    BOTH(cuMemcpyAtoA_v2, _ptds),
    BOTH(cuMemcpyAtoD_v2, _ptds),
    BOTH(cuMemcpyDtoA_v2, _ptds),
    BOTH(cuMemcpyAtoH_v2, _ptds),
    BOTH(cuMemcpyAtoHAsync_v2, _ptsz),
    BOTH(cuMemcpyHtoA_v2, _ptds),
    BOTH(cuMemcpyHtoAAsync_v2, _ptsz),
    BOTH(cuMemcpy2D_v2, _ptds),
    BOTH(cuMemcpy2DUnaligned_v2, _ptds),
    BOTH(cuMemcpy2DAsync_v2, _ptsz),
    BOTH(cuMemcpy3D_v2, _ptds),
    BOTH(cuMemcpy3DAsync_v2, _ptsz),
    BOTH(cuMemcpy3DPeer, _ptds),
    BOTH(cuMemcpy3DPeerAsync, _ptsz),
    BOTH(cuMemcpyBatchAsync, _ptsz),
    BOTH(cuMemcpyBatchAsync_v2, _ptsz),
    BOTH(cuMemcpy3DBatchAsync, _ptsz),
    BOTH(cuMemcpy3DBatchAsync_v2, _ptsz),
    BOTH(cuMemsetD8_v2, _ptds),
    BOTH(cuMemsetD8Async, _ptsz),
    BOTH(cuMemsetD16_v2, _ptds),
    BOTH(cuMemsetD16Async, _ptsz),
    BOTH(cuMemsetD32_v2, _ptds),
    BOTH(cuMemsetD32Async, _ptsz),
    BOTH(cuMemsetD2D8_v2, _ptds),
    BOTH(cuMemsetD2D8Async, _ptsz),
    BOTH(cuMemsetD2D16_v2, _ptds),
    BOTH(cuMemsetD2D16Async, _ptsz),
    BOTH(cuMemsetD2D32_v2, _ptds),
    BOTH(cuMemsetD2D32Async, _ptsz),
};
const unsigned cuda::NumLaunchCalls =
    sizeof(LaunchCalls) / sizeof(*LaunchCalls);
const unsigned cuda::NumNeededLaunches = 4;

namespace {
/// A bit for each number of a call.
struct CallSet {
  static constexpr unsigned MaxCalls = 1024;
  uint64_t Bits[MaxCalls / 64] = {};

  constexpr bool has(CUpti_CallbackId Id) const {
    return Id < MaxCalls && (Bits[Id / 64] >> Id % 64 & 1);
  }
  constexpr explicit CallSet(const CUpti_CallbackId *Ids, unsigned Count) {
    for (unsigned I = 0; I != Count; ++I)
      Bits[Ids[I] / 64] |= uint64_t(1) << Ids[I] % 64;
  }
};
} // namespace
static constexpr CallSet Launches(cuda::LaunchCalls,
                                  sizeof(LaunchCalls) / sizeof(*LaunchCalls));

bool cuda::isLaunch(CUpti_CallbackId Id) { return Launches.has(Id); }

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

#define RUNTIME(NAME) CUPTI_RUNTIME_TRACE_CBID_##NAME

const CUpti_CallbackId cuda::RuntimeLaunchCalls[] = {
    RUNTIME(cudaLaunchKernel_v7000),
    RUNTIME(cudaLaunchKernel_ptsz_v7000),
    RUNTIME(cudaLaunchKernelExC_v11060),
    RUNTIME(cudaLaunchKernelExC_ptsz_v11060),
    RUNTIME(cudaLaunchCooperativeKernel_v9000),
    RUNTIME(cudaLaunchCooperativeKernel_ptsz_v9000),
    RUNTIME(cudaGraphLaunch_v10000),
    RUNTIME(cudaGraphLaunch_ptsz_v10000),
    RUNTIME(cudaMemcpy_v3020),
    RUNTIME(cudaMemcpy_ptds_v7000),
    RUNTIME(cudaMemcpyAsync_v3020),
    RUNTIME(cudaMemcpyAsync_ptsz_v7000),
    RUNTIME(cudaMemcpy2D_v3020),
    RUNTIME(cudaMemcpy2DAsync_v3020),
    RUNTIME(cudaMemcpyPeer_v4000),
    RUNTIME(cudaMemcpyPeerAsync_v4000),
    RUNTIME(cudaMemset_v3020),
    RUNTIME(cudaMemset_ptds_v7000),
    RUNTIME(cudaMemsetAsync_v3020),
    RUNTIME(cudaMemsetAsync_ptsz_v7000),
};
const unsigned cuda::NumRuntimeLaunchCalls =
    sizeof(RuntimeLaunchCalls) / sizeof(*RuntimeLaunchCalls);

/// The correlation id of the runtime's launch that the thread is in; 0: none.
static __thread uint32_t RuntimeCall;
static std::atomic<uint32_t> EqualIds; ///< 1: found, 2: found and taken

void cuda::noteRuntimeCall(uint32_t Correlation) { RuntimeCall = Correlation; }

bool cuda::takeIdsAreEqual() {
  uint32_t Found = 1;
  return EqualIds.load(std::memory_order_relaxed) == Found &&
         EqualIds.compare_exchange_strong(Found, 2);
}

static void writeLaunch(uint32_t Correlation, const CallerFrame &Caller) {
  writeRecord(
      wire::DeviceLaunchRecord{Correlation, 0,
                               CudaPlace::pack(CudaPlace::NoDevice, 0, 0)},
      &Caller);
}

void cuda::noteLaunch(uint32_t Correlation, const CallerFrame &Caller) {
  writeLaunch(Correlation, Caller);
  // Once equal ids are found, the end of a call of the runtime may not be
  // reported.
  if (!RuntimeCall || EqualIds.load(std::memory_order_relaxed))
    return;
  uint32_t None = 0;
  if (RuntimeCall != Correlation)
    writeLaunch(RuntimeCall, Caller);
  else
    EqualIds.compare_exchange_strong(None, 1);
}
