// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live sums of a trace.
//
// The sums that a recorder keeps while it writes and a replay keeps while it
// reads: one implementation, so that both say the same. Sections.h says what
// each sum means (StackStats, TotalStats, ProcessStats, StepStats); here stands
// what it leaves open.
//
// Order. Calls come in the total order of the trace's events. A boundary (the
// end of a process, the begin of a step, the cut of an interval) at time T lies
// after all events with TimeNs < T, of all processes, and before all others. A
// recorder keeps to it by taking T from boundary() and by giving no later event
// a time below floorNs(). A replay finds the same order from the times alone.
//
// Enclosing blocks. Exclusive bytes of a block are its size less the sizes of
// the live blocks that name it as enclosing. A block nests when both heaps are
// of the same memory space and neither is HF_OutsideTotals; else the enclosing
// block is ignored. Name the nearest enclosing block of a counted heap. A
// memory space's live bytes are the sum of exclusive bytes, which is the sizes
// of the blocks that lie in no other. Its AllocatedBytes and FreedBytes are the
// rises and falls of that sum by events, so that their difference is what is
// live, and its Allocations, Frees, Temporaries and block counts are of blocks
// that lay in no other at that event. StackStats::SpacePeakBlocks counts all
// live blocks of the row. When an enclosing block is freed before what lies in
// it, the inner blocks from then on lie in the block that enclosed the freed
// one, or in none. When one is split, they stay in its first part.
//
// Sampled blocks (with a weight, of a heap with estimates) count as so many
// blocks of their size, so that all sums of their heap are estimates. An
// estimate takes nothing from what is exact, nor the other way round: in a
// sampled heap nothing nests, and a sampled block that lies in an exact one has
// no exclusive bytes, while the exact one keeps its own. Whether a sampled
// block was a temporary is not known.
//
// Steps and processes. StepStats and the bytes of ProcessStats are of the
// memory space `host` (steps: counts too), their Shares of each device of which
// the process has or had anything; ProcessStats counts allocations and frees
// of every heap. Rows of heaps outside the totals have no memory space peak,
// and their exclusive bytes are all their bytes.
//
// The scope path 0 has no row: scopeRow() gives 0 and events skip it.
//
// Not thread-safe. Memory: 104 bytes a row and 4 to find it (11 to 21 more
// where another process or heap had its stack before), 41 for each row that
// changed since the last interval, 16 for each that ever waited for a whole
// interval, what Lifetimes.h says, 48 or so for each enclosing block, 32 a
// thread, 520 a heap for sizes; a summary takes 8 bytes a row while it is made,
// and a part of an interval 150 for each of its rows.

#ifndef MEMKIT_STATS_ACCOUNTS_H
#define MEMKIT_STATS_ACCOUNTS_H

#include "memkit/Stats/LateQueue.h"
#include "memkit/Stats/Lifetimes.h"
#include "memkit/Stats/StatsRows.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

/// A block as LiveStats must be told of it. Allocation ids are of the process.
struct BlockRef {
  uint64_t AllocationId = 0;
  uint32_t Row = 0;      ///< stackRow()
  uint32_t ScopeRow = 0; ///< scopeRow(), 0 for none
};

/// An event on a block, as LiveStats::apply() takes many.
struct Change {
  /// FreeTemporary: by the thread that allocated the block and nothing since.
  enum Kinds : uint8_t { Allocate, Free, Grow, Shrink, Split, FreeTemporary };
  uint64_t Bytes = 0;    ///< by which live bytes rise or fall; 0 for Split
  uint32_t Row = 0;      ///< stackRow()
  uint32_t ScopeRow = 0; ///< scopeRow(), 0 for none
  Kinds Kind = Allocate;
};

class LiveStats {
public:
  LiveStats();
  ~LiveStats();
  LiveStats(const LiveStats &) = delete;
  LiveStats &operator=(const LiveStats &) = delete;

  //===--------------------------------------------------------------------===//
  // Heaps, processes, rows
  //===--------------------------------------------------------------------===//

  /// Adds the heap Id. Ids may come in any order; each once, before its rows.
  void addHeap(uint32_t Id, const Heap &H);
  /// Begins process Id (each once, before its rows). StartNs is where its first
  /// interval and its times begin.
  void beginProcess(uint32_t Id, uint64_t StartNs);
  bool hasHeap(uint32_t Id) const { return Id < Heaps.size() && Heaps[Id]; }
  /// Whether blocks of the heap Id stand for several.
  bool isEstimated(uint32_t Id) const { return Heaps[Id]->Estimated; }
  /// Whether the process ever had a block of the heap.
  bool hasHeapOf(uint32_t Process, uint32_t Heap) const {
    const std::vector<uint32_t> &Of = Processes[Process]->CellOfHeap;
    return Heap < Of.size() && Of[Heap];
  }
  /// One more than the highest heap of which the process had a block.
  size_t numHeapIdsOf(uint32_t Process) const {
    return Processes[Process]->CellOfHeap.size();
  }
  /// One more than the highest memory space of which it had one; at least 1.
  size_t numSpacesOf(uint32_t Process) const {
    return Processes[Process]->Shares.size() - 1;
  }
  bool hasProcess(uint32_t Id) const {
    return Id < Processes.size() && Processes[Id];
  }
  bool isEnded(uint32_t Process) const { return Processes[Process]->T.Ended; }

  /// The row of (process, heap, stack), made when there is none; never 0. Rows
  /// are numbered from 1 over all processes and stay valid: callers cache them.
  uint32_t stackRow(uint32_t Process, uint32_t Heap, uint32_t Stack) {
    return findRow(StackRows, Process, Heap, Stack);
  }
  /// Likewise of (process, heap, scope path), in a numbering of its own; 0 for
  /// the scope path 0.
  uint32_t scopeRow(uint32_t Process, uint32_t Heap, uint32_t ScopePath) {
    return ScopePath ? findRow(ScopeRows, Process, Heap, ScopePath) : 0;
  }
  /// What a row stands for.
  uint32_t stackOf(uint32_t Row) const { return StackRows[Row].Key; }
  uint32_t heapOf(uint32_t Row) const {
    return Cells[StackRows[Row].Cell].Heap;
  }
  uint32_t scopePathOf(uint32_t ScopeRow) const {
    return ScopeRow ? ScopeRows[ScopeRow].Key : 0;
  }
  /// Asks the processor to fetch a row that an event will soon change.
  /// (GCC takes a function that only prefetches for one without effect, and
  /// drops calls of it unless it is inlined early.)
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetchRow(uint32_t Row) const {
    __builtin_prefetch(&StackRows[Row], 1);
  }
  /// The same for the rest of the row, which intervals and late frees change.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetchRest(uint32_t Row) const {
    __builtin_prefetch(&StackRows.rest(Row), 1);
  }
  /// Do is told of memory that rows of stacks will soon be made in; see
  /// StatsRows::OnAhead.
  void onMemoryAhead(std::function<void(void *, size_t)> Do) {
    StackRows.OnAhead = std::move(Do);
  }
  /// How many rows of stacks there are.
  uint32_t numStackRows() const { return StackRows.size(); }

  //===--------------------------------------------------------------------===//
  // Events: a few nanoseconds each. TimeNs never falls. Thread: 0 when unknown.
  //===--------------------------------------------------------------------===//

  /// The block B begins to live.
  void allocate(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread);
  /// The same for a block that lies in the live block In.
  void allocateIn(BlockRef B, BlockRef In, uint64_t Size, uint64_t TimeNs,
                  uint32_t Thread);
  /// The block B, of Size bytes, is freed. Enclosing: the allocation id + 1 of
  /// the block given as In when it was allocated, 0 for none.
  void free(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread,
            uint64_t Enclosing = 0);
  /// The block B, which stands for Weight blocks, begins to live. In: a live
  /// block in which it lies, or one of row 0.
  void allocateSampled(BlockRef B, BlockRef In, uint64_t Size, uint32_t Weight,
                       uint64_t TimeNs, uint32_t Thread);
  /// It is freed; Size and Weight as then.
  void freeSampled(BlockRef B, uint64_t Size, uint32_t Weight, uint64_t TimeNs);
  /// B grows or shrinks where it is.
  void resize(BlockRef B, uint64_t OldSize, uint64_t NewSize, uint64_t TimeNs,
              uint64_t Enclosing = 0);
  /// B is cut in two; the new part is a block of the same rows, and of the same
  /// enclosing block.
  void split(BlockRef B, uint64_t TimeNs, uint64_t Enclosing = 0);

  /// Many events of Process, but fewer than 2^21, with TimesNs of each: as the
  /// functions above would, and faster. None of blocks that lie in another, or
  /// in which others lie or lay (encloses()). Allocations are told to
  /// noteAllocations() by the caller, late frees to noteLateFree().
  void apply(uint32_t Process, llvm::ArrayRef<Change> Changes,
             const uint64_t *TimesNs);
  /// Whether a block of Process lies or lay in another that still counts.
  bool hasNested(uint32_t Process) const {
    return !Processes[Process]->Enclosers.empty();
  }
  /// Whether the block of Process with this allocation id encloses one that
  /// still counts.
  bool encloses(uint32_t Process, uint64_t AllocationId) const {
    return Processes[Process]->Enclosers.count(AllocationId);
  }
  /// Whether blocks of Process lie in its block with this allocation id.
  bool holdsOthers(uint32_t Process, uint64_t AllocationId) const {
    auto At = Processes[Process]->Enclosers.find(AllocationId);
    return At != Processes[Process]->Enclosers.end() && At->second.InnerBlocks;
  }
  /// Blocks of Process below this allocation id were allocated in an interval
  /// that has ended: their frees are late.
  uint64_t lateBefore(uint32_t Process) const {
    return Processes[Process]->LateBefore;
  }
  /// A late free of Bytes in Blocks of Row.
  void noteLateFree(uint32_t Process, uint32_t Row, uint64_t AllocationId,
                    uint64_t Bytes, uint32_t Blocks = 1);
  /// AllocationId + 1 of what Thread allocated last, 0 for nothing.
  uint64_t lastAllocation(uint32_t Thread) const {
    return Thread < Threads.size() ? Threads[Thread].LastAllocation : 0;
  }
  /// Count allocations, of Bytes in all, of which the last has AllocationId.
  void noteAllocations(uint32_t Thread, uint64_t AllocationId, uint64_t Count,
                       uint64_t Bytes) {
    if (Thread >= Threads.size())
      Threads.resize(Thread + 1);
    ThreadStatsOf &T = Threads[Thread];
    T.LastAllocation = AllocationId + 1;
    T.Allocations += Count;
    T.AllocatedBytes += Bytes;
  }
  void noteAllocation(uint32_t Thread, uint64_t AllocationId, uint64_t Bytes) {
    noteAllocations(Thread, AllocationId, 1, Bytes);
  }

  //===--------------------------------------------------------------------===//
  // Boundaries
  //===--------------------------------------------------------------------===//

  /// The first moment at or after TimeNs that can be a boundary: a multiple of
  /// TimeUnitNs after every event and every boundary so far, so that nothing
  /// happens at the same time.
  uint64_t boundary(uint64_t TimeNs);
  /// What the last boundary() taken demands of the events after it.
  uint64_t floorNs() const { return FloorNs; }

  /// Role: a string, learnt later than the process's entry in the dictionary.
  void setRole(uint32_t Process, uint32_t Role);
  /// So many bytes of the process were resident, or were its proportional
  /// share.
  void noteResident(uint32_t Process, uint64_t RssBytes, uint64_t PssBytes);
  /// Process ends: its blocks leave the live curves, its sums stay as they are.
  /// No event of it may follow. ExitStatus -1: unknown.
  void endProcess(uint32_t Process, uint64_t TimeNs, int32_t ExitStatus,
                  uint32_t Signal);
  /// Ends the step that runs in Process, if any, and begins Step.
  void beginStep(uint32_t Process, uint64_t Step, uint64_t TimeNs);

  /// Before this moment timeIntervalDue() is false; UINT64_MAX for a process
  /// with steps. It is a load: ask often.
  uint64_t nextIntervalNs(uint32_t Process) const {
    return Processes[Process]->NextIntervalNs;
  }
  /// Whether an interval is due by time at NowNs. When nothing changed it is
  /// put off to the next of the equal times.
  bool timeIntervalDue(uint32_t Process, uint64_t NowNs);
  /// Whether an interval is due, the step just begun being the first of the
  /// next.
  bool stepIntervalDue(uint32_t Process) const;
  /// Which rows an interval that is cut now ought to have: all as long as they
  /// are few for the events there are.
  IntervalDetail dueDetail(uint32_t Process) const;
  /// Cuts an interval that ends at TimeNs, of the rows that Stats says (Changed
  /// or Whole): cutPart() gives them, while events go on. The next is cut when
  /// this one has been given in whole. NextAllocationId: of the next block of
  /// the process. At a step, call beginStep() first or after, it is the same.
  /// Once more when the process ends, so that intervals say how it ended. Steps
  /// and equal times become longer when intervals are many, or have many rows
  /// or late frees for the events there are: so they never end.
  void beginCut(uint32_t Process, uint64_t TimeNs, uint64_t NextAllocationId,
                IntervalDetail Detail);
  bool isCutting(uint32_t Process) const {
    return Processes[Process]->Cut != nullptr;
  }
  /// Of the next MaxRows rows that may be in it those that are, sorted; only
  /// while isCutting(). False when there are none and the interval has others,
  /// or when lifetimes are still to be brought up to it.
  bool cutPart(uint32_t Process, size_t MaxRows, Interval &Out);
  /// Both at once: all rows, sorted by heap and stack.
  void cutInterval(uint32_t Process, uint64_t TimeNs, uint64_t NextAllocationId,
                   IntervalDetail Detail, Interval &Out);
  /// Stops the book-keeping of intervals, for those who want none. At the
  /// start.
  void disableIntervals() { IntervalsOn = false; }

  //===--------------------------------------------------------------------===//
  // Spans: what happens to the heaps of a process between two moments
  //===--------------------------------------------------------------------===//

  /// The sums of a heap of a process, or of what the process has in a memory
  /// space.
  struct SpanStats {
    uint64_t Allocations = 0;
    uint64_t Frees = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t HighestBytes = 0; ///< of LiveBytes, since they were last taken
  };
  /// Gives OfHeap(Heap, SpanStats) what Process has now in the heaps that
  /// changed since the last call, whose highest bytes begin anew. A memory
  /// space in which nothing changed costs a comparison.
  template <class F> void takeHeapSpans(uint32_t Process, F OfHeap);
  /// The same by memory space: OfSpace(Space, SpanStats).
  template <class F> void takeSpaceSpans(uint32_t Process, F OfSpace);

  //===--------------------------------------------------------------------===//
  // What is no block
  //===--------------------------------------------------------------------===//

  void inheritedFree(uint32_t Process) {
    Processes[Process]->T.InheritedFrees += 1;
  }
  void addLoss(uint32_t Process, LossKind Kind, uint64_t Count);
  void countMarks(uint64_t N) { Marks += N; }
  /// What the allocator of Heap holds in Process from now on.
  void setReserved(uint32_t Process, uint32_t Heap, uint64_t Bytes);

  //===--------------------------------------------------------------------===//
  // Results. All may be asked at any time; running processes count as they are.
  //===--------------------------------------------------------------------===//

  uint64_t events() const { return Now; }
  uint64_t events(uint32_t Process) const { return Processes[Process]->Events; }
  uint64_t lastEventNs() const { return LastNs; }
  /// Steps begun in Process so far.
  uint64_t numSteps(uint32_t Process) const {
    return Processes[Process]->Steps.size() + Processes[Process]->Stepping;
  }
  uint64_t liveBlocks(uint32_t Process) const;
  HeapStats heapStats(uint32_t Heap) const;
  uint32_t numSpaces() const { return Spaces.size(); }
  /// Space: 0 `host`, else a device.
  TotalStats spaceStats(uint32_t Space) const;
  /// What lives now in the running processes, exclusive bytes: the curve whose
  /// highest point is the peak.
  uint64_t spaceLiveBytes(uint32_t Space) const {
    return Space < Spaces.size() ? Spaces[Space]->LiveBytes : 0;
  }
  uint64_t heapLiveBytes(uint32_t Heap) const {
    return Heaps[Heap]->C.LiveBytes;
  }
  /// What its allocator holds for running processes; nothing: not known.
  std::optional<uint64_t> heapReserved(uint32_t Heap) const {
    if (!Heaps[Heap]->ReservedKnown)
      return std::nullopt;
    return Heaps[Heap]->Reserved;
  }
  uint64_t heapLiveBlocks(uint32_t Heap) const {
    return Heaps[Heap]->C.LiveBlocks;
  }
  /// The event, as events() counts them, that brought the heap's peak.
  uint64_t heapPeakAt(uint32_t Heap) const { return Heaps[Heap]->C.PeakAt; }
  ProcessStats processStats(uint32_t Process, uint64_t NowNs) const;

  /// Gives the Summary in blocks of at most MaxSectionRows rows, all of Number.
  /// The last one, with Complete set, holds all that is not a row of a stack or
  /// scope path, unless there are more than MaxSectionRows steps or processes:
  /// the rest of those stand before. Rows are sorted by process, heap, key;
  /// rows without an allocation are left out. Stops at Write's first error and
  /// returns it.
  llvm::Error
  summary(uint32_t Number, uint64_t EndNs,
          llvm::function_ref<llvm::Error(const Summary &)> Write) const;
  /// The same in one piece, of any number of rows.
  Summary summary(uint32_t Number, uint64_t EndNs) const;
  /// Gives the lifetimes of the rows of which blocks lived at the cut, as of
  /// the last interval that was cut of each process, in blocks of at most
  /// MaxSectionRows cohorts, late frees and rows together. Rows are sorted by
  /// process, heap and stack. Those whose blocks are all of one interval in the
  /// first tenth of the run are left out: what a program makes when it starts.
  /// Stops at Write's first error and returns it.
  llvm::Error
  lifetimes(llvm::function_ref<llvm::Error(const Lifetimes &)> Write) const;

private:
  /// The live curve of a heap or memory space over the running processes, and
  /// its peak.
  struct Curve {
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t PeakBytes = 0;
    uint64_t PeakBlocks = 0;
    uint64_t PeakTimeNs = 0;
    uint64_t PeakAt = 0;     ///< number of the event that reached the peak
    uint64_t EndedBytes = 0; ///< live when their processes ended
    uint64_t EndedBlocks = 0;
    uint32_t Id = 0;

    void rise(uint64_t Bytes, uint64_t Blocks, uint64_t Now, uint64_t TimeNs) {
      LiveBytes += Bytes;
      LiveBlocks += Blocks;
      if (LiveBytes > PeakBytes) {
        PeakBytes = LiveBytes;
        PeakBlocks = LiveBlocks;
        PeakTimeNs = TimeNs;
        PeakAt = Now;
      }
    }
    void fall(uint64_t Bytes, uint64_t Blocks) {
      LiveBytes -= Bytes;
      LiveBlocks -= Blocks;
    }
    void endProcess(uint64_t Bytes, uint64_t Blocks) {
      fall(Bytes, Blocks);
      EndedBytes += Bytes;
      EndedBlocks += Blocks;
    }
    TotalStats totals() const;
  };
  struct HeapState {
    Curve C;
    Curve *Space = nullptr;
    bool Estimated = false;
    bool ReservedKnown = false;
    uint64_t Reserved = 0; ///< of running processes
    uint64_t ReservedPeak = 0;
    uint64_t ReservedAt = 0;     ///< number of the event before it changed
    uint64_t ReservedAtPeak = 0; ///< good when the peak was before that
    uint32_t GrowthFragmentation = 0;

    uint64_t reservedAtPeak() const {
      return C.PeakAt > ReservedAt ? Reserved : ReservedAtPeak;
    }
    uint64_t EndedReserved = 0;
    std::array<uint64_t, NumSizeClasses> Sizes{}; ///< of all its allocations
    std::vector<uint32_t> Cells;
  };
  /// What a process has in a memory space. Freed bytes are AllocatedBytes -
  /// LiveBytes.
  struct ShareStats {
    uint64_t Allocations = 0;
    uint64_t Frees = 0;
    uint64_t Temporaries = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t StepPeakBytes = 0; ///< since the step that runs began
    uint64_t PeakBytes = 0;     ///< before that
    uint64_t HighestBytes = 0;  ///< of the span that runs
    ShutdownCut Cut;
  };
  struct Share : ShareStats {
    /// Cells, by number % 64, with an event since spans of heaps were taken
    /// last; and those before that since the memory space's span was.
    uint64_t Touched = 0, TouchedBefore = 0;
    std::vector<uint32_t> Cells; ///< of the process and the memory space
  };
  /// A row that an event touched since the last interval, as it was at that
  /// interval.
  struct DirtyRow {
    uint32_t Row;
    uint32_t LiveBlocks;
    uint64_t LiveBytes;
    uint64_t AllocatedBytes;
    uint64_t Allocations;
    uint32_t Temporaries; ///< StatsRow::Temporaries

    bool livesAs(const DirtyRow &R) const {
      return LiveBlocks == R.LiveBlocks && LiveBytes == R.LiveBytes;
    }
  };
  static DirtyRow stateOf(uint32_t Row, const StatsRow &R) {
    return {Row,           R.LiveBlocks, R.LiveBytes, R.AllocatedBytes,
            R.Allocations, R.Temporaries};
  }
  /// What a row that lives as before allocated since an interval last had it.
  /// Sums that do not fit do not wait.
  struct WaitingRow {
    uint32_t Row;
    uint32_t AllocatedBytes = 0;
    uint32_t Allocations = 0;
    uint32_t Temporaries = 0;
    bool any() const { return AllocatedBytes || Allocations || Temporaries; }
  };
  /// An interval of which not all rows have been given.
  struct CutState {
    Interval Head;
    std::deque<DirtyRow> Rows;                ///< touched before the cut
    size_t Next = 0;                          ///< of them
    size_t NextWaiting = 0;                   ///< of a whole interval
    bool Any = false;                         ///< a part of it counted
    llvm::DenseMap<uint32_t, uint32_t> Since; ///< row -> in Dirty
    size_t Noted = 0;                         ///< of Dirty, in Since
    std::deque<LateFree> Late;
    size_t NextLate = 0; ///< of them
  };
  /// A block that encloses others. A freed one stays as long as these live.
  struct Encloser {
    uint64_t InnerBytes = 0;
    uint32_t InnerBlocks = 0;
    uint32_t Row = 0;
    uint32_t ScopeRow = 0;
    bool Freed = false;
    uint64_t Outer = 0; ///< allocation id + 1 of its own, once it is freed
  };
  struct ProcessState {
    ProcessStats T;
    uint64_t Events = 0;
    uint64_t EndAt = UINT64_MAX; ///< number of the last event before its end
    uint64_t IntervalFrom =
        0; ///< rows last changed before are clean; 0: no intervals
    uint64_t NextIntervalNs = UINT64_MAX;
    uint64_t IntervalNs = 0;    ///< between intervals by time
    uint64_t IntervalSteps = 1; ///< steps in an interval
    uint64_t StepsOpen = 0;     ///< ended steps of the interval that runs
    uint64_t IntervalWork = 0;  ///< see doubleIntervals()
    unsigned Doublings = 0;     ///< that IntervalWork has brought
    uint64_t LastDoubling = 0;  ///< after so many intervals
    IntervalLog Intervals;      ///< as intervals
    uint64_t LateBefore = 0;    ///< lateBefore()
    /// What lived of the process's shares at the end of the interval before the
    /// one that runs.
    std::vector<uint64_t> Levels;
    LateQueue Late;
    Interval Open; ///< the interval that runs, without rows
    bool Stepping = false;
    uint64_t Step = 0, StepBeginNs = 0, StepBefore = 0;
    std::vector<ShareStats> AtStep; ///< of Shares, when the step began
    std::vector<StepStats> Steps;   ///< ended ones
    std::deque<DirtyRow> Dirty;     ///< grows without a copy of twice its size
    std::deque<WaitingRow> Waiting; ///< each row that ever waited
    size_t NumWaiting = 0;          ///< those with any()
    /// Rows of intervals that were written though they live as before;
    /// dueDetail().
    uint64_t ChurnRows = 0;
    std::unique_ptr<CutState> Cut;
    std::vector<uint32_t> CellOfHeap; ///< cell + 1 by heap id
    std::vector<std::unique_ptr<Share>>
        Shares; ///< by memory space + 1, 0 outside
    std::array<uint64_t, NumLossCounts> Losses{}; ///< by lossIndex()
    llvm::DenseMap<uint64_t, Encloser> Enclosers; ///< by allocation id
    llvm::DenseSet<uint64_t> Covered; ///< sampled blocks that lie in others
  };
  /// A heap in a process: what all rows of both have in common, and the sums of
  /// which heaps' and processes' totals are made.
  struct Cell {
    ProcessState *I = nullptr;
    HeapState *H = nullptr;
    Curve *D = nullptr;
    Share *S = nullptr;
    uint64_t Allocations = 0;
    uint64_t Splits = 0;
    uint64_t Frees = 0;
    uint64_t Temporaries = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t HighestBytes = 0; ///< of the span that runs
    uint64_t SpanBit = 0;      ///< in Share::Touched
    uint64_t Reserved = 0;
    uint32_t Process = 0;
    uint32_t Heap = 0;

    uint64_t liveBlocks() const { return Allocations + Splits - Frees; }
  };
  /// An event on a block: all that it touches, with what peaks and intervals
  /// need of the rows saved.
  struct Target {
    StatsRow &R;
    StatsRow *X; ///< the scope path's row or null
    Cell &C;
  };

  uint32_t findRow(StatsRows &Rows, uint32_t Process, uint32_t Heap,
                   uint32_t Key);
  uint32_t findCell(uint32_t Process, uint32_t Heap);
  struct Lanes;
  static void countTemporary(StatsRows &Rows, uint32_t Row);
  static void savePeaks(StatsRows &Rows, uint32_t Row, uint64_t HeapPeakAt,
                        uint64_t SpacePeakAt);
  void openLanes(ProcessState &I);
  void closeLanes(ProcessState &I, const uint64_t *TimesNs);
  void changeReserved(Cell &C, uint64_t Bytes);
  void applyRare(const Change &C, Cell &Of);
  template <class S> static SpanStats takeSpan(S &Of);
  Target touch(uint32_t Row, uint32_t ScopeRow);
  Target beginEvent(BlockRef B, uint64_t TimeNs);
  void countAllocation(Target &T, uint32_t Thread, uint64_t AllocationId,
                       uint64_t Size);
  bool countFree(Target &T, BlockRef B, uint64_t Size, uint32_t Thread);
  static void countSampled(Target &T, uint32_t Weight);
  void growRows(Target &T, uint64_t Bytes);
  void spaceRise(Cell &C, uint64_t Bytes, uint64_t Blocks, uint64_t TimeNs);
  void spaceFall(Cell &C, uint64_t Bytes, uint64_t Blocks);
  void freeNested(Target &T, BlockRef B, uint64_t Size, bool Temporary,
                  uint64_t Enclosing);
  bool nests(const Cell &Inner, uint32_t OuterRow) const;
  bool changeInner(const Cell &Inner, uint64_t Enclosing, uint64_t Bytes,
                   uint64_t Blocks);
  void beginIntervals(ProcessState &I, uint64_t StartNs);
  Interval nextInterval(ProcessState &I, uint64_t TimeNs,
                        uint64_t NextAllocationId, IntervalDetail Detail);
  bool intervalRow(ProcessState &I, IntervalDetail Detail,
                   const DirtyRow &Before, const DirtyRow &At,
                   IntervalRow &Out);
  IntervalRow waitingRow(ProcessState &I, WaitingRow &W, const DirtyRow &At);
  static void takeWaiting(ProcessState &I, WaitingRow &W, IntervalRow &To);
  static bool givesWaiting(const ProcessState &I);
  bool letWait(ProcessState &I, uint32_t Row, const IntervalRow &Stats);
  DirtyRow stateAtCut(const ProcessState &I, uint32_t Row) const;
  void doubleIntervals(ProcessState &I, uint64_t Cut);
  void finishCut(ProcessState &I);
  static void noteLateFree(ProcessState &I, uint32_t Row, uint64_t AllocationId,
                           uint64_t Bytes, uint32_t Blocks);
  void addAllocated(ProcessState &I, uint32_t Interval, const DirtyRow &Before,
                    const DirtyRow &At, bool AnyLate);
  void applyLate(ProcessState &I, const std::deque<LateFree> &Late, size_t From,
                 size_t To, uint32_t Interval);
  void noteLevels(ProcessState &I);
  bool lifetimeAt(uint32_t Row, LifetimeRow &Out) const;
  void endStep(ProcessState &I, uint64_t TimeNs);
  StepStats runningStep(const ProcessState &I, uint64_t NowNs) const;
  static SpaceShare shareOf(const ShareStats &Now, const ShareStats &Before,
                            size_t Space);
  StackStats stackStats(const StatsRow &R, const StatsRowCold &Rest,
                        const Cell &C) const;
  struct RowOrder;
  RowOrder orderRows(const StatsRows &Rows) const;
  void fillTotals(Summary &S, uint64_t EndNs) const;

  uint64_t Now = 0; ///< events so far; numbers them from 1
  uint64_t LastNs = 0;
  uint64_t FloorNs = 0;
  uint64_t Marks = 0;
  bool IntervalsOn = true;
  StatsRows StackRows, ScopeRows;
  std::vector<Cell> Cells;
  std::vector<std::unique_ptr<HeapState>> Heaps;
  std::vector<std::unique_ptr<Curve>> Spaces;
  std::vector<std::unique_ptr<ProcessState>> Processes;
  /// A power of two in size: an index costs no multiplication.
  struct alignas(32) ThreadStatsOf {
    uint64_t LastAllocation = 0; ///< allocation id + 1
    uint64_t Allocations = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t NestedBytes = 0; ///< of these, those in blocks that count them
  };
  std::vector<ThreadStatsOf> Threads; ///< by id; those of 0 are not told
  llvm::DenseMap<uint32_t, uint64_t> StackSplits, ScopeSplits; ///< by row
  std::deque<Lifetime> LifetimesOf; ///< see StatsRowCold::AllocatedIn
  std::unique_ptr<Lanes> Open;      ///< what apply() keeps at hand
  Curve Outside; ///< stands for the memory space of heaps outside the totals
};

//===----------------------------------------------------------------------===//
// The way of an event
//===----------------------------------------------------------------------===//

inline void LiveStats::savePeaks(StatsRows &Rows, uint32_t Row,
                                 uint64_t HeapPeakAt, uint64_t SpacePeakAt) {
  const StatsRow &R = Rows[Row];
  if (R.LastChange <= HeapPeakAt) {
    StatsRowCold &Rest = Rows.rest(Row);
    Rest.HeapPeakBytes = R.LiveBytes;
    Rest.HeapPeakBlocks = R.LiveBlocks;
  }
  if (R.LastChange <= SpacePeakAt) {
    StatsRowCold &Rest = Rows.rest(Row);
    Rest.SpacePeakBytes = R.LiveExclusive;
    Rest.SpacePeakBlocks = R.LiveBlocks;
  }
}

inline void LiveStats::countTemporary(StatsRows &Rows, uint32_t Row) {
  uint32_t &Count = Rows[Row].Temporaries;
  if (LLVM_LIKELY(Count != UINT32_MAX))
    Count += 1;
  else
    Rows.rest(Row).Temporaries += 1;
}

inline LiveStats::Target LiveStats::touch(uint32_t Row, uint32_t ScopeRow) {
  StatsRow &R = StackRows[Row];
  Cell &C = Cells[R.Cell];
  savePeaks(StackRows, Row, C.H->C.PeakAt, C.D->PeakAt);
  if (R.LastChange < C.I->IntervalFrom)
    C.I->Dirty.push_back(stateOf(Row, R));
  R.LastChange = Now;
  StatsRow *X = nullptr;
  if (ScopeRow) {
    X = &ScopeRows[ScopeRow];
    savePeaks(ScopeRows, ScopeRow, C.H->C.PeakAt, C.D->PeakAt);
    X->LastChange = Now;
  }
  return {R, X, C};
}

inline LiveStats::Target LiveStats::beginEvent(BlockRef B, uint64_t TimeNs) {
  assert(TimeNs >= LastNs && "events out of order");
  ++Now;
  LastNs = TimeNs;
  Target T = touch(B.Row, B.ScopeRow);
  T.C.I->Events += 1;
  T.C.S->Touched |= T.C.SpanBit;
  return T;
}

inline void LiveStats::growRows(Target &T, uint64_t Bytes) {
  auto Grow = [&](StatsRow &R) {
    R.AllocatedBytes += Bytes;
    R.LiveBytes += Bytes;
    R.LiveExclusive += Bytes;
    if (R.LiveBytes > R.PeakBytes)
      R.PeakBytes = R.LiveBytes;
  };
  Grow(T.R);
  if (T.X)
    Grow(*T.X);
  T.C.AllocatedBytes += Bytes;
  T.C.LiveBytes += Bytes;
  T.C.HighestBytes = std::max(T.C.HighestBytes, T.C.LiveBytes);
}

inline void LiveStats::countAllocation(Target &T, uint32_t Thread,
                                       uint64_t AllocationId, uint64_t Size) {
  noteAllocation(Thread, AllocationId, Size);
  T.C.H->Sizes[sizeClass(Size)] += 1;
  T.R.Allocations += 1;
  T.R.LiveBlocks += 1;
  if (T.X) {
    T.X->Allocations += 1;
    T.X->LiveBlocks += 1;
  }
  T.C.Allocations += 1;
}

inline bool LiveStats::countFree(Target &T, BlockRef B, uint64_t Size,
                                 uint32_t Thread) {
  auto Shrink = [&](StatsRow &R) {
    R.LiveBlocks -= 1;
    R.LiveBytes -= Size;
    R.LiveExclusive -= Size;
  };
  Shrink(T.R);
  if (T.X)
    Shrink(*T.X);
  T.C.Frees += 1;
  T.C.LiveBytes -= Size;
  T.C.H->C.fall(Size, 1);
  bool Temporary = Thread != 0 && lastAllocation(Thread) == B.AllocationId + 1;
  if (Temporary) {
    T.C.Temporaries += 1;
    countTemporary(StackRows, B.Row);
    if (T.X)
      countTemporary(ScopeRows, B.ScopeRow);
  }
  return Temporary;
}

inline void LiveStats::spaceRise(Cell &C, uint64_t Bytes, uint64_t Blocks,
                                 uint64_t TimeNs) {
  C.D->rise(Bytes, Blocks, Now, TimeNs);
  Share &S = *C.S;
  S.AllocatedBytes += Bytes;
  S.LiveBytes += Bytes;
  S.LiveBlocks += Blocks;
  if (S.LiveBytes > S.StepPeakBytes)
    S.StepPeakBytes = S.LiveBytes;
  S.HighestBytes = std::max(S.HighestBytes, S.LiveBytes);
}

inline void LiveStats::spaceFall(Cell &C, uint64_t Bytes, uint64_t Blocks) {
  C.D->fall(Bytes, Blocks);
  C.S->LiveBytes -= Bytes;
  C.S->LiveBlocks -= Blocks;
}

template <class S> LiveStats::SpanStats LiveStats::takeSpan(S &Of) {
  SpanStats Stats{Of.Allocations, Of.Frees, Of.AllocatedBytes, Of.LiveBytes,
                  Of.HighestBytes};
  Of.HighestBytes = Of.LiveBytes;
  return Stats;
}

template <class F> void LiveStats::takeHeapSpans(uint32_t Process, F OfHeap) {
  for (const std::unique_ptr<Share> &S : Processes[Process]->Shares) {
    if (!S || !S->Touched)
      continue;
    for (uint64_t Left = S->Touched; Left; Left &= Left - 1)
      for (size_t At = size_t(std::countr_zero(Left)); At < S->Cells.size();
           At += 64) {
        Cell &C = Cells[S->Cells[At]];
        OfHeap(C.Heap, takeSpan(C));
      }
    S->TouchedBefore |= S->Touched;
    S->Touched = 0;
  }
}

template <class F> void LiveStats::takeSpaceSpans(uint32_t Process, F OfSpace) {
  const auto &Shares = Processes[Process]->Shares;
  for (uint32_t Space = 0; Space + 1 < Shares.size(); ++Space) {
    Share *S = Shares[Space + 1].get();
    if (!S || !(S->Touched | S->TouchedBefore))
      continue;
    S->TouchedBefore = 0;
    OfSpace(Space, takeSpan(*S));
  }
}

inline void LiveStats::allocate(BlockRef B, uint64_t Size, uint64_t TimeNs,
                                uint32_t Thread) {
  Target T = beginEvent(B, TimeNs);
  countAllocation(T, Thread, B.AllocationId, Size);
  growRows(T, Size);
  T.C.H->C.rise(Size, 1, Now, TimeNs);
  T.C.S->Allocations += 1;
  spaceRise(T.C, Size, 1, TimeNs);
}

inline void LiveStats::free(BlockRef B, uint64_t Size, uint64_t TimeNs,
                            uint32_t Thread, uint64_t Enclosing) {
  Target T = beginEvent(B, TimeNs);
  bool Temporary = countFree(T, B, Size, Thread);
  if (LLVM_UNLIKELY(B.AllocationId < T.C.I->LateBefore))
    noteLateFree(*T.C.I, B.Row, B.AllocationId, Size, 1);
  if (!T.C.I->Enclosers.empty())
    return freeNested(T, B, Size, Temporary, Enclosing);
  T.C.S->Frees += 1;
  T.C.S->Temporaries += Temporary;
  spaceFall(T.C, Size, 1);
}

} // namespace memkit

#endif // MEMKIT_STATS_ACCOUNTS_H
