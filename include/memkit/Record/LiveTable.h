//===- LiveTable.h - The live blocks of a heap by address -------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address -> ordinal, size, account row, context, birth. Made for tens of
// millions of blocks that come and go at tens of millions a second:
//  - a bucket is three cache lines: the keys of seven blocks with an overflow
//    count, what a free needs, and the rest. It is found by one compare of all
//    keys, and prefetched by the caller some events ahead.
//  - 256 shards by hash grow one at a time, by 3/8 and out of step with each
//    other, so that the longest pause is the rehash of a shard and the table
//    takes at most 48 bytes a block, 37 on average.
//
// Belongs to one thread.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_RECORD_LIVETABLE_H
#define MEMKIT_RECORD_LIVETABLE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace memkit {

/// What is kept of a live block.
struct LiveEntry {
  uint64_t Ordinal = 0; ///< below MaxOrdinal
  uint64_t Size = 0;
  uint64_t BirthTick = 0; ///< below MaxBirth, in TimeUnitNs
  uint32_t Row = 0;       ///< of the account
  uint32_t Context = 0;   ///< below MaxContext
  static constexpr uint64_t MaxOrdinal = 1ull << 40;
  static constexpr uint64_t MaxBirth = 1ull << 48;
  static constexpr uint32_t MaxContext = 1u << 24;
};

class LiveTable {
public:
  static constexpr unsigned NumShards = 256;

  LiveTable() = default;
  ~LiveTable();
  LiveTable(const LiveTable &) = delete;
  LiveTable &operator=(const LiveTable &) = delete;

  uint64_t size() const { return Count; }
  /// Memory that the table takes.
  uint64_t bytes() const;

  /// Fetches the lines that an operation on Address will touch; Whole: that of
  /// births and contexts, too, which take() needs only when asked for them.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint64_t Address,
                                             bool Whole) const {
    uint64_t H = hash(Address);
    const Shard &S = Shards[H >> 56];
    // A shard without buckets gives an address near 0, which harms nothing.
    const char *B = reinterpret_cast<const char *>(S.Buckets) +
                    uint64_t(S.home(H)) * sizeof(Bucket);
    __builtin_prefetch(B, 1);
    __builtin_prefetch(B + offsetof(Bucket, Rows), 1);
    __builtin_prefetch(
        B + (Whole ? offsetof(Bucket, BirthLow) : offsetof(Bucket, Rows)), 1);
  }

  bool contains(uint64_t Address) const;

  /// Adds a block; false, and nothing is done, when one lives at Address.
  bool insert(uint64_t Address, const LiveEntry &E);

  /// Removes the block at Address into Out; false when there is none. With
  /// Whole false Out has a Context only when some block has one, and no
  /// BirthTick: their line is not touched.
  bool take(uint64_t Address, LiveEntry &Out, bool Whole = true);

  /// Calls F with each entry of a shard, in no order. F must not change the
  /// table.
  void forEachInShard(unsigned Shard,
                      llvm::function_ref<void(const LiveEntry &)> F) const;
  static unsigned shardOf(uint64_t Address) { return hash(Address) >> 56; }

private:
  // A key is Address >> 3 in 45 bits and the size in 19. What does not fit one
  // stands in a map beside: an odd address in Odd, a large size in Large.
  static constexpr unsigned AddressBits = 45;
  static constexpr uint64_t AddressMask = (1ull << AddressBits) - 1;
  static constexpr uint64_t SizeEscape = (1ull << (64 - AddressBits)) - 1;
  static constexpr unsigned Slots = 7;

  struct alignas(64) Bucket {
    uint64_t Keys[Slots];
    uint32_t Overflow; ///< blocks that wanted this bucket and went past it
    uint32_t Pad0;
    uint32_t Rows[Slots];
    uint32_t OrdinalLow[Slots];
    uint8_t OrdinalHigh[8];
    uint32_t BirthLow[Slots];
    uint16_t BirthHigh[Slots];
    uint16_t ContextLow[Slots];
    uint8_t ContextHigh[8];
  };
  static_assert(sizeof(Bucket) == 192);

  struct Shard {
    Bucket *Buckets = nullptr;
    uint32_t NumBuckets = 0;
    uint32_t Count = 0;
    float Ideal = 0; ///< number of buckets before it is rounded
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
  static unsigned match(const Bucket &B, uint64_t Key);
  static uint32_t next(const Shard &S, uint32_t K) {
    return K + 1 == S.NumBuckets ? 0 : K + 1;
  }
  static void read(const Bucket &B, unsigned I, LiveEntry &E, bool Whole);
  static void write(Bucket &B, unsigned I, uint64_t Key, const LiveEntry &E);
  static void place(Shard &S, uint64_t Key, const LiveEntry &E);
  void grow(Shard &S);
  bool insertSlowly(uint64_t Address, const LiveEntry &E);

  Shard Shards[NumShards];
  uint64_t Count = 0;
  bool HasContexts = false;
  llvm::DenseMap<uint64_t, uint64_t> Large; ///< address -> size
  llvm::DenseMap<uint64_t, LiveEntry> Odd;
};

/// Which of the seven keys have the address bits of Key, as a mask.
inline unsigned LiveTable::match(const Bucket &B, uint64_t Key) {
#if defined(__SSE2__)
  const __m128i Mask = _mm_set1_epi64x(AddressMask);
  const __m128i Want = _mm_set1_epi64x(int64_t(Key));
  unsigned Result = 0;
  for (unsigned I = 0; I != 4; ++I) {
    __m128i Pair = _mm_and_si128(
        _mm_load_si128(reinterpret_cast<const __m128i *>(B.Keys) + I), Mask);
    __m128i Half = _mm_cmpeq_epi32(Pair, Want);
    __m128i Both = _mm_and_si128(Half, _mm_shuffle_epi32(Half, 0xB1));
    Result |= unsigned(_mm_movemask_pd(_mm_castsi128_pd(Both))) << (2 * I);
  }
  return Result & 0x7f;
#else
  unsigned Result = 0;
  for (unsigned I = 0; I != Slots; ++I)
    Result |= unsigned((B.Keys[I] & AddressMask) == Key) << I;
  return Result;
#endif
}

inline void LiveTable::read(const Bucket &B, unsigned I, LiveEntry &E,
                            bool Whole) {
  E.Ordinal = B.OrdinalLow[I] | uint64_t(B.OrdinalHigh[I]) << 32;
  E.Size = B.Keys[I] >> AddressBits;
  E.Row = B.Rows[I];
  if (!Whole)
    return;
  E.BirthTick = B.BirthLow[I] | uint64_t(B.BirthHigh[I]) << 32;
  E.Context = B.ContextLow[I] | uint32_t(B.ContextHigh[I]) << 16;
}

inline void LiveTable::write(Bucket &B, unsigned I, uint64_t Key,
                             const LiveEntry &E) {
  B.Keys[I] = Key;
  B.OrdinalLow[I] = uint32_t(E.Ordinal);
  B.OrdinalHigh[I] = uint8_t(E.Ordinal >> 32);
  B.BirthLow[I] = uint32_t(E.BirthTick);
  B.BirthHigh[I] = uint16_t(E.BirthTick >> 32);
  B.Rows[I] = E.Row;
  B.ContextLow[I] = uint16_t(E.Context);
  B.ContextHigh[I] = uint8_t(E.Context >> 16);
}

inline void LiveTable::place(Shard &S, uint64_t Key, const LiveEntry &E) {
  uint64_t H = (Key & AddressMask) * 0x9E3779B97F4A7C15ull;
  for (uint32_t K = S.home(H);; K = next(S, K)) {
    Bucket &B = S.Buckets[K];
    if (unsigned Empty = match(B, 0)) {
      write(B, __builtin_ctz(Empty), Key, E);
      return;
    }
    ++B.Overflow;
  }
}

inline bool LiveTable::insert(uint64_t Address, const LiveEntry &E) {
  uint64_t Hash = hash(Address);
  Shard &S = Shards[Hash >> 56];
  // 6 blocks in a bucket of 7 is as full as it gets.
  if (__builtin_expect(isOdd(Address) || E.Size >= SizeEscape || E.Context ||
                           S.Count >= S.NumBuckets * 6,
                       0))
    return insertSlowly(Address, E);
  // Nearly always the home bucket says that the address is not live, and often
  // it has room.
  const uint32_t Home = S.home(Hash);
  const uint64_t Key = Address >> 3;
  uint32_t K = Home, Room = ~0u;
  do {
    Bucket &B = S.Buckets[K];
    if (__builtin_expect(match(B, Key) != 0, 0))
      return false;
    if (Room == ~0u && match(B, 0))
      Room = K;
    if (__builtin_expect(!B.Overflow && Room != ~0u, 1))
      break;
    K = next(S, K);
  } while (K != Home);
  for (K = Home; __builtin_expect(K != Room, 0); K = next(S, K))
    ++S.Buckets[K].Overflow;
  Bucket &B = S.Buckets[Room];
  write(B, __builtin_ctz(match(B, 0)), Key | E.Size << AddressBits, E);
  ++S.Count;
  ++Count;
  return true;
}

inline bool LiveTable::take(uint64_t Address, LiveEntry &Out, bool Whole) {
  if (__builtin_expect(isOdd(Address), 0)) {
    auto It = Odd.find(Address);
    if (It == Odd.end())
      return false;
    Out = It->second;
    Odd.erase(It);
    --Count;
    return true;
  }
  uint64_t Hash = hash(Address);
  Shard &S = Shards[Hash >> 56];
  if (!S.Buckets)
    return false;
  uint32_t Home = S.home(Hash), K = Home;
  // Every bucket of a small shard may have been gone past.
  do {
    Bucket &B = S.Buckets[K];
    if (unsigned Hit = match(B, Address >> 3)) {
      unsigned I = __builtin_ctz(Hit);
      read(B, I, Out, Whole || HasContexts);
      B.Keys[I] = 0;
      --S.Count;
      --Count;
      for (; __builtin_expect(Home != K, 0); Home = next(S, Home))
        --S.Buckets[Home].Overflow;
      if (__builtin_expect(Out.Size == SizeEscape, 0)) {
        auto It = Large.find(Address);
        Out.Size = It->second;
        Large.erase(It);
      }
      return true;
    }
    if (!B.Overflow)
      return false;
    K = next(S, K);
  } while (K != Home);
  return false;
}

} // namespace memkit

#endif // MEMKIT_RECORD_LIVETABLE_H
