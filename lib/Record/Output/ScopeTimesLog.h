// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of scopes of a process that are not written yet.

#ifndef MEMKIT_LIB_RECORD_SCOPETIMESLOG_H
#define MEMKIT_LIB_RECORD_SCOPETIMESLOG_H

#include "memkit/Trace/Sections.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// Belongs to the recorder's thread.
class ScopeTimesLog {
public:
  explicit ScopeTimesLog(uint32_t Process) : Process(Process) {}

  /// The thread of the ring is in ScopePath from TimeNs on. Nothing, if that is
  /// no change.
  void add(uint32_t Ring, uint32_t Thread, uint64_t TimeNs,
           uint32_t ScopePath) {
    if (Ring >= Rings.size())
      Rings.resize(Ring + size_t(1));
    RingChanges &Of = Rings[Ring];
    if (Of.ScopePath == ScopePath || !TakesChanges)
      return;
    if (Of.Changes.Thread != Thread)
      endThread(Of, Thread);
    Of.ScopePath = ScopePath;
    Of.Adder.add(Of.Changes, TimeNs, ScopePath);
    if (++Count == MaxSectionRows)
      endSection();
  }
  /// Whether the sections should be written soon.
  bool isFull() const { return Sections.size() >= MaxSections; }
  /// The changes since the last call.
  std::vector<ScopeTimes> take();
  /// From now on add() does nothing.
  void end() { TakesChanges = false; }

private:
  struct RingChanges {
    uint32_t ScopePath = 0; ///< of the last change
    ThreadScopes Changes;
    ScopeTimesAdder Adder;
  };
  /// Some 5 bytes a change.
  static constexpr size_t MaxSections = 4;

  void endThread(RingChanges &Of, uint32_t Thread);
  void endSection();

  uint32_t Process;
  std::vector<RingChanges> Rings;
  std::vector<ThreadScopes> Ended; ///< of threads whose rings have new threads
  size_t Count = 0;                ///< of changes in Rings and Ended
  std::vector<ScopeTimes> Sections;
  bool TakesChanges = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPETIMESLOG_H
