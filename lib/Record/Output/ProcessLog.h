// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of a process that are not written yet.

#ifndef MEMKIT_LIB_RECORD_PROCESSLOG_H
#define MEMKIT_LIB_RECORD_PROCESSLOG_H

#include "Output/BlockCategoryLog.h"
#include "Output/DeviceSpanLog.h"
#include "Output/ScopeTimesLog.h"
#include "Trace/EventLog.h"
#include "memkit/Trace/Summary.h"
#include <functional>
#include <utility>

namespace memkit {

class CategoryTable;

/// Two logs: Now takes events while the recording writes the other log. Belongs
/// to the recorder's thread.
class ProcessLog {
public:
  explicit ProcessLog(uint32_t Process) : Scopes(Process) {
    Now.Process = Writing.Process = Process;
  }

  uint32_t process() const { return Now.Process; }
  EventLog Now;
  uint64_t NextAllocationId = 0;
  /// Called before the last summary, to add stats of the end.
  std::function<void()> AtEnd;
  /// Adds stats of scopes, up to the time; OnlyChanged: those that have changed
  /// since the last such call.
  std::function<void(uint64_t, bool OnlyChanged, std::vector<LayerStats> &)>
      AddScopes;
  /// Adds the live tensors, as if they ended now.
  std::function<void(CategoryTable &)> AddCategories;
  BlockCategoryLog Categories;
  ScopeTimesLog Scopes;
  DeviceSpanLog Spans;

  /// Sets the events since the last call aside as those of Epoch; the caller
  /// writes them and empties the log. The events of the call before must be
  /// written. Null: no events.
  EventLog *change(uint32_t Epoch) {
    bool Any = !Now.empty();
    if (Any) {
      Now.Epoch = Epoch;
      std::swap(Now, Writing);
    }
    Now.start(NextAllocationId);
    return Any ? &Writing : nullptr;
  }
  /// The log is empty, and gets no more events: Spare takes its memory if that
  /// is more than Spare's.
  void giveMemory(EventLog &Spare) {
    Spare.takeLarger(Now);
    Spare.takeLarger(Writing);
  }
  bool hasUnwritten() const { return !Now.empty() || !Writing.empty(); }

private:
  EventLog Writing;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSLOG_H
