// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops a process for a while.

#ifndef MEMKIT_LIB_RECORD_ATTACH_STOPPEDPROCESS_H
#define MEMKIT_LIB_RECORD_ATTACH_STOPPEDPROCESS_H

#include "llvm/Support/Error.h"
#include <memory>
#include <sys/types.h>
#include <vector>

namespace memkit {

class TargetThread;

/// Holds all threads of a process; they go on when this object ends, or when
/// memrec dies. A thread in a system call that cannot be interrupted is left in
/// it. Belongs to one thread of memrec.
class StoppedProcess {
public:
  /// Errors: the end of a sentence that begins with the process.
  static llvm::Expected<StoppedProcess> stop(pid_t Pid);
  StoppedProcess(StoppedProcess &&);
  ~StoppedProcess();

  /// Since when all threads stand.
  uint64_t standsNs() const;
  /// Those that could be stopped, and those that are left in a system call.
  const std::vector<std::unique_ptr<TargetThread>> &threads() const {
    return Threads;
  }

private:
  StoppedProcess();
  std::vector<std::unique_ptr<TargetThread>> Threads;
  uint64_t BegunNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_STOPPEDPROCESS_H
