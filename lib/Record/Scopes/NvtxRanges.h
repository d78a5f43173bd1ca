// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of NVTX.

#ifndef MEMKIT_LIB_RECORD_NVTXRANGES_H
#define MEMKIT_LIB_RECORD_NVTXRANGES_H

#include "Scopes/LayerScopes.h"
#include "Scopes/TrainingThreads.h"

namespace memkit {

/// Belongs to the recorder's thread.
class NvtxRanges {
public:
  NvtxRanges(ScopeThreads &Threads, LayerScopes &Layers,
             TrainingThreads &Training)
      : Threads(Threads), Layers(Layers), Training(Training) {}

  static bool owns(uint64_t Flags) {
    return (Flags & wire::SF_KindMask) == wire::SF_Nvtx;
  }
  bool take(const wire::ScopeBeginRecord &Rec, RecordOrigin From);

private:
  ScopeThreads &Threads;
  LayerScopes &Layers;
  TrainingThreads &Training;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NVTXRANGES_H
