// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples the used memory of a device.
//
// A thread asks the driver after an allocation and around modules. The value
// includes all processes; the recorder gets the part of this process from NVML.

#include "Cuda/Samples.h"

#include "Cuda/Injection.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::DeviceTimePoint;

static constexpr uint64_t ModulesEveryNs = 1000000;
static std::atomic<uint64_t> LastNs[wire::MaxCudaDevices];
static std::atomic<uint64_t> LastModulesNs[wire::MaxCudaDevices];
/// Modules were loaded or unloaded since the last measurement.
static std::atomic<bool> ArePending[wire::MaxCudaDevices];

static void look(const ContextPlace &P, DeviceTimePoint At) {
  size_t Free = 0, Total = 0;
  if (Cuda.MemGetInfo(&Free, &Total) || Free > Total) {
    if (At == DeviceTimePoint::Modules)
      noteModules(P);
    return;
  }
  writeRecord(wire::DeviceUsedRecord{Total - Free, Total, At,
                                     P.in(wire::CudaHeap::Device)});
}

/// Measures for the reason At, or for Modules if a change of modules is
/// pending.
static void lookOr(const ContextPlace &P, DeviceTimePoint At) {
  look(P, ArePending[P.Device].exchange(false) ? DeviceTimePoint::Modules : At);
}

static bool isDue(std::atomic<uint64_t> &LastNs, uint64_t EveryNs) {
  uint64_t Now = coarseNs(), Last = LastNs.load(std::memory_order_relaxed);
  // One thread takes the turn.
  return (!Last || Now - Last >= EveryNs) &&
         LastNs.compare_exchange_strong(Last, Now);
}

/// The interval of samples; 0: none.
static uint64_t everyNs() { return Memrec->SampleEveryNs(); }

static bool canLook(const ContextPlace &P) {
  return P.Device < wire::MaxCudaDevices && Cuda.MemGetInfo;
}

bool cuda::isSampleDue(const ContextPlace &P) {
  uint64_t Every = everyNs();
  return Every && canLook(P) &&
         coarseNs() - LastNs[P.Device].load(std::memory_order_relaxed) >= Every;
}

void cuda::sampleDevice(const ContextPlace &P) {
  uint64_t Every = everyNs();
  if (Every && canLook(P) && isDue(LastNs[P.Device], Every))
    lookOr(P, DeviceTimePoint::Any);
}

bool cuda::sampleBeforeModules(const ContextPlace &P) {
  if (!canLook(P) || !isDue(LastModulesNs[P.Device], ModulesEveryNs))
    return false;
  lookOr(P, DeviceTimePoint::BeforeModules);
  return true;
}

void cuda::sampleAfterModules(const ContextPlace &P) {
  look(P, DeviceTimePoint::Modules);
}

void cuda::noteModules(const ContextPlace &P) {
  if (P.Device < wire::MaxCudaDevices)
    ArePending[P.Device].store(true);
}
