// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what programs would take of their devices.

#ifndef MEMKIT_TOOLS_MEMSIM_DEVICETEXT_H
#define MEMKIT_TOOLS_MEMSIM_DEVICETEXT_H

#include "Allocators.h"
#include "SimPage.h"
#include "Simulate/DeviceFit.h"

namespace memkit {

/// Everything that is printed.
struct DeviceView {
  const Trace &T;
  const RecordedTorchConfig &Recorded;
  llvm::ArrayRef<ChosenAllocator> Allocators;
  llvm::ArrayRef<TargetResults> Targets; ///< results of Allocators
  /// Of --search; none without.
  llvm::ArrayRef<RankedConfig> Ranked;
  size_t NumTried = 0;
  /// Of --as; the settings are those of the first allocator.
  std::optional<DeviceFit> Fit = std::nullopt;
};

/// For people: for each target the answer, a row for each allocator, and what
/// failed.
void printDevices(SimPage &P, const DeviceView &V);
/// For scripts; docs/CommandGuide/memsim.md has the fields.
void writeDeviceJson(llvm::raw_ostream &OS, const DeviceView &V);

/// The line that sets C in a shell: `export PYTORCH_CUDA_ALLOC_CONF=...`.
std::string exportLine(const TorchConfig &C);
/// Millionths of the reserved bytes that are in no tensor, at the peak.
uint32_t freePpm(const TorchResult &R);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_DEVICETEXT_H
