// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes over time, with the peaks of layers.
//
// Replays the events of a trace that has the times of scopes, and merges both
// by time. Times of scopes are rounded, but each allocation names its scope
// path: a thread's change is taken before or after an allocation so that the
// scope path fits.

#ifndef MEMKIT_LIB_EXPORT_SCOPETIMELINE_H
#define MEMKIT_LIB_EXPORT_SCOPETIMELINE_H

#include "LayerPeaks.h"
#include "Model/Names/ScopeOccurrences.h"
#include "Model/Select/ScopeTimeCursor.h"
#include "memkit/Model/Selection.h"
#include <deque>
#include <memory>

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
  /// The changes of a process, and its open scopes.
  struct ScopesOfProcess {
    ScopesOfProcess(const Trace &T, uint32_t Process)
        : Cursor(T, Process), Occurrences(T.scopePaths()), Peaks(T, Process),
          Threads(T.threads().size() + 1) {}
    struct ThreadNow {
      uint32_t ScopePath = 0;
      uint64_t SinceNs = 0; ///< the last change
    };
    ScopeTimeCursor Cursor;
    /// Changes that were read but not taken, in order of time.
    std::deque<ScopeChange> Ahead;
    ScopeOccurrences Occurrences;
    LayerPeaks Peaks;
    std::vector<ThreadNow> Threads; ///< by id
    bool IsInWindow = false;
  };

  llvm::Error readAhead(ScopesOfProcess &Of, uint64_t UntilNs);
  llvm::Error event(const ReplayedEvent &E);
  void takeUpTo(ScopesOfProcess &Of, const ReplayedEvent &E);
  void take(ScopesOfProcess &Of, const ScopeChange &C);
  llvm::Error finish(ScopesOfProcess &Of);
  void report(ScopesOfProcess &Of, const Occurrence &Is, bool Begins);
  uint64_t sinceNs() const {
    return Sel.times().Since ? Sel.times().Since->TimeNs : 0;
  }

  const Trace &T;
  const Selection &Sel;
  const OccurrenceCallback *Do = nullptr;
  const LiveStats *Live = nullptr;
  std::vector<std::unique_ptr<ScopesOfProcess>> Processes; ///< by id; or null
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SCOPETIMELINE_H
