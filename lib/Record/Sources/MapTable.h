// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings of a process.
//
// What a program has mapped, as intervals of addresses that do not overlap. It
// turns operations on ranges into operations on blocks: a hole in a block is
// split, split, free; mprotect of a part frees it in one class and allocates it
// in another.
//
// An operation has the clock (TSC) of its record and touches no block that was
// mapped later: what another thread has mapped meanwhile where pages were given
// back stays, though its record was taken first.
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

/// Told what happens to blocks, in order. Sizes are in bytes.
class MapEvents {
public:
  virtual ~MapEvents() = default;
  /// A block begins to live; what is kept of it.
  virtual LiveEntry allocate(wire::MapClass Class, uint64_t Size) = 0;
  virtual void free(const LiveEntry &Block) = 0;
  /// Block grows or shrinks to Size.
  virtual void resize(LiveEntry &Block, uint64_t Size) = 0;
  /// Block keeps its first Size bytes; gives the block that the rest becomes.
  virtual LiveEntry split(LiveEntry &Block, uint64_t Size) = 0;
  /// The addresses from Begin to before End are about to leave Block, which
  /// lives on.
  virtual void leave(const LiveEntry &Block, uint64_t Begin, uint64_t End) = 0;
};

class MapTable {
public:
  /// Of addresses [Begin, End).
  struct Range {
    uint64_t Begin, End;
    bool contains(uint64_t Address) const {
      return Address >= Begin && Address < End;
    }
    bool empty() const { return Begin >= End; }
  };
  struct Block {
    uint64_t End = 0;
    uint64_t BornTsc = 0;
    LiveEntry Entry;
    wire::MapClass Class = wire::MapClass::Used;
  };
  using Map = std::map<uint64_t, Block>; ///< by begin

  /// R is mapped; what was there is gone. Keep: it leaves no block (that is
  /// recorded).
  void map(Range R, wire::MapClass Class, uint64_t Tsc, bool Keep,
           MapEvents &Out);
  /// R is given back. Returns whether a block lay there.
  bool unmap(Range R, uint64_t Tsc, MapEvents &Out);
  /// The block of a thread's stack ends.
  void endStack(Range R, uint64_t Tsc, MapEvents &Out);
  /// R becomes accessible, or it ceases to be: blocks of the other class there
  /// become blocks of this one. Used or Reserved.
  void protect(Range R, wire::MapClass To, uint64_t Tsc, MapEvents &Out);
  /// Old, of Class, became New, in place or elsewhere. BeginTsc: the clock
  /// before; Tsc: after. OldStays: Old is mapped as it was.
  void remap(Range Old, Range New, wire::MapClass Class, bool OldStays,
             uint64_t BeginTsc, uint64_t Tsc, MapEvents &Out);

  /// The block that holds an address, or null.
  const Block *find(uint64_t Address) const;
  const Map &blocks() const { return Blocks; }
  size_t size() const { return Blocks.size(); }

  /// The block of the memory space's totals in which a block at Address lies,
  /// or null.
  const Block *enclosing(uint64_t Address) {
    // Nearly all addresses lie in the gap in which the last one lay.
    if (__builtin_expect(gapOf(Address).contains(Address), 1))
      return nullptr;
    // The others lie in few blocks.
    const Found &Last = Recent[Address >> 18 & (NumRecent - 1)];
    if (Last.At.contains(Address))
      return Last.B;
    return findEnclosing(Address);
  }

private:
  using Iterator = Map::iterator;
  const Block *findEnclosing(uint64_t Address);
  Iterator firstIn(Range R);
  Iterator cut(Iterator At, uint64_t Address, MapEvents &Out);
  Iterator isolate(Iterator At, Range R, MapEvents &Out);
  void insert(Range R, wire::MapClass Class, uint64_t Tsc, MapEvents &Out);
  bool resizeInPlace(Range Old, Range New, uint64_t Tsc, MapEvents &Out);
  void counts(Range R);
  /// One for the heap at the break, one for what lies high, above it.
  Range &gapOf(uint64_t Address) { return Gaps[Address >> 45 & 1]; }

  /// Whatever changes blocks forgets what was found.
  void forgetFound() {
    if (!IsFresh)
      std::fill(std::begin(Recent), std::end(Recent), Found());
    IsFresh = true;
  }

  struct Found {
    Range At = {1, 0};
    const Block *B = nullptr;
  };
  static constexpr unsigned NumRecent = 256;
  Found Recent[NumRecent]; ///< by address, of blocks that count
  bool IsFresh = true;     ///< nothing is in Recent
  Map Blocks;
  Range Gaps[2] = {{0, ~0ull}, {0, ~0ull}}; ///< without a counted block
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MAPTABLE_H
