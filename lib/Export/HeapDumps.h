// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of heaps by stack, at chosen times of a run.

#ifndef MEMKIT_LIB_EXPORT_HEAPDUMPS_H
#define MEMKIT_LIB_EXPORT_HEAPDUMPS_H

#include "TimelineParts.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace memkit {

/// What a stack has allocated since its process's start, and freed of that.
struct HeapTotals {
  uint64_t AllocatedBytes = 0, FreedBytes = 0;
  uint64_t Allocations = 0, Frees = 0;
  bool operator==(const HeapTotals &) const = default;
};

struct HeapDumpRow {
  uint32_t Path = 0;
  HeapTotals Totals;
};

/// The stacks of a process's heap that changed since the heap's previous dump.
struct HeapDump {
  uint32_t Process = 0, Heap = 0;
  uint64_t TimeNs = 0;
  std::vector<HeapDumpRow> Rows; ///< paths rise; none is empty
};

/// Gathers dumps: at the ends of intervals, evenly chosen, always at the last,
/// and at the peak of each heap. Give all intervals of a selection to take(),
/// then call finish(). Totals never fall from dump to dump, and allocated bytes
/// less freed bytes are the live bytes. At a peak, which lies within an
/// interval, allocated bytes are a lower bound: those up to the interval, and
/// as many more as the live bytes need.
class HeapDumps {
public:
  /// PathOf: the path of a stack. Max: of rows of all dumps, approximately; a
  /// row takes 40 bytes. S, Series and PathOf must outlive the object.
  HeapDumps(const SelectedStats &S, const IntervalSeries &Series,
            llvm::ArrayRef<uint32_t> PathOf, size_t Max);

  void take(size_t Process, size_t Interval,
            llvm::ArrayRef<IntervalChange> Rows);
  /// All dumps, by time.
  std::vector<HeapDump> finish();

private:
  /// The maximum of dumps of a process, without those of peaks.
  static constexpr size_t MaxDumps = 100;

  /// A (process, heap, path).
  struct DumpedValue {
    uint32_t Path = 0;
    uint64_t LiveBytes = 0, LiveBlocks = 0;
    uint64_t AllocatedBytes = 0, Allocations = 0;
    HeapTotals Written;
    bool IsChanged = false;
  };
  struct DumpedHeap {
    std::vector<DumpedValue> Values;
    std::vector<uint32_t> Changed; ///< indices of Values
    llvm::DenseMap<uint32_t, uint32_t> ByPath;
    /// Live bytes and blocks by path at the peak, until its dump.
    llvm::DenseMap<uint32_t, std::pair<uint64_t, uint64_t>> AtPeak;
    DumpedValue &value(uint32_t Path);
    void change(uint32_t Path);
  };
  /// A time to dump a process. Position: 2 * I before the rows of interval I
  /// count, 2 * I + 1 after.
  struct DumpTime {
    size_t Position = 0;
    uint64_t TimeNs = 0;
    uint32_t PeakOf = 0; ///< heap; 0: all heaps
  };
  struct DumpedProcess {
    uint32_t Id = 0;
    std::map<uint32_t, DumpedHeap> Heaps;
    std::vector<DumpTime> Times; ///< by position
    size_t NextTime = 0;
  };

  void chooseTimes(const SelectedStats &S, size_t Max);
  void addPeaks(const SelectedStats &S);
  void dumpUpTo(DumpedProcess &P, size_t Position);
  void dumpPeak(DumpedProcess &P, const DumpTime &At);
  void dump(uint32_t Process, uint32_t Heap, DumpedHeap &H, uint64_t TimeNs);

  const IntervalSeries &Series;
  llvm::ArrayRef<uint32_t> PathOf;
  std::vector<DumpedProcess> Processes; ///< as Series.processes()
  std::vector<HeapDump> Dumps;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_HEAPDUMPS_H
