// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that the machine may refuse.
//
// std::thread reports a refusal (a limit of processes, no memory) by an
// exception, and would end the recording. A recorder can go on with fewer
// threads.

#ifndef MEMKIT_LIB_RECORD_WORKTHREAD_H
#define MEMKIT_LIB_RECORD_WORKTHREAD_H

#include <functional>
#include <pthread.h>

namespace memkit {

/// Blocks all signals, which the recorder's thread handles. Join it before it
/// is destroyed.
class WorkThread {
public:
  WorkThread() = default;
  WorkThread(const WorkThread &) = delete;
  WorkThread &operator=(const WorkThread &) = delete;

  /// Runs Work in a thread. False: no thread may start, and Work does not run.
  bool start(std::function<void()> Work);
  bool isStarted() const { return Started; }
  /// Waits for the end of Work. No-op if it was not started.
  void join();

  /// Runs Work in a thread that nobody waits for; false as for start().
  static bool startDetached(std::function<void()> Work);

private:
  bool Started = false;
  pthread_t Thread = {};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_WORKTHREAD_H
