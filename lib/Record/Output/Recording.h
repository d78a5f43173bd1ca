// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that is being written.

#ifndef MEMKIT_LIB_RECORD_RECORDING_H
#define MEMKIT_LIB_RECORD_RECORDING_H

#include "Output/Catalog.h"
#include "Output/CategoryTable.h"
#include "Output/EventTimes.h"
#include "Output/PageToucher.h"
#include "Output/ProcessLog.h"
#include "Output/RecordedHeaps.h"
#include "Output/ScopeTree.h"
#include "Output/WriteQueue.h"
#include "Trace/EventLog.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/Support/Regex.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

/// What the processes of a recording share: the ids, the stats, the one order
/// of time, and the writer. Belongs to the recorder's thread. Sources of memory
/// see an EventSink instead.
class Recording {
public:
  /// Out must outlive it. Writes the header.
  static llvm::Expected<std::unique_ptr<Recording>>
  create(Sink &Out, const Header &H, const TscClock &Clock,
         const HeapChoice &Wanted = {});
  ~Recording();

  Catalog Names;
  ScopeTree ScopePaths{Names};
  LiveStats Stats;
  PageToucher Pages; ///< of what stands before it
  /// Of the scopes of processes that have ended.
  std::vector<LayerStats> ScopeTotals;
  CategoryTable Categories{Stats};
  OomLog Ooms;
  EventTimes Times;
  HeapChoice Wanted;
  RecordedHeaps Heaps{Names, Stats, Wanted};
  /// Ranges of such a name end the steps, and nothing else does; without, it is
  /// the program's to say, or its first optimizer's.
  std::optional<llvm::Regex> StepRange;
  bool HasSteps = false; ///< there was one, in any process
  uint64_t MaxSteps = 0; ///< of one process
  /// Told of each new binary: id, path, build-id, the process it was seen in.
  std::function<void(uint32_t, const std::string &,
                     const std::vector<uint8_t> &, uint32_t)>
      OnBinary;
  uint32_t Epoch = 1;

  /// A time, AtLeast or later, that lies after all events so far and before all
  /// later ones.
  uint64_t boundaryNs(uint64_t AtLeast = 0);
  uint64_t lastNs() const { return Times.lastNs(); }
  uint64_t nowNs() const { return Times.nowNs(); }

  /// Log must outlive the process's place here.
  void addProcess(ProcessLog &Log) { Logs.push_back(&Log); }
  void removeProcess(ProcessLog &Log);
  void addMark(Mark M);
  void addLoss(uint32_t Process, LossKind Kind, uint64_t Count);
  /// From now on no events are written, and no snapshots: they are counted as
  /// left out.
  void leaveOutEvents();
  bool takesEvents() const { return TakesEvents; }
  /// When that was; none: not yet.
  std::optional<uint64_t> eventsEndNs() const { return EventsEndNs; }
  /// What the file should have at most: events end so far from it that the rest
  /// fits in, mostly. 0: any number.
  uint64_t MaxBytes = 0;
  /// Keeps the last events alone, in Tail.
  void keepLast(std::unique_ptr<EventTail> Tail);
  /// Turns the tail when that is due: then each process needs a snapshot, and
  /// true is returned. Not while one is being made.
  bool turnTail();
  /// Cuts the interval of Process that ends at TimeNs, a boundary.
  void cutInterval(uint32_t Process, uint64_t TimeNs);
  /// The same without its rows, which come by goOnCutting(), some at a time;
  /// not while Stats.isCutting() the process.
  void beginCut(uint32_t Process, uint64_t TimeNs);
  void goOnCutting(uint32_t Process, size_t MaxRows = CutRows);
  void addClockMark();

  // What is to be written waits in a queue, and work() writes it step by step:
  // whoever adds to it needs no more than the order in which things are added.

  /// Adds all that was gathered: what is new in the dictionary, the events of
  /// all processes as one epoch, marks, intervals. Events that still wait, and
  /// what stands before them, are written first: a process has two logs.
  void flush();
  /// Room for events in the logs: by a flush, or, when the trace takes no more
  /// events, by leaving out those that they hold, with nothing else written.
  void emptyLogs();
  /// Adds what is new in the dictionary when it has become much.
  void flushNames() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(D.NodeFrames.size() >= MaxPendingNodes ||
                      D.Symbols.size() >= MaxPendingSymbols) &&
        !isWriting())
      writeMaxNames();
  }
  /// Adds all when there are many marks, or new scope paths.
  void flushMarks() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(PendingMarks.Rows.size() >= MaxPendingMarks ||
                      D.ScopePaths.size() >= MaxPendingMarks ||
                      D.Strings.size() >= MaxPendingMarks))
      flush();
  }
  /// Adds a part of a snapshot (after a flush of what it names).
  void write(Snapshot K);
  bool isWriting() const { return !Queue->empty(); }
  /// Writes for about ForNs, if there is something to write.
  void work(uint64_t ForNs);
  /// Writes all that waits.
  void complete() { work(UINT64_MAX); }
  /// Of all snapshots so far; Default when there is none.
  double snapshotBytesPerBlock(double Default) const {
    uint64_t Blocks = Queue->snapshotBlocks();
    return Blocks ? double(Queue->snapshotBytes()) / double(Blocks) : Default;
  }
  /// Writes a summary of what was until now, for readers of a trace that is cut
  /// off later. Takes milliseconds for each 100,000 stacks.
  void summarizeNow();
  /// Writes the summary and the end of the trace.
  void finish();

  /// True once writing has failed; from then on nothing is written.
  bool failed() const { return Failed; }
  /// Why, once.
  llvm::Error takeError();
  uint64_t bytes() const { return Writer->bytes(); }
  /// Of all events and snapshots so far, those that are gone again among them.
  uint64_t eventBytes() const { return Writer->eventBytes(); }
  /// Of all that was written, wherever to.
  uint64_t producedBytes() const { return bytes() + (Tail ? eventBytes() : 0); }
  uint64_t losses() const { return Losses; }

private:
  explicit Recording(const TscClock &Clock) : Times(Clock) {}
  bool check(llvm::Error E);
  void writeNames();
  void writeMaxNames();
  void addInterval(uint32_t Process, Interval &Part);
  void flushIntervals();
  void writeOoms(uint64_t EndNs);
  bool writeSums();
  void turnLogs();
  void addLeftOut(uint32_t Process, uint64_t Count);
  void tellLeftOut();
  bool nearsEnd();
  void addLossMark(uint32_t Process, LossKind Kind, uint64_t Count);
  template <class T>
  void writeParts(const std::vector<T> &Rows, std::vector<T> Summary::*To,
                  uint64_t EndNs);

  std::unique_ptr<EventTail> Tail;
  std::unique_ptr<TraceWriter> Writer;
  std::unique_ptr<WriteQueue> Queue;
  uint64_t nextAllocationId(uint32_t Process) const;
  std::vector<ProcessLog *> Logs; ///< of the processes
  Marks PendingMarks;
  /// What waits for the next flush is bounded, so that it does not grow with
  /// the number of stacks.
  static constexpr size_t MaxPendingNodes = 16384, MaxPendingSymbols = 2048,
                          MaxPendingRows = 16384, MaxPendingMarks = 16384;
  static constexpr size_t MaxWaiting = 8; ///< sections, before a flush
  std::vector<std::pair<uint32_t, Interval>> PendingIntervals;
  size_t PendingRows = 0;                 ///< of the intervals
  static constexpr size_t CutRows = 2048; ///< at a time
  uint64_t Losses = 0;
  bool TakesEvents = true;
  /// Events left out, by process, of which no mark tells yet.
  std::map<uint32_t, uint64_t> LeftOut;
  bool TellsLeftOut = false; ///< the next flush does
  uint64_t FlushedBytes = 0; ///< of the file, at the last flush
  std::optional<uint64_t> EventsEndNs;
  uint64_t LastFlushNs = 0;
  uint32_t NumSummaries = 0;
  bool Failed = false;
  std::string Why;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDING_H
