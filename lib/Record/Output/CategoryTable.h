// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live tensors at the peak, by category and layer.

#ifndef MEMKIT_LIB_RECORD_CATEGORYTABLE_H
#define MEMKIT_LIB_RECORD_CATEGORYTABLE_H

#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// Counts the tensors that lived at the peaks of their heaps. A tensor is added
/// at its free, and counts if the heap's peak so far lies in its life, until a
/// higher peak. Memory: a row for each process, heap, category and layer.
/// Belongs to the recorder's thread.
class CategoryTable {
public:
  explicit CategoryTable(const LiveStats &Stats) : Stats(Stats) {}

  /// A tensor of Bytes, allocated at event AllocatedAt (LiveStats::events()),
  /// is freed now. Layer: string.
  void add(uint32_t Process, uint32_t Heap, TensorCategory Category,
           uint32_t Layer, uint64_t AllocatedAt, uint64_t Bytes);
  /// The stats at the current peaks, sorted by heap, process, category, then by
  /// falling bytes. After all tensors are added, their sum is the live bytes at
  /// the peak.
  std::vector<CategoryStats> totals() const;

private:
  struct CategoryRow {
    uint64_t PeakAt = 0, Blocks = 0, Bytes = 0;
  };
  const LiveStats &Stats;
  /// By process, heap and category; by layer.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, CategoryRow> Rows;
};

/// The live tensors at out-of-memory events. Keeps the first
/// MaxOomsOfProcess - 1 events of a process, and its last event.
class OomLog {
public:
  static constexpr unsigned Max = 256;
  /// Maximum rows of one event; add() merges the smallest rows of each category
  /// into one.
  static constexpr size_t MaxRows = 256;

  struct OomTimePoint {
    OomRecord What;
    std::vector<OomHeap> Heaps;
    std::vector<CategoryStats> Categories;
  };
  /// Whether add() takes another event of the process, in place of an older
  /// event if needed.
  bool hasRoom(uint32_t Process) const {
    return OfProcess.lookup(Process) != 0 || TimePoints.size() < Max;
  }
  /// Adds an event after all earlier ones, and sets What.Number.
  void add(OomTimePoint M);
  /// Counts an event that is not added.
  void skip(uint32_t Process) { ++Skipped[Process]; }
  llvm::ArrayRef<OomTimePoint> timePoints() const { return TimePoints; }

private:
  std::vector<OomTimePoint> TimePoints;
  llvm::DenseMap<uint32_t, unsigned> OfProcess;
  llvm::DenseMap<uint32_t, uint64_t> Skipped;
  uint32_t LastNumber = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CATEGORYTABLE_H
