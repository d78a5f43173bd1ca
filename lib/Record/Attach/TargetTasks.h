// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a process, as the kernel lists them.

#ifndef MEMKIT_LIB_RECORD_ATTACH_TARGETTASKS_H
#define MEMKIT_LIB_RECORD_ATTACH_TARGETTASKS_H

#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace memkit {

struct TargetTask {
  pid_t Pid, Tid;
  bool IsWaiting; ///< in a system call, as far as the kernel tells
  /// Not in a call that cannot be interrupted, and not stopped.
  bool MayStop;
  /// Whether the thread has ended since.
  bool isGone() const;
};

/// The threads, those that wait first. Empty: the process is gone.
std::vector<TargetTask> tasksOf(pid_t Pid);

/// The state of a process or thread in /proc/PID/stat: `R`, `S`, `D`, `T`, `t`,
/// `Z`, ...; 0: gone.
char stateOf(pid_t Pid, pid_t Tid);

/// The number of the system call in which a thread waits; UINT64_MAX: in none,
/// or not known.
uint64_t callOf(pid_t Pid, pid_t Tid);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_TARGETTASKS_H
