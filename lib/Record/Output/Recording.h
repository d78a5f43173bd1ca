// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace during the recording.

#ifndef MEMKIT_LIB_RECORD_RECORDING_H
#define MEMKIT_LIB_RECORD_RECORDING_H

#include "Output/CategoryTable.h"
#include "Output/DeviceTimeTable.h"
#include "Output/EventTimes.h"
#include "Output/PageToucher.h"
#include "Output/PartialLog.h"
#include "Output/ProcessLog.h"
#include "Output/RecordedHeaps.h"
#include "Output/RecordingListener.h"
#include "Output/WriteQueue.h"
#include "Trace/Catalog.h"
#include "Trace/EventLog.h"
#include "Trace/ScopeTree.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/Support/Regex.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

/// The state that the processes of a recording share: the ids, the stats, the
/// single order of time, and the writer. Belongs to the recorder's thread.
/// Sources of memory use an EventSink instead. Many functions in one class:
/// each kind of row gets its id and its place in the order of time here.
class Recording {
public:
  /// Writes the header. Copy: as for TraceWriter. Out and Copy must outlive the
  /// recording.
  static llvm::Expected<std::unique_ptr<Recording>>
  create(Sink &Out, const Header &H, const TscClock &Clock,
         const HeapChoice &Wanted = {}, Sink *Copy = nullptr);
  ~Recording();

  Catalog &names() { return Names; }
  const Catalog &names() const { return Names; }
  ScopeTree &scopePaths() { return ScopePaths; }
  LiveStats &stats() { return Stats; }
  const LiveStats &stats() const { return Stats; }
  /// Touches the memory of names and stats.
  PageToucher &pages() { return Pages; }
  std::vector<ParameterStats> &parameters() { return Parameters; }
  DeviceTimeTable &deviceTimes() { return DeviceTimes; }
  std::vector<LayerStats> &scopeTotals() { return ScopeTotals; }
  CategoryTable &categories() { return Categories; }
  OomLog &ooms() { return Ooms; }
  PartialLog &partials() { return Partials; }
  EventTimes &times() { return Times; }
  const HeapChoice &wanted() const { return Wanted; }
  RecordedHeaps &heaps() { return Heaps; }
  const RecordedHeaps &heaps() const { return Heaps; }
  uint32_t epoch() const { return Epoch; }

  /// From now on steps end with ranges of a matching name only; else with the
  /// program's own steps, or with those of its first optimizer.
  void setStepRange(llvm::StringRef Pattern) { StepRange.emplace(Pattern); }
  const std::optional<llvm::Regex> &stepRange() const { return StepRange; }
  /// A process has had so many steps.
  void noteSteps(uint64_t Steps) { MaxSteps = std::max(MaxSteps, Steps); }
  /// The highest number of steps of a process.
  uint64_t maxSteps() const { return MaxSteps; }

  /// A time, at least AtLeast, after all events so far and before all later
  /// events.
  uint64_t boundaryNs(uint64_t AtLeast = 0);
  uint64_t lastNs() const { return Times.lastNs(); }
  uint64_t nowNs() const { return Times.nowNs(); }

  void addListener(RecordingListener &L) { Listeners.push_back(&L); }
  void removeListener(RecordingListener &L) { llvm::erase(Listeners, &L); }
  /// Calls a function of all listeners: `R.tell(&RecordingListener::addingMark,
  /// M)`.
  template <class... Params, class... Args>
  void tell(void (RecordingListener::*Of)(Params...), const Args &...Values) {
    for (RecordingListener *L : Listeners)
      (L->*Of)(Values...);
  }

  /// Log must outlive its registration.
  void addProcess(ProcessLog &Log);
  void removeProcess(ProcessLog &Log);
  void addMark(Mark M);
  void addLoss(uint32_t Process, LossKind Kind, uint64_t Count);
  /// From now on events and snapshots are not written; events are counted as
  /// left out.
  void leaveOutEvents();
  bool takesEvents() const { return TakesEvents; }
  /// When events ended; none: not yet.
  std::optional<uint64_t> eventsEndNs() const { return EventsEndNs; }
  /// Target for the maximum size of the file: events end early enough for the
  /// rest to fit, in most cases. 0: no maximum.
  void setMaxBytes(uint64_t Bytes) { MaxBytes = Bytes; }
  uint64_t maxBytes() const { return MaxBytes; }
  /// Keeps only the last events, in Tail.
  void keepLast(std::unique_ptr<EventTail> Tail);
  /// Turns the tail if due; returns true if so: then each process needs a
  /// snapshot. Not while a snapshot is active.
  bool turnTail();
  /// Cuts the interval of Process at TimeNs, a boundary.
  void cutInterval(uint32_t Process, uint64_t TimeNs);
  /// Starts such a cut; goOnCutting() adds the rows, some at a time. Not while
  /// Stats.isCutting() the process.
  void beginCut(uint32_t Process, uint64_t TimeNs);
  void goOnCutting(uint32_t Process, size_t MaxRows = CutRows);
  void addClockMark();

  // Sections wait in a queue, and work() writes them step by step, in the order
  // in which they were added.

  /// Adds everything gathered: new dictionary entries, the events of all
  /// processes as one epoch, marks, intervals. First writes the events that
  /// still wait in the queue, and all sections before them, because a process
  /// has only two logs.
  void flush();
  /// Makes room for events in the logs: by a flush, or, if the trace takes no
  /// more events, by dropping the events in the logs.
  void emptyLogs();
  /// Adds the new dictionary entries once there are many.
  void flushNames() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(D.NodeFrames.size() >= MaxPendingNodes ||
                      D.Symbols.size() >= MaxPendingSymbols) &&
        !isWriting())
      writeMaxNames();
  }
  /// The category of a block of the process of To, a registered log.
  void addCategory(ProcessLog &To, uint64_t AllocationId, TensorCategory Is,
                   uint32_t Dtype) {
    To.Categories.add(AllocationId, Is, Dtype);
    if (LLVM_UNLIKELY(To.Categories.isFull()))
      writeCategories(To);
  }
  /// Flushes once there are many marks, strings or new scope paths.
  void flushMarks() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(PendingMarks.Rows.size() >= MaxPendingMarks ||
                      D.ScopePaths.size() >= MaxPendingMarks ||
                      D.Strings.size() >= MaxPendingMarks))
      flush();
  }
  /// Adds a part of a snapshot; flush() must have added the ids in it.
  void write(Snapshot K);
  bool isWriting() const { return !Queue->empty(); }
  /// Whether work() has something to do: sections wait, and no thread writes.
  bool canWork() const { return Queue->isReady(); }
  /// Large sections are written by a thread from now on, unless the last events
  /// are kept.
  void writeByThread() {
    if (!Tail)
      Queue->useThread();
  }
  /// The processor time of this thread.
  uint64_t writeThreadNs() const { return Queue->threadNs(); }
  /// Whether writePartial() is due.
  bool isPartialDue(uint64_t NowNs) const {
    return Queue->size() <= MaxWaiting &&
           Partials.isDue(NowNs, Queue->partialBytes(),
                          PartialLog::allowedBytes(bytes(), MaxBytes));
  }
  /// Adds what events do not have and a killed recorder would lose: stats of
  /// scopes and layers, categories of tensors, out-of-memory events.
  void writePartial(uint64_t NowNs);
  /// Writes for about ForNs if sections wait.
  void work(uint64_t ForNs);
  /// The maximum of ForNs between two reads of the rings.
  static constexpr uint64_t WorkNs = 250000;
  /// Writes all waiting sections.
  void complete();
  /// The mean over all snapshots so far; Default without a snapshot.
  double snapshotBytesPerBlock(double Default) const {
    uint64_t Blocks = Queue->snapshotBlocks();
    return Blocks ? double(Queue->snapshotBytes()) / double(Blocks) : Default;
  }
  /// Writes a summary of the recording until now, for readers of a trace that
  /// is cut off later. Takes milliseconds for each 100,000 stacks.
  void summarizeNow();
  /// Writes the summary and the end of the trace.
  void finish();

  // The trace of this moment: see LiveCopy, which calls these in this order
  // without an event between them.

  /// The lists of a Summary that stats do not have: layers, scopes, categories,
  /// out-of-memory events. Processes that run have theirs as of NowNs.
  Summary listsNow(uint64_t NowNs);
  /// Calls Do with the bytes of the file once all that was flushed is written.
  void noteWritten(WriteQueue::WrittenFunction Do) {
    Queue->addNote(std::move(Do));
  }
  /// The Summary of now with these lists, without rows of stacks and scope
  /// paths.
  Summary totalsNow(Summary Lists);

  /// True after a write has failed; nothing is written from then on.
  bool failed() const { return Failed; }
  /// The reason of the failure, once.
  llvm::Error takeError();
  uint64_t bytes() const { return Queue->bytes(); }
  /// Bytes of all events and snapshots so far, including those dropped again.
  uint64_t eventBytes() const { return Queue->eventBytes(); }
  /// Bytes of everything written, to the file or to the tail.
  uint64_t producedBytes() const { return bytes() + (Tail ? eventBytes() : 0); }
  /// Of events, and of stacks that were cut.
  uint64_t losses() const { return Losses; }
  uint64_t deviceLosses(LossKind Kind) const {
    auto It = DeviceLosses.find(Kind);
    return It == DeviceLosses.end() ? 0 : It->second;
  }

private:
  explicit Recording(const TscClock &Clock) : Times(Clock) {}
  bool check(llvm::Error E);
  void writeNames();
  void writeMaxNames();
  void addInterval(uint32_t Process, Interval &Part);
  void flushIntervals();
  void endEvents(uint64_t AtNs);
  void writeCategories(ProcessLog &Of);
  std::vector<ParameterStats> heldParameters() const;
  void writeScopeTimes(ProcessLog &Of);
  void writeDeviceSpans(ProcessLog &Of);
  void writeOoms(uint64_t EndNs);
  void gatherScopes(uint64_t NowNs);
  bool writeSums();
  void turnLogs();
  void addLeftOut(uint32_t Process, uint64_t Count);
  void reportLeftOut();
  bool nearsEnd();
  void addLossMark(uint32_t Process, LossKind Kind, uint64_t Count);
  template <class T>
  void writeParts(const std::vector<T> &Rows, std::vector<T> Summary::*To,
                  uint64_t EndNs);

  Catalog Names;
  ScopeTree ScopePaths{Names};
  LiveStats Stats;
  PageToucher Pages;
  std::vector<ParameterStats> Parameters; ///< of all processes
  DeviceTimeTable DeviceTimes;
  /// Stats of the scopes of ended processes.
  std::vector<LayerStats> ScopeTotals;
  CategoryTable Categories{Stats};
  OomLog Ooms;
  PartialLog Partials;
  EventTimes Times;
  HeapChoice Wanted;
  RecordedHeaps Heaps{Names, Stats, Wanted};
  std::optional<llvm::Regex> StepRange;
  uint64_t MaxSteps = 0;
  uint32_t Epoch = 1;
  uint64_t MaxBytes = 0;
  std::vector<RecordingListener *> Listeners;
  bool IsCopied = false; ///< readers get the copy, without events
  std::unique_ptr<EventTail> Tail;
  std::unique_ptr<TraceWriter> Writer;
  std::unique_ptr<WriteQueue> Queue;
  uint64_t nextAllocationId(uint32_t Process) const;
  std::vector<ProcessLog *> Logs; ///< of the processes
  /// Memory of a process that has ended, for the next: a build has hundreds of
  /// short processes.
  EventLog SpareLog;
  Marks PendingMarks;
  /// Bounds for what waits for the next flush, so that memory does not grow
  /// with the number of stacks.
  static constexpr size_t MaxPendingNodes = 16384, MaxPendingSymbols = 2048,
                          MaxPendingRows = 16384, MaxPendingMarks = 16384;
  static constexpr size_t MaxWaiting = 8; ///< sections that wait before a flush
  std::vector<std::pair<uint32_t, Interval>> PendingIntervals;
  size_t PendingRows = 0;                 ///< in PendingIntervals
  static constexpr size_t CutRows = 2048; ///< rows added at a time
  uint64_t Losses = 0;
  std::map<LossKind, uint64_t> DeviceLosses; ///< of device work
  bool TakesEvents = true;
  /// By process: events left out that no mark reports yet.
  std::map<uint32_t, uint64_t> LeftOut;
  bool ReportsLeftOut = false; ///< the next flush adds marks for LeftOut
  uint64_t FlushedBytes = 0;   ///< size of the file at the last flush
  std::optional<uint64_t> EventsEndNs;
  uint64_t LastFlushNs = 0;
  uint32_t NumSummaries = 0;
  size_t NextScopeTotal = 0; ///< in ScopeTotals, the first for Partials
  bool Failed = false;
  std::string Why;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDING_H
