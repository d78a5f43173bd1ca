// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which rows are written.

#ifndef MEMKIT_LIB_STATS_ROWORDER_H
#define MEMKIT_LIB_STATS_ROWORDER_H

#include "memkit/Stats/LiveStats.h"

namespace memkit {

/// The rows with at least one allocation, grouped by cell and sorted by key.
struct LiveStats::RowOrder {
  std::vector<uint64_t> Rows; ///< key << 32 | row
  std::vector<size_t> Begin;  ///< of each cell, and the end of the last

  llvm::ArrayRef<uint64_t> of(size_t Cell) const {
    return llvm::ArrayRef(Rows).slice(Begin[Cell],
                                      Begin[Cell + 1] - Begin[Cell]);
  }
};

} // namespace memkit

#endif // MEMKIT_LIB_STATS_ROWORDER_H
