// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a trace's events in their order.
//
// Feeds an LiveStats with the events of a trace in their total order, (TimeNs,
// process, row) within an epoch, and resolves the allocation ids of frees to
// blocks. Marks that mean something for the sums (steps, ends of processes,
// reserved bytes, losses) are applied before the events of the same time.
// Memory is that of the live set, one section of events for each process that
// runs at a time and three more, and the sums. A second thread decodes events
// while those before are replayed.
//
// Everything is checked: ids, allocation ids, order. What is wrong is a
// TraceError with the offset of the section.

#ifndef MEMKIT_MODEL_REPLAY_H
#define MEMKIT_MODEL_REPLAY_H

#include "memkit/Model/LiveSet.h"
#include "memkit/Model/RowCache.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceReader.h"
#include <functional>
#include <memory>

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
};

/// An event, as ReplayOptions::OnEvent sees it.
struct ReplayedEvent {
  EventKind Kind = EventKind::Allocate;
  uint64_t TimeNs = 0;
  uint64_t AllocatedNs = 0; ///< of the block
  uint64_t Block = 0;       ///< its allocation id
  uint64_t Size = 0;        ///< of the block after the event; freed: before it
  uint32_t Process = 0;
  uint32_t Thread = 0; ///< of the event
  uint32_t Heap = 0;
  uint32_t Stack = 0; ///< or the key that KeyOf gave
  uint32_t ScopePath = 0;
};

struct ReplayOptions {
  /// When set, only the blocks for which it gives true count; all their later
  /// events do too. Peaks are then the peaks of what is selected.
  std::function<bool(const Allocation &)> Select;
  /// When set, gives the key of the row in which a block counts, in place of
  /// its stack. Keys should be dense.
  std::function<uint32_t(const Allocation &)> KeyOf;
  /// When set, is told of each event of a block that Select took, once the
  /// LiveStats has it. False: the run ends there.
  std::function<bool(const ReplayedEvent &)> OnEvent;
  /// Remember the thread that allocated each live block.
  bool KeepThreads = false;
  /// Keep what cutInterval() of LiveStats needs.
  bool Intervals = false;
};

/// Is called between events. Every function does nothing unless overridden.
class ReplayObserver {
public:
  virtual ~ReplayObserver();
  /// The next moment at which timeStop() is wanted: after all events before it,
  /// before those at or after it. Asked again after every stop, step and end.
  virtual uint64_t nextTimeStop() { return UINT64_MAX; }
  /// Nothing happens in the trace from TimeNs to before NextNs.
  virtual llvm::Error timeStop(uint64_t TimeNs, uint64_t NextNs);
  /// The number of events of Process after which eventStop() is wanted, more
  /// than it has had; after startNear() one that is not more is none. Asked
  /// again after each such stop.
  virtual uint64_t nextEventStop(uint32_t) { return UINT64_MAX; }
  /// TimeNs: of the process's last event.
  virtual llvm::Error eventStop(uint32_t Process, uint64_t TimeNs);
  /// A step has begun, or a process is about to end, at TimeNs.
  virtual llvm::Error stepBegun(uint32_t Process, uint64_t TimeNs);
  virtual llvm::Error processEnds(uint32_t Process, uint64_t TimeNs);
};

/// Runs once. Belongs to one thread.
class Replay {
public:
  /// Reads the dictionary and the marks of R, which must outlive the result, as
  /// must Observer (may be null).
  static llvm::Expected<std::unique_ptr<Replay>>
  create(TraceReader &R, ReplayOptions Options = {},
         ReplayObserver *Observer = nullptr);
  ~Replay();

  /// Before run(): begins at the last snapshot of each process before AtNs
  /// instead of its start. Live values are right once run(AtNs) is done;
  /// counts, peaks and times lack what was before, and blocks of the snapshot
  /// have no thread. Processes that end by then have no events, unless
  /// KeepEnded.
  llvm::Error startNear(uint64_t AtNs, bool KeepEnded = false);

  /// Replays all events and marks with TimeNs <= UntilNs.
  llvm::Error run(uint64_t UntilNs = UINT64_MAX);
  /// As run(), and stops after the event at which Done gives true; it is asked
  /// after each event from FromNs on.
  llvm::Error runUntil(uint64_t FromNs, llvm::function_ref<bool()> Done);

  LiveStats &stats() { return A; }
  const LiveStats &stats() const { return A; }
  const IdLimits &limits() const { return Limits; }
  /// The last moment that the trace tells of: of its events and marks.
  uint64_t endNs() const { return EndNs; }
  /// How many blocks live in Process.
  uint64_t liveBlocks(uint32_t Process) const;
  /// Whether the block of Process with this allocation id lives.
  bool lives(uint32_t Process, uint64_t AllocationId) const;
  /// Of processes whose first events were left out: the blocks that lived then.
  /// They are allocations to stats().
  uint64_t blocksOfBases() const { return BaseBlocks; }
  /// The allocation id of the next block of Process.
  uint64_t nextAllocationId(uint32_t Process) const;
  /// Gives the live blocks of a process, allocation ids rising; Thread is 0
  /// unless KeepThreads. Those that Select refused are left out.
  void forEachLive(
      uint32_t Process,
      llvm::function_ref<void(const LiveBlock &, uint32_t Thread)> Do) const;
  /// Calls Do with each of Said and the block of Process that lives with its
  /// allocation id, null for none. Fast where allocation ids rise.
  void matchLive(
      uint32_t Process, llvm::ArrayRef<LiveBlock> Said,
      llvm::function_ref<void(const LiveBlock &, const LiveBlock *)> Do) const;

private:
  /// Stands for the row of a block that Select refused.
  static constexpr uint32_t Refused = UINT32_MAX;
  /// A set of live blocks needs memory for all allocation ids: some 180 MiB for
  /// these.
  static constexpr uint64_t MaxLeftOut = uint64_t(1) << 36;
  /// Fewer events than these are replayed one by one.
  static constexpr size_t Few = 64;
  /// So many are replayed at once: what is known of them stays in the caches.
  static constexpr size_t Many = 1024;
  /// So many entries of blocks are fetched at once. A power of two.
  static constexpr size_t Fetched = 128;
  /// How many allocations ahead the way from stacks to rows is fetched.
  static constexpr size_t StackAhead = 16;

  struct ProcessReplay {
    ProcessReplay(uint32_t Id, const IdLimits &Limits, bool KeepThreads)
        : Id(Id), Live(KeepThreads), Stacks(Limits.Stacks),
          ScopePaths(Limits.ScopePaths) {}
    uint32_t Id;
    LiveSet Live;
    RowCache Stacks, ScopePaths;
    uint64_t Events = 0; ///< so far, those before the snapshot included
    uint64_t NextStop = UINT64_MAX;
    uint64_t Skip = 0; ///< events still to be left out: the snapshot has them
    bool Ignored = false; ///< all its events are left out
  };
  /// Where a process stands within an epoch.
  struct Cursor {
    ProcessReplay *I = nullptr;
    std::vector<const SectionInfo *> Sections;
    size_t Section = 0;
    std::unique_ptr<EventTable> Open;
    size_t Row = 0;
    size_t Alloc = 0; ///< of the rows before Row, those that allocate
    size_t Noted = 0; ///< of these, those told to LiveStats::noteAllocation()
    uint64_t HeadNs = 0;
    /// LiveStats::lastAllocation() of each thread of the block, at its begin.
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
  llvm::Error runEpoch(llvm::ArrayRef<const SectionInfo *> Sections);
  llvm::Error runCursor(Cursor &C, uint64_t LimitNs);
  llvm::Error openSection(Cursor &C);
  void closeSection(Cursor &C);
  llvm::Error runRows(Cursor &C, size_t End, uint64_t LimitNs);
  bool canRunMany(const Cursor &C) const;
  llvm::Error runMany(Cursor &C, size_t End);
  void addBlocks(Cursor &C, size_t End, size_t Created);
  void noteAllocations(Cursor &C);
  llvm::Error changeBlocks(Cursor &C, size_t Ref, size_t End);
  llvm::Error changeBlocks(Cursor &C, size_t Ref, size_t End,
                           LiveSet::Entry **At);
  llvm::Error splitMany(Cursor &C, size_t Ref, LiveSet::Entry &E);
  llvm::Error runOne(Cursor &C);
  LiveSet::Entry newEntry(ProcessReplay &I, uint32_t Stack, uint32_t ScopePath,
                          uint32_t Heap);
  void findRows(ProcessReplay &I, uint32_t Stack, uint32_t ScopePath,
                uint32_t Heap, LiveSet::Entry &Entry);
  llvm::Error allocate(Cursor &C);
  llvm::Error readWeight(const Cursor &C, LiveSet::Place &P) const;
  llvm::Error reference(Cursor &C);
  llvm::Error split(Cursor &C, LiveSet::Cursor Block);
  void tell(const Cursor &C, uint64_t Block, uint64_t Size,
            uint64_t AllocatedNs, const LiveSet::Entry &E);
  llvm::Error notLive(const Cursor &C, size_t Ref) const;
  llvm::Error badSplit(const Cursor &C, size_t Ref, uint64_t Size) const;
  llvm::Error crossBoundaries(uint64_t TimeNs);
  llvm::Error applyMark(const Mark &M);
  void findBoundary();
  llvm::Error fail(const SectionInfo &At, const llvm::Twine &What) const;
  llvm::Error fail(const Cursor &At, const llvm::Twine &What) const {
    return fail(*At.Sections[At.Section], What);
  }

  TraceReader &R;
  ReplayOptions Options;
  ReplayObserver *Observer;
  LiveStats A;
  IdLimits Limits;
  /// What the dictionary held before each offset.
  std::vector<std::pair<uint64_t, IdLimits>> LimitsBefore;
  std::vector<std::unique_ptr<ProcessReplay>>
      Processes;                         ///< by id, null unless used
  std::vector<uint64_t> EventsOfProcess; ///< in the whole trace
  std::vector<SnapshotParts> Bases;      ///< by process; see setUp()
  std::vector<uint64_t> LeftOut;         ///< events before the base, by process
  uint64_t BaseBlocks = 0;
  bool HasStarted = false;
  std::vector<Mark> Marks; ///< those applied, by time
  size_t NextMark = 0;
  uint64_t EndNs = 0;
  uint64_t BoundaryNs = 0; ///< the next mark or time stop
  uint64_t UntilNs = UINT64_MAX;
  uint64_t DoneFromNs = UINT64_MAX;
  llvm::function_ref<bool()> Done;
  bool Stopped = false;
  std::unique_ptr<EventsAhead> Ahead; ///< of the run
  // Of the events that are replayed at once.
  std::vector<Change> Changes;
  std::vector<LiveSet::Entry *> Entries;
};

inline LiveSet::Entry Replay::newEntry(ProcessReplay &I, uint32_t Stack,
                                       uint32_t ScopePath, uint32_t Heap) {
  LiveSet::Entry Entry;
  Entry.Row = I.Stacks.find(Stack, Heap);
  if (LLVM_UNLIKELY(ScopePath))
    Entry.ScopeRow = I.ScopePaths.find(ScopePath, Heap);
  if (LLVM_UNLIKELY(!Entry.Row || (ScopePath && !Entry.ScopeRow)))
    findRows(I, Stack, ScopePath, Heap, Entry);
  return Entry;
}

} // namespace memkit

#endif // MEMKIT_MODEL_REPLAY_H
