// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a heap by address.

#include "Sources/LiveTable.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstdlib>

using namespace memkit;

LiveTable::~LiveTable() {
  for (LiveShard &S : Shards)
    std::free(S.Buckets);
}

uint64_t LiveTable::bytes() const {
  uint64_t Bytes = Large.getMemorySize();
  for (const auto &Of : Odd)
    Bytes += Of.getMemorySize();
  for (const LiveShard &S : Shards)
    Bytes += uint64_t(S.NumBuckets) * sizeof(LiveBucket);
  return Bytes;
}

bool LiveTable::get(uint64_t Address, LiveEntry *Out) const {
  if (isOdd(Address)) {
    const auto &Of = Odd[shardOf(Address)];
    auto It = Of.find(Address);
    if (It != Of.end() && Out)
      *Out = It->second;
    return It != Of.end();
  }
  uint64_t Hash = hash(Address);
  const LiveShard &S = Shards[Hash >> 56];
  if (!S.Buckets)
    return false;
  uint32_t Home = S.home(Hash), K = Home;
  do {
    const LiveBucket &B = S.Buckets[K];
    unsigned I = find(B, tags(B), tagOf(Hash), Address >> 3);
    if (I != Slots) {
      if (Out) {
        read(B, I, *Out, true);
        if (Out->Size == SizeEscape)
          Out->Size = Large.lookup(Address);
      }
      return true;
    }
    if (!B.Overflow)
      return false;
    K = next(S, K);
  } while (K != Home);
  return false;
}

bool LiveTable::takeOdd(uint64_t Address, LiveEntry &Out) {
  auto &Of = Odd[shardOf(Address)];
  auto It = Of.find(Address);
  if (It == Of.end())
    return false;
  Out = It->second;
  Of.erase(It);
  --Count;
  return true;
}

/// Sets the size of a block that was just taken.
void LiveTable::takeLarge(uint64_t Address, LiveEntry &Out) {
  auto It = Large.find(Address);
  Out.Size = It->second;
  Large.erase(It);
}

bool LiveTable::insertSlowly(uint64_t Address, const LiveEntry &E) {
  if (contains(Address))
    return false;
  ++Count;
  HasScopePaths |= E.ScopeRow != 0;
  if (isOdd(Address)) {
    Odd[shardOf(Address)][Address] = E;
    return true;
  }
  uint64_t Size = E.Size;
  if (Size >= SizeEscape) {
    Large[Address] = Size;
    Size = SizeEscape;
  }
  LiveShard &S = Shards[shardOf(Address)];
  if (S.Count >= S.NumBuckets * 6)
    grow(S);
  ++S.Count;
  place(S, Address >> 3 | Size << AddressBits, E);
  return true;
}

/// Grows a shard by three eighths: with 6 of 7 slots taken before and 62 %
/// after, a block never costs more than 44 bytes once a shard has some buckets.
/// Each shard starts at a different point between two sizes: blocks spread
/// evenly over the shards, and would otherwise fill all shards at the same
/// time point.
void LiveTable::grow(LiveShard &S) {
  constexpr float Factor = 1.375f;
  LiveShard New;
  New.Ideal = S.Ideal;
  if (!S.Buckets)
    New.Ideal = std::pow(Factor, float(&S - Shards) / NumShards);
  while (New.Ideal <= float(S.NumBuckets))
    New.Ideal *= Factor;
  New.NumBuckets = uint32_t(std::ceil(New.Ideal));
  New.Count = S.Count;
  size_t Bytes = size_t(New.NumBuckets) * sizeof(LiveBucket);
  New.Buckets = static_cast<LiveBucket *>(std::aligned_alloc(64, Bytes));
  if (!New.Buckets)
    llvm::report_bad_alloc_error("table of live blocks");
  std::memset(static_cast<void *>(New.Buckets), 0, Bytes);
  for (uint32_t K = 0; K != S.NumBuckets; ++K)
    for (unsigned I = 0; I != Slots; ++I)
      if (const LiveBucket &B = S.Buckets[K]; B.Tags[I]) {
        LiveEntry E;
        read(B, I, E, true);
        place(New, B.Keys[I], E);
      }
  std::free(S.Buckets);
  S = New;
}

void LiveTable::forEachInShard(
    unsigned Index,
    llvm::function_ref<void(const LiveEntry &, uint64_t)> F) const {
  const LiveShard &S = Shards[Index];
  LiveEntry E;
  for (uint32_t K = 0; K != S.NumBuckets; ++K)
    for (unsigned I = 0; I != Slots; ++I)
      if (const LiveBucket &B = S.Buckets[K]; B.Tags[I]) {
        read(B, I, E, true);
        uint64_t Address = (B.Keys[I] & AddressMask) << 3;
        if (E.Size == SizeEscape)
          E.Size = Large.lookup(Address);
        F(E, Address);
      }
  for (const auto &[Address, Entry] : Odd[Index])
    F(Entry, Address);
}
