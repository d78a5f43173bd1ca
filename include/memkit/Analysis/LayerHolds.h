// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each layer holds at a peak.

#ifndef MEMKIT_ANALYSIS_LAYERHOLDS_H
#define MEMKIT_ANALYSIS_LAYERHOLDS_H

#include "memkit/Model/SelectedStats.h"
#include "memkit/Trace/Summary.h"

namespace memkit {

/// The bytes of each layer at the peak of a memory space: the blocks that the
/// layer itself allocated, activations in forward and gradients in backward. A
/// layer's own peak is another number: the level of the heap while the layer
/// ran.
struct LayerHolds {
  /// The memory space with the most bytes of layers at its peak.
  uint32_t Space = 0;
  /// By layer, in the order of Layers; empty: no layer has bytes at a peak.
  std::vector<uint64_t> Bytes;
};

/// Sorts Layers by their bytes at the peak, most first. Layers stay as they are
/// where no layer has bytes at a peak.
LayerHolds orderByHeld(const SelectedStats &S, std::vector<LayerStats> &Layers);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LAYERHOLDS_H
