// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The highest live bytes of tensors in each call of a layer.

#ifndef MEMKIT_LIB_EXPORT_LAYERPEAKS_H
#define MEMKIT_LIB_EXPORT_LAYERPEAKS_H

#include "memkit/Model/Replay.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// Calls of one process, of all threads; they may overlap in any way. Each call
/// keeps the highest bytes until the next call begins, so that an allocation
/// touches one call.
class LayerPeaks {
public:
  struct SpacePeak {
    uint32_t Space = 0;
    uint64_t Bytes = 0;
  };
  using SpacePeaks = llvm::SmallVector<SpacePeak, 2>;

  LayerPeaks(const Trace &T, uint32_t Process);

  /// A call begins in the thread. Depth distinguishes the open calls of a
  /// thread. Now: after the events before the begin.
  void begin(uint32_t Thread, uint32_t Depth, const LiveStats &Now);
  /// The call ends. Returns the peaks of memory spaces with tensors, without
  /// those that were 0.
  SpacePeaks end(uint32_t Thread, uint32_t Depth);
  /// An event of the process. Now: after the event.
  void event(const ReplayedEvent &E, const LiveStats &Now);

private:
  struct OpenCall {
    uint32_t Thread, Depth;
    llvm::SmallVector<uint64_t, 2> Highest; ///< by Heaps
  };
  uint32_t Process;
  /// Heaps of tensors: a memory space has one.
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 2> Heaps; ///< heap, space
  std::vector<OpenCall> Opens; ///< in order of begin
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_LAYERPEAKS_H
