// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, by stack.
//
// Reads a trace's intervals as series: for each (process, heap, stack) the live
// bytes and blocks at the end of each interval, without replaying an event.
// forEach() passes only changes, interval by interval. A caller keeps a sum by
// heap, or by anything else, by adding differences:
//
//   S->forEach([&](size_t Process, size_t Interval, ArrayRef<IntervalChange>
//   Rows) {
//     for (const IntervalChange &R : Rows)
//       Live[R.Heap] += R.Bytes - R.BytesBefore; // wraps, and is right
//     return Error::success();
//   });
//
// Memory: the heads (40 bytes an interval), one section, and about 50 bytes for
// each (process, heap, stack) that was ever live. After forEachLifetimes() also
// the lifetimes.

#ifndef MEMKIT_MODEL_INTERVALS_H
#define MEMKIT_MODEL_INTERVALS_H

#include "memkit/Model/RowCache.h"
#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// The time of an interval. In a process with steps an interval ends when a
/// step starts: at first with each step, later with every second step, and so
/// on. Without steps, intervals end at equal times (50 ms, later more), and an
/// interval without changes is left out. The last interval ends with the
/// process.
struct IntervalHead {
  uint64_t Index = 0; ///< the interval's number in the file
  /// 0: before the first step, or a process without steps.
  uint64_t FirstStep = 0;
  uint64_t LastStep = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  IntervalDetail Detail = IntervalDetail::None;
};

/// The intervals of a process.
struct ProcessIntervals {
  uint32_t Process = 0;
  std::vector<IntervalHead> Heads; ///< EndNs and Index never fall
  bool hasSteps() const { return Heads.back().LastStep != 0; }
  /// The number of Heads before the interval with number Index in the file.
  size_t headsBefore(uint64_t Index) const;
};

/// The values of a (heap, stack) in an interval, with all bytes of its blocks
/// (also the bytes of inner blocks). Row is the number of (process, heap,
/// stack), from 0, equal in each forEach() of one IntervalSeries. Allocations
/// count since the row's previous interval: their sum over intervals is exact
/// between the ends of two whole intervals (IntervalDetail::Whole).
struct IntervalChange {
  uint32_t Row = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t Blocks = 0, Bytes = 0;             ///< at the interval's end
  uint64_t BlocksBefore = 0, BytesBefore = 0; ///< at the interval's start
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t Temporaries = 0; ///< as IntervalRow::Temporaries
};

/// The lifetimes of a (heap, stack) of a process, as LifetimeRow.
struct RowLifetimes {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  llvm::ArrayRef<Cohort> Cohorts;
  llvm::ArrayRef<LateFrees> Frees;
};

/// The lifetimes of one section in little memory: 40 bytes a row, since most
/// rows have one cohort.
class SectionLifetimes {
public:
  /// Takes the rows of L for which Has holds.
  SectionLifetimes(const Lifetimes &L,
                   llvm::function_ref<bool(const LifetimeRow &)> Has);
  llvm::ArrayRef<LifetimeCut> cuts() const { return Cuts; }
  /// Calls Do for each row as `Do(const RowLifetimes &)`, in the file's order.
  template <class F> void forEachRow(F Do) const {
    llvm::ArrayRef<Cohort> C = Cohorts;
    llvm::ArrayRef<LateFrees> L = Frees;
    for (const KeptRow &R : Rows) {
      Do(RowLifetimes{R.Heap, R.Stack, C.take_front(R.Cohorts),
                      L.take_front(R.Frees)});
      C = C.drop_front(R.Cohorts);
      L = L.drop_front(R.Frees);
    }
  }

private:
  struct KeptRow {
    uint32_t Heap, Stack, Cohorts, Frees;
  };
  std::vector<LifetimeCut> Cuts;
  std::vector<KeptRow> Rows;
  std::vector<Cohort> Cohorts;
  std::vector<LateFrees> Frees;
};

/// The intervals of a selection. Belongs to one thread. This thread may differ
/// from the trace's thread while no other thread uses the trace's reader().
/// After one forEach() and one forEachLifetimes(), a second thread may call
/// forEachLifetimes() and findRow() beside forEach().
class IntervalSeries {
public:
  /// S must outlive the result. If a trace has no intervals, was cut off, or
  /// the selection is by size, thread or scope path, the intervals are made
  /// from the events, in the time of a replay; NeedsLifetimes: also if the
  /// trace has no lifetimes. Without events, the result has no intervals.
  /// Errors: TraceError.
  static llvm::Expected<std::unique_ptr<IntervalSeries>>
  create(const SelectedStats &S, bool NeedsLifetimes = true);
  ~IntervalSeries();

  /// The selected processes with intervals, in rising order.
  llvm::ArrayRef<ProcessIntervals> processes() const { return Processes; }
  /// Whether the trace has all lifetimes of the run, which are none in a run of
  /// one interval. Only an old trace without events lacks lifetimes.
  bool hasLifetimes() const;
  /// Whether any process has steps.
  bool hasSteps() const;

  /// Calls Take for the changes of each interval: Process and Interval are
  /// indices in processes() and in its Heads. The intervals of a process come
  /// in order, processes in any order. An interval with many rows takes several
  /// calls; an interval without rows takes none.
  using Taker = llvm::function_ref<llvm::Error(
      size_t Process, size_t Interval, llvm::ArrayRef<IntervalChange> Rows)>;
  llvm::Error forEach(Taker Take);
  /// Calls Take for the lifetimes of the selected rows of each process with
  /// lifetimes: Process is an index in processes(). The parts of one process
  /// come in order. Intervals and lifetimes come from the same trace, or the
  /// same replay. Only the first call reads the file.
  llvm::Error forEachLifetimes(
      llvm::function_ref<void(size_t Process, const SectionLifetimes &)> Take);
  /// The number of rows in all forEach() so far.
  uint32_t numRows() const { return Values.size(); }
  /// The row of a stack and heap that are in the trace, if a forEach() gave the
  /// row. Process: an index in processes().
  std::optional<uint32_t> findRow(size_t Process, uint32_t Heap,
                                  uint32_t Stack) const;

private:
  struct LiveValue {
    uint64_t Blocks = 0, Bytes = 0;
  };
  /// The position of a process in a pass.
  struct IntervalCursor {
    size_t Interval = 0;
    uint64_t Index = 0; ///< the interval's number in the file
    bool Any = false;
  };

  explicit IntervalSeries(const SelectedStats &S) : S(S) {}
  bool isOfOneInterval() const;
  llvm::Error makeIntervals();
  llvm::Error openMade(llvm::StringRef Bytes);
  llvm::Error readHeads();
  llvm::Error checkLifetimes(const SectionInfo &B, const Lifetimes &L) const;
  llvm::Error readLifetimes();
  llvm::Error addHeads(const SectionInfo &B, const Intervals &Section);
  llvm::Error giveInterval(const SectionInfo &B, uint32_t Process,
                           const Interval &S, Taker Take);
  uint32_t rowOf(uint32_t Process, const IntervalRow &R);
  TraceReader &reader() const;

  const SelectedStats &S;
  std::string MadeFile; ///< the trace from makeIntervals()
  std::unique_ptr<TraceReader> Made;
  std::vector<ProcessIntervals> Processes;
  std::vector<uint32_t> PlaceOf; ///< index in Processes + 1, by process id
  std::vector<IntervalCursor> Cursors; ///< by index in Processes
  /// Rows + 1 by stack, for the first heap of the stack; the other heaps' rows
  /// are in OtherRows.
  std::vector<std::unique_ptr<RowCache>> FirstRows;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> OtherRows;
  std::vector<LiveValue> Values; ///< by row
  /// The sets by index in Processes; none before the first forEachLifetimes().
  std::optional<std::vector<std::vector<SectionLifetimes>>> Kept;
  std::vector<IntervalChange> Changes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_INTERVALS_H
