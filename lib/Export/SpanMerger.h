// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limited number of spans of blocks.

#ifndef MEMKIT_LIB_EXPORT_SPANMERGER_H
#define MEMKIT_LIB_EXPORT_SPANMERGER_H

#include "Export/BlockSpan.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// Gathers spans. Above the limit, the merger rounds times up to a power of two
/// of nanoseconds and merges the spans of a stack with equal times; the power
/// doubles until the spans fit. If one time for the whole run is not enough,
/// the merger folds the stacks with the fewest bytes. Sums of bytes stay exact,
/// or saturate.
class SpanMerger {
public:
  /// Max: of spans; 0: no limit. EndNs: the end of the run, which decides how
  /// far rounding helps.
  SpanMerger(size_t Max, uint64_t EndNs);

  void add(uint32_t Process, uint32_t Heap, const BlockSpan &S);
  BlockSpans finish();

private:
  /// The process and heap, the stack, and the rounded times.
  using SpanKey =
      std::pair<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>>;
  static constexpr unsigned MaxShift = 62;

  void put(uint32_t Table, BlockSpan S);
  void merge();
  void mergeAgain();
  void foldSmallest();
  uint64_t rounded(uint64_t TimeNs) const;

  size_t Max;
  unsigned LastShift; ///< makes one time of the run
  unsigned Shift = 0; ///< of the rounding; 0: nothing is merged
  BlockSpans Out;
  size_t Count = 0; ///< spans in Out
  uint64_t LastNs = 0;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Tables;
  llvm::DenseMap<SpanKey, uint32_t> Known; ///< index in the table's spans
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SPANMERGER_H
