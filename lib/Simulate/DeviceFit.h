// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program that ran on the CPU would fit a device.

#ifndef MEMKIT_LIB_SIMULATE_DEVICEFIT_H
#define MEMKIT_LIB_SIMULATE_DEVICEFIT_H

#include "Simulate/TorchSimulation.h"
#include <optional>

namespace memkit {

/// The answer for the process whose tensors take most. Sizes are bytes.
struct DeviceFit {
  DeviceTarget Target;
  TorchResult Unlimited; ///< on a device without a limit
  TorchResult OnDevice;
  /// The smallest device that serves all requests, to a hundredth.
  uint64_t LeastBytes = 0;
  uint32_t NumOthers = 0; ///< other processes with tensors

  bool fits() const { return !OnDevice.hasEnded(); }
};

/// Serves all selected tensors of `torch.cpu` as PyTorch's allocator of a
/// device with DeviceBytes would, with the settings C. Nothing: the trace has
/// no such tensors. Needs as readDeviceRequests().
llvm::Expected<std::optional<DeviceFit>> fitDevice(const Trace &T,
                                                   const Selection &Sel,
                                                   const TorchConfig &C,
                                                   uint64_t DeviceBytes);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_DEVICEFIT_H
