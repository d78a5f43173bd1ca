// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays a trace's events in order.
//
// Passes the events of a trace to a LiveStats in their total order, (TimeNs,
// process, row) within an epoch, and resolves the allocation ids of frees to
// blocks. Marks that change stats (steps, ends of processes, reserved bytes,
// losses) apply before events of the same time. Memory: the live set, one
// section of events for each process that runs at a time and three more
// sections, and the stats. A second thread decodes events ahead of the replay.
//
// Replay checks ids, allocation ids and order. Errors are TraceErrors with the
// offset of the section.

#ifndef MEMKIT_MODEL_REPLAY_H
#define MEMKIT_MODEL_REPLAY_H

#include "memkit/Model/HeapStackRows.h"
#include "memkit/Model/LiveSet.h"
#include "memkit/Model/RowCache.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceReader.h"
#include <functional>
#include <memory>
#include <optional>

namespace memkit {

class EventsAhead;

/// An allocation, as ReplayOptions::Select sees it.
struct Allocation {
  uint64_t TimeNs = 0;
  uint64_t Size = 0;
  uint32_t Process = 0;
  uint32_t Thread = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t ScopePath = 0;
  uint64_t Block = 0; ///< its allocation id
};

/// An event, as ReplayOptions::OnEvent sees it.
struct ReplayedEvent {
  EventKind Kind = EventKind::Allocate;
  uint64_t TimeNs = 0;
  uint64_t AllocatedNs = 0; ///< of the block
  uint64_t Block = 0;       ///< its allocation id
  uint64_t Size = 0;        ///< of the block after the event; freed: before it
  uint64_t SizeBefore = 0;  ///< of a resized or split block
  uint32_t Weight = 0;      ///< number of blocks it stands for; 0: one, exact
  uint32_t Process = 0;
  uint32_t Thread = 0; ///< of the event
  /// The thread that allocated the block; 0 unless KeepThreads.
  uint32_t AllocatedBy = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0; ///< or the key from KeyOf
  uint32_t ScopePath = 0;
};

/// Events of one process that are replayed at once, as
/// ReplayOptions::OnEvents sees them: the rows of Table from Row to before End.
struct ReplayedRows {
  const EventTable *Table = nullptr;
  size_t Row = 0, End = 0;
  size_t Alloc = 0; ///< the first allocation of the rows
  size_t Ref = 0;   ///< the first reference
  /// By row, from Row on: the bytes of allocations and frees, and rows of
  /// Blocks.
  llvm::ArrayRef<Change> Changes;
  const HeapStackRows *Blocks = nullptr;
};

struct ReplayOptions {
  /// If set, only blocks for which Select returns true count, with all their
  /// later events. Peaks are then the peaks of the selected blocks.
  std::function<bool(const Allocation &)> Select;
  /// With Select: bytes of a selected block that lie in a refused block are not
  /// the selected block's.
  bool BytesCountOnce = false;
  /// If set, returns the key of a block's row, in place of the stack. Keys
  /// should be dense.
  std::function<uint32_t(const Allocation &)> KeyOf;
  /// If set, adds to a block of a snapshot what snapshots lack, before Select
  /// and KeyOf see the block: its thread, and its size at its allocation.
  std::function<void(Allocation &)> Complete;
  /// If set, called for each event of a selected block, after the LiveStats has
  /// counted the event. False: the run ends here.
  std::function<bool(const ReplayedEvent &)> OnEvent;
  uint64_t OnEventFromNs = 0; ///< OnEvent is called from this time on
  /// If set, called for many events at once where possible, from any time on;
  /// OnEvent is called for all other events. Only with BlocksOnly. False: as
  /// OnEvent.
  std::function<bool(const ReplayedRows &)> OnEvents;
  /// Remember the thread that allocated each live block.
  bool KeepThreads = false;
  /// Keep the data for LiveStats::cutInterval().
  bool Intervals = false;
  /// Only the live blocks and OnEvent are wanted: stats() counts no events, but
  /// knows the last allocation of each thread. Takes less time and, for traces
  /// of many stacks, half the memory. Not with Select or KeyOf.
  bool BlocksOnly = false;
};

/// Callbacks between events. Every function does nothing unless overridden.
class ReplayObserver {
public:
  virtual ~ReplayObserver();
  /// The time of the next timeStop(): after all earlier events, before all
  /// others. Called again after every stop, step and end.
  virtual uint64_t nextTimeStop() { return UINT64_MAX; }
  /// Events of Process follow, the first at TimeNs. Returns nextTimeStop(),
  /// which these events may have made earlier: an observer need not care for
  /// processes that do nothing.
  virtual uint64_t nextTimeStopWith(uint32_t, uint64_t) {
    return nextTimeStop();
  }
  /// The trace has no event from TimeNs to before NextNs.
  virtual llvm::Error timeStop(uint64_t TimeNs, uint64_t NextNs);
  /// The number of events of Process for the next eventStop(), higher than its
  /// events so far. After startNear(), a number that is not higher means no
  /// stop. Called again after each eventStop().
  virtual uint64_t nextEventStop(uint32_t) { return UINT64_MAX; }
  /// TimeNs: the time of the process's last event.
  virtual llvm::Error eventStop(uint32_t Process, uint64_t TimeNs);
  /// At TimeNs, a step has started or a process is about to end.
  virtual llvm::Error stepBegun(uint32_t Process, uint64_t TimeNs);
  virtual llvm::Error processEnds(uint32_t Process, uint64_t TimeNs);
};

/// One replay of a trace. Runs once, in one or several parts. Belongs to one
/// thread at a time. Many functions in
/// one class: there is one for each kind of section and of event, and the order
/// among them all is the task of the class.
class Replay {
public:
  /// Reads the dictionary and the marks of R. R and Observer (may be null) must
  /// outlive the result.
  static llvm::Expected<std::unique_ptr<Replay>>
  create(TraceReader &R, ReplayOptions Options = {},
         ReplayObserver *Observer = nullptr);
  ~Replay();

  /// Call before run(). Starts each process at its last snapshot before AtNs
  /// instead of its start. After run(AtNs), live values are right; counts,
  /// peaks and times lack the earlier part, and blocks of the snapshot have no
  /// thread. Processes that end before AtNs have no events, unless KeepEnded.
  llvm::Error startNear(uint64_t AtNs, bool KeepEnded = false);

  /// The number of events of Process so far, with those before its snapshot.
  uint64_t eventsOf(uint32_t Process) const {
    return Processes[Process] ? Processes[Process]->Events : 0;
  }

  /// Replays all events and marks with TimeNs <= UntilNs. May be called again
  /// with a later time.
  llvm::Error run(uint64_t UntilNs = UINT64_MAX);
  /// After a run that OnEvent or OnEvents has ended: goes on behind the last
  /// event.
  llvm::Error resume();
  /// Whether no event is left up to UntilNs, or Done has returned true.
  bool isAtEnd() const { return AtEnd; }
  /// As run(), but stops after the event for which Done returns true. Done is
  /// called after each event from FromNs on.
  llvm::Error runUntil(uint64_t FromNs, std::function<bool()> Done);

  LiveStats &stats() { return A; }
  const LiveStats &stats() const { return A; }
  const IdLimits &limits() const { return Limits; }
  /// The time of the last event or mark of the trace.
  uint64_t endNs() const { return EndNs; }
  /// The number of live blocks of Process.
  uint64_t liveBlocks(uint32_t Process) const;
  /// Whether the block AllocationId of Process is live.
  bool lives(uint32_t Process, uint64_t AllocationId) const;
  /// In processes whose first events were left out: the number of blocks live
  /// at the first remaining event. stats() counts these blocks as allocations.
  uint64_t blocksOfBases() const { return BaseBlocks; }
  /// The allocation id of the next block of Process.
  uint64_t nextAllocationId(uint32_t Process) const;
  /// Calls Do for the live blocks of a process, allocation ids rising. Thread
  /// is 0 unless KeepThreads. Blocks that Select refused are left out.
  void forEachLive(
      uint32_t Process,
      llvm::function_ref<void(const LiveBlock &, uint32_t Thread)> Do) const;
  /// Calls Do for each block of Stored with the live block of Process with the
  /// same allocation id, null for none. Fast for rising allocation ids.
  void matchLive(
      uint32_t Process, llvm::ArrayRef<LiveBlock> Stored,
      llvm::function_ref<void(const LiveBlock &, const LiveBlock *)> Do) const;

private:
  /// The row of a block that Select refused. Its ScopeRow is the row of the
  /// selected block around it; 0: none, or not BytesCountOnce.
  static constexpr uint32_t Refused = UINT32_MAX;
  /// Maximum of left-out blocks: a LiveSet needs memory for all allocation ids,
  /// some 180 MiB for this number.
  static constexpr uint64_t MaxLeftOut = uint64_t(1) << 36;
  /// Fewer events are replayed one by one.
  static constexpr size_t Few = 64;
  /// Number of events replayed at once; their data stays in the caches.
  static constexpr size_t Many = 1024;
  /// Number of entries of blocks prefetched at once. A power of two.
  static constexpr size_t Fetched = 128;
  /// Number of allocations ahead for which rows of stacks are prefetched.
  static constexpr size_t StackAhead = 16;

  struct ProcessReplay {
    ProcessReplay(uint32_t Id, const IdLimits &Limits, bool KeepThreads)
        : Id(Id), Live(KeepThreads), Stacks(Limits.Stacks),
          ScopePaths(Limits.ScopePaths) {}
    uint32_t Id;
    LiveSet Live;
    RowCache Stacks, ScopePaths;
    uint64_t Events = 0; ///< so far, with events before the snapshot
    uint64_t NextStop = UINT64_MAX;
    uint64_t Skip = 0;    ///< number of events to skip: the snapshot has them
    bool Ignored = false; ///< whether to skip all events
  };
  /// The position of a process within an epoch.
  struct ReplayCursor {
    ProcessReplay *I = nullptr;
    std::vector<const SectionInfo *> Sections;
    size_t Section = 0;
    std::unique_ptr<EventTable> Open;
    size_t Row = 0;
    size_t Alloc = 0; ///< number of allocations before Row
    size_t Noted = 0; ///< allocations passed to LiveStats::noteAllocation()
    uint64_t HeadNs = 0;
    /// LiveStats::lastAllocation() of each thread of the section, at the
    /// section's start.
    std::vector<uint64_t> OwnBefore;
    size_t ref() const { return Row - Alloc; }
  };

  Replay(TraceReader &R, ReplayOptions Options, ReplayObserver *Observer);
  llvm::Error readDictionary();
  llvm::Error readMarks();
  llvm::Error setUp();
  const IdLimits &limitsAt(uint64_t Offset) const;
  using SnapshotParts = std::vector<const SectionInfo *>;
  static void addPart(SnapshotParts &Parts, const SectionInfo &B);
  llvm::Error startAtBases();
  llvm::Error readBases();
  llvm::Error loadBase(size_t Id);
  llvm::Error loadSnapshot(llvm::ArrayRef<const SectionInfo *> Parts);
  llvm::Error addSnapshot(ProcessReplay &I, const Snapshot &K, uint64_t Offset);
  ProcessReplay &process(uint32_t Id) { return *Processes[Id]; }

  void decodeAhead();
  void openEpoch(llvm::ArrayRef<const SectionInfo *> Sections);
  llvm::Error nextEpoch();
  llvm::Error runEpoch();
  llvm::Error runCursor(ReplayCursor &C, uint64_t LimitNs);
  llvm::Error openSection(ReplayCursor &C);
  void closeSection(ReplayCursor &C);
  llvm::Error runRows(ReplayCursor &C, size_t End, uint64_t LimitNs);
  bool canRunMany(const ReplayCursor &C) const;
  llvm::Error runMany(ReplayCursor &C, size_t End);
  void addBlocks(ReplayCursor &C, size_t End, size_t Created);
  void noteAllocations(ReplayCursor &C);
  llvm::Error changeBlocks(ReplayCursor &C, size_t Ref, size_t End);
  llvm::Error changeBlocks(ReplayCursor &C, size_t Ref, size_t End,
                           LiveSet::LiveSetEntry **At);
  llvm::Error splitMany(ReplayCursor &C, size_t Ref, LiveSet::LiveSetEntry &E);
  llvm::Error runOne(ReplayCursor &C);
  uint32_t stackRow(uint32_t Process, uint32_t Heap, uint32_t Key) {
    return LLVM_UNLIKELY(Options.BlocksOnly) ? BlockRows.row(Heap, Key)
                                             : A.stackRow(Process, Heap, Key);
  }
  uint32_t scopeRow(uint32_t Process, uint32_t Heap, uint32_t ScopePath) {
    return LLVM_UNLIKELY(Options.BlocksOnly)
               ? ScopePath
               : A.scopeRow(Process, Heap, ScopePath);
  }
  LiveBlock liveBlock(uint64_t AllocationId, const LiveSet::LiveSetEntry &E,
                      uint64_t AllocatedNs, const LiveSet::RareValues &P) const;
  LiveSet::LiveSetEntry newEntry(ProcessReplay &I, uint32_t Stack,
                                 uint32_t ScopePath, uint32_t Heap);
  /// As newEntry(), with the row of ReplayOptions::KeyOf.
  LiveSet::LiveSetEntry keyedEntry(const Allocation &B) {
    LiveSet::LiveSetEntry Entry;
    Entry.Row = A.stackRow(B.Process, B.Heap, Options.KeyOf(B));
    Entry.ScopeRow = A.scopeRow(B.Process, B.Heap, B.ScopePath);
    return Entry;
  }
  void findRows(ProcessReplay &I, uint32_t Stack, uint32_t ScopePath,
                uint32_t Heap, LiveSet::LiveSetEntry &Entry);
  llvm::Error allocate(ReplayCursor &C);
  llvm::Error readWeight(const ReplayCursor &C, LiveSet::RareValues &P) const;
  llvm::Error reference(ReplayCursor &C);
  llvm::Error split(ReplayCursor &C, LiveSet::LiveCursor Block);
  static std::optional<OuterRef> outerRef(uint64_t AllocationId,
                                          const LiveSet::LiveSetEntry &E);
  LiveSet::LiveSetEntry refusedEntry(const Allocation &B,
                                     std::optional<OuterRef> In);
  void tell(const ReplayCursor &C, ReplayedEvent About,
            const LiveSet::LiveSetEntry &E);
  uint32_t stackOf(const LiveSet::LiveSetEntry &E) const {
    return Options.BlocksOnly ? BlockRows.stackOf(E.Row) : A.stackOf(E.Row);
  }
  uint32_t heapOf(const LiveSet::LiveSetEntry &E) const {
    return Options.BlocksOnly ? BlockRows.heapOf(E.Row) : A.heapOf(E.Row);
  }
  uint32_t scopePathOf(const LiveSet::LiveSetEntry &E) const {
    return Options.BlocksOnly ? E.ScopeRow : A.scopePathOf(E.ScopeRow);
  }
  llvm::Error notLive(const ReplayCursor &C, size_t Ref) const;
  llvm::Error notAround(const ReplayCursor &C, uint64_t Outer) const;
  llvm::Error badSplit(const ReplayCursor &C, size_t Ref, uint64_t Size) const;
  llvm::Error crossBoundaries(uint64_t TimeNs);
  llvm::Error applyMark(const Mark &M);
  void findBoundary();
  llvm::Error fail(const SectionInfo &At, const llvm::Twine &What) const;
  llvm::Error fail(const ReplayCursor &At, const llvm::Twine &What) const {
    return fail(*At.Sections[At.Section], What);
  }

  TraceReader &R;
  ReplayOptions Options;
  ReplayObserver *Observer;
  LiveStats A;
  IdLimits Limits;
  std::vector<uint8_t> IsOutside; ///< the totals; by heap
  /// The dictionary's limits before each offset.
  std::vector<std::pair<uint64_t, IdLimits>> LimitsBefore;
  std::vector<std::unique_ptr<ProcessReplay>>
      Processes;                         ///< by id, null unless used
  std::vector<uint64_t> EventsOfProcess; ///< in the whole trace
  std::vector<SnapshotParts> Bases;      ///< by process; see setUp()
  std::vector<uint64_t> LeftOut;         ///< events before the base, by process
  uint64_t BaseBlocks = 0;
  bool HasStarted = false;
  std::vector<Mark> Marks; ///< marks that change stats, by time
  size_t NextMark = 0;
  uint64_t EndNs = 0;
  uint64_t BoundaryNs = 0; ///< the next mark or time stop
  uint64_t UntilNs = UINT64_MAX;
  uint64_t DoneFromNs = UINT64_MAX;
  std::function<bool()> Done;
  bool Stopped = false;
  bool Passed = false; ///< UntilNs
  bool IsDone = false; ///< Done has returned true
  bool AtEnd = false;
  size_t NextSection = 0; ///< of the reader, after the epoch
  // Of the epoch.
  std::vector<ReplayCursor> Cursors;
  std::vector<ReplayCursor *> Earliest; ///< a heap, the earliest on top
  std::unique_ptr<EventsAhead> Ahead;   ///< of the run
  HeapStackRows BlockRows;              ///< with BlocksOnly
  uint64_t LastNs = 0;                  ///< of the last event
  // Of the events that are replayed at once.
  std::vector<Change> Changes;
  std::vector<LiveSet::LiveSetEntry *> Entries;
};

inline LiveSet::LiveSetEntry Replay::newEntry(ProcessReplay &I, uint32_t Stack,
                                              uint32_t ScopePath,
                                              uint32_t Heap) {
  LiveSet::LiveSetEntry Entry;
  Entry.Row = I.Stacks.find(Stack, Heap);
  if (LLVM_UNLIKELY(ScopePath))
    Entry.ScopeRow = I.ScopePaths.find(ScopePath, Heap);
  if (LLVM_UNLIKELY(!Entry.Row || (ScopePath && !Entry.ScopeRow)))
    findRows(I, Stack, ScopePath, Heap, Entry);
  return Entry;
}

} // namespace memkit

#endif // MEMKIT_MODEL_REPLAY_H
