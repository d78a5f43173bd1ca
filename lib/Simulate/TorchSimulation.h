// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recorded program would take of its devices with other settings of
// PyTorch's allocator.

#ifndef MEMKIT_LIB_SIMULATE_TORCHSIMULATION_H
#define MEMKIT_LIB_SIMULATE_TORCHSIMULATION_H

#include "Simulate/DeviceRequests.h"
#include "Simulate/TorchAllocator.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

/// The result of one setting for one target. Sizes are bytes.
struct TorchResult {
  // When the most was reserved.
  uint64_t Reserved = 0;
  uint64_t Allocated = 0; ///< in tensors, rounded
  uint64_t LargestFree = 0;
  uint64_t PeakNs = 0;
  // Up to the end.
  uint64_t NumMallocs = 0, NumFrees = 0, NumRetries = 0;
  uint64_t NumServed = 0; ///< requests that failed in the recorded run
  /// The first request that failed.
  struct TorchFailure {
    uint64_t TimeNs = 0, Bytes = 0;
    uint32_t Stack = 0;
    /// The request failed in the recorded run, too: the program lived on, and
    /// the simulation. Otherwise the simulation ends here.
    bool IsRecorded = false;
    uint64_t Reserved = 0, Allocated = 0, LargestFree = 0;
  };
  std::optional<TorchFailure> Failure;
  uint64_t NumFailures = 0; ///< of requests

  /// Whether a request failed that the recorded run served.
  bool hasEnded() const { return Failure && !Failure->IsRecorded; }
  /// Reserved bytes in no tensor, when the most was reserved.
  uint64_t freeBytes() const { return Reserved - Allocated; }
};

/// One setting and one target. One thread at a time.
class TorchSimulation {
public:
  /// DeviceBytes: of the device; 0: no limit.
  TorchSimulation(const TorchConfig &C, uint64_t DeviceBytes);
  void run(const RequestBatch &Batch);
  const TorchResult &result() const { return Result; }

private:
  void allocate(const RequestBatch &Batch, size_t At);
  void retry(const RequestBatch &Batch, size_t At);
  void notePeak(uint64_t TimeNs);
  void noteFailure(const RequestBatch &Batch, size_t At, bool IsRecorded);

  TorchAllocator Allocator;
  TorchResult Result;
  std::vector<uint32_t> Blocks; ///< of the allocator, by tensor
  bool HasLimit;
  bool HasEnded = false;
};

/// A target with the results of all settings, in their order.
struct TargetResults {
  DeviceTarget Target;
  std::vector<TorchResult> Results;
};

/// Simulates all selected targets, each with every setting, on all processors.
/// DeviceBytes: of each device; 0: what each target has (DeviceTarget). Targets
/// without a request are left out. Needs as readDeviceRequests().
llvm::Expected<std::vector<TargetResults>>
simulateTorch(const Trace &T, const Selection &Sel,
              llvm::ArrayRef<TorchConfig> Configs, uint64_t DeviceBytes,
              TensorSource Which = TensorSource::Devices);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_TORCHSIMULATION_H
