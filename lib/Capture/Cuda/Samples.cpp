//===- Samples.cpp - What a device says is in use -------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After an allocation, in its thread, of the driver itself. Of all processes;
// how much of it is this one's only NVML could say.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Samples.h"

#include "Cuda/Injection.h"

#include <ctime>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;

uint64_t cuda::coarseNs() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &T);
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

static constexpr uint64_t EveryNs = 100000000;
static std::atomic<uint64_t> LastNs[wire::MaxCudaDevices];

void cuda::sampleDevice(const ContextPlace &P) {
  if (P.Device >= wire::MaxCudaDevices || !Cuda.MemGetInfo)
    return;
  uint64_t Now = coarseNs();
  uint64_t Last = LastNs[P.Device].load(std::memory_order_relaxed);
  // One thread takes it.
  if ((Last && Now - Last < EveryNs) ||
      !LastNs[P.Device].compare_exchange_strong(Last, Now))
    return;
  size_t Free = 0, Total = 0;
  if (Cuda.MemGetInfo(&Free, &Total) || Free > Total)
    return;
  Event E{wire::RecordKind::DeviceUsed, wire::CudaFunction::None, Total - Free,
          Total};
  E.Place = P.in(wire::CudaHeap::Device);
  Memrec->Write(E, nullptr);
}
