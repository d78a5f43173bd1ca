// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each heap did.

#ifndef MEMKIT_ANALYSIS_HEAPOVERVIEW_H
#define MEMKIT_ANALYSIS_HEAPOVERVIEW_H

#include "memkit/Model/SelectedStats.h"
#include <optional>

namespace memkit {

/// What lived at a peak, by stacks of one heap that are shown alike.
struct PeakStack {
  uint32_t Heap = 0;
  uint32_t Stack = 0; ///< one of those stacks
  uint64_t Bytes = 0; ///< of a memory space: exclusive
  uint64_t Blocks = 0;
};

/// A memory space, or a heap. With chosen processes all but the memory space's
/// is of these, and the peak is what they had at the peak of all.
struct HeapOverview {
  uint32_t Heap = 0;  ///< 0: the memory space
  uint32_t Space = 0; ///< as TotalStats::Id
  bool InTotals = true;
  TotalStats Stats;
  std::optional<uint64_t> PeakStep; ///< the step that ran at the peak
  uint64_t MeanBytes = 0;           ///< of an allocation
  uint64_t BytesPerSecond = 0;      ///< allocated, over the whole run
  /// Allocations by sizeClass(), of all processes; empty: not known.
  std::vector<uint64_t> Sizes;
  std::vector<PeakStack> AtPeak; ///< the largest, largest first
};

/// The memory spaces that have something, each followed by its selected heaps:
/// those in the totals, then the others. Top: how many stacks of each peak; 0:
/// all.
std::vector<HeapOverview> statHeaps(const SelectedStats &S, size_t Top);

/// What a part of the processes had of each memory space when that had its
/// peak, and at their ends: PeakBytes, LiveBytes, by memory space. A byte
/// counts once.
std::vector<TotalStats> partOfSpaces(const SelectedStats &S);

/// Bytes as a number, the highest one when they are more than there can be.
uint64_t wholeBytes(double Bytes);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_HEAPOVERVIEW_H
