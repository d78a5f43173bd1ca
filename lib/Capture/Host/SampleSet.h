// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of sampled blocks.
//
// Every free asks whether its block is sampled; most blocks are not.
//
// A filter answers first: a counter of one byte for each of many groups of
// addresses. If the filter cannot rule an address out, the set searches one
// bucket, a cache line: seven addresses, and the number of the bucket's
// addresses in the next level, a table four times as large. Buckets never move,
// levels are only added, and an address is in one place, so nothing is locked
// and no thread waits.
//
// Any thread and any signal handler may call any function at any time, except
// that only the owner of an address may use it: the thread that has just got
// the block, or is about to free it. A forked child does not inherit the memory
// of levels: the object with the set must be wiped in the child, and all zeros
// is the empty set.
//
// Memory: 16 KiB and a level's 32 KiB; 128 KiB more from about 2,000 blocks on,
// 512 KiB more from about 10,000 on, and so forth.

#ifndef MEMKIT_CAPTURE_HOST_SAMPLESET_H
#define MEMKIT_CAPTURE_HOST_SAMPLESET_H

#include "Runtime/Syscall.h"

#include <atomic>

namespace memkit::capture {

class SampleSet {
public:
  /// Takes memory for the first level; false: no memory.
  bool begin() { return level(0) != nullptr; }

  /// False: the address is not in the set. True: the address may be in the set.
  bool mayHold(const void *P) const {
    return Filter[groupOf(uintptr_t(P))].load(std::memory_order_relaxed) != 0;
  }

  /// Adds an address; false: no memory, or the address is in the set already (a
  /// block was freed without a hook).
  bool insert(const void *P) {
    uintptr_t Address = uintptr_t(P);
    if (mayHold(P) && where(Address))
      return false;
    unsigned L = 0;
    for (; L != MaxLevels; ++L) {
      SampleBucket *Table = level(L);
      if (!Table)
        break;
      SampleBucket &B = bucketOf(Table, L, Address);
      if (put(B, Address)) {
        count(Address);
        return true;
      }
      B.Further.fetch_add(1, std::memory_order_relaxed);
    }
    undo(L, Address);
    return false;
  }

  /// Removes an address; false: the address was not in the set.
  bool remove(const void *P) {
    uintptr_t Address = uintptr_t(P);
    if (!mayHold(P))
      return false;
    unsigned L;
    std::atomic<uintptr_t> *Slot = where(Address, &L);
    if (!Slot)
      return false;
    Slot->store(0, std::memory_order_relaxed);
    undo(L, Address);
    uncount(Address);
    return true;
  }

private:
  static constexpr unsigned SlotsInBucket = 7;
  static constexpr unsigned FirstBits = 9; ///< buckets of the first level
  static constexpr unsigned MaxLevels = 10;
  static constexpr unsigned FilterBits = 14;

  struct alignas(64) SampleBucket {
    std::atomic<uintptr_t> Slots[SlotsInBucket]; ///< 0: free
    /// The number of this bucket's addresses in later levels.
    std::atomic<uint64_t> Further;
  };
  static_assert(sizeof(SampleBucket) == 64);

  /// Neighbours have neighbouring counters, so a program's frees touch few
  /// lines of the filter. Higher bits distinguish blocks on pages of their own.
  static unsigned groupOf(uintptr_t Address) {
    return unsigned((Address >> 4) ^ (Address >> (4 + FilterBits))) &
           ((1u << FilterBits) - 1);
  }

  static unsigned bitsOf(unsigned Level) { return FirstBits + 2 * Level; }

  static SampleBucket &bucketOf(SampleBucket *Table, unsigned Level,
                                uintptr_t Address) {
    uint64_t Hash = Address * 0x9e3779b97f4a7c15ull;
    return Table[Hash >> (64 - bitsOf(Level))];
  }

  /// The slot of an address, and its level; null: not in the set.
  std::atomic<uintptr_t> *where(uintptr_t Address, unsigned *Level = nullptr) {
    for (unsigned L = 0; L != MaxLevels; ++L) {
      SampleBucket *Table = Levels[L].load(std::memory_order_acquire);
      if (!Table)
        return nullptr;
      SampleBucket &B = bucketOf(Table, L, Address);
      for (std::atomic<uintptr_t> &Slot : B.Slots)
        if (Slot.load(std::memory_order_relaxed) == Address) {
          if (Level)
            *Level = L;
          return &Slot;
        }
      if (!B.Further.load(std::memory_order_relaxed))
        return nullptr;
    }
    return nullptr;
  }

  static bool put(SampleBucket &B, uintptr_t Address) {
    for (std::atomic<uintptr_t> &Slot : B.Slots) {
      uintptr_t Is = Slot.load(std::memory_order_relaxed);
      if (!Is &&
          Slot.compare_exchange_strong(Is, Address, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  /// Removes the address from the counts of the levels before \p Level.
  void undo(unsigned Level, uintptr_t Address) {
    for (unsigned L = 0; L != Level; ++L)
      bucketOf(Levels[L].load(std::memory_order_acquire), L, Address)
          .Further.fetch_sub(1, std::memory_order_relaxed);
  }

  /// A counter at its maximum stays there.
  void count(uintptr_t Address) {
    std::atomic<uint8_t> &C = Filter[groupOf(Address)];
    uint8_t Is = C.load(std::memory_order_relaxed);
    while (Is != 255 && !C.compare_exchange_weak(Is, uint8_t(Is + 1),
                                                 std::memory_order_relaxed))
      ;
  }
  void uncount(uintptr_t Address) {
    std::atomic<uint8_t> &C = Filter[groupOf(Address)];
    uint8_t Is = C.load(std::memory_order_relaxed);
    while (Is != 255 && !C.compare_exchange_weak(Is, uint8_t(Is - 1),
                                                 std::memory_order_relaxed))
      ;
  }

  /// A level, made if it does not exist; null: no memory.
  SampleBucket *level(unsigned L) {
    SampleBucket *Table = Levels[L].load(std::memory_order_acquire);
    if (__builtin_expect(Table != nullptr, 1))
      return Table;
    size_t Bytes = sizeof(SampleBucket) << bitsOf(L);
    auto *New = static_cast<SampleBucket *>(sys::mapPrivate(Bytes));
    if (!New)
      return nullptr;
    if (Levels[L].compare_exchange_strong(Table, New,
                                          std::memory_order_acq_rel))
      return New;
    sys::unmap(New, Bytes);
    return Table;
  }

  std::atomic<SampleBucket *> Levels[MaxLevels] = {};
  std::atomic<uint8_t> Filter[1u << FilterBits] = {};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SAMPLESET_H
