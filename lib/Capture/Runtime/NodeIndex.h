//===- NodeIndex.h - From (parent, code) to a node's id ---------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From (parent, code) to a node's id: an open hash table of 8 bytes a slot, at
// most three quarters full, in private memory.
//
// A slot says all, so that a look-up touches one cache line and nothing else:
// the 48 bits of the key are mixed by a bijection, the low bits of the result
// choose the slot, and what remains of them stands in the slot with the id and
// the distance to the slot that was chosen. What is looked at from there are
// the other slots of its line first.
//
// Levels double. When one is filled the next is put before it, and each insert
// from then on moves a few of the old slots, so that no call takes long; a
// level that has been moved gives its memory back. What is in is never taken
// out.
//
// Any thread and any signal handler may call any function at any time. Two that
// insert the same thing at once while slots are being moved may both succeed:
// the thing then has two ids, each of them good.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_RUNTIME_NODEINDEX_H
#define MEMKIT_CAPTURE_RUNTIME_NODEINDEX_H

#include "Syscall.h"

#include <atomic>

namespace memkit::capture {

class NodeIndex {
public:
  static constexpr unsigned IdBits = 25, CodeBits = 23;

  bool begin() { return Levels[0].allocate(FirstBits); }

  /// 0: not there.
  uint32_t find(uint32_t Parent, uint32_t Code) const {
    uint64_t M = mix(Parent, Code);
    uint32_t N = Newest.load(std::memory_order_acquire);
    if (uint32_t Id = Levels[N].find(M, FirstBits + N))
      return Id;
    return N == Oldest.load(std::memory_order_acquire) ? 0 : findOlder(M, N);
  }

  /// Fetches the line that a call for (\p Parent, \p Code) will touch.
  void prefetch(uint32_t Parent, uint32_t Code) const {
    uint32_t N = Newest.load(std::memory_order_acquire);
    Levels[N].prefetch(mix(Parent, Code), FirstBits + N);
  }

  /// Puts \p Id in, unless another has come first; returns the one that is in.
  /// 0: there is no memory for a larger level.
  uint32_t insert(uint32_t Parent, uint32_t Code, uint32_t Id) {
    if (Oldest.load(std::memory_order_acquire) !=
        Newest.load(std::memory_order_acquire))
      moveSome();
    return insertMixed(mix(Parent, Code), Id);
  }

  /// Memory that is in use, in bytes; all levels that are not moved yet.
  uint64_t bytes() const {
    uint64_t Sum = 0;
    for (uint32_t N = Oldest.load(); N <= Newest.load(); ++N)
      Sum += sizeof(uint64_t) << (FirstBits + N);
    return Sum;
  }

private:
  static constexpr unsigned KeyBits = IdBits + CodeBits;
  static constexpr unsigned FirstBits = 14, NumLevels = 13;
  static constexpr uint32_t MoveStep = 64; ///< slots
  static constexpr uint64_t KeyMask = (1ull << KeyBits) - 1;
  static constexpr uint64_t IdMask = (1ull << IdBits) - 1;

  /// A bijection of KeyBits bits.
  static uint64_t mix(uint32_t Parent, uint32_t Code) {
    uint64_t K = uint64_t(Parent) << CodeBits | Code;
    K = K * 0x9e3779b97f4bull & KeyMask;
    K ^= K >> (KeyBits / 2);
    K = K * 0xd6e8feb86659ull & KeyMask;
    return K ^ K >> (KeyBits / 2);
  }

  class Level {
  public:
    static unsigned distanceBits(unsigned Bits) {
      return 64 - IdBits - (KeyBits - Bits);
    }
    static uint32_t reach(unsigned Bits) {
      unsigned D = distanceBits(Bits);
      return 1u << (D < 7 ? D : 7);
    }
    /// What the slot at distance 0 holds above the id.
    static uint64_t tagOf(uint64_t M, unsigned Bits) {
      return M >> Bits << distanceBits(Bits);
    }

    bool allocate(unsigned Bits) {
      size_t Bytes = sizeof(uint64_t) << Bits;
      void *P = sys::mapPrivate(Bytes);
      std::atomic<uint64_t> *None = nullptr;
      if (P && !Slots.compare_exchange_strong(
                   None, static_cast<std::atomic<uint64_t> *>(P),
                   std::memory_order_acq_rel))
        sys::unmap(P, Bytes);
      return P || None;
    }
    uint64_t load(uint64_t I) const {
      return Slots.load(std::memory_order_acquire)[I].load(
          std::memory_order_acquire);
    }

    uint32_t find(uint64_t M, unsigned Bits) const {
      const auto *S = Slots.load(std::memory_order_acquire);
      uint64_t Home = M & ((1ull << Bits) - 1), Tag = tagOf(M, Bits);
      for (uint32_t I = 0, End = reach(Bits); I != End; ++I) {
        uint64_t Is = S[Home ^ I].load(std::memory_order_acquire);
        if (Is >> IdBits == (Tag | I) && Is)
          return uint32_t(Is & IdMask);
        if (!Is)
          return 0;
      }
      return 0;
    }

    uint32_t insert(uint64_t M, unsigned Bits, uint32_t Id) {
      auto *S = Slots.load(std::memory_order_acquire);
      uint64_t Home = M & ((1ull << Bits) - 1), Tag = tagOf(M, Bits);
      for (uint32_t I = 0, End = reach(Bits); I != End; ++I) {
        uint64_t Is = S[Home ^ I].load(std::memory_order_acquire);
        if (!Is &&
            S[Home ^ I].compare_exchange_strong(Is, (Tag | I) << IdBits | Id,
                                                std::memory_order_acq_rel)) {
          Used.fetch_add(1, std::memory_order_relaxed);
          return Id;
        }
        if (Is >> IdBits == (Tag | I))
          return uint32_t(Is & IdMask);
      }
      return 0;
    }

    void prefetch(uint64_t M, unsigned Bits) const {
      __builtin_prefetch(Slots.load(std::memory_order_relaxed) +
                         (M & ((1ull << Bits) - 1)));
    }

    bool isFull(unsigned Bits) const {
      return Used.load(std::memory_order_relaxed) > (3u << Bits) / 4;
    }

    /// Takes the next MoveStep slots for the caller to move; false: all are
    /// taken.
    bool claim(unsigned Bits, uint32_t &From) {
      if (NextMove.load(std::memory_order_relaxed) >= 1u << Bits)
        return false;
      From = NextMove.fetch_add(MoveStep, std::memory_order_acq_rel);
      return From < 1u << Bits;
    }
    /// The caller has moved what it claimed. True: that was the last of all.
    bool moved(unsigned Bits) {
      return Moved.fetch_add(MoveStep, std::memory_order_acq_rel) + MoveStep ==
             1u << Bits;
    }
    void clear(unsigned Bits) {
      sys::call(SYS_madvise, long(Slots.load(std::memory_order_acquire)),
                long(sizeof(uint64_t) << Bits), MADV_DONTNEED);
    }

    /// The mixed key of what slot \p I holds.
    static uint64_t mixedOf(uint64_t Is, uint64_t I, unsigned Bits) {
      uint64_t Tag = Is >> IdBits, D = distanceBits(Bits);
      uint64_t Distance = Tag & ((1ull << D) - 1);
      return Tag >> D << Bits | (I ^ Distance);
    }

  private:
    std::atomic<std::atomic<uint64_t> *> Slots{nullptr};
    std::atomic<uint32_t> Used{0}, NextMove{0}, Moved{0};
  };

  uint32_t findOlder(uint64_t M, uint32_t N) const {
    for (uint32_t O = Oldest.load(std::memory_order_acquire); N-- > O;)
      if (uint32_t Id = Levels[N].find(M, FirstBits + N))
        return Id;
    return 0;
  }

  uint32_t insertMixed(uint64_t M, uint32_t Id) {
    for (;;) {
      uint32_t N = Newest.load(std::memory_order_acquire);
      if (Levels[N].isFull(FirstBits + N) && addLevel(N))
        continue;
      if (uint32_t In = Levels[N].insert(M, FirstBits + N, Id))
        return In;
      // No free slot within reach: only a larger level helps.
      if (!addLevel(N))
        return 0;
    }
  }

  bool addLevel(uint32_t N) {
    if (N + 1 == NumLevels || !Levels[N + 1].allocate(FirstBits + N + 1))
      return false;
    Newest.compare_exchange_strong(N, N + 1, std::memory_order_acq_rel);
    return true;
  }

  void moveSome() {
    uint32_t O = Oldest.load(std::memory_order_acquire), From;
    Level &L = Levels[O];
    if (O == Newest.load(std::memory_order_acquire) ||
        !L.claim(FirstBits + O, From))
      return;
    for (uint32_t I = From; I != From + MoveStep; ++I)
      if (uint64_t Is = L.load(I))
        insertMixed(Level::mixedOf(Is, I, FirstBits + O),
                    uint32_t(Is & IdMask));
    if (!L.moved(FirstBits + O))
      return;
    Oldest.store(O + 1, std::memory_order_release);
    L.clear(FirstBits + O);
  }

  std::atomic<uint32_t> Newest{0}, Oldest{0};
  Level Levels[NumLevels];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_NODEINDEX_H
