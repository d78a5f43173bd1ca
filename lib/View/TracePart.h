// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a trace that the page looks at.

#ifndef MEMKIT_LIB_VIEW_TRACEPART_H
#define MEMKIT_LIB_VIEW_TRACEPART_H

#include "memkit/Model/Intervals.h"
#include <memory>
#include <optional>

namespace memkit {

/// A heap and a process, by id; 0: all.
struct PartFilter {
  uint32_t Heap = 0, Process = 0;
  bool operator==(const PartFilter &) const = default;
};

/// The stats of a part. With a heap, all bytes of the heap's blocks count;
/// without one, a byte counts once, in the innermost heap.
class TracePart {
public:
  /// All: the stats of the whole trace, which must outlive the result.
  static llvm::Expected<std::unique_ptr<TracePart>>
  create(const SelectedStats &All, PartFilter Of);

  const PartFilter &filter() const { return Of; }
  const SelectedStats &stats() const { return Own ? *Own : All; }
  /// The same by scope path. Made when needed.
  llvm::Expected<const SelectedStats *> statsByScope();
  /// Made when needed.
  llvm::Expected<IntervalSeries *> intervals();
  /// Takes the intervals of stats(), unless there are any; may be null.
  void takeIntervals(std::unique_ptr<IntervalSeries> Made) {
    if (!Series)
      Series = std::move(Made);
  }
  /// Whether a block of a heap and process is in the part and in Space.
  bool hasBlock(uint32_t Heap, uint32_t Process, uint32_t Space) const {
    const Selection &Sel = stats().selection();
    return All.trace().heap(Heap).Space == Space && Sel.hasHeap(Heap) &&
           Sel.hasProcess(Process);
  }

private:
  TracePart(const SelectedStats &All, PartFilter Of) : All(All), Of(Of) {}

  const SelectedStats &All;
  PartFilter Of;
  std::optional<SelectedStats> Own; ///< of a filter
  std::optional<SelectedStats> ByScope;
  std::unique_ptr<IntervalSeries> Series;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_TRACEPART_H
