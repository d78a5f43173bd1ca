// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes events in advance.

#ifndef MEMKIT_LIB_MODEL_EVENTSAHEAD_H
#define MEMKIT_LIB_MODEL_EVENTSAHEAD_H

#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceReader.h"
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <vector>

namespace memkit {

/// Decodes sections of events in a second thread while the caller uses earlier
/// sections. Results and errors are those of a read at the time of take(), also
/// what is thrown.
/// Memory: three sections more. The public functions belong to one thread.
class EventsAhead {
public:
  /// Returns the error of a decoded section, or success. Called in any thread,
  /// also in two at the same time.
  using Check =
      std::function<llvm::Error(const SectionInfo &, const EventTable &)>;

  /// Blocks: the sections that will be taken, in file order. R and the sections
  /// must outlive this object. If the second thread cannot be started, sections
  /// are read by take().
  EventsAhead(TraceReader &R, std::vector<const SectionInfo *> Blocks, Check C);
  ~EventsAhead();
  EventsAhead(const EventsAhead &) = delete;
  EventsAhead &operator=(const EventsAhead &) = delete;

  /// Gets the section B; each at most once, preferably in file order.
  llvm::Error take(const SectionInfo &B, std::unique_ptr<EventTable> &Out);
  /// Returns a table of take() for reuse of its memory.
  void giveBack(std::unique_ptr<EventTable> Table);

private:
  enum class JobState { Waiting, Running, Ready, Taken };
  struct DecodeJob {
    const SectionInfo *Block = nullptr;
    JobState Now = JobState::Waiting;
    std::unique_ptr<EventTable> Table;
    std::optional<llvm::Error> Failed;
    std::exception_ptr Thrown; ///< no memory: std::bad_alloc
  };

  static void *runThread(void *This);
  void run();
  void decode(DecodeJob &J, std::unique_ptr<EventTable> &Table);
  std::unique_ptr<EventTable> spare();
  DecodeJob *jobOf(const SectionInfo &B);

  TraceReader &R;
  TraceReader::EventReader Reader; ///< used by the second thread
  Check Checked;
  std::mutex Lock; ///< guards the members below
  std::condition_variable Changed;
  std::vector<DecodeJob> Jobs;
  size_t Next = 0;  ///< the first job that the thread has not seen
  size_t Ready = 0; ///< number of decoded sections that were not taken
  std::vector<std::unique_ptr<EventTable>> Spare;
  bool Ends = false;
  std::optional<pthread_t> Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_EVENTSAHEAD_H
