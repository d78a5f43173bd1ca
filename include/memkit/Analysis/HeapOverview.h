// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals and peaks of each heap and memory space.

#ifndef MEMKIT_ANALYSIS_HEAPOVERVIEW_H
#define MEMKIT_ANALYSIS_HEAPOVERVIEW_H

#include "memkit/Model/SelectedStats.h"
#include <optional>

namespace memkit {

/// Memory live at a peak, by stacks of one heap with the same shown frames.
struct PeakStack {
  uint32_t Heap = 0;
  uint32_t Stack = 0; ///< any of the stacks
  uint64_t Bytes = 0; ///< of a memory space: exclusive
  uint64_t Blocks = 0;
};

/// A memory space, or a heap. With chosen processes a heap's Stats are sums
/// over these processes, with their share of the heap's peak over all
/// processes; memory spaces are left out.
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

/// The memory spaces with recorded memory, each followed by its heaps: first
/// the heaps in the totals, then the others. With chosen heaps or processes,
/// the selected heaps alone, in this order. Top: the number of stacks of each
/// peak; 0: all. Without WithStacks AtPeak is empty.
std::vector<HeapOverview> statHeaps(const SelectedStats &S, size_t Top,
                                    bool WithStacks = true);

/// The process that is selected; none: several are.
std::optional<uint32_t> onlyProcess(const Trace &T, const Selection &Sel);
/// The peak of a process alone in a memory space.
uint64_t peakOfProcess(const Trace &T, uint32_t Process, uint32_t Space);

/// The selected rows' bytes at the peak of each memory space (PeakBytes; of a
/// single process its own peak) and at the ends of their processes (LiveBytes),
/// by memory space. A byte counts once.
std::vector<TotalStats> partOfSpaces(const SelectedStats &S);

/// Bytes as an integer; the maximum integer where Bytes exceed the range.
uint64_t wholeBytes(double Bytes);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_HEAPOVERVIEW_H
