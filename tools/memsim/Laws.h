// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the memory of a program follows from a quantity, from recordings that
// differ in it.

#ifndef MEMKIT_TOOLS_MEMSIM_LAWS_H
#define MEMKIT_TOOLS_MEMSIM_LAWS_H

#include "SimPage.h"
#include "Simulate/TorchConfig.h"
#include "memkit/Analysis/SizeLaw.h"
#include "memkit/Model/SelectionSpec.h"
#include "llvm/Support/Error.h"
#include <map>
#include <vector>

namespace memkit {

/// A recording of one value of the quantity.
struct VariedTrace {
  double Quantity = 0;
  std::string Path;
};
/// Texts as `8=a.fb`. Errors: another form, fewer than two different values.
llvm::Expected<std::vector<VariedTrace>>
parseVaried(llvm::ArrayRef<std::string> Inputs);

struct PlaceLaw {
  std::string Place;
  std::vector<MeasuredSize> Runs; ///< bytes at the peak
  SizeLaw Law;
};

/// The laws of one memory space, or of PyTorch's allocator on a device.
struct QuantityLaws {
  std::string Name;         ///< of the quantity
  std::string Of;           ///< `host`, `cuda:0`, `reserved on a device`
  uint64_t DeviceBytes = 0; ///< the size in question; 0: none
  std::vector<MeasuredSize> Runs;
  SizeLaw Law;
  std::vector<PlaceLaw> Places; ///< the most bytes in the largest run first
};

struct LawRequest {
  std::string Name;
  std::vector<VariedTrace> Traces;
  SelectionSpec Spec;
  /// Whether DeviceBytes are of a device that is to serve the CPU's tensors:
  /// then the bytes are what PyTorch's allocator reserves with Config.
  bool OnDevice = false;
  TorchConfig Config;
  uint64_t DeviceBytes = 0;
};

/// Reads the recordings, one after the other. A law for each memory space that
/// has memory in all of them. Errors name the recording.
llvm::Expected<std::vector<QuantityLaws>> findLaws(const LawRequest &R);

void printLaws(SimPage &P, llvm::ArrayRef<QuantityLaws> All);
void writeLawJson(llvm::raw_ostream &OS, llvm::ArrayRef<QuantityLaws> All);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_LAWS_H
