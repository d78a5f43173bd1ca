// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs that one thread adds and several threads run.

#ifndef MEMKIT_LIB_SUPPORT_JOBQUEUE_H
#define MEMKIT_LIB_SUPPORT_JOBQUEUE_H

#include "llvm/ADT/FunctionExtras.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace memkit {

/// Starts jobs in the order in which one thread adds the jobs. Any number of
/// threads help; without a helper, the thread that adds runs all jobs itself.
/// A job that throws loses itself only.
class JobQueue {
public:
  using QueuedJob = llvm::unique_function<void()>;

  /// MaxWaiting: jobs that wait at a time; 0: add() runs each job.
  explicit JobQueue(size_t MaxWaiting) : MaxWaiting(MaxWaiting) {}

  /// Adds a job. While too many jobs wait, runs the oldest.
  void add(QueuedJob J);
  /// Runs what waits; then help() returns. No job may be added any more.
  void end();
  /// As end(), but drops what waits.
  void stop();
  /// Runs jobs until end() or stop(). Any thread.
  void help();

private:
  /// Takes the oldest job, if more than Max wait.
  QueuedJob takeAbove(size_t Max);

  size_t MaxWaiting;
  std::mutex Lock; ///< for the members below
  std::condition_variable Changed;
  std::deque<QueuedJob> Waiting;
  bool IsEnded = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_JOBQUEUE_H
