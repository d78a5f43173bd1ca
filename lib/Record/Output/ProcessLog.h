// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of one process that are not written yet.

#ifndef MEMKIT_LIB_RECORD_PROCESSLOG_H
#define MEMKIT_LIB_RECORD_PROCESSLOG_H

#include "Trace/EventLog.h"
#include <functional>
#include <utility>

namespace memkit {

/// Two logs: Now takes events, while the recording writes the other. Belongs to
/// the recorder's thread.
class ProcessLog {
public:
  explicit ProcessLog(uint32_t Process) {
    Now.Process = Writing.Process = Process;
  }

  uint32_t process() const { return Now.Process; }
  EventLog Now;
  uint64_t NextAllocationId = 0;
  /// Called before the last summary: stats that are due at the end.
  std::function<void()> AtEnd;

  /// Puts the events since the last call aside, to be written as those of Epoch
  /// and then emptied; those of the call before are written by now. Null when
  /// there are none.
  EventLog *change(uint32_t Epoch) {
    bool Any = !Now.empty();
    if (Any) {
      Now.Epoch = Epoch;
      std::swap(Now, Writing);
    }
    Now.start(NextAllocationId);
    return Any ? &Writing : nullptr;
  }
  bool hasUnwritten() const { return !Now.empty() || !Writing.empty(); }

private:
  EventLog Writing;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSLOG_H
