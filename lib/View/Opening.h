// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens traces beside the server.

#ifndef MEMKIT_LIB_VIEW_OPENING_H
#define MEMKIT_LIB_VIEW_OPENING_H

#include "Job.h"
#include "Question.h"
#include "Router.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace memkit {

/// Traces that are being opened. A trace that was cut off is replayed first,
/// which takes seconds: the page shows the progress meanwhile. All functions
/// are called on one thread.
class Opening {
public:
  using Open =
      std::function<llvm::Expected<std::unique_ptr<Router>>(ProgressCallback)>;

  /// Starts to open; after waitFor() was too short, also prepares the answer to
  /// `start`. Failed is called on another thread, ErrorTime after an error, so
  /// that the page can still ask for the error.
  Opening(Open How, std::function<void()> Failed,
          std::chrono::milliseconds ErrorTime = std::chrono::seconds(2));

  ~Opening();

  /// Waits for at most Ms milliseconds; true: opened, or failed.
  bool waitFor(unsigned Ms);
  bool isDone() const { return Ended; }
  /// The error, once; success without an error so far.
  llvm::Error takeError();
  /// The answer as JSON, or progress, or the error.
  llvm::Expected<std::string> answer(const Question &Q);
  /// Whether the last answer is progress, to be asked again.
  bool isWaiting() const { return Waits; }
  /// Whether long work runs.
  bool isWorking() const;

private:
  void open(const Open &How, const ProgressCallback &Tell);

  std::unique_ptr<Router> Made;
  std::optional<llvm::Error> Failure;
  std::string Problem; ///< the text of Failure
  std::mutex Lock;
  std::condition_variable Ends;
  bool IsLeaving = false;              ///< under Lock
  std::atomic<bool> IsAwaited = false; ///< a waitFor() has been too short
  std::atomic<bool> Ended = false;     ///< the members above are set
  bool Waits = false;
  Job Work; ///< last: its thread uses the other members
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_OPENING_H
