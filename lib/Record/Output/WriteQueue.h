// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that wait to be written.

#ifndef MEMKIT_LIB_RECORD_WRITEQUEUE_H
#define MEMKIT_LIB_RECORD_WRITEQUEUE_H

#include "Trace/EventLog.h"
#include "Trace/EventTail.h"
#include "memkit/Trace/TraceWriter.h"
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <variant>

namespace memkit {

/// Writes sections to the trace in the order of their addition. Encoding and
/// compressing one section takes milliseconds, too long for the rings, so
/// step() does a part at a time. Belongs to one thread.
class WriteQueue {
public:
  explicit WriteQueue(TraceWriter &W) : W(W) {}

  void add(Dictionary D) { Sections.emplace_back(std::move(D)); }
  void add(Marks M) { Sections.emplace_back(std::move(M)); }
  void add(Intervals S) { Sections.emplace_back(std::move(S)); }
  void add(Snapshot K) { Sections.emplace_back(std::move(K)); }
  void add(Partial P) { Sections.emplace_back(std::move(P)); }
  void add(BlockCategories C) { Sections.emplace_back(std::move(C)); }
  void add(ScopeTimes S) { Sections.emplace_back(std::move(S)); }
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
  /// Does a part of the work; only when not empty(). Errors: of the output; the
  /// caller then clears the queue.
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
  using Section =
      std::variant<Dictionary, EventLog *, Marks, Intervals, Snapshot, Partial,
                   BlockCategories, ScopeTimes, EventTail *, WrittenFunction>;
  llvm::Error begin(const Section &B);
  llvm::Error turn(EventTail &Tail);
  void pop();

  TraceWriter &W;
  Dictionary Spare;
  std::deque<Section> Sections; ///< the first may be in progress
  size_t NumLogs = 0;
  bool HasTurn = false;
  /// Before the section in progress.
  uint64_t BytesBefore = 0, EventBytesBefore = 0;
  uint64_t SnapshotBytes = 0, SnapshotBlocks = 0, PartialBytes = 0;
  std::map<uint32_t, uint64_t> Dropped;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_WRITEQUEUE_H
