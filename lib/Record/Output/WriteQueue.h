// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that wait to be written.

#ifndef MEMKIT_LIB_RECORD_WRITEQUEUE_H
#define MEMKIT_LIB_RECORD_WRITEQUEUE_H

#include "Trace/EventLog.h"
#include "Trace/EventTail.h"
#include "memkit/Trace/TraceWriter.h"
#include <deque>
#include <map>
#include <utility>
#include <variant>

namespace memkit {

/// Sections on their way into the trace, in the order in which they will stand
/// there. To encode and compress one takes milliseconds, for which the rings
/// cannot wait: it is done in steps. Belongs to one thread.
class WriteQueue {
public:
  explicit WriteQueue(TraceWriter &W) : W(W) {}

  void add(Dictionary D) { Sections.emplace_back(std::move(D)); }
  void add(Marks M) { Sections.emplace_back(std::move(M)); }
  void add(Intervals S) { Sections.emplace_back(std::move(S)); }
  void add(Snapshot K) { Sections.emplace_back(std::move(K)); }
  /// L is not touched until it is written; then it is emptied.
  void add(EventLog &L) {
    Sections.emplace_back(&L);
    ++NumLogs;
  }

  /// When all that stands before is written, Tail turns.
  void addTurn(EventTail &Tail) {
    Sections.emplace_back(&Tail);
    HasTurn = true;
  }
  /// Whether it is still to turn.
  bool hasTurn() const { return HasTurn; }

  bool empty() const { return Sections.empty(); }
  size_t size() const { return Sections.size(); }
  /// An empty dictionary, with the memory of one that was written.
  Dictionary takeSpare() { return std::exchange(Spare, Dictionary()); }
  /// Whether there is a log that is not written yet.
  bool hasEvents() const { return NumLogs != 0; }
  /// Does a part of the work; only when not empty(). An error is of the output:
  /// then the queue is to be cleared.
  llvm::Error step();
  /// Drops what waits, and empties the logs.
  void clear();
  /// Bytes and live blocks of all snapshots written.
  uint64_t snapshotBytes() const { return SnapshotBytes; }
  uint64_t snapshotBlocks() const { return SnapshotBlocks; }
  /// The events of each process that turns have dropped since it was last
  /// asked.
  std::map<uint32_t, uint64_t> takeDropped() {
    return std::exchange(Dropped, {});
  }

private:
  using Section = std::variant<Dictionary, EventLog *, Marks, Intervals,
                               Snapshot, EventTail *>;
  llvm::Error begin(const Section &B);
  llvm::Error turn(EventTail &Tail);
  void pop();

  TraceWriter &W;
  Dictionary Spare;
  std::deque<Section> Sections; ///< the first may be under way
  size_t NumLogs = 0;
  bool HasTurn = false;
  uint64_t BytesBefore = 0; ///< the section that is under way
  uint64_t SnapshotBytes = 0, SnapshotBlocks = 0;
  std::map<uint32_t, uint64_t> Dropped;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_WRITEQUEUE_H
