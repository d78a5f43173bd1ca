//===- HashIndex.h - A lock-free index of ids -------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a hash to the ids that have it: lock-free, in private memory, never
// shrinking. A slot is one word, a tag of 32 hash bits and the id; whether the
// id is the one wanted is asked of the caller (the entries themselves stand in
// the shared tables). Levels double: when the newest is filled, a larger one is
// put before it; what is found in an older one is put into the newest too, so
// that what is in use moves on.
//
// Any thread and any signal handler may call any function at any time. Two that
// insert the same thing at once while a level is being added may both succeed:
// the thing then has two ids, each of them good.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_RUNTIME_HASHINDEX_H
#define MEMKIT_CAPTURE_RUNTIME_HASHINDEX_H

#include "Syscall.h"

#include <atomic>

namespace memkit::capture {

class HashIndex {
public:
  static constexpr uint32_t FirstBits = 14;

  bool begin() {
    return Newest.load(std::memory_order_acquire) || addLevel(nullptr);
  }

  /// The id with \p Hash for which \p Is(id) holds; 0: none.
  template <typename Fn> uint32_t find(uint64_t Hash, Fn Is) {
    Level *First = Newest.load(std::memory_order_acquire);
    if (uint32_t Id = findIn(First, Hash, Is))
      return Id;
    for (Level *L = First->Older; L; L = L->Older)
      if (uint32_t Id = findIn(L, Hash, Is)) {
        insert(Hash, Id, Is);
        return Id;
      }
    return 0;
  }

  /// Puts \p Id in, unless another has come first; returns the one that is in.
  /// 0: there is no memory for a larger level.
  template <typename Fn> uint32_t insert(uint64_t Hash, uint32_t Id, Fn Is) {
    for (;;) {
      Level *L = Newest.load(std::memory_order_acquire);
      if (L->Used.load(std::memory_order_relaxed) > L->most())
        if (Level *Larger = addLevel(L))
          L = Larger;
      if (uint32_t In = insertIn(L, Hash, Id, Is))
        return In;
      // No free place within reach: only a larger level helps.
      if (Newest.load(std::memory_order_acquire) == L && !addLevel(L))
        return 0;
    }
  }

  /// Takes out every id for which \p Is(id) holds.
  template <typename Fn> void remove(Fn Is) {
    for (Level *L = Newest.load(std::memory_order_acquire); L; L = L->Older)
      for (uint32_t I = 0; I <= L->Mask; ++I) {
        uint64_t S = L->Slots[I].load(std::memory_order_acquire);
        if (uint32_t(S) && Is(uint32_t(S)))
          L->Slots[I].store(Removed, std::memory_order_release);
      }
  }

private:
  /// A slot that was in use: no id, but a search goes on behind it.
  static constexpr uint64_t Removed = ~0ull << 32;
  static constexpr uint32_t Reach = 256; ///< slots looked at from a hash's own

  struct Level {
    Level *Older;
    uint32_t Mask;
    std::atomic<uint32_t> Used;
    std::atomic<uint64_t> Slots[1];

    uint32_t most() const { return Mask / 8 * 5; }
  };

  static uint64_t slotOf(uint64_t Hash, uint32_t Id) {
    return (Hash & ~0ull << 32) | Id;
  }

  template <typename Fn>
  static uint32_t findIn(Level *L, uint64_t Hash, Fn &Is) {
    for (uint32_t I = uint32_t(Hash), End = I + Reach; I != End; ++I) {
      uint64_t S = L->Slots[I & L->Mask].load(std::memory_order_acquire);
      if (!S)
        return 0;
      if (S >> 32 == Hash >> 32 && uint32_t(S) && Is(uint32_t(S)))
        return uint32_t(S);
    }
    return 0;
  }

  template <typename Fn>
  static uint32_t insertIn(Level *L, uint64_t Hash, uint32_t Id, Fn &Is) {
    for (uint32_t I = uint32_t(Hash), End = I + Reach; I != End; ++I) {
      std::atomic<uint64_t> &Slot = L->Slots[I & L->Mask];
      uint64_t S = Slot.load(std::memory_order_acquire);
      if (!S && Slot.compare_exchange_strong(S, slotOf(Hash, Id),
                                             std::memory_order_acq_rel)) {
        L->Used.fetch_add(1, std::memory_order_relaxed);
        return Id;
      }
      if (S >> 32 == Hash >> 32 && uint32_t(S) && Is(uint32_t(S)))
        return uint32_t(S);
    }
    return 0;
  }

  /// Puts a level before \p Old, or finds that another thread has.
  Level *addLevel(Level *Old) {
    uint32_t Slots = Old ? (Old->Mask + 1) * 2 : 1u << FirstBits;
    if (!Slots)
      return nullptr;
    size_t Bytes = sizeof(Level) + uint64_t(Slots) * sizeof(uint64_t);
    auto *L = static_cast<Level *>(sys::mapPrivate(Bytes));
    if (!L)
      return nullptr;
    L->Older = Old;
    L->Mask = Slots - 1;
    if (Newest.compare_exchange_strong(Old, L, std::memory_order_acq_rel))
      return L;
    sys::unmap(L, Bytes);
    return Old;
  }

  std::atomic<Level *> Newest{nullptr};
};

/// Spreads \p Key over 64 bits: low bits choose the slot, high bits are the
/// tag.
inline uint64_t hashKey(uint64_t Key) {
  uint64_t H = Key * 0x9e3779b97f4a7c15ull;
  H ^= H >> 32;
  return H * 0xd6e8feb86659fd93ull;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_HASHINDEX_H
