// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, held by ptrace.

#ifndef MEMKIT_LIB_RECORD_ATTACH_TARGETTHREAD_H
#define MEMKIT_LIB_RECORD_ATTACH_TARGETTHREAD_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <linux/filter.h>
#include <optional>
#include <sys/types.h>
#include <sys/user.h>
#include <vector>

namespace memkit {

using TargetRegisters = user_regs_struct;

/// Why a thread has stopped.
enum class TargetStop {
  Interrupted, ///< where it was, as asked
  SystemCall,  ///< before or after a system call, after runToCall()
  Signal,      ///< a signal is about to be delivered
  GroupStop,   ///< the process is stopped by job control
  Ended,       ///< the thread is gone
  Timeout,     ///< it still runs
};

/// Holds a thread by PTRACE_SEIZE: the program does not see it. If memrec dies,
/// the kernel lets the thread go on as its registers are. All functions only in
/// the thread of memrec that seized.
class TargetThread {
public:
  /// isHeld() tells whether it worked; errno why not.
  explicit TargetThread(pid_t Tid);
  TargetThread(const TargetThread &) = delete;
  TargetThread &operator=(const TargetThread &) = delete;
  /// Lets the thread go on.
  ~TargetThread() { release(); }

  bool isHeld() const { return Held; }
  pid_t tid() const { return Tid; }

  /// Stops the thread, between two instructions or in a system call that goes
  /// on later. Signals that come meanwhile are delivered. False: the thread has
  /// ended, or does not stop in time.
  bool stop(unsigned TimeoutMs);
  /// The signal of the last stop.
  int signal() const { return Signal; }
  /// Whether the last stop was before or after a system call.
  bool isAtCall() const { return Is == TargetStop::SystemCall; }

  // Only while the thread is stopped; false: the thread has ended.
  bool get(TargetRegisters &To) const;
  bool set(const TargetRegisters &From) const;
  std::vector<uint8_t> floatState() const;
  bool setFloatState(llvm::ArrayRef<uint8_t> State) const;
  bool getSignalMask(uint64_t &To) const;
  bool setSignalMask(uint64_t From) const;
  /// The address of the word that is not null while the thread is in a sequence
  /// of instructions that the kernel starts again (rseq); 0: there is none.
  uint64_t restartableWord() const;

  /// The seccomp filters of the thread, the last first. None: errno is EACCES
  /// if memrec has no right to see them.
  std::optional<std::vector<std::vector<sock_filter>>> filters() const;

  /// Goes on to the next system call or other stop.
  TargetStop runToCall(unsigned TimeoutMs);
  /// Goes on, and stops before the next instruction: only from a stop at a
  /// system call.
  TargetStop stopAtOnce(unsigned TimeoutMs);
  /// Lets the thread go on, and no longer holds it.
  void release();

private:
  TargetStop wait(unsigned TimeoutMs);
  /// A call that the stop has ended waits again, if need be for its whole time.
  void goesOnWaiting() const;

  pid_t Tid;
  bool Held = false, Stopped = false;
  int Signal = 0;
  TargetStop Is = TargetStop::Timeout; ///< the last stop
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_TARGETTHREAD_H
