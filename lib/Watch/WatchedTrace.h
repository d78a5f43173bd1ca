// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as memtop watches it.
//
// Curves over the whole run, and the values of all stacks as of any moment.
// Both come from the summary and the intervals: no event is read, so a
// recording without events can be watched, too. A moment before the end of the
// trace is known at the ends of intervals alone; the end, and the peak of a
// heap or memory space, are known exactly.
//
// Times are ns since the recording started, sizes bytes.

#ifndef MEMKIT_LIB_WATCH_WATCHEDTRACE_H
#define MEMKIT_LIB_WATCH_WATCHEDTRACE_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/SelectedStats.h"
#include <memory>
#include <optional>

namespace memkit {

/// A memory space or a heap. In a memory space a byte counts once, in the
/// innermost heap; in a heap all bytes of its blocks count.
struct WatchedHeap {
  bool IsSpace = true;
  bool IsApart = false; ///< a heap whose bytes are in no total
  uint32_t Id = 0;      ///< as TotalStats::Id
  std::string Name;
  std::vector<SeriesPoint> Curve; ///< live bytes; times rise
  /// Of a selection of processes or stacks: the highest that is known, at ends
  /// of intervals and at the peak of all.
  uint64_t PeakBytes = 0, PeakNs = 0;
  uint64_t ExactNs = 0; ///< the peak of all: each row is known exactly
};

struct WatchedMark {
  MarkKind Kind = MarkKind::User; ///< Step, User, RangeBegin, Alert, Oom
  uint64_t TimeNs = 0;
  uint64_t Number = 0; ///< of a Step
  std::string Text;    ///< of the others
};

/// Which moment, and what to compare with.
struct MomentSpec {
  uint64_t AtNs = 0;
  uint64_t WindowNs = 0;          ///< the time before AtNs for rates; not 0
  std::optional<uint64_t> MarkNs; ///< an earlier moment
};

/// What a stack holds and did as of a moment. In a memory space live bytes are
/// without inner blocks (see WatchedRows).
struct MomentValues {
  double Live = 0;
  double Peak = 0;      ///< at the heap's peak, over the whole run
  double Growth = 0;    ///< over the window
  double SinceMark = 0; ///< growth since MarkNs
  double PerStep = 0;   ///< growth a step, over at most GrowthSteps steps
  double Allocations = 0, Temporaries = 0; ///< a second, in the window
  /// The sum of bytes times their age in s, and these bytes; 0: not known.
  double ByteAges = 0, AgedBytes = 0;

  MomentValues &operator+=(const MomentValues &O);
};

struct WatchedRow {
  uint32_t Process = 0, Heap = 0;
  uint32_t Key = 0; ///< a stack, or a scope path
  MomentValues V;
};

/// The rows of a heap as of a moment.
///
/// Before the end of the trace, a row of a memory space with blocks around
/// others (arenas of an allocator) counts with the share of bytes outside of
/// inner blocks that the row has at the end, scaled so that the sum is right.
struct WatchedRows {
  std::vector<WatchedRow> Rows;
  uint64_t WindowNs = 0; ///< of Growth: as asked for, or less at the start
  bool HasSteps = false, HasAges = false;
};

inline constexpr uint64_t GrowthSteps = 10;

/// An open trace. Belongs to one thread.
class WatchedTrace {
public:
  /// Path: a file, or a recording `live:PID`. Errors: TraceError, and those of
  /// the selection.
  static llvm::Expected<std::unique_ptr<WatchedTrace>>
  open(llvm::StringRef Path, const SelectionSpec &Spec);
  /// The same of a trace that was opened with TP_All.
  static llvm::Expected<std::unique_ptr<WatchedTrace>>
  create(std::unique_ptr<Trace> Opened, const SelectionSpec &Spec);
  ~WatchedTrace();

  const Trace &trace() const { return *In.T; }
  const SelectedStats &stats() const { return *In.S; }
  const SelectionSpec &spec() const { return Spec; }
  const RunReport &run() const { return Run; }
  uint64_t endNs() const { return EndNs; }
  /// Memory spaces, each before its heaps; only those with blocks.
  llvm::ArrayRef<WatchedHeap> heaps() const { return Heaps; }
  llvm::ArrayRef<WatchedMark> marks() const { return Marks; }
  const MarkSeries &measured() const { return Measured; }
  /// Resident memory, swapped out memory, and own memory (ownSeries()) of the
  /// processes that run at AtNs; none: not measured.
  std::optional<uint64_t> residentAt(uint64_t AtNs) const;
  std::optional<uint64_t> swappedAt(uint64_t AtNs) const;
  std::optional<uint64_t> ownAt(uint64_t AtNs) const;
  /// The processes that run at AtNs.
  size_t livingAt(uint64_t AtNs) const;
  /// The sum of resident memory over time.
  llvm::ArrayRef<SeriesPoint> resident() const { return Resident; }
  /// Allocations a second before AtNs, over at most WindowNs.
  double allocationsPerSecond(uint64_t AtNs, uint64_t WindowNs) const;

  /// The stacks of a heap as of a moment. Errors: reading errors.
  llvm::Expected<WatchedRows> rowsAt(const WatchedHeap &Of, MomentSpec At);
  /// The scope paths of a heap at the end of the trace, without rates.
  llvm::Expected<WatchedRows> scopesAtEnd(const WatchedHeap &Of);
  /// The threads that allocated, likewise. Replays all events; an error if the
  /// trace lacks any.
  llvm::Expected<WatchedRows> threadsAtEnd(const WatchedHeap &Of);

private:
  uint64_t knownUpTo(uint64_t Ns) const;
  struct Captures;
  class RowMaker;

  WatchedTrace() = default;
  llvm::Error read();
  llvm::Error readMarks();
  void readHeaps(const LiveSeries &Live);
  WatchedRows rowsOf(const WatchedHeap &Of, const SelectedStats &S) const;
  std::optional<uint64_t>
  sumAt(llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses,
        uint64_t AtNs) const;
  bool isGone(uint32_t Process, uint64_t AtNs) const;
  llvm::Expected<Captures> capture(const MomentSpec &At, bool IsPeak);
  llvm::Error addAges(const WatchedHeap &Of, WatchedRows &To);

  SelectionSpec Spec; ///< as asked for
  SelectedTrace In;
  bool IsWhole = true; ///< no selection
  RunReport Run;
  uint64_t EndNs = 0;
  std::unique_ptr<IntervalSeries> Intervals;
  std::vector<WatchedHeap> Heaps;
  std::vector<WatchedMark> Marks;
  MarkSeries Measured;
  std::vector<std::vector<SeriesPoint>> Own; ///< by process
  std::vector<SeriesPoint> Resident;
  std::vector<SeriesPoint> Allocated; ///< allocations so far
  std::vector<uint64_t> EndOf; ///< by process; 0: runs to the end of the trace
};

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_WATCHEDTRACE_H
