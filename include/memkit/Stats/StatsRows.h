// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of live stats, with an index by (cell, key).

#ifndef MEMKIT_STATS_STATSROWS_H
#define MEMKIT_STATS_STATSROWS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace memkit {

/// The live stats of a (process, heap, stack) or (process, heap, scope path):
/// the values that every event reads and writes, in one cache line. Counts of
/// live blocks have 32 bits. Values wrap on overflow, without a trap: a trace
/// may claim any size.
struct alignas(64) StatsRow {
  uint64_t LastChange = 0; ///< number of the last event on the row
  uint64_t LiveBytes = 0;
  uint64_t LiveExclusive = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t PeakBytes = 0;
  uint64_t Allocations = 0;
  uint32_t LiveBlocks = 0;
  uint32_t Key = 0;  ///< stack or scope path
  uint32_t Cell = 0; ///< of the row's process and heap
  /// Frees of temporaries since the end of the row's last interval.
  /// StatsRowCold::Temporaries has the others, and the overflow.
  uint32_t Temporaries = 0;
};
static_assert(sizeof(StatsRow) == 64);

/// The remaining values of a row. Values at a peak are copied lazily, at the
/// row's first change after the peak; so these values are valid when LastChange
/// is after the peak.
struct StatsRowCold {
  uint64_t HeapPeakBytes = 0;
  uint64_t SpacePeakBytes = 0;
  uint32_t HeapPeakBlocks = 0;
  uint32_t SpacePeakBlocks = 0;
  uint64_t Temporaries = 0; ///< without StatsRow::Temporaries
  /// 1 + the interval of allocation of all live blocks of the row; with
  /// HasLifetime, the index of the row's Lifetime; with HasBrief, of its
  /// BriefLifetime; 0: no block was live at the end of an interval.
  uint32_t AllocatedIn = 0;
  static constexpr uint32_t HasLifetime = 1u << 31, HasBrief = 1u << 30,
                            LifetimeIndex = HasBrief - 1;
  /// 1 + the row's index among the rows that wait for a whole interval; 0: the
  /// row never waited.
  uint32_t Waits = 0;
};
static_assert(sizeof(StatsRowCold) == 40);

/// All rows of one kind, numbered from 1, with an index by (cell, key). Rows
/// never move. Growth takes well under a millisecond at any size: rows are in
/// chunks, and the index is in shards that grow separately.
class StatsRows {
  /// Fresh pages of zeros are rows without events.
  struct RowChunk {
    StatsRow *Rows = nullptr;
    StatsRowCold *Rests = nullptr;
  };

public:
  /// The rows of a chunk fill a large page.
  static constexpr unsigned ChunkBits = 15;
  static constexpr uint32_t ChunkRows = 1u << ChunkBits;

  StatsRows() = default;
  ~StatsRows();
  StatsRows(const StatsRows &) = delete;
  StatsRows &operator=(const StatsRows &) = delete;

  StatsRow &operator[](uint32_t Row) {
    return Chunks[Row >> ChunkBits].Rows[Row & (ChunkRows - 1)];
  }
  const StatsRow &operator[](uint32_t Row) const {
    return Chunks[Row >> ChunkBits].Rows[Row & (ChunkRows - 1)];
  }
  StatsRowCold &cold(uint32_t Row) {
    return Chunks[Row >> ChunkBits].Rests[Row & (ChunkRows - 1)];
  }
  const StatsRowCold &cold(uint32_t Row) const {
    return Chunks[Row >> ChunkBits].Rests[Row & (ChunkRows - 1)];
  }

  /// The existing rows, for loops. Valid until a row is made.
  class RowView {
  public:
    StatsRow &operator[](uint32_t Row) const {
      return Chunks[Row >> ChunkBits].Rows[Row & (ChunkRows - 1)];
    }

  private:
    friend class StatsRows;
    const RowChunk *Chunks = nullptr;
  };
  RowView view() const {
    RowView V;
    V.Chunks = Chunks.data();
    return V;
  }

  /// Returns the row of (Cell, Key). New: whether the call made the row.
  uint32_t findOrMake(uint32_t Cell, uint32_t Key, bool &New);
  /// The row of (Cell, Key), or 0.
  uint32_t find(uint32_t Cell, uint32_t Key) const;
  /// Called with memory for the next rows. The memory stays until the end. With
  /// OnAhead, one chunk more than used is allocated.
  std::function<void(void *, size_t)> OnAhead;
  /// The highest row in use.
  uint32_t size() const { return Used; }

private:
  static constexpr unsigned ShardBits = 6;
  /// Row 0: free slot. Half of the hash saves reads of wrong rows, which are
  /// far apart in memory.
  struct RowSlot {
    uint32_t Row;
    uint32_t Hash;
  };
  /// Open addressing with linear probing.
  struct RowShard {
    std::vector<RowSlot> Slots;
    uint32_t Count = 0;
  };
  static uint64_t hash(uint32_t Cell, uint32_t Key) {
    uint64_t X =
        (static_cast<uint64_t>(Cell) << 32 | Key) * 0x9E3779B97F4A7C15u;
    return X ^ (X >> 29);
  }
  /// The first row of Key, of any cell; 0: none. Keys are dense and mostly have
  /// one row, so most rows need no other index.
  uint32_t firstOf(uint32_t Key) const {
    size_t Piece = Key >> FirstBits;
    return Piece < Firsts.size() && Firsts[Piece]
               ? Firsts[Piece][Key & (FirstsOfPiece - 1)]
               : 0;
  }
  void setFirst(uint32_t Key, uint32_t Row);
  uint32_t make(uint32_t Cell, uint32_t Key);
  /// The slot of (Cell, Key), or the free slot for it.
  size_t slot(const RowShard &S, uint64_t Hash, uint32_t Cell,
              uint32_t Key) const;
  void grow(RowShard &S);
  void addChunk();
  RowChunk mapChunk() const;
  void lookAhead();

  static constexpr unsigned FirstBits = 12;
  static constexpr uint32_t FirstsOfPiece = 1u << FirstBits;

  std::vector<RowChunk> Chunks;
  RowChunk Ahead; ///< the next chunk, after OnAhead
  std::vector<std::unique_ptr<uint32_t[]>> Firsts; ///< rows by key
  /// All rows except the first row of each key.
  std::array<RowShard, size_t(1) << ShardBits> Shards;
  uint32_t Used = 0;
};

} // namespace memkit

#endif // MEMKIT_STATS_STATSROWS_H
