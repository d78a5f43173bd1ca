// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a process shares.

#ifndef MEMKIT_LIB_RECORD_PSSTHREAD_H
#define MEMKIT_LIB_RECORD_PSSTHREAD_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <thread>

namespace memkit {

/// A thread that reads a process's proportional share of its memory: the kernel
/// walks all its pages for that, some 10 ms a GiB, in which the rings must not
/// wait. It is started at the first question.
///
/// All but the thread itself belongs to the recorder's thread.
class PssThread {
public:
  PssThread() = default;
  ~PssThread();

  struct Answer {
    uint32_t Process = 0;
    uint64_t TookNs = 0;
    /// In bytes; Pss 0: the process is gone, or may not be looked at.
    uint64_t Pss = 0, Private = 0, Swapped = 0;
  };
  /// Asks of a process; not while isBusy().
  void ask(uint32_t Process, pid_t Pid);
  bool isBusy() const { return Busy; }
  /// What was asked, once it has come.
  std::optional<Answer> take();

private:
  void run();

  bool Busy = false;
  std::mutex Lock; ///< over what stands below it
  std::condition_variable Wake;
  pid_t Asked = 0; ///< 0: nothing is asked
  uint32_t Process = 0;
  std::optional<Answer> Done;
  bool Over = false;
  std::thread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PSSTHREAD_H
