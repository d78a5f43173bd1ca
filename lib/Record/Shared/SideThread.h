// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread for what would stop the recorder too long.

#ifndef MEMKIT_LIB_RECORD_SHARED_SIDETHREAD_H
#define MEMKIT_LIB_RECORD_SHARED_SIDETHREAD_H

#include "Shared/WorkThread.h"
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace memkit {

/// Runs one job at a time. The first start() starts the thread; if the machine
/// refuses a thread, start() runs the job. Only the recorder's thread may call
/// the members.
class SideThread {
public:
  SideThread() = default;
  /// Waits for the job.
  ~SideThread();

  /// Starts Job; not while isBusy(). What Job touches belongs to the thread
  /// until isDone().
  void start(std::function<void()> Job);
  /// A job runs, or has ended and waits for takeDone().
  bool isBusy() const { return Busy; }
  /// Once after each job: the nanoseconds of processor time that the job took.
  std::optional<uint64_t> takeDone();
  /// As takeDone(), but waits for the job; only while isBusy().
  uint64_t wait();

private:
  void run();
  void runHere();
  void takeJob(std::unique_lock<std::mutex> &Guard);

  bool Busy = false;
  std::mutex Lock; ///< guards the members below
  std::condition_variable Wake, Done;
  std::function<void()> Next; ///< empty: no job
  std::optional<uint64_t> Took;
  bool Over = false;
  WorkThread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_SIDETHREAD_H
