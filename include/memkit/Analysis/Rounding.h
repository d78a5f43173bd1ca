// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that allocators add to what a program requests.
//
// PyTorch's allocators round a request up: the allocator of CUDA memory to 512
// bytes, the allocator of pinned memory to a power of two. The trace has both
// sizes of such a block.

#ifndef MEMKIT_ANALYSIS_ROUNDING_H
#define MEMKIT_ANALYSIS_ROUNDING_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Blocks with their sizes in bytes.
struct RoundedBlocks {
  uint64_t Blocks = 0, Requested = 0, Allocated = 0;
  /// What rounding added.
  uint64_t added() const { return Allocated - std::min(Allocated, Requested); }
};

/// The blocks of a heap and stack whose requested size is known.
struct RoundingRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  RoundedBlocks AtPeak; ///< when such blocks of the heap took the most bytes
  RoundedBlocks All;    ///< all allocations
};

/// Reads all events. Of the selection, processes, heaps and stacks count. The
/// peak is each process's own. Rows in no order; empty if no requested size is
/// known. Errors: TraceError.
llvm::Expected<std::vector<RoundingRow>> findRounding(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_ROUNDING_H
