// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes events before they are wanted.

#ifndef MEMKIT_LIB_MODEL_EVENTSAHEAD_H
#define MEMKIT_LIB_MODEL_EVENTSAHEAD_H

#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceReader.h"
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <vector>

namespace memkit {

/// Sections of events, decoded in a thread of its own while the caller uses
/// those before. Each is the same, and fails the same, as if it were read when
/// it is taken. Memory: that of three blocks more. The public functions belong
/// to one thread.
class EventsAhead {
public:
  /// What is wrong with a decoded block, or nothing. Is called in any thread,
  /// two at a time too.
  using Check =
      std::function<llvm::Error(const SectionInfo &, const EventTable &)>;

  /// Blocks: those that will be taken, in file order; R and they must outlive
  /// this. Without a second thread, which may not be had, all is as slow as
  /// reading.
  EventsAhead(TraceReader &R, std::vector<const SectionInfo *> Blocks, Check C);
  ~EventsAhead();
  EventsAhead(const EventsAhead &) = delete;
  EventsAhead &operator=(const EventsAhead &) = delete;

  /// The block B, each at most once. The nearer to file order, the better.
  llvm::Error take(const SectionInfo &B, std::unique_ptr<EventTable> &Out);
  /// Takes back what take() gave, so that its memory is used again.
  void giveBack(std::unique_ptr<EventTable> Table);

private:
  enum class State { Waiting, Running, Ready, Taken };
  struct Job {
    const SectionInfo *Block = nullptr;
    State Now = State::Waiting;
    std::unique_ptr<EventTable> Table;
    std::optional<llvm::Error> Failed;
  };

  static void *runThread(void *This);
  void run();
  std::unique_ptr<EventTable> spare();
  Job *jobOf(const SectionInfo &B);

  TraceReader &R;
  TraceReader::EventReader Reader; ///< of the thread
  Check Checked;
  std::mutex Lock; ///< guards what follows
  std::condition_variable Changed;
  std::vector<Job> Jobs;
  size_t Next = 0;  ///< the first that the thread has not looked at
  size_t Ready = 0; ///< decoded and not taken
  std::vector<std::unique_ptr<EventTable>> Spare;
  bool Ends = false;
  std::optional<pthread_t> Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_EVENTSAHEAD_H
