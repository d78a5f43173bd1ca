// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program that ran on the CPU would fit a device.

#include "Simulate/DeviceFit.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static uint64_t reservedBy(const TargetResults &R) {
  return R.Results.front().Reserved;
}

/// The result of one process on a device.
static Expected<TorchResult> onDevice(const Trace &T, const Selection &Sel,
                                      const TorchConfig &C, uint32_t Process,
                                      uint64_t Bytes) {
  auto All = simulateTorch(T, Sel, C, Bytes, TensorSource::Cpu);
  if (!All)
    return All.takeError();
  return find_if(*All,
                 [&](const TargetResults &R) {
                   return R.Target.Process == Process;
                 })
      ->Results.front();
}

Expected<std::optional<DeviceFit>> fitDevice(const Trace &T,
                                             const Selection &Sel,
                                             const TorchConfig &C,
                                             uint64_t DeviceBytes) {
  auto All =
      simulateTorch(T, Sel, C, TorchAllocator::Unlimited, TensorSource::Cpu);
  if (!All)
    return All.takeError();
  if (All->empty())
    return std::nullopt;
  auto Largest = llvm::max_element(*All, [](const auto &A, const auto &B) {
    return reservedBy(A) < reservedBy(B);
  });
  DeviceFit Out;
  Out.Target = Largest->Target;
  Out.Unlimited = Largest->Results.front();
  Out.NumOthers = uint32_t(All->size() - 1);
  uint32_t Process = Out.Target.Process;
  auto Asked = onDevice(T, Sel, C, Process, DeviceBytes);
  if (!Asked)
    return Asked.takeError();
  Out.OnDevice = *Asked;
  // The allocator gives back what it does not use before a request fails, so a
  // device may be smaller than what is reserved without a limit.
  uint64_t High = Out.Unlimited.Reserved, Low = 0;
  if (Out.fits())
    High = std::min(High, DeviceBytes);
  else
    Low = std::min(High, DeviceBytes);
  while (High - Low > High / 100) {
    uint64_t Middle = Low + (High - Low) / 2;
    auto Tried = onDevice(T, Sel, C, Process, Middle);
    if (!Tried)
      return Tried.takeError();
    (Tried->hasEnded() ? Low : High) = Middle;
  }
  Out.LeastBytes = High;
  return Out;
}

} // namespace memkit
