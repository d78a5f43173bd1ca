// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of scopes of a process that are not written yet.

#include "Output/ScopeTimesLog.h"
#include <iterator>
#include <utility>

using namespace memkit;

void ScopeTimesLog::endThread(RingChanges &Of, uint32_t Thread) {
  if (Of.Changes.size())
    Ended.push_back(std::exchange(Of.Changes, {}));
  Of.Changes.Thread = Thread;
  Of.Adder = {};
}

/// Sets the changes aside as a section, so that no later change of the process
/// is in the same section or an earlier one.
void ScopeTimesLog::endSection() {
  if (!Count)
    return;
  ScopeTimes &New = Sections.emplace_back();
  New.Process = Process;
  New.Threads = std::exchange(Ended, {});
  for (RingChanges &Of : Rings) {
    if (!Of.Changes.size())
      continue;
    New.Threads.push_back(Of.Changes);
    // Its memory serves the next changes.
    Of.Changes.Gaps.clear();
    Of.Changes.ScopePaths.clear();
  }
  Count = 0;
}

std::vector<ScopeTimes> ScopeTimesLog::take() {
  endSection();
  return std::exchange(Sections, {});
}
