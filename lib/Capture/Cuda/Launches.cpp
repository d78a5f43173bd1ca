// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of CUDA's driver that give work to a device.

#include "Cuda/Launches.h"

#include "Cuda/Writer.h"
#include "Wire/DeviceTimeRecords.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;

#define ID(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME
/// A call, and its form for a thread's own default stream.
#define BOTH(NAME, SUFFIX) ID(NAME), ID(NAME##SUFFIX)

const CUpti_CallbackId cuda::LaunchCalls[] = {
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

void cuda::noteLaunch(uint32_t Correlation, const CallerFrame &Caller) {
  writeRecord(
      wire::DeviceLaunchRecord{Correlation, 0,
                               CudaPlace::pack(CudaPlace::NoDevice, 0, 0)},
      &Caller);
}
