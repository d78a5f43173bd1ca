// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process of memkit-replay.

#ifndef MEMKIT_LIB_SIMULATE_REPLAYPROCESS_H
#define MEMKIT_LIB_SIMULATE_REPLAYPROCESS_H

#include "Simulate/HostAllocator.h"
#include <sys/types.h>

namespace memkit {

class ReplayProcess {
public:
  /// Starts the program. Errors: that it cannot be started.
  static llvm::Expected<ReplayProcess> start(const HostAllocator &A,
                                             const HostReplayLimits &Limits);
  ReplayProcess(ReplayProcess &&Other)
      : Pid(std::exchange(Other.Pid, -1)),
        Socket(std::exchange(Other.Socket, -1)),
        Messages(std::exchange(Other.Messages, -1)), StuckNs(Other.StuckNs) {}
  /// Kills the process if it still runs, and waits.
  ~ReplayProcess();

  /// Sends all bytes. False: the process takes no more, because it has ended,
  /// or makes no progress.
  bool send(const void *Bytes, size_t Size);
  /// Waits for the outcome and the end of the process.
  HostResult finish();

private:
  ReplayProcess(pid_t Pid, int Socket, int Messages, uint64_t StuckNs)
      : Pid(Pid), Socket(Socket), Messages(Messages), StuckNs(StuckNs) {}
  bool receive(void *Bytes, size_t Size);
  bool await(short Event);
  std::string readMessages() const;

  pid_t Pid;
  int Socket;
  int Messages;     ///< a file of memory, the standard error of the process
  uint64_t StuckNs; ///< see HostReplayLimits
  bool IsStuck = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_REPLAYPROCESS_H
