// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors at the peak, by category and layer.

#ifndef MEMKIT_LIB_RECORD_KINDTABLE_H
#define MEMKIT_LIB_RECORD_KINDTABLE_H

#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// What lived at the peaks of the heaps of tensors. A tensor is told of when it
/// is gone: it counts when it lived at the peak so far, and until another
/// comes. Memory: a row for each process, heap, category and layer. Belongs to
/// the recorder's thread.
class CategoryTable {
public:
  explicit CategoryTable(const LiveStats &Stats) : Stats(Stats) {}

  /// A tensor of Bytes, allocated at the event AllocatedAt
  /// (LiveStats::events()), dies now. Layer: string.
  void add(uint32_t Process, uint32_t Heap, TensorCategory Category,
           uint32_t Layer, uint64_t AllocatedAt, uint64_t Bytes);
  /// Of the peaks as they are now: sorted by heap, process, category, then by
  /// falling bytes. Their sum is what lived at the peak when all have been told
  /// of.
  std::vector<CategoryStats> totals() const;

private:
  struct Row {
    uint64_t PeakAt = 0, Blocks = 0, Bytes = 0;
  };
  const LiveStats &Stats;
  /// By process, heap and category; and layer.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, Row> Rows;
};

/// What lived when memory could not be had. Of a process the first
/// MaxOfProcess - 1 such moments are kept, and the last.
class OomLog {
public:
  static constexpr unsigned MaxOfProcess = 8, Max = 256;
  /// The most rows of one moment; the smallest are made one for each category.
  static constexpr size_t MaxRows = 256;

  struct Moment {
    OomRecord What;
    std::vector<OomHeap> Heaps;
    std::vector<CategoryStats> Categories;
  };
  /// Whether there is room for one more of the process, for which another gives
  /// way.
  bool hasRoom(uint32_t Process) const {
    return OfProcess.lookup(Process) != 0 || Moments.size() < Max;
  }
  /// A moment comes after those so far. What.Number is set here.
  void add(Moment M);
  /// It is over without being looked at.
  void skip(uint32_t Process) { ++Skipped[Process]; }
  llvm::ArrayRef<Moment> moments() const { return Moments; }

private:
  std::vector<Moment> Moments;
  llvm::DenseMap<uint32_t, unsigned> OfProcess;
  llvm::DenseMap<uint32_t, uint64_t> Skipped;
  uint32_t LastNumber = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_KINDTABLE_H
