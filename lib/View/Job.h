// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long work beside the server.

#ifndef MEMKIT_LIB_VIEW_JOB_H
#define MEMKIT_LIB_VIEW_JOB_H

#include "memkit/Support/ProgressCallback.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>

namespace memkit {

/// What a job found; each kind of work has its own.
struct JobResult {
  virtual ~JobResult() = default;
};

/// Work on a thread of its own, with progress and a result: the server answers
/// other requests meanwhile. All functions but the work are called on the
/// thread that created the job.
class Job {
public:
  using Work = std::function<llvm::Expected<std::unique_ptr<JobResult>>(
      ProgressCallback)>;

  /// Starts the work. The work must use no data that others change.
  explicit Job(Work Do);
  /// Waits for the work's end.
  ~Job();
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  void wait();
  /// Waits for the work's end, for at most Ms milliseconds.
  void waitFor(unsigned Ms);
  bool isDone() const { return Done; }
  double share() const { return double(Permille) / 1000; }
  std::string what() const;
  /// The result or the error's text. Call after isDone(), as often as wanted.
  llvm::Expected<const JobResult *> result() const;

private:
  static void *run(void *Self);
  void work();

  Work Do;
  pthread_t Thread = {};
  bool HasThread = false;
  std::atomic<bool> Done = false;
  std::atomic<unsigned> Permille = 0;
  mutable std::mutex Lock; ///< of What
  std::condition_variable Ended;
  std::string What;
  std::unique_ptr<JobResult> Found; ///< set before Done
  std::string Problem;              ///< likewise; empty: none
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_JOB_H
