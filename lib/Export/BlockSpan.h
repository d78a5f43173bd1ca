// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lives of blocks, by heap.

#ifndef MEMKIT_LIB_EXPORT_BLOCKSPAN_H
#define MEMKIT_LIB_EXPORT_BLOCKSPAN_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// A block of one size. A resized block is a span for each of its sizes, with
/// equal numbers, one after the other. Spans that were merged stand for several
/// blocks of a stack.
struct BlockSpan {
  static constexpr uint64_t Alive = UINT64_MAX;

  uint64_t BeginNs = 0;
  uint64_t EndNs = Alive; ///< Alive: not freed in the window
  /// Of a sampled block, of all blocks for which the block stands.
  uint64_t Bytes = 0;
  /// The allocation id; of merged spans a number of their own. Blocks of one
  /// heap that live at the same time have different numbers.
  uint64_t Number = 0;
  uint32_t Key = 0;         ///< a stack or scope path
  uint32_t AllocatedBy = 0; ///< thread; 0: not known, or several
  uint32_t FreedBy = 0;     ///< likewise
};

/// The blocks of a process in a heap.
struct HeapSpans {
  uint32_t Process = 0, Heap = 0;
  /// The spans of a block come in order of time; others in any order.
  std::vector<BlockSpan> Spans;
};

struct BlockSpans {
  /// The key of spans with folded stacks.
  static constexpr uint32_t SmallerKey = UINT32_MAX;

  std::vector<HeapSpans> Heaps; ///< by process, then heap; none is empty
  uint64_t Read = 0; ///< spans before the merge, without empty blocks
  /// Merged spans: all times were rounded up to multiples of RoundedNs, and the
  /// spans of a stack with equal times were merged. So all sums of bytes are
  /// exact at these multiples. 0: nothing was merged.
  uint64_t RoundedNs = 0;
  /// Whether merging was not enough: the stacks with the fewest bytes have
  /// SmallerKey.
  bool HasSmaller = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_BLOCKSPAN_H
