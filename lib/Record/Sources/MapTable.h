// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings of a process.
//
// Holds what a program has mapped, as address intervals that do not overlap,
// and turns operations on ranges into operations on blocks: a hole in a block
// is split, split, free; mprotect of a part frees the part in one class and
// allocates it in the other.
//
// An operation has the clock (TSC) of its record, and leaves blocks alone that
// were mapped later: when a thread maps pages that another thread has just
// unmapped, the new mapping stays, even if its record was taken first.
//
// Memory: about 120 bytes a block. Belongs to the recorder's thread.

#ifndef MEMKIT_LIB_RECORD_MAPTABLE_H
#define MEMKIT_LIB_RECORD_MAPTABLE_H

#include "Sources/LiveTable.h"
#include "Wire/Layout.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace memkit {

/// Receives the events of blocks, in order. Sizes are in bytes.
class MapEvents {
public:
  virtual ~MapEvents() = default;
  /// A block is allocated; returns its entry for the table.
  virtual LiveEntry allocate(wire::MapClass Class, uint64_t Size) = 0;
  virtual void free(const LiveEntry &Block) = 0;
  /// Block grows or shrinks to Size.
  virtual void resize(LiveEntry &Block, uint64_t Size) = 0;
  /// Block keeps its first Size bytes; returns the block of the remainder.
  virtual LiveEntry split(LiveEntry &Block, uint64_t Size) = 0;
  /// The addresses [Begin, End) are about to leave Block, which lives on.
  virtual void leave(const LiveEntry &Block, uint64_t Begin, uint64_t End) = 0;
};

class MapTable {
public:
  /// The addresses [Begin, End).
  struct MapRange {
    uint64_t Begin, End;
    bool contains(uint64_t Address) const {
      return Address >= Begin && Address < End;
    }
    bool empty() const { return Begin >= End; }
  };
  struct MapBlock {
    uint64_t End = 0;
    uint64_t BornTsc = 0;
    LiveEntry Entry;
    wire::MapClass Class = wire::MapClass::Used;
  };
  using MapBlockMap = std::map<uint64_t, MapBlock>; ///< by start

  /// Maps R, and frees the blocks there. Keep: R becomes a block.
  void map(MapRange R, wire::MapClass Class, uint64_t Tsc, bool Keep,
           MapEvents &Out);
  /// Unmaps R. Returns whether a block lay there.
  bool unmap(MapRange R, uint64_t Tsc, MapEvents &Out);
  /// Unmaps the stack of a thread if R is exactly its block.
  void endStack(MapRange R, uint64_t Tsc, MapEvents &Out);
  /// Makes R accessible (Used) or inaccessible (Reserved): blocks of the other
  /// class in R change to class To.
  void protect(MapRange R, wire::MapClass To, uint64_t Tsc, MapEvents &Out);
  /// Moves or resizes Old, of Class, to New. BeginTsc: the clock before the
  /// call; Tsc: after the call. OldStays: Old remains mapped.
  void remap(MapRange Old, MapRange New, wire::MapClass Class, bool OldStays,
             uint64_t BeginTsc, uint64_t Tsc, MapEvents &Out);

  /// The block that holds an address, or null.
  const MapBlock *find(uint64_t Address) const;
  const MapBlockMap &blocks() const { return Blocks; }
  size_t size() const { return Blocks.size(); }

  /// The block of class Used around Address, or null. Only these blocks count
  /// in the stats of the memory space.
  const MapBlock *enclosing(uint64_t Address) {
    // Nearly all addresses lie in the gap of the previous address.
    if (__builtin_expect(gapOf(Address).contains(Address), 1))
      return nullptr;
    // The others lie in few blocks.
    const Found &Last = Recent[Address >> 18 & (NumRecent - 1)];
    if (Last.At.contains(Address))
      return Last.B;
    return findEnclosing(Address);
  }

private:
  using Iterator = MapBlockMap::iterator;
  const MapBlock *findEnclosing(uint64_t Address);
  Iterator firstIn(MapRange R);
  Iterator cut(Iterator At, uint64_t Address, MapEvents &Out);
  Iterator isolate(Iterator At, MapRange R, MapEvents &Out);
  void insert(MapRange R, wire::MapClass Class, uint64_t Tsc, MapEvents &Out);
  bool resizeInPlace(MapRange Old, MapRange New, uint64_t Tsc, MapEvents &Out);
  void counts(MapRange R);
  /// One gap for the heap at the break, one for the high addresses above it.
  MapRange &gapOf(uint64_t Address) { return Gaps[Address >> 45 & 1]; }

  /// Every change of blocks clears the recent finds.
  void forgetFound() {
    if (!IsFresh)
      std::fill(std::begin(Recent), std::end(Recent), Found());
    IsFresh = true;
  }

  struct Found {
    MapRange At = {1, 0};
    const MapBlock *B = nullptr;
  };
  static constexpr unsigned NumRecent = 256;
  Found Recent[NumRecent]; ///< by address; blocks that count
  bool IsFresh = true;     ///< Recent is empty
  MapBlockMap Blocks;
  MapRange Gaps[2] = {{0, ~0ull}, {0, ~0ull}}; ///< without a block that counts
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MAPTABLE_H
