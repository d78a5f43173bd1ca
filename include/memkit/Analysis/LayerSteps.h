// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that layers hold in each step.

#ifndef MEMKIT_ANALYSIS_LAYERSTEPS_H
#define MEMKIT_ANALYSIS_LAYERSTEPS_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// Layers by step, at the highest sum of the counted bytes in each step. The
/// counted bytes are those of tensors; in a memory space without tensors, of
/// all blocks. A block belongs to the innermost layer in which the block was
/// allocated, forward and backward together.
struct LayerSteps {
  uint32_t Process = 0;         ///< the process with most steps
  std::vector<uint32_t> Layers; ///< strings: module paths, the most bytes first
  std::vector<uint64_t> Steps;  ///< numbers of steps
  std::vector<uint64_t> StepNs; ///< the time of the highest sum, by step
  /// By layer, then step.
  std::vector<std::vector<uint64_t>> Bytes;
  size_t LeftOutLayers = 0, LeftOutSteps = 0;
};

/// Replays all events. Space: a memory space. At most MaxLayers layers and
/// MaxSteps steps, at equal distances. Errors: TraceError.
llvm::Expected<LayerSteps> readLayerSteps(const Trace &T, uint32_t Space,
                                          size_t MaxLayers, size_t MaxSteps);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LAYERSTEPS_H
