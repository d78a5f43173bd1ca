// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that wait to be written.

#ifndef MEMKIT_LIB_RECORD_WRITEQUEUE_H
#define MEMKIT_LIB_RECORD_WRITEQUEUE_H

#include "Shared/SideThread.h"
#include "Trace/EventLog.h"
#include "Trace/EventTail.h"
#include "memkit/Trace/TraceWriter.h"
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace memkit {

/// Writes sections to the trace in the order of their addition. Encoding and
/// compressing one section takes milliseconds, too long for the rings, so
/// step() does a part at a time. With a thread of its own, the queue gives
/// large sections to this thread, one at a time, and step() writes only the
/// small ones. Belongs to one thread.
class WriteQueue {
public:
  explicit WriteQueue(TraceWriter &W) : W(W) {}
  /// Waits for the thread. Logs may be gone already.
  ~WriteQueue();
  WriteQueue(const WriteQueue &) = delete;
  WriteQueue &operator=(const WriteQueue &) = delete;

  /// From now on a thread writes large sections. Only if nobody but the queue
  /// uses the writer's sinks.
  void useThread() { HasThread = true; }
  /// The processor time of the thread, for finished sections.
  uint64_t threadNs() const { return ThreadNs; }
  /// TraceWriter's, without the section that the thread writes.
  uint64_t bytes() const { return HasJob ? BytesBefore : W.bytes(); }
  uint64_t eventBytes() const {
    return HasJob ? EventBytesBefore : W.eventBytes();
  }

  void add(Dictionary D) { Sections.emplace_back(std::move(D)); }
  void add(Marks M) { Sections.emplace_back(std::move(M)); }
  void add(Intervals S) { Sections.emplace_back(std::move(S)); }
  void add(Snapshot K) { Sections.emplace_back(std::move(K)); }
  void add(Partial P) { Sections.emplace_back(std::move(P)); }
  void add(BlockCategories C) { Sections.emplace_back(std::move(C)); }
  void add(ScopeTimes S) { Sections.emplace_back(std::move(S)); }
  void add(DeviceSpans S) { Sections.emplace_back(std::move(S)); }
  /// L must not change until written; then the queue empties L.
  void add(EventLog &L) {
    Sections.emplace_back(&L);
    ++NumLogs;
  }

  /// Turns Tail after all sections added before are written.
  void addTurn(EventTail &Tail) {
    Sections.emplace_back(&Tail);
    HasTurn = true;
  }
  /// Calls Do with the writer once all sections added before are written.
  using WrittenFunction = std::function<void(const TraceWriter &)>;
  void addNote(WrittenFunction Do) { Sections.emplace_back(std::move(Do)); }
  /// Whether a turn still waits.
  bool hasTurn() const { return HasTurn; }

  bool empty() const { return Sections.empty(); }
  size_t size() const { return Sections.size(); }
  /// An empty dictionary, with the memory of a written one.
  Dictionary takeSpare() { return std::exchange(Spare, Dictionary()); }
  /// Whether a log still waits.
  bool hasEvents() const { return NumLogs != 0; }
  /// Whether step() has something to do: not empty, and the thread writes
  /// nothing.
  bool isReady();
  /// Does a part of the work, or waits for the thread; only when not empty().
  /// Errors: of the output; the caller then clears the queue.
  llvm::Error step();
  /// Drops all waiting sections, and empties their logs.
  void clear();
  /// Bytes and live blocks of all snapshots written.
  uint64_t snapshotBytes() const { return SnapshotBytes; }
  uint64_t snapshotBlocks() const { return SnapshotBlocks; }
  /// Bytes of all Partial sections written.
  uint64_t partialBytes() const { return PartialBytes; }
  /// The events, by process, that turns of the tail have dropped since the last
  /// call.
  std::map<uint32_t, uint64_t> takeDropped() {
    return std::exchange(Dropped, {});
  }

private:
  using Section = std::variant<Dictionary, EventLog *, Marks, Intervals,
                               Snapshot, Partial, BlockCategories, ScopeTimes,
                               DeviceSpans, EventTail *, WrittenFunction>;
  static bool isLarge(const Section &B);
  llvm::Error begin(const Section &B);
  llvm::Error turn(EventTail &Tail);
  void pop();
  void startJob();
  void waitForJob();
  llvm::Error endJob();

  TraceWriter &W; ///< the thread's while HasJob
  Dictionary Spare;
  std::deque<Section> Sections; ///< the first may be in progress
  size_t NumLogs = 0;
  bool HasTurn = false;
  /// Before the section in progress.
  uint64_t BytesBefore = 0, EventBytesBefore = 0;
  uint64_t SnapshotBytes = 0, SnapshotBlocks = 0, PartialBytes = 0;
  std::map<uint32_t, uint64_t> Dropped;
  bool HasThread = false;
  /// The thread has the first section, or has written it; IsAway: the former,
  /// as far as known.
  bool HasJob = false, IsAway = false;
  std::optional<llvm::Error> Result; ///< of the job, set by the thread
  uint64_t ThreadNs = 0;
  SideThread Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_WRITEQUEUE_H
