// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of sums, and how they are found.

#ifndef MEMKIT_STATS_ACCOUNTROWS_H
#define MEMKIT_STATS_ACCOUNTROWS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace memkit {

/// The live sums of a (process, heap, stack) or (process, heap, scope path):
/// what every event reads and writes, in one line of the cache. Blocks that
/// live at once are counted in 32 bits. Stats wrap, they do not trap: a trace
/// may claim any size.
struct alignas(64) StatsRow {
  uint64_t LastChange = 0; ///< number of the event that changed it last
  uint64_t LiveBytes = 0;
  uint64_t LiveExclusive = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t PeakBytes = 0;
  uint64_t Allocations = 0;
  uint32_t LiveBlocks = 0;
  uint32_t Key = 0;  ///< stack or scope path
  uint32_t Cell = 0; ///< of its process and heap
  /// Frees of temporaries since the row's last interval ended. The others, and
  /// those that this cannot hold, are in StatsRowCold::Temporaries.
  uint32_t Temporaries = 0;
};
static_assert(sizeof(StatsRow) == 64);

/// The rest of a row. What it had at a peak is copied lazily: at its first
/// change after the peak, so that it is valid when LastChange is after the
/// peak.
struct StatsRowCold {
  uint64_t HeapPeakBytes = 0;
  uint64_t SpacePeakBytes = 0;
  uint32_t HeapPeakBlocks = 0;
  uint32_t SpacePeakBlocks = 0;
  uint64_t Temporaries = 0; ///< without StatsRow::Temporaries
  /// 1 + the interval that all live blocks of the row were allocated in; or,
  /// with HasLifetime, where its Lifetime stands; 0: none lived when one ended.
  uint32_t AllocatedIn = 0;
  static constexpr uint32_t HasLifetime = 1u << 31;
  /// 1 + where the row stands among those that wait for a whole interval; 0: it
  /// never waited.
  uint32_t Waits = 0;
};
static_assert(sizeof(StatsRowCold) == 40);

/// All rows of one kind, numbered from 1, and the way from (cell, key) to them.
/// Rows never move. Growing takes well under a millisecond at any size: rows
/// stand in chunks, and the index is in shards that grow on their own.
class StatsRows {
  /// Fresh pages of zeros, which are rows that nothing happened to.
  struct Chunk {
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
  StatsRowCold &rest(uint32_t Row) {
    return Chunks[Row >> ChunkBits].Rests[Row & (ChunkRows - 1)];
  }
  const StatsRowCold &rest(uint32_t Row) const {
    return Chunks[Row >> ChunkBits].Rests[Row & (ChunkRows - 1)];
  }

  /// The rows that there are, for loops: good until one is made.
  class View {
  public:
    StatsRow &operator[](uint32_t Row) const {
      return Chunks[Row >> ChunkBits].Rows[Row & (ChunkRows - 1)];
    }

  private:
    friend class StatsRows;
    const Chunk *Chunks = nullptr;
  };
  View view() const {
    View V;
    V.Chunks = Chunks.data();
    return V;
  }

  /// The row of (Cell, Key), made when there is none; New says which.
  uint32_t findOrMake(uint32_t Cell, uint32_t Key, bool &New);
  /// The row of (Cell, Key), or 0.
  uint32_t find(uint32_t Cell, uint32_t Key) const;
  /// Told of memory that rows will soon be made in; it stays until the end.
  /// With it there are rows for one chunk more than are used.
  std::function<void(void *, size_t)> OnAhead;
  /// The highest row in use.
  uint32_t size() const { return Used; }

private:
  static constexpr unsigned ShardBits = 6;
  /// Row 0 is free. With half the hash a row is looked at only when it is the
  /// one, as good as always: rows are far apart in memory.
  struct Slot {
    uint32_t Row;
    uint32_t Hash;
  };
  /// Open addressing with linear probing.
  struct Shard {
    std::vector<Slot> Slots;
    uint32_t Count = 0;
  };
  static uint64_t hash(uint32_t Cell, uint32_t Key) {
    uint64_t X =
        (static_cast<uint64_t>(Cell) << 32 | Key) * 0x9E3779B97F4A7C15u;
    return X ^ (X >> 29);
  }
  /// The row made first of those of Key, whatever its cell, 0 for none. Keys
  /// are dense and mostly have one row: then no other index is needed.
  uint32_t firstOf(uint32_t Key) const {
    size_t Piece = Key >> FirstBits;
    return Piece < Firsts.size() && Firsts[Piece]
               ? Firsts[Piece][Key & (FirstsOfPiece - 1)]
               : 0;
  }
  void setFirst(uint32_t Key, uint32_t Row);
  uint32_t make(uint32_t Cell, uint32_t Key);
  /// The slot where (Cell, Key) stands or would stand.
  size_t slot(const Shard &S, uint64_t Hash, uint32_t Cell, uint32_t Key) const;
  void grow(Shard &S);
  void addChunk();
  Chunk mapChunk() const;
  void lookAhead();

  static constexpr unsigned FirstBits = 12;
  static constexpr uint32_t FirstsOfPiece = 1u << FirstBits;

  std::vector<Chunk> Chunks;
  Chunk Ahead; ///< the next, where OnAhead was told of it
  std::vector<std::unique_ptr<uint32_t[]>> Firsts; ///< rows by key
  /// The rows that are not the first of their key.
  std::array<Shard, size_t(1) << ShardBits> Shards;
  uint32_t Used = 0;
};

} // namespace memkit

#endif // MEMKIT_STATS_ACCOUNTROWS_H
