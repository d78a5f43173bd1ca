// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of live stats as they were at one event, read a part at a time.

#ifndef MEMKIT_STATS_MOMENTROWS_H
#define MEMKIT_STATS_MOMENTROWS_H

#include "memkit/Stats/StatsRows.h"
#include "memkit/Trace/MomentRow.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// The state of LiveStats while a moment is read. A row that an event changes
/// first is saved before the change. Belongs to the thread of its LiveStats.
class MomentRows {
public:
  struct SavedRow {
    StatsRow Row;
    StatsRowCold Cold;
    uint64_t Splits = 0;
  };
  /// What the values at peaks of a cell's rows depend on.
  struct CellAt {
    uint32_t Process = 0, Heap = 0;
    uint64_t HeapPeakAt = 0, SpacePeakAt = 0;
    uint64_t EndAt = 0;   ///< of the process
    bool Outside = false; ///< the totals
  };
  /// The rows of stacks or of scope paths.
  struct OfKind {
    uint32_t Count = 0; ///< rows at the moment
    uint32_t Next = 1;  ///< the first row that is not read yet
    llvm::DenseMap<uint32_t, SavedRow> Saved; ///< by row
  };

  uint64_t At = 0; ///< number of the last event before the moment
  std::vector<CellAt> Cells;
  OfKind Stacks, ScopePaths;
};

} // namespace memkit

#endif // MEMKIT_STATS_MOMENTROWS_H
