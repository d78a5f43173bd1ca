// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of live stats as they were at one event, read a part at a time.

#ifndef MEMKIT_STATS_MOMENTROWS_H
#define MEMKIT_STATS_MOMENTROWS_H

#include "memkit/Stats/StatsRows.h"
#include "memkit/Trace/MomentRow.h"
#include <cstdint>
#include <memory>
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
  /// Saved rows by number. Adding a row takes no more than some microseconds at
  /// any size, and the memory can be given back a part at a time.
  class SavedRows {
  public:
    /// Null: the row is not saved.
    const SavedRow *find(uint32_t Row) const {
      const uint32_t *Page = Row >> PageBits < Index.size()
                                 ? Index[Row >> PageBits].get()
                                 : nullptr;
      uint32_t At = Page ? Page[Row & (PageRows - 1)] : 0;
      return At ? &Pieces[(At - 1) / PieceRows][(At - 1) % PieceRows] : nullptr;
    }
    /// The row must not be saved.
    void add(uint32_t Row, const SavedRow &R) {
      if (Row >> PageBits >= Index.size())
        Index.resize((Row >> PageBits) + 1);
      std::unique_ptr<uint32_t[]> &Page = Index[Row >> PageBits];
      if (!Page)
        Page = std::make_unique<uint32_t[]>(PageRows);
      if (Count % PieceRows == 0)
        Pieces.push_back(std::make_unique<SavedRow[]>(PieceRows));
      Pieces.back()[Count % PieceRows] = R;
      Page[Row & (PageRows - 1)] = ++Count;
    }
    /// Gives back a part of the memory; nothing may be found from then on.
    /// False: all is given back.
    bool release() {
      Index.clear();
      for (size_t I = 0; I != 16 && !Pieces.empty(); ++I)
        Pieces.pop_back();
      return !Pieces.empty();
    }

  private:
    static constexpr unsigned PageBits = 13;
    static constexpr uint32_t PageRows = 1u << PageBits, PieceRows = 64;
    std::vector<std::unique_ptr<uint32_t[]>> Index; ///< numbers from 1; 0: none
    std::vector<std::unique_ptr<SavedRow[]>> Pieces;
    uint32_t Count = 0;
  };

  /// The rows of stacks or of scope paths.
  struct OfKind {
    uint32_t Count = 0; ///< rows at the moment
    uint32_t Next = 1;  ///< the first row that is not read yet
    SavedRows Saved;
  };

  uint64_t At = 0;    ///< number of the last event before the moment
  uint64_t Since = 0; ///< rows without a change after this event are left out
  std::vector<CellAt> Cells;
  OfKind Stacks, ScopePaths;
};

} // namespace memkit

#endif // MEMKIT_STATS_MOMENTROWS_H
