// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How live bytes moved over time.
//
// A trace's intervals as series: for each (process, heap, stack) the live bytes
// and blocks at the end of each interval, without replaying an event. Only what
// changed is given, interval by interval, so that a sum by heap or by anything
// else is kept by adding differences:
//
//   S->forEach([&](size_t Process, size_t Interval, ArrayRef<IntervalChange>
//   Rows) {
//     for (const IntervalChange &R : Rows)
//       Live[R.Heap] += R.Bytes - R.BytesBefore; // wraps, and is right
//     return Error::success();
//   });
//
// Memory is that of the heads (40 bytes an interval), of one section, and about
// 50 bytes for each (process, heap, stack) that has ever been live.

#ifndef MEMKIT_MODEL_INTERVALS_H
#define MEMKIT_MODEL_INTERVALS_H

#include "memkit/Model/RowCache.h"
#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// When an interval was. In a process with steps it ends when a step begins, at
/// first with each, later with every second, and so on. Without steps intervals
/// end at equal times (50 ms, later more), but where nothing changed there is
/// none. The last one ends with the process.
struct IntervalHead {
  uint64_t Index = 0;     ///< as the file numbers it
  uint64_t FirstStep = 0; ///< 0: before the first step, or there are none
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
  /// How many of Heads are before the interval that the file numbers Index.
  size_t headsBefore(uint64_t Index) const;
};

/// What an interval says of a (heap, stack), all bytes of its blocks (those
/// that lie in blocks of inner heaps too). Row numbers them over all processes,
/// from 0: the same in each forEach() of one IntervalSeries. What was allocated
/// is since the row's interval before: the sum over intervals is exact between
/// the ends of two whole ones (IntervalHead::Stats).
struct IntervalChange {
  uint32_t Row = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t Blocks = 0, Bytes = 0;             ///< at the interval's end
  uint64_t BlocksBefore = 0, BytesBefore = 0; ///< at its begin
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t Temporaries = 0; ///< as IntervalRow::Temporaries
};

/// The intervals of what a selection leaves. Belongs to one thread, which may
/// be another than that of the trace while nobody uses its reader().
class IntervalSeries {
public:
  /// S must outlive the result. A trace that has no intervals, or was cut off,
  /// has them made from its events (in the time of a replay), as do selections
  /// by size, thread and scope path; without events either there are none.
  /// Errors: TraceError.
  static llvm::Expected<std::unique_ptr<IntervalSeries>>
  create(const SelectedStats &S);
  ~IntervalSeries();

  /// The selected processes that have intervals, in rising order.
  llvm::ArrayRef<ProcessIntervals> processes() const { return Processes; }
  /// Whether the trace says how long blocks live. If not, it is an old one
  /// without events.
  bool hasLifetimes() const;
  /// Whether any of them has steps.
  bool hasSteps() const;

  /// Gives what changed in each interval: Process and Interval are places in
  /// processes() and in its heads. A process's intervals come in order, those
  /// of different processes in any. One with many rows is given in several
  /// calls, one without any in none.
  using Taker = llvm::function_ref<llvm::Error(
      size_t Process, size_t Interval, llvm::ArrayRef<IntervalChange> Rows)>;
  llvm::Error forEach(Taker Take);
  /// Gives the lifetimes of the selected rows, of each of processes() that has
  /// some: Process is a place there. The parts of one process come in order.
  /// Intervals and lifetimes come from the same trace, or the same replay.
  llvm::Error forEachLifetimes(
      llvm::function_ref<void(size_t Process, const Lifetimes &)> Take);
  /// How many rows forEach() has numbered so far.
  uint32_t numRows() const { return Values.size(); }

private:
  struct Value {
    uint64_t Blocks = 0, Bytes = 0;
  };
  /// Where a process stands in a pass.
  struct Cursor {
    size_t Interval = 0;
    uint64_t Index = 0; ///< of the interval, as the file numbers it
    bool Any = false;
  };

  explicit IntervalSeries(const SelectedStats &S) : S(S) {}
  llvm::Error makeIntervals();
  llvm::Error readHeads();
  llvm::Error addHeads(const SectionInfo &B, const Intervals &Section);
  llvm::Error giveInterval(const SectionInfo &B, uint32_t Process,
                           const Interval &S, Taker Take);
  uint32_t rowOf(uint32_t Process, const IntervalRow &R);
  TraceReader &reader() const;

  const SelectedStats &S;
  std::string MadeFile; ///< what makeIntervals() made
  std::unique_ptr<TraceReader> Made;
  std::vector<ProcessIntervals> Processes;
  std::vector<uint32_t> PlaceOf; ///< in Processes + 1, by process id
  std::vector<Cursor> Cursors;   ///< by place in Processes
  /// Rows + 1 by stack, for the heap seen first; the others are in OtherRows.
  std::vector<std::unique_ptr<RowCache>> FirstRows;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> OtherRows;
  std::vector<Value> Values; ///< by row
  std::vector<IntervalChange> Changes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_INTERVALS_H
