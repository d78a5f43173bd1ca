// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each layer holds at a peak.

#ifndef MEMKIT_ANALYSIS_LAYERHOLDS_H
#define MEMKIT_ANALYSIS_LAYERHOLDS_H

#include "memkit/Model/SelectedStats.h"
#include "memkit/Trace/Summary.h"

namespace memkit {

/// A layer's peak is the level of the heap while it ran. What the layer itself
/// has of a peak is what its allocations are of it: activations under forward,
/// gradients under backward.
struct LayerHolds {
  /// Of which memory space's peak: that of which the layers hold most.
  uint32_t Space = 0;
  /// By layer; empty: the trace has no scope paths to tell by.
  std::vector<uint64_t> Bytes;
};

/// Orders Layers by what they hold, where that is known.
LayerHolds orderByHeld(const SelectedStats &S, std::vector<LayerStats> &Layers);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LAYERHOLDS_H
