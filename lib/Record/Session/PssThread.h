// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads how much memory a process shares with others.

#ifndef MEMKIT_LIB_RECORD_PSSTHREAD_H
#define MEMKIT_LIB_RECORD_PSSTHREAD_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <thread>

namespace memkit {

/// A thread that reads a process's proportional set size (PSS). The kernel
/// walks all pages of the process, about 10 ms per GiB, too long for the
/// recorder's thread, which must drain the rings. The first ask() starts the
/// thread.
///
/// Only the recorder's thread may call the members.
class PssThread {
public:
  PssThread() = default;
  ~PssThread();

  struct PssAnswer {
    uint32_t Process = 0;
    uint64_t TookNs = 0;
    /// In bytes; Pss 0: the process is gone, or the recorder may not read its
    /// PSS.
    uint64_t Pss = 0, Private = 0, Swapped = 0;
  };
  /// Starts to read the PSS of Process; not while isBusy().
  void ask(uint32_t Process, pid_t Pid);
  bool isBusy() const { return Busy; }
  /// The answer to ask(), once the thread has it.
  std::optional<PssAnswer> take();

private:
  void run();

  bool Busy = false;
  std::mutex Lock; ///< guards the members below
  std::condition_variable Wake;
  pid_t Asked = 0; ///< 0: no request
  uint32_t Process = 0;
  std::optional<PssAnswer> Done;
  bool Over = false;
  std::thread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PSSTHREAD_H
