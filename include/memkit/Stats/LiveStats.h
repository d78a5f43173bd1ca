// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the stats of a trace up to date, event by event.
//
// A recorder calls LiveStats while it writes, and a replay while it reads: with
// one implementation, both have the same results. Sections.h defines the stats
// (StackStats, TotalStats, ProcessStats, StepStats); the rules below complete
// the definitions.
//
// Order. Calls come in the total order of the trace's events. A boundary (the
// end of a process, the start of a step, the cut of an interval) at time T is
// after all events of all processes with TimeNs < T, and before all other
// events. A recorder takes T from boundary() and gives later events no time
// below floorNs(). A replay finds the same order from the times alone.
//
// Enclosing blocks. The exclusive bytes of a block are its size less the sizes
// of the live blocks that name the block as enclosing. A block nests when both
// heaps are of the same memory space and neither is HF_OutsideTotals; otherwise
// the enclosing block is ignored. Callers name the nearest enclosing block of a
// counted heap. A memory space's live bytes are the sum of exclusive bytes,
// which equals the sizes of all blocks without an enclosing block. Its
// AllocatedBytes and FreedBytes are the rises and falls of this sum by events,
// so the difference of the two is the live bytes. Its Allocations, Frees,
// Temporaries and block counts are of blocks without an enclosing block at the
// event. StackStats::SpacePeakBlocks counts all live blocks of the row. When an
// enclosing block is freed before its inner blocks, the next outer block (or
// none) encloses the inner blocks. When an enclosing block is split, the inner
// blocks stay in its first part.
//
// Uncounted blocks. Who wants the stats of some blocks alone names the others
// that lie in a counted block or in such an uncounted one. They have no row and
// no events; their bytes are not their encloser's either, so the stats of all
// parts of a trace add up to the whole. A counted block in an uncounted one
// counts in its memory space as a block without an enclosing block.
//
// Sampled blocks (with a weight, of a heap with estimates) count as Weight
// blocks of their size, so all stats of their heap are estimates. Estimates and
// exact values do not mix: in a sampled heap no block nests, and a sampled
// block in an exact block has no exclusive bytes, while the exact block keeps
// its own. Whether a sampled block was a temporary is not known.
//
// Steps and processes. StepStats and the bytes of ProcessStats are of the
// memory space `host` (in StepStats, counts too). Their Shares have an entry
// for each device on which the process has or had memory. ProcessStats counts
// allocations and frees of every heap. Rows of heaps outside the totals have no
// memory space peak, and all their bytes are exclusive.
//
// The scope path 0 has no row: scopeRow() returns 0 and events skip the row.
//
// Not thread-safe. Memory: 104 bytes a row and 4 to find the row (11 to 21 more
// if another process or heap had its stack before); 41 for each row that
// changed since the last interval; 16 for each row that ever waited for a whole
// interval; the memory of Lifetimes.h; about 48 for each enclosing block; 32 a
// thread; 520 a heap for sizes. Making a summary takes 8 bytes a row; a part of
// an interval takes 150 for each of its rows.

#ifndef MEMKIT_STATS_LIVESTATS_H
#define MEMKIT_STATS_LIVESTATS_H

#include "memkit/Stats/LateQueue.h"
#include "memkit/Stats/Lifetimes.h"
#include "memkit/Stats/MomentRows.h"
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

/// A block in calls of LiveStats. Allocation ids are of the process.
struct BlockRef {
  uint64_t AllocationId = 0;
  uint32_t Row = 0;      ///< stackRow()
  uint32_t ScopeRow = 0; ///< scopeRow(), 0 for none
};

/// A live block around another.
struct OuterRef {
  OuterRef(BlockRef B) : Block(B) {}
  /// An uncounted block. Around: the row of the counted block around it.
  static OuterRef uncounted(uint64_t AllocationId, uint32_t Around) {
    OuterRef Out(BlockRef{AllocationId, Around, 0});
    Out.IsCounted = false;
    return Out;
  }
  BlockRef Block;
  bool IsCounted = true;
};

/// An event of a block, for LiveStats::apply().
struct Change {
  /// FreeTemporary: freed by the thread that allocated the block, with no
  /// allocation of the thread in between.
  enum ChangeKind : uint8_t {
    Allocate,
    Free,
    Grow,
    Shrink,
    Split,
    FreeTemporary
  };
  uint64_t Bytes = 0;    ///< change of live bytes; 0 for Split
  uint32_t Row = 0;      ///< stackRow()
  uint32_t ScopeRow = 0; ///< scopeRow(), 0 for none
  ChangeKind Kind = Allocate;
};

/// What the live bytes of a heap and its memory space do over a run of events:
/// see LiveStats::outlook().
struct Outlook {
  /// The number of events up to a new peak, the event of the peak included; 0:
  /// no new peak.
  size_t PeakAfter = 0;
  /// A bound of setBounds() is crossed.
  bool Crosses = false;
};

/// What a run of nested blocks adds to a block around them.
struct NestedSum {
  BlockRef Outer;
  uint64_t Bytes = 0; ///< allocated less freed, as are Blocks; may wrap
  uint32_t Blocks = 0;
};

/// Many functions in one class: an event changes its row, heap, memory space,
/// process and interval together, in a few nanoseconds, so all share one state.
/// Each LiveStats*.cpp has the functions of one task.
class LiveStats {
public:
  LiveStats();
  ~LiveStats();
  LiveStats(const LiveStats &) = delete;
  LiveStats &operator=(const LiveStats &) = delete;

  //===--------------------------------------------------------------------===//
  // Heaps, processes, rows
  //===--------------------------------------------------------------------===//

  /// Adds the heap Id. Call once for each heap, in any order, before the heap's
  /// rows.
  void addHeap(uint32_t Id, const Heap &H);
  /// Starts process Id. Call once for each process, before its rows. StartNs:
  /// the start of the process's first interval and times.
  void beginProcess(uint32_t Id, uint64_t StartNs);
  bool hasHeap(uint32_t Id) const { return Id < Heaps.size() && Heaps[Id]; }
  /// Whether a block of heap Id stands for as many as its weight says.
  bool countsWeights(uint32_t Id) const { return Heaps[Id]->CountsWeights; }
  /// Whether the process ever had a block of the heap.
  bool hasHeapOf(uint32_t Process, uint32_t Heap) const {
    const std::vector<uint32_t> &Of = Processes[Process]->CellOfHeap;
    return Heap < Of.size() && Of[Heap];
  }
  /// The live bytes of a heap in a process; an estimate if the heap is sampled.
  uint64_t liveBytesOf(uint32_t Process, uint32_t Heap) const {
    return hasHeapOf(Process, Heap)
               ? Cells[Processes[Process]->CellOfHeap[Heap] - 1].LiveBytes
               : 0;
  }
  /// 1 + the highest id of a heap of which the process had a block.
  size_t numHeapIdsOf(uint32_t Process) const {
    return Processes[Process]->CellOfHeap.size();
  }
  /// 1 + the highest id of a memory space of which the process had a block; at
  /// least 1.
  size_t numSpacesOf(uint32_t Process) const {
    return Processes[Process]->Shares.size() - 1;
  }
  bool hasProcess(uint32_t Id) const {
    return Id < Processes.size() && Processes[Id];
  }
  bool isEnded(uint32_t Process) const { return Processes[Process]->T.Ended; }

  /// The row of (process, heap, stack), made if missing; never 0. Rows are
  /// numbered from 1 over all processes and stay valid, so callers may cache
  /// row numbers.
  uint32_t stackRow(uint32_t Process, uint32_t Heap, uint32_t Stack) {
    return findRow(StackRows, Process, Heap, Stack);
  }
  /// The row of (process, heap, scope path), likewise, with separate numbers; 0
  /// for the scope path 0.
  uint32_t scopeRow(uint32_t Process, uint32_t Heap, uint32_t ScopePath) {
    return ScopePath ? findRow(ScopeRows, Process, Heap, ScopePath) : 0;
  }
  /// The key of a row.
  uint32_t stackOf(uint32_t Row) const { return StackRows[Row].Key; }
  uint32_t heapOf(uint32_t Row) const {
    return Cells[StackRows[Row].Cell].Heap;
  }
  /// The exclusive live bytes of a row of stacks; 0 after its process's end.
  uint64_t liveExclusive(uint32_t Row) const {
    const StatsRow &R = StackRows[Row];
    return isEnded(Cells[R.Cell].Process) ? 0 : R.LiveExclusive;
  }
  uint32_t processOf(uint32_t Row) const {
    return Cells[StackRows[Row].Cell].Process;
  }
  /// The stats of a row of stacks, as a summary has them.
  StackStats rowStats(uint32_t Row) const {
    const StatsRow &R = StackRows[Row];
    return statsAt(R, StackRows.cold(Row), cellNow(Cells[R.Cell]));
  }
  uint32_t scopePathOf(uint32_t ScopeRow) const {
    return ScopeRow ? ScopeRows[ScopeRow].Key : 0;
  }
  /// Asks the processor to fetch a row before an event changes the row. (GCC
  /// considers a function that only prefetches to have no effect, and drops its
  /// calls unless inlined early.)
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetchRow(uint32_t Row) const {
    __builtin_prefetch(&StackRows[Row], 1);
  }
  /// As prefetchRow(), for the cold part of the row, which intervals and late
  /// frees change.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetchCold(uint32_t Row) const {
    __builtin_prefetch(&StackRows.cold(Row), 1);
  }
  /// Do is called with memory for the next rows of stacks; see
  /// StatsRows::OnAhead.
  void onMemoryAhead(std::function<void(void *, size_t)> Do) {
    StackRows.OnAhead = std::move(Do);
  }
  /// The number of rows of stacks.
  uint32_t numStackRows() const { return StackRows.size(); }

  //===--------------------------------------------------------------------===//
  // Events: a few nanoseconds each. TimeNs never falls. Thread: 0 when unknown.
  //===--------------------------------------------------------------------===//

  /// Allocates the block B.
  void allocate(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread);
  /// Allocates the block B inside the live block In.
  void allocateIn(BlockRef B, OuterRef In, uint64_t Size, uint64_t TimeNs,
                  uint32_t Thread);
  /// Frees the block B of Size bytes. Enclosing: the allocation id + 1 of In at
  /// the block's allocation, 0 for none.
  void free(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread,
            uint64_t Enclosing = 0);
  /// Allocates the block B, which stands for Weight blocks. In: the enclosing
  /// live block, or a block of row 0.
  void allocateSampled(BlockRef B, BlockRef In, uint64_t Size, uint32_t Weight,
                       uint64_t TimeNs, uint32_t Thread);
  /// Frees a sampled block; Size and Weight as in allocateSampled().
  void freeSampled(BlockRef B, uint64_t Size, uint32_t Weight, uint64_t TimeNs);
  /// Resizes B in place.
  void resize(BlockRef B, uint64_t OldSize, uint64_t NewSize, uint64_t TimeNs,
              uint64_t Enclosing = 0);
  /// Splits B in two. The new part is a block with the same rows and the same
  /// enclosing block.
  void split(BlockRef B, uint64_t TimeNs, uint64_t Enclosing = 0);

  /// The same events of an uncounted block; allocateUncountedIn() returns false
  /// if the block does not nest: then it has no further events. Around: the row
  /// in In. A split makes a further uncounted block of equal Around and
  /// Enclosing.
  bool allocateUncountedIn(uint32_t Heap, OuterRef In, uint64_t Size,
                           uint64_t TimeNs);
  void freeUncounted(uint64_t AllocationId, uint32_t Around, uint64_t Size,
                     uint64_t TimeNs, uint64_t Enclosing);
  void resizeUncounted(uint32_t Around, uint64_t OldSize, uint64_t NewSize,
                       uint64_t TimeNs, uint64_t Enclosing);
  void splitUncounted(uint32_t Around, uint64_t TimeNs, uint64_t Enclosing);

  /// Applies fewer than 2^21 events of Process, with the time of each in
  /// TimesNs: the result is as from the functions above, but faster. No block
  /// of Changes may have an enclosing block, or have or have had inner blocks
  /// (encloses()). The caller passes allocations to noteAllocations() and
  /// noteUncounted(), and late frees to noteLateFree().
  void apply(uint32_t Process, llvm::ArrayRef<Change> Changes,
             const uint64_t *TimesNs);
  /// Events of several processes at once, of blocks of one heap. Where
  /// processes take turns after few events, apply() for each turn costs three
  /// times as much as the events. In the other order, process by process, the
  /// events have the same sums; only the curves of live bytes differ in
  /// between. So the caller first asks outlook() of the events in their order.
  /// If they cross a bound, the caller calls apply() for each turn. Otherwise
  /// the caller passes the events up to the new peak to applyPart(), once for
  /// each process, calls endPart(), and does the same for the events after the
  /// peak. apply()'s other conditions hold. The result is as from apply().
  Outlook outlook(llvm::ArrayRef<Change> Changes) const;
  void applyPart(uint32_t Process, llvm::ArrayRef<Change> Changes,
                 const uint64_t *TimesNs);
  /// Row, TimeNs: of the last event of the part, in the order of the events.
  void endPart(uint32_t Row, uint64_t TimeNs);
  /// As apply(), for blocks of one heap that each lie in one of the live blocks
  /// of Outers (nestsIn()); apply()'s other conditions hold. A freed block lies
  /// in a block that encloses() names. The caller also calls noteUncounted()
  /// for each allocation.
  void applyNested(uint32_t Process, llvm::ArrayRef<Change> Changes,
                   llvm::ArrayRef<NestedSum> Outers, const uint64_t *TimesNs);
  /// Whether a block of Row in a block of OuterRow counts as an inner block.
  bool nestsIn(uint32_t Row, uint32_t OuterRow) const {
    return nests(Cells[StackRows[Row].Cell].D, OuterRow);
  }
  /// Whether Process has an enclosing block that still counts, live or freed.
  bool hasNested(uint32_t Process) const {
    return !Processes[Process]->Enclosers.empty();
  }
  /// Whether the block AllocationId of Process is an enclosing block that still
  /// counts.
  bool encloses(uint32_t Process, uint64_t AllocationId) const {
    return Processes[Process]->Enclosers.count(AllocationId);
  }
  /// Whether the block AllocationId of Process has live inner blocks.
  bool holdsOthers(uint32_t Process, uint64_t AllocationId) const {
    auto At = Processes[Process]->Enclosers.find(AllocationId);
    return At != Processes[Process]->Enclosers.end() && At->second.InnerBlocks;
  }
  /// Blocks of Process below this allocation id were allocated in an interval
  /// that has ended, so their frees are late.
  uint64_t lateBefore(uint32_t Process) const {
    return Processes[Process]->LateBefore;
  }
  /// Notes a late free of Bytes in Blocks of Row.
  void noteLateFree(uint32_t Process, uint32_t Row, uint64_t AllocationId,
                    uint64_t Bytes, uint32_t Blocks = 1);
  /// The allocation id + 1 of Thread's last allocation; 0: none.
  uint64_t lastAllocation(uint32_t Thread) const {
    return Thread < Threads.size() ? Threads[Thread].LastAllocation : 0;
  }
  /// Whether no total has the bytes of Heap.
  bool isOutsideTotals(uint32_t Heap) const {
    return Heaps[Heap]->Space == &Outside;
  }
  /// Notes Count allocations of Thread, of Bytes in all; AllocationId is the
  /// last.
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
  /// Bytes of an allocation that was noted lie in an enclosing block, or
  /// outside the totals.
  void noteUncounted(uint32_t Thread, uint64_t Bytes) {
    Threads[Thread].UncountedBytes += Bytes;
  }

  //===--------------------------------------------------------------------===//
  // Boundaries
  //===--------------------------------------------------------------------===//

  /// The first possible time of a boundary at or after TimeNs: a multiple of
  /// TimeUnitNs after all events and boundaries so far, so no event has the
  /// same time.
  uint64_t boundary(uint64_t TimeNs);
  /// The minimum time of later events, set by the last boundary().
  uint64_t floorNs() const { return FloorNs; }

  /// Role: a string that was found after the process's entry in the dictionary.
  void setRole(uint32_t Process, uint32_t Role);
  /// Notes a sample of the process's resident bytes and of its proportional
  /// share.
  void noteResident(uint32_t Process, uint64_t RssBytes, uint64_t PssBytes);
  /// Ends Process: its blocks leave the live curves, its stats stay. No event
  /// of Process may follow. ExitStatus -1: unknown.
  void endProcess(uint32_t Process, uint64_t TimeNs, int32_t ExitStatus,
                  uint32_t Signal);
  /// Ends the current step of Process, if any, and starts Step.
  void beginStep(uint32_t Process, uint64_t Step, uint64_t TimeNs);

  /// timeIntervalDue() is false before this time; UINT64_MAX for a process with
  /// steps. The call is a load, so callers may call often.
  uint64_t nextIntervalNs(uint32_t Process) const {
    return Processes[Process]->NextIntervalNs;
  }
  /// Whether an interval is due at NowNs by time. If no row changed, the
  /// interval is postponed to the next of the equal times.
  bool timeIntervalDue(uint32_t Process, uint64_t NowNs);
  /// Whether an interval is due at the step just started, the first step of the
  /// next interval.
  bool stepIntervalDue(uint32_t Process) const;
  /// The rows that an interval cut now should have: all rows, as long as rows
  /// are few compared to events.
  IntervalDetail dueDetail(uint32_t Process) const;
  /// Starts the cut of an interval that ends at TimeNs; Detail (Changed or
  /// Whole) chooses its rows. cutPart() returns the rows, while events go on.
  /// The next cut may start after this interval is complete. NextAllocationId:
  /// of the next block of the process. At a step, beginStep() may come before
  /// or after beginCut(). Call once more when the process ends, so that the
  /// intervals have the final values. Steps and equal times become longer when
  /// intervals are many, or have many rows or late frees compared to events, so
  /// the number of intervals has no limit.
  void beginCut(uint32_t Process, uint64_t TimeNs, uint64_t NextAllocationId,
                IntervalDetail Detail);
  /// The next beginCut() of Process is the last: it ends the observed life.
  void expectLastCut(uint32_t Process) {
    Processes[Process]->IsLastInterval = true;
  }
  bool isCutting(uint32_t Process) const {
    return Processes[Process]->Cut != nullptr;
  }
  /// Looks at the next MaxRows candidate rows and sets Out to the rows of the
  /// interval among the candidates, sorted. Call only while isCutting(). False:
  /// Out does not count, because no candidate is a row of the interval and the
  /// interval has other rows, or because the call updated lifetimes.
  bool cutPart(uint32_t Process, size_t MaxRows, Interval &Out);
  /// beginCut() and all cutPart() at once: all rows, sorted by heap and stack.
  void cutInterval(uint32_t Process, uint64_t TimeNs, uint64_t NextAllocationId,
                   IntervalDetail Detail, Interval &Out);
  /// Counts from now on: the live blocks of a row are its only allocations, and
  /// peaks begin at the live bytes. For a replay of the later events alone,
  /// without intervals or steps.
  void countFromNow();
  /// Disables intervals, for callers without need of intervals. Call at the
  /// start.
  void disableIntervals() { IntervalsOn = false; }

  //===--------------------------------------------------------------------===//
  // Spans: stats of a process's heaps between two times
  //===--------------------------------------------------------------------===//

  /// The stats of a heap of a process, or of the process's part of a memory
  /// space.
  struct RangeStats {
    uint64_t Allocations = 0;
    uint64_t Frees = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t HighestBytes = 0; ///< maximum of LiveBytes since the last call
  };
  /// Calls OfHeap(Heap, RangeStats) with the current stats of Process for each
  /// heap that changed since the last call, and resets HighestBytes. A memory
  /// space without changes costs a comparison.
  template <class F> void takeHeapRanges(uint32_t Process, F OfHeap);
  /// As takeHeapRanges(), by memory space: OfSpace(Space, RangeStats).
  template <class F> void takeSpaceRanges(uint32_t Process, F OfSpace);

  //===--------------------------------------------------------------------===//
  // Other than blocks
  //===--------------------------------------------------------------------===//

  void inheritedFree(uint32_t Process) {
    Processes[Process]->T.InheritedFrees += 1;
  }
  void addLoss(uint32_t Process, LossKind Kind, uint64_t Count);
  void countMarks(uint64_t N) { Marks += N; }
  /// Sets the bytes that the allocator of Heap holds in Process from now on.
  void setReserved(uint32_t Process, uint32_t Heap, uint64_t Bytes);

  //===--------------------------------------------------------------------===//
  // Results, valid at any time; running processes count in their current state.
  //===--------------------------------------------------------------------===//

  uint64_t events() const { return Now; }
  uint64_t events(uint32_t Process) const { return Processes[Process]->Events; }
  uint64_t lastEventNs() const { return LastNs; }
  /// Steps started in Process so far.
  uint64_t numSteps(uint32_t Process) const {
    return Processes[Process]->Steps.size() + Processes[Process]->Stepping;
  }
  uint64_t liveBlocks(uint32_t Process) const;
  HeapStats heapStats(uint32_t Heap) const;
  uint32_t numSpaces() const { return Spaces.size(); }
  /// Space: 0 `host`, else a device.
  TotalStats spaceStats(uint32_t Space) const;
  /// The exclusive live bytes of the running processes: the curve whose maximum
  /// is the peak.
  uint64_t spaceLiveBytes(uint32_t Space) const {
    return Space < Spaces.size() ? Spaces[Space]->LiveBytes : 0;
  }
  uint64_t heapLiveBytes(uint32_t Heap) const {
    return Heaps[Heap]->C.LiveBytes;
  }
  /// The bytes that the heap's allocator holds for running processes; nothing:
  /// not known.
  std::optional<uint64_t> heapReserved(uint32_t Heap) const {
    if (!Heaps[Heap]->ReservedKnown)
      return std::nullopt;
    return Heaps[Heap]->Reserved;
  }
  /// The memory space of a heap; nothing: the heap is outside the totals.
  std::optional<uint32_t> spaceOf(uint32_t Heap) const {
    if (isOutsideTotals(Heap))
      return std::nullopt;
    return Heaps[Heap]->Space->Id;
  }
  bool isOfHost(uint32_t Heap) const {
    return Heaps[Heap]->Space == Spaces[0].get();
  }
  bool areOfOneSpace(uint32_t Heap, uint32_t Other) const {
    return Heaps[Heap]->Space == Heaps[Other]->Space;
  }
  uint64_t heapLiveBlocks(uint32_t Heap) const {
    return Heaps[Heap]->C.LiveBlocks;
  }
  /// The number, as in events(), of the event that reached the heap's peak.
  uint64_t heapPeakAt(uint32_t Heap) const { return Heaps[Heap]->C.PeakAt; }
  ProcessStats processStats(uint32_t Process, uint64_t NowNs) const;

  /// Writes the Summary in sections of at most MaxSectionRows rows, all with
  /// Number. The last section, with Complete set, has everything except rows of
  /// stacks and scope paths; if steps or processes are more than
  /// MaxSectionRows, earlier sections have the remainder. Rows are sorted by
  /// process, heap, key; rows without an allocation are left out. Returns the
  /// first error of Write, at once.
  llvm::Error
  summary(uint32_t Number, uint64_t EndNs,
          llvm::function_ref<llvm::Error(const Summary &)> Write) const;
  /// The Summary in one piece, of any number of rows.
  Summary summary(uint32_t Number, uint64_t EndNs) const;
  //===--------------------------------------------------------------------===//
  // Bounds of live bytes
  //===--------------------------------------------------------------------===//

  /// Live bytes of a heap or memory space have risen above a bound.
  struct Crossing {
    bool IsSpace = true;
    uint32_t Id = 0; ///< heap or memory space
    uint64_t Bound = 0;
    uint64_t LiveBytes = 0;         ///< after the event
    uint64_t TimeNs = 0;            ///< of the event
    uint32_t Process = 0, Heap = 0; ///< of the event
  };
  /// Tells of each bound of a heap or memory space that live bytes cross from
  /// now on, once, in the order of events. Bounds: rising; replaces the bounds
  /// from before. A bound that is below the live bytes is crossed by the next
  /// rise.
  void setBounds(bool IsSpace, uint32_t Id, llvm::ArrayRef<uint64_t> Bounds);
  bool hasCrossings() const { return !Crossings.empty(); }
  std::vector<Crossing> takeCrossings() { return std::exchange(Crossings, {}); }
  /// Live bytes now, of running processes.
  uint64_t liveBytes(bool IsSpace, uint32_t Id) const;

  //===--------------------------------------------------------------------===//
  // A moment: the Summary as of now, read a part at a time while events go on
  //===--------------------------------------------------------------------===//

  /// Everything of a Summary but the rows of stacks and scope paths.
  Summary totals(uint32_t Number, uint64_t EndNs) const;
  /// Begins a moment: momentPart() reads the rows as they are now; with Since
  /// only those that an event after event number Since has changed. Not while
  /// another moment is read.
  void beginMoment(uint64_t Since = 0);
  /// Of the moment that has begun: all cells; the last event before it.
  std::vector<MomentCell> momentCells() const;
  uint64_t momentEvents() const { return Moment->At; }
  bool isInMoment() const { return Moment != nullptr; }
  /// Appends the next rows of the moment with an allocation, in no order, after
  /// a look at MaxRows rows; eight rows without a change count as one. False:
  /// all were read, and the moment is over.
  bool momentPart(size_t MaxRows, std::vector<MomentRow> &Out);
  /// Drops the moment.
  void endMoment();

  /// Writes the lifetimes of rows with blocks live at the cut, up to each
  /// process's last cut interval, in sections of at most MaxSectionRows
  /// cohorts, late frees and rows together. Rows are sorted by process, heap
  /// and stack. A row is left out if all its blocks are of one interval in the
  /// first tenth of the run: memory that a program allocates at its start.
  /// Returns the first error of Write, at once.
  llvm::Error
  lifetimes(llvm::function_ref<llvm::Error(const Lifetimes &)> Write) const;

private:
  static constexpr uint64_t NoBound = UINT64_MAX;
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
    uint64_t Trigger = 0;       ///< the lower of PeakBytes and Watched
    uint64_t Watched = NoBound; ///< the lowest bound that was not crossed yet
    /// All bounds, rising; then NoBound. Watched is the one at NextBound.
    std::vector<uint64_t> Bounds{NoBound};
    size_t NextBound = 0;

    /// Above Trigger: takes the peak. Result: whether live bytes cross Watched.
    bool passTrigger(uint64_t Now, uint64_t TimeNs) {
      if (LiveBytes > PeakBytes) {
        PeakBytes = LiveBytes;
        PeakBlocks = LiveBlocks;
        PeakTimeNs = TimeNs;
        PeakAt = Now;
      }
      setTrigger();
      return LiveBytes > Watched;
    }
    void setTrigger() { Trigger = std::min(PeakBytes, Watched); }
    /// The next bound; Watched is the one after.
    uint64_t takeBound() {
      uint64_t Crossed = Bounds[NextBound++];
      Watched = Bounds[NextBound];
      return Crossed;
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
    bool CountsWeights = false;
    bool ReservedKnown = false;
    uint64_t Reserved = 0; ///< of running processes
    uint64_t ReservedPeak = 0;
    /// Number of the last event before Reserved changed.
    uint64_t ReservedAt = 0;
    uint64_t ReservedAtPeak = 0; ///< valid when the peak was before ReservedAt
    uint32_t GrowthFragmentation = 0;

    uint64_t reservedAtPeak() const {
      return C.PeakAt > ReservedAt ? Reserved : ReservedAtPeak;
    }
    uint64_t EndedReserved = 0;
    SizeCounts Sizes; ///< of all allocations of the heap
    std::vector<uint32_t> Cells;
  };
  /// The stats of a process in a memory space. Freed bytes are AllocatedBytes -
  /// LiveBytes.
  struct ShareStats {
    uint64_t Allocations = 0;
    uint64_t Frees = 0;
    uint64_t Temporaries = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t StepPeakBytes = 0; ///< in the current step
    uint64_t PeakBytes = 0;     ///< before the current step
    uint64_t HighestBytes = 0;  ///< in the current span
  };
  struct Share : ShareStats {
    ShutdownCut Cut; ///< large, and of no use to a step
    /// Cells, by number % 64, with an event since the last takeHeapRanges();
    /// TouchedBefore: since the last takeSpaceRanges(), without Touched.
    uint64_t Touched = 0, TouchedBefore = 0;
    std::vector<uint32_t> Cells; ///< of the process and the memory space
  };
  /// The state that a row, touched since the last interval, had at this
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
  /// Allocations, since its last interval, of a row with unchanged live values.
  /// Sums that do not fit do not wait.
  struct WaitingRow {
    uint32_t Row;
    uint32_t AllocatedBytes = 0;
    uint32_t Allocations = 0;
    uint32_t Temporaries = 0;
    bool any() const { return AllocatedBytes || Allocations || Temporaries; }
  };
  /// An interval whose rows are not all written.
  struct CutState {
    Interval Head;
    std::deque<DirtyRow> Rows; ///< touched before the cut
    size_t Next = 0;           ///< index in Rows
    size_t NextWaiting = 0;    ///< next waiting row of a whole interval
    bool Any = false;          ///< whether a part counted
    llvm::DenseMap<uint32_t, uint32_t> Since; ///< row -> index in Dirty
    size_t Noted = 0;                         ///< number of Dirty in Since
    std::deque<LateFree> Late;
    size_t NextLate = 0; ///< index in Late
  };
  /// An enclosing block. A freed enclosing block stays as long as its inner
  /// blocks live.
  struct Encloser {
    uint64_t InnerBytes = 0;
    uint32_t InnerBlocks = 0;
    uint32_t UncountedBlocks = 0; ///< part of InnerBlocks
    uint32_t Row = 0;             ///< of an uncounted block: Around
    uint32_t ScopeRow = 0;
    bool IsCounted = true;
    bool Freed = false;
    /// Allocation id + 1 of the next outer block, once freed.
    uint64_t Outer = 0;
  };
  /// All of a process in one struct, which an event reaches by one pointer.
  struct LiveProcess {
    ProcessStats T;
    uint64_t Events = 0;
    /// Number of the last event before the process's end.
    uint64_t EndAt = UINT64_MAX;
    /// Rows with an earlier LastChange are clean; 0: no intervals.
    uint64_t IntervalFrom = 0;
    uint64_t NextIntervalNs = UINT64_MAX;
    uint64_t IntervalNs = 0;    ///< between intervals by time
    uint64_t IntervalSteps = 1; ///< steps in an interval
    uint64_t StepsOpen = 0;     ///< ended steps of the current interval
    uint64_t IntervalWork = 0;  ///< see doubleIntervals()
    unsigned Doublings = 0;     ///< caused by IntervalWork
    uint64_t LastDoubling = 0;  ///< number of intervals before
    IntervalLog Intervals;      ///< the process's intervals
    uint64_t LateBefore = 0;    ///< lateBefore()
    /// Of the process's shares, at the end of the interval before the current
    /// one.
    std::vector<ShutdownCut::Level> Levels;
    LateQueue Late;
    Interval Open; ///< the current interval, without rows
    bool Stepping = false;
    uint64_t Step = 0, StepBeginNs = 0, StepBefore = 0;
    uint64_t FirstStepNs = UINT64_MAX; ///< the begin of the first
    std::vector<ShareStats> AtStep;    ///< of Shares, when the step started
    std::vector<StepStats> Steps;      ///< ended steps
    uint64_t FirstNs = 0; ///< of the first event since the last cut
    bool IsLastInterval = false;
    std::deque<DirtyRow> Dirty;     ///< grows without a copy of twice its size
    std::deque<WaitingRow> Waiting; ///< each row that ever waited
    size_t NumWaiting = 0;          ///< waiting rows with any()
    /// Number of written rows of intervals with unchanged live values; see
    /// dueDetail().
    uint64_t ChurnRows = 0;
    std::unique_ptr<CutState> Cut;
    std::vector<uint32_t> CellOfHeap; ///< cell + 1 by heap id
    /// By memory space + 1; 0: outside the totals.
    std::vector<std::unique_ptr<Share>> Shares;
    std::array<uint64_t, NumLossCounts> Losses{}; ///< by lossIndex()
    llvm::DenseMap<uint64_t, Encloser> Enclosers; ///< by allocation id
    /// Sampled blocks with an enclosing block.
    llvm::DenseSet<uint64_t> Covered;
  };
  /// A heap in a process: the common data of all rows of both, and the stats
  /// from which the totals of heaps and processes are made.
  struct Cell {
    LiveProcess *I = nullptr;
    HeapState *H = nullptr;
    Curve *D = nullptr;
    Share *S = nullptr;
    uint64_t Allocations = 0;
    uint64_t Splits = 0;
    uint64_t Frees = 0;
    uint64_t Temporaries = 0;
    uint64_t AllocatedBytes = 0;
    uint64_t LiveBytes = 0;
    uint64_t HighestBytes = 0; ///< in the current span
    uint64_t RangeBit = 0;     ///< in Share::Touched
    uint64_t Reserved = 0;
    uint32_t Process = 0;
    uint32_t Heap = 0;

    uint64_t liveBlocks() const { return Allocations + Splits - Frees; }
  };
  /// The objects that an event of a block changes. The rows' values for peaks
  /// and intervals are saved.
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
  void openLanes(LiveProcess &I);
  void closeLanes(LiveProcess &I, const uint64_t *TimesNs, bool Nested,
                  bool IsPart);
  /// Whole: every event in its order. Part: see applyPart(). Nested: see
  /// applyNested().
  enum class LaneMode { Whole, Part, Nested };
  template <LaneMode Mode>
  void applyLanes(LiveProcess &I, llvm::ArrayRef<Change> Changes,
                  const uint64_t *TimesNs);
  void changeReserved(Cell &C, uint64_t Bytes);
  void applyRare(const Change &C, Cell &Of, bool Nested);
  void rise(Curve &Of, const Cell &By, uint64_t Bytes, uint64_t Blocks,
            uint64_t TimeNs);
  void noteCrossings(Curve &Of, const Cell &By, uint64_t Live, uint64_t TimeNs);
  template <class S> static RangeStats takeRange(S &Of);
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
  bool nests(const Curve *Space, uint32_t OuterRow) const;
  /// A change of the inner blocks of a block; values may wrap.
  struct InnerChange {
    uint64_t Bytes = 0;
    uint64_t Blocks = 0;
    uint64_t Uncounted = 0; ///< part of Blocks
  };
  void addInner(OuterRef In, InnerChange By);
  Cell *changeInner(const Cell &Inner, uint64_t Enclosing, InnerChange By);
  static InnerChange freeEncloser(LiveProcess &I, uint64_t AllocationId,
                                  uint64_t Enclosing);
  Cell &beginUncounted(uint32_t Around, uint64_t TimeNs);
  void beginIntervals(LiveProcess &I, uint64_t StartNs);
  static uint64_t activeFrom(const LiveProcess &I, uint64_t TimeNs);
  Interval nextInterval(LiveProcess &I, uint64_t TimeNs,
                        uint64_t NextAllocationId, IntervalDetail Detail);
  bool intervalRow(LiveProcess &I, IntervalDetail Detail,
                   const DirtyRow &Before, const DirtyRow &At,
                   IntervalRow &Out);
  IntervalRow waitingRow(LiveProcess &I, WaitingRow &W, const DirtyRow &At);
  static void takeWaiting(LiveProcess &I, WaitingRow &W, IntervalRow &To);
  static bool givesWaiting(const LiveProcess &I);
  bool letWait(LiveProcess &I, uint32_t Row, const IntervalRow &Stats);
  DirtyRow stateAtCut(const LiveProcess &I, uint32_t Row) const;
  void doubleIntervals(LiveProcess &I, uint64_t Cut);
  void finishCut(LiveProcess &I);
  static void noteLateFree(LiveProcess &I, uint32_t Row, uint64_t AllocationId,
                           uint64_t Bytes, uint32_t Blocks);
  void addAllocated(LiveProcess &I, uint32_t Interval, const DirtyRow &Before,
                    const DirtyRow &At, bool AnyLate);
  Lifetime &lifetimeOf(uint32_t &AllocatedIn, Lifetime::CutAndLog C);
  void applyLate(LiveProcess &I, const std::deque<LateFree> &Late, size_t From,
                 size_t To, uint32_t Interval);
  uint64_t keptSince(const Share &S, uint32_t Interval) const;
  ShutdownCut::Level levelOf(const Share &S) const;
  void noteLevels(LiveProcess &I);
  bool lifetimeAt(uint32_t Row, LifetimeRow &Out) const;
  void endStep(LiveProcess &I, uint64_t TimeNs);
  StepStats runningStep(const LiveProcess &I, uint64_t NowNs) const;
  static SpaceShare shareOf(const ShareStats &Now, const ShareStats &Before,
                            size_t Space);
  void saveForMoment(bool OfScopePaths, uint32_t Row);
  /// Called before an event changes the row.
  void noteChange(bool OfScopePaths, uint32_t Row, const StatsRow &R) {
    // LastChange 0: the row has had no event.
    if (LLVM_UNLIKELY(R.LastChange - 1 < MomentAt))
      saveForMoment(OfScopePaths, Row);
  }
  MomentRows::CellAt cellNow(const Cell &C) const {
    return {C.Process,   C.Heap,     C.H->C.PeakAt,
            C.D->PeakAt, C.I->EndAt, C.D == &Outside};
  }
  static StackStats statsAt(const StatsRow &R, const StatsRowCold &Cold,
                            const MomentRows::CellAt &C);
  struct RowOrder;
  RowOrder orderRows(const StatsRows &Rows) const;
  void fillTotals(Summary &S, uint64_t EndNs) const;

  uint64_t Now = 0;      ///< number of events so far; the first is 1
  uint64_t MomentAt = 0; ///< MomentRows::At while a moment is read, else 0
  uint64_t LastNs = 0;
  uint64_t FloorNs = 0;
  uint64_t Marks = 0;
  bool IntervalsOn = true;
  StatsRows StackRows, ScopeRows;
  std::vector<Cell> Cells;
  std::vector<std::unique_ptr<HeapState>> Heaps;
  std::vector<std::unique_ptr<Curve>> Spaces;
  std::vector<std::unique_ptr<LiveProcess>> Processes;
  /// The size is a power of two, so an index costs no multiplication.
  struct alignas(32) ThreadStatsOf {
    uint64_t LastAllocation = 0; ///< allocation id + 1
    uint64_t Allocations = 0;
    uint64_t AllocatedBytes = 0;
    /// Part of AllocatedBytes in blocks whose enclosing block counts the bytes.
    uint64_t UncountedBytes = 0;
  };
  std::vector<ThreadStatsOf> Threads; ///< by id; 0 is not reported
  llvm::DenseMap<uint32_t, uint64_t> StackSplits, ScopeSplits; ///< by row
  std::deque<Lifetime> LifetimesOf;   ///< see StatsRowCold::AllocatedIn
  std::deque<BriefLifetime> BriefsOf; ///< likewise
  std::unique_ptr<Lanes> Open;        ///< working data of apply()
  std::unique_ptr<MomentRows> Moment; ///< null: none is read
  std::vector<Crossing> Crossings;
  Curve Outside; ///< the memory space of heaps outside the totals
};

//===----------------------------------------------------------------------===//
// Processing of an event
//===----------------------------------------------------------------------===//

inline void LiveStats::savePeaks(StatsRows &Rows, uint32_t Row,
                                 uint64_t HeapPeakAt, uint64_t SpacePeakAt) {
  const StatsRow &R = Rows[Row];
  if (R.LastChange <= HeapPeakAt) {
    StatsRowCold &Cold = Rows.cold(Row);
    Cold.HeapPeakBytes = R.LiveBytes;
    Cold.HeapPeakBlocks = R.LiveBlocks;
  }
  if (R.LastChange <= SpacePeakAt) {
    StatsRowCold &Cold = Rows.cold(Row);
    Cold.SpacePeakBytes = R.LiveExclusive;
    Cold.SpacePeakBlocks = R.LiveBlocks;
  }
}

inline void LiveStats::countTemporary(StatsRows &Rows, uint32_t Row) {
  uint32_t &Count = Rows[Row].Temporaries;
  if (LLVM_LIKELY(Count != UINT32_MAX))
    Count += 1;
  else
    Rows.cold(Row).Temporaries += 1;
}

inline LiveStats::Target LiveStats::touch(uint32_t Row, uint32_t ScopeRow) {
  StatsRow &R = StackRows[Row];
  Cell &C = Cells[R.Cell];
  noteChange(false, Row, R);
  savePeaks(StackRows, Row, C.H->C.PeakAt, C.D->PeakAt);
  if (R.LastChange < C.I->IntervalFrom) {
    if (C.I->Dirty.empty())
      C.I->FirstNs = LastNs;
    C.I->Dirty.push_back(stateOf(Row, R));
  }
  R.LastChange = Now;
  StatsRow *X = nullptr;
  if (ScopeRow) {
    X = &ScopeRows[ScopeRow];
    noteChange(true, ScopeRow, *X);
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
  T.C.S->Touched |= T.C.RangeBit;
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
  if (LLVM_UNLIKELY(T.C.D == &Outside))
    noteUncounted(Thread, Size);
  T.C.H->Sizes.add(Size, 1);
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

inline void LiveStats::rise(Curve &Of, const Cell &By, uint64_t Bytes,
                            uint64_t Blocks, uint64_t TimeNs) {
  Of.LiveBytes += Bytes;
  Of.LiveBlocks += Blocks;
  if (Of.LiveBytes > Of.Trigger && LLVM_UNLIKELY(Of.passTrigger(Now, TimeNs)))
    noteCrossings(Of, By, Of.LiveBytes, TimeNs);
}

inline void LiveStats::spaceRise(Cell &C, uint64_t Bytes, uint64_t Blocks,
                                 uint64_t TimeNs) {
  rise(*C.D, C, Bytes, Blocks, TimeNs);
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

template <class S> LiveStats::RangeStats LiveStats::takeRange(S &Of) {
  RangeStats Stats{Of.Allocations, Of.Frees, Of.AllocatedBytes, Of.LiveBytes,
                   Of.HighestBytes};
  Of.HighestBytes = Of.LiveBytes;
  return Stats;
}

template <class F> void LiveStats::takeHeapRanges(uint32_t Process, F OfHeap) {
  for (const std::unique_ptr<Share> &S : Processes[Process]->Shares) {
    if (!S || !S->Touched)
      continue;
    for (uint64_t Left = S->Touched; Left; Left &= Left - 1)
      for (size_t At = size_t(std::countr_zero(Left)); At < S->Cells.size();
           At += 64) {
        Cell &C = Cells[S->Cells[At]];
        OfHeap(C.Heap, takeRange(C));
      }
    S->TouchedBefore |= S->Touched;
    S->Touched = 0;
  }
}

template <class F>
void LiveStats::takeSpaceRanges(uint32_t Process, F OfSpace) {
  const auto &Shares = Processes[Process]->Shares;
  for (uint32_t Space = 0; Space + 1 < Shares.size(); ++Space) {
    Share *S = Shares[Space + 1].get();
    if (!S || !(S->Touched | S->TouchedBefore))
      continue;
    S->TouchedBefore = 0;
    OfSpace(Space, takeRange(*S));
  }
}

inline void LiveStats::allocate(BlockRef B, uint64_t Size, uint64_t TimeNs,
                                uint32_t Thread) {
  Target T = beginEvent(B, TimeNs);
  countAllocation(T, Thread, B.AllocationId, Size);
  growRows(T, Size);
  rise(T.C.H->C, T.C, Size, 1, TimeNs);
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

#endif // MEMKIT_STATS_LIVESTATS_H
