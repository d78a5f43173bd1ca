// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of PyTorch's allocator: those of a recorded run, and those worth a
// try.

#ifndef MEMKIT_LIB_SIMULATE_TORCHSETTINGS_H
#define MEMKIT_LIB_SIMULATE_TORCHSETTINGS_H

#include "Simulate/TorchSimulation.h"
#include "memkit/Trace/Sections.h"
#include <string>
#include <vector>

namespace memkit {

/// The settings of a recorded run.
struct RecordedTorchConfig {
  TorchConfig Config;
  bool IsKnown = false; ///< the trace has them; else the defaults
  /// The variable with settings that was set, if the trace has no value of it.
  std::string Variable;
};
/// From the facts of the header: what memrec found in its environment, or what
/// a snapshot of PyTorch has. Facts that cannot be read count as absent.
RecordedTorchConfig recordedTorchConfig(const Header &H);

/// 64 settings: with and without expandable segments, with several limits of
/// splits and divisions, and, where the device's bytes are known, with garbage
/// collection.
std::vector<TorchConfig> torchConfigsToTry(bool KnowsDevice);

/// A setting with its sums over all targets. Peaks are added: each target is a
/// device, or another process on it.
struct RankedConfig {
  TorchConfig Config;
  uint64_t Reserved = 0, NumMallocs = 0;
  bool HasEnded = false;    ///< a request failed that the recorded run served
  uint64_t NumFailures = 0; ///< of requests
};
/// The settings of Configs, the best first: those that serve what the recorded
/// run served, then by failed requests, by reserved bytes, by segments taken,
/// by the length of the settings. Of settings with equal sums only the shortest
/// is listed.
std::vector<RankedConfig> rankConfigs(llvm::ArrayRef<TorchConfig> Configs,
                                      llvm::ArrayRef<TargetResults> Of);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_TORCHSETTINGS_H
