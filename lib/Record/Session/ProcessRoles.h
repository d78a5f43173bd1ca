// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_PROCESSROLES_H
#define MEMKIT_LIB_RECORD_SESSION_PROCESSROLES_H

#include "Session/ChildList.h"

namespace memkit {

/// Names processes after their work: the script that Python runs, the title
/// that a process gives itself, the number of a DataLoader worker.
class ProcessRoles {
public:
  ProcessRoles(Recording &R, const ChildList &Children)
      : R(R), Children(Children) {}

  /// Sets the role of the new process P from its command line and the role of
  /// its parent. I: P in the trace.
  void setFirst(ChildProcess &P, const ProcessRecord &I,
                llvm::ArrayRef<std::string> Command) const;
  /// Reads the title of P. While P executes another program, the arguments may
  /// be those of the new program; the path of its program is checked.
  static void readTitle(ChildProcess &P);
  /// Names P by its last title. Called at the end of P: the title may change at
  /// each sample.
  void setTitle(const ChildProcess &P);
  /// If P is a DataLoader worker, names P after its number. Called before P
  /// ends, when all its records are known. A DataLoader numbers its workers in
  /// the order of their start, and starts new workers for each epoch of
  /// training.
  void nameDataWorker(ChildProcess &P);

private:
  struct DataWorker {
    uint32_t Parent, Process;
    uint64_t EndNs;
  };

  Recording &R;
  const ChildList &Children;
  /// Workers that have ended; the last 4,096 are kept.
  std::vector<DataWorker> EndedWorkers;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_PROCESSROLES_H
