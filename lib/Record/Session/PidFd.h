// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_PIDFD_H
#define MEMKIT_LIB_RECORD_SESSION_PIDFD_H

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace memkit {

/// A descriptor of process Pid, which the caller closes; -1 and errno on
/// failure.
inline int openPidFd(pid_t Pid) { return int(syscall(SYS_pidfd_open, Pid, 0)); }

/// Whether the process of a pidfd has ended; true for -1.
inline bool hasEnded(int PidFd) {
  pollfd P{PidFd, POLLIN, 0};
  return PidFd < 0 || (poll(&P, 1, 0) == 1 && P.revents);
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_PIDFD_H
