// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a heap by address.
//
// Address -> allocation id, size, stats row, scope path, allocation time. Built
// for tens of millions of blocks and tens of millions of changes a second.
//
// A bucket is three cache lines: the keys of seven blocks with one byte of each
// block's hash; the columns that a free needs; the other columns. The word of
// hash bytes shows in a few instructions where to look and where room is. The
// caller prefetches the lines some events ahead.
//
// 256 shards by hash grow one at a time, by 3/8 and out of step with each
// other. So the longest pause is the rehash of one shard, and the table takes
// at most 48 bytes a block, 37 on average.
//
// Belongs to one thread.

#ifndef MEMKIT_LIB_RECORD_LIVETABLE_H
#define MEMKIT_LIB_RECORD_LIVETABLE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memkit {

/// What the table holds of a live block.
struct LiveEntry {
  uint64_t AllocationId = 0; ///< below MaxAllocationId
  uint64_t Size = 0;
  uint64_t AllocatedTick = 0; ///< below MaxAllocatedTick, in TimeUnitNs
  uint32_t Row = 0;           ///< of LiveStats
  uint32_t ScopeRow = 0;      ///< below MaxScopeRow
  static constexpr uint64_t MaxAllocationId = 1ull << 40;
  static constexpr uint64_t MaxAllocatedTick = 1ull << 48;
  static constexpr uint32_t MaxScopeRow = 1u << 24;
};

class LiveTable {
public:
  static constexpr unsigned NumShards = 256;

  LiveTable() = default;
  ~LiveTable();
  LiveTable(const LiveTable &) = delete;
  LiveTable &operator=(const LiveTable &) = delete;

  uint64_t size() const { return Count; }
  /// Bytes of memory that the table takes.
  uint64_t bytes() const;

  /// Prefetches the lines that an operation on Address will touch. Whole: also
  /// the third line, with allocation times and scope paths; take() touches the
  /// third line only on request.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint64_t Address,
                                             bool Whole) const {
    uint64_t H = hash(Address);
    const LiveShard &S = Shards[H >> 56];
    // A shard without buckets gives an address near 0; prefetching it is
    // harmless.
    uintptr_t B = reinterpret_cast<uintptr_t>(S.Buckets) +
                  uint64_t(S.home(H)) * sizeof(LiveBucket);
    size_t Last =
        Whole ? offsetof(LiveBucket, AllocatedLow) : offsetof(LiveBucket, Rows);
    __builtin_prefetch(reinterpret_cast<const void *>(B), 1);
    __builtin_prefetch(
        reinterpret_cast<const void *>(B + offsetof(LiveBucket, Rows)), 1);
    __builtin_prefetch(reinterpret_cast<const void *>(B + Last), 1);
  }

  bool contains(uint64_t Address) const { return get(Address, nullptr); }
  /// Whether a block lives at Address. Copies the block to Out unless Out is
  /// null.
  bool get(uint64_t Address, LiveEntry *Out) const;

  /// Adds a block; false, without a change, if a block lives at Address.
  bool insert(uint64_t Address, const LiveEntry &E);

  /// Removes the block at Address into Out; false if no block lives there.
  /// Without Whole and while no block has a scope path, take() leaves out the
  /// third line: Out gets no AllocatedTick and no ScopeRow.
  bool take(uint64_t Address, LiveEntry &Out, bool Whole = true);

  /// Calls F with each entry of a shard and the entry's address, in no order. F
  /// must not change the table.
  void
  forEachInShard(unsigned Shard,
                 llvm::function_ref<void(const LiveEntry &, uint64_t)> F) const;
  static unsigned shardOf(uint64_t Address) { return hash(Address) >> 56; }

private:
  // A key is Address >> 3 in 45 bits and the size in 19. Odd holds blocks whose
  // addresses do not fit a key, such as those of pools, which have the pool's
  // number on top; Large holds sizes that do not fit.
  static constexpr unsigned AddressBits = 45;
  static constexpr uint64_t AddressMask = (1ull << AddressBits) - 1;
  static constexpr uint64_t SizeEscape = (1ull << (64 - AddressBits)) - 1;
  static constexpr unsigned Slots = 7;

  struct alignas(64) LiveBucket {
    uint64_t Keys[Slots]; ///< undefined where the tag is 0
    /// For each slot: 0 if free, else 0x80 and 7 bits of the hash.
    uint8_t Tags[Slots];
    /// Number of blocks that probed past this full bucket; sticks at 255.
    uint8_t Overflow;
    uint32_t Rows[Slots];
    uint32_t AllocationIdLow[Slots];
    uint8_t AllocationIdHigh[8];
    uint32_t AllocatedLow[Slots];
    uint16_t AllocatedHigh[Slots];
    uint16_t ScopeLow[Slots];
    uint8_t ScopeHigh[8];
  };
  static_assert(sizeof(LiveBucket) == 192);

  struct LiveShard {
    LiveBucket *Buckets = nullptr;
    uint32_t NumBuckets = 0;
    uint32_t Count = 0;
    float Ideal = 0; ///< number of buckets before rounding up
    /// The bucket where a block with this hash should be.
    uint32_t home(uint64_t Hash) const {
      return uint32_t((uint64_t(uint32_t(Hash >> 24)) * NumBuckets) >> 32);
    }
  };

  static uint64_t hash(uint64_t Address) {
    return (Address >> 3 & AddressMask) * 0x9E3779B97F4A7C15ull;
  }
  static bool isOdd(uint64_t Address) {
    return (Address & 7) || Address >> (AddressBits + 3) || !Address;
  }
  static constexpr uint64_t EachByte = 0x0101010101010101u;
  static constexpr uint64_t TopBits = 0x0080808080808080u; ///< of the tags
  static uint64_t tagOf(uint64_t Hash) { return (Hash >> 17 & 0x7f) | 0x80; }
  /// The tags and, in the highest byte, Overflow.
  static uint64_t tags(const LiveBucket &B) {
    uint64_t Word;
    std::memcpy(&Word, B.Tags, sizeof(Word));
    return Word;
  }
  /// The slot of a bit of TopBits.
  static unsigned slotOf(uint64_t Bits) {
    return unsigned(__builtin_ctzll(Bits)) >> 3;
  }
  static uint64_t freeSlots(uint64_t Word) { return ~Word & TopBits; }
  static unsigned find(const LiveBucket &B, uint64_t Word, uint64_t Tag,
                       uint64_t Key);
  static void goPast(LiveBucket &B) { B.Overflow += B.Overflow != 255; }
  static void comeBack(LiveBucket &B) { B.Overflow -= B.Overflow != 255; }
  static uint32_t next(const LiveShard &S, uint32_t K) {
    return K + 1 == S.NumBuckets ? 0 : K + 1;
  }
  static void read(const LiveBucket &B, unsigned I, LiveEntry &E, bool Whole);
  static void write(LiveBucket &B, unsigned I, uint64_t Tag, uint64_t Key,
                    const LiveEntry &E);
  static void place(LiveShard &S, uint64_t Key, const LiveEntry &E);
  void grow(LiveShard &S);
  bool insertSlowly(uint64_t Address, const LiveEntry &E);
  bool takeOdd(uint64_t Address, LiveEntry &Out);
  void takeLarge(uint64_t Address, LiveEntry &Out);

  LiveShard Shards[NumShards];
  uint64_t Count = 0;
  bool HasScopePaths = false;
  llvm::DenseMap<uint64_t, uint64_t> Large; ///< address -> size
  llvm::DenseMap<uint64_t, LiveEntry> Odd[NumShards];
};

/// The slot of the block with the address of Key, or Slots. Word: tags(B).
inline unsigned LiveTable::find(const LiveBucket &B, uint64_t Word,
                                uint64_t Tag, uint64_t Key) {
  // A byte of Differ is 0 where the tags are equal. A borrow from an equal byte
  // may make higher bytes look equal, too.
  uint64_t Differ = Word ^ Tag * EachByte;
  uint64_t Equal = (Differ - EachByte) & ~Differ & TopBits;
  for (; Equal; Equal &= Equal - 1) {
    unsigned I = slotOf(Equal);
    if (__builtin_expect(((B.Keys[I] ^ Key) & AddressMask) == 0 && B.Tags[I],
                         1))
      return I;
  }
  return Slots;
}

inline void LiveTable::read(const LiveBucket &B, unsigned I, LiveEntry &E,
                            bool Whole) {
  E.AllocationId = B.AllocationIdLow[I] | uint64_t(B.AllocationIdHigh[I]) << 32;
  E.Size = B.Keys[I] >> AddressBits;
  E.Row = B.Rows[I];
  if (!Whole)
    return;
  E.AllocatedTick = B.AllocatedLow[I] | uint64_t(B.AllocatedHigh[I]) << 32;
  E.ScopeRow = B.ScopeLow[I] | uint32_t(B.ScopeHigh[I]) << 16;
}

inline void LiveTable::write(LiveBucket &B, unsigned I, uint64_t Tag,
                             uint64_t Key, const LiveEntry &E) {
  B.Tags[I] = uint8_t(Tag);
  B.Keys[I] = Key;
  B.AllocationIdLow[I] = uint32_t(E.AllocationId);
  B.AllocationIdHigh[I] = uint8_t(E.AllocationId >> 32);
  B.AllocatedLow[I] = uint32_t(E.AllocatedTick);
  B.AllocatedHigh[I] = uint16_t(E.AllocatedTick >> 32);
  B.Rows[I] = E.Row;
  B.ScopeLow[I] = uint16_t(E.ScopeRow);
  B.ScopeHigh[I] = uint8_t(E.ScopeRow >> 16);
}

inline void LiveTable::place(LiveShard &S, uint64_t Key, const LiveEntry &E) {
  uint64_t H = (Key & AddressMask) * 0x9E3779B97F4A7C15ull;
  for (uint32_t K = S.home(H);; K = next(S, K)) {
    LiveBucket &B = S.Buckets[K];
    if (uint64_t Free = freeSlots(tags(B))) {
      write(B, slotOf(Free), tagOf(H), Key, E);
      return;
    }
    goPast(B);
  }
}

inline bool LiveTable::insert(uint64_t Address, const LiveEntry &E) {
  const uint64_t Hash = hash(Address), Tag = tagOf(Hash), Key = Address >> 3;
  LiveShard &S = Shards[Hash >> 56];
  // A shard grows at 6 blocks per bucket of 7 slots.
  if (__builtin_expect(isOdd(Address) || E.Size >= SizeEscape || E.ScopeRow ||
                           S.Count >= S.NumBuckets * 6,
                       0))
    return insertSlowly(Address, E);
  // Nearly always the home bucket shows that the address is not live; often the
  // home bucket has room.
  const uint32_t Home = S.home(Hash);
  uint32_t K = Home;
  LiveBucket *Room = nullptr;
  uint64_t Free = 0;
  do {
    LiveBucket &B = S.Buckets[K];
    uint64_t Word = tags(B);
    if (__builtin_expect(find(B, Word, Tag, Key) != Slots, 0))
      return false;
    if (!Room && freeSlots(Word)) {
      Room = &B;
      Free = freeSlots(Word);
    }
    if (__builtin_expect(Room && !(Word >> 56), 1))
      break;
    K = next(S, K);
  } while (K != Home);
  for (LiveBucket *B = S.Buckets + Home; __builtin_expect(B != Room, 0);
       B = S.Buckets + next(S, uint32_t(B - S.Buckets)))
    goPast(*B);
  write(*Room, slotOf(Free), Tag, Key | E.Size << AddressBits, E);
  ++S.Count;
  ++Count;
  return true;
}

inline bool LiveTable::take(uint64_t Address, LiveEntry &Out, bool Whole) {
  if (__builtin_expect(isOdd(Address), 0))
    return takeOdd(Address, Out);
  const uint64_t Hash = hash(Address), Tag = tagOf(Hash);
  LiveShard &S = Shards[Hash >> 56];
  if (__builtin_expect(!S.Buckets, 0))
    return false;
  uint32_t Home = S.home(Hash), K = Home;
  // In a small shard all buckets may have an Overflow: stop after one round.
  do {
    LiveBucket &B = S.Buckets[K];
    uint64_t Word = tags(B);
    unsigned I = find(B, Word, Tag, Address >> 3);
    if (__builtin_expect(I != Slots, 1)) {
      read(B, I, Out, Whole || HasScopePaths);
      B.Tags[I] = 0;
      --S.Count;
      --Count;
      for (; __builtin_expect(Home != K, 0); Home = next(S, Home))
        comeBack(S.Buckets[Home]);
      if (__builtin_expect(Out.Size == SizeEscape, 0))
        takeLarge(Address, Out);
      return true;
    }
    if (!(Word >> 56))
      return false;
    K = next(S, K);
  } while (K != Home);
  return false;
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LIVETABLE_H
