// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes over time, with the peaks of layers.
//
// Replays the events of a trace that has the times of scopes.

#ifndef MEMKIT_LIB_EXPORT_SCOPETIMELINE_H
#define MEMKIT_LIB_EXPORT_SCOPETIMELINE_H

#include "LayerPeaks.h"
#include "Model/Names/ScopeOccurrences.h"
#include "memkit/Model/Selection.h"

namespace memkit {

class ScopeTimeline {
public:
  using Occurrence = ScopeOccurrences::ScopeOccurrence;
  /// Called at the begin and at the end of each scope, inner scopes end before
  /// outer scopes. Peaks: at the end of a layer.
  using OccurrenceCallback =
      llvm::function_ref<void(const Occurrence &, bool Begins,
                              llvm::ArrayRef<LayerPeaks::SpacePeak> Peaks)>;

  /// The selected processes and threads of S, and its window of time.
  ScopeTimeline(const Trace &T, const Selection &Sel) : T(T), Sel(Sel) {}
  llvm::Error run(OccurrenceCallback Do);

private:
  const Trace &T;
  const Selection &Sel;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SCOPETIMELINE_H
