// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the times of scopes with replayed events.
//
// Times of scopes are rounded, but each allocation names its scope path: a
// thread's change is taken before or after an allocation so that the scope path
// fits.

#ifndef MEMKIT_LIB_EXPORT_SCOPEMERGE_H
#define MEMKIT_LIB_EXPORT_SCOPEMERGE_H

#include "Model/Names/ScopeOccurrences.h"
#include "Model/Select/ScopeTimeCursor.h"
#include "memkit/Model/Replay.h"
#include "memkit/Model/Selection.h"
#include <deque>
#include <functional>
#include <memory>

namespace memkit {

/// The scopes of the selected processes and threads, in a window of time, of a
/// trace that has the times of scopes.
class ScopeMerge {
public:
  /// Called at the begin and at the end of each scope. Inner scopes end before
  /// outer scopes.
  using MergedScope = std::function<void(
      const ScopeOccurrences::ScopeOccurrence &, bool Begins)>;

  /// T and Sel must outlive the merge.
  ScopeMerge(const Trace &T, const Selection &Sel, MergedScope Do);

  /// Whether the process has times of scopes that are merged.
  bool has(uint32_t Process) const { return Processes[Process] != nullptr; }
  /// Takes the changes of the event's process that come before the event. The
  /// events come in order of time.
  llvm::Error before(const ReplayedEvent &E);
  /// Takes the changes of all processes before TimeNs, but for those so close
  /// that their rounded times may lie on the wrong side.
  llvm::Error advance(uint64_t TimeNs);
  /// Takes what is left, up to the end of the window.
  llvm::Error finish();

private:
  /// The changes of a process, and its open scopes.
  struct ScopesOfProcess {
    ScopesOfProcess(const Trace &T, uint32_t Process)
        : Cursor(T, Process), Occurrences(T.scopePaths()),
          Threads(T.threads().size() + 1) {}
    struct ThreadNow {
      uint32_t ScopePath = 0;
      uint64_t SinceNs = 0; ///< the last change
    };
    ScopeTimeCursor Cursor;
    /// Changes that were read but not taken, in order of time.
    std::deque<ScopeChange> Ahead;
    ScopeOccurrences Occurrences;
    std::vector<ThreadNow> Threads; ///< by id
    bool IsInWindow = false;
  };

  llvm::Error readAhead(ScopesOfProcess &Of, uint64_t UntilNs);
  void takeUpTo(ScopesOfProcess &Of, const ReplayedEvent &E);
  void take(ScopesOfProcess &Of, const ScopeChange &C);
  llvm::Error finish(ScopesOfProcess &Of);
  uint64_t sinceNs() const {
    return Sel.times().Since ? Sel.times().Since->TimeNs : 0;
  }

  const Trace &T;
  const Selection &Sel;
  MergedScope Do;
  std::vector<std::unique_ptr<ScopesOfProcess>> Processes; ///< by id; or null
  std::vector<ScopesOfProcess *> Merged;                   ///< those there are
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SCOPEMERGE_H
