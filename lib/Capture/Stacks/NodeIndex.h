// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From (parent, code) to a node's id.
//
// Maps (parent, code) to a node's id, in private memory, in two parts.
//
// Most nodes are made as parts of a chain, with consecutive ids. So each node
// has four bytes for one child with an id near its own: a look-up follows a
// chain through memory in order, and reads nothing else.
//
// All other children are in an open hash table of 8 bytes a slot, at most three
// quarters full. A slot and its position give the whole key, so a look-up
// touches one cache line. The 48 bits of the key are multiplied by an odd
// number, a bijection. The high bits of the product choose the slot. The slot
// stores the remaining bits, the distance from the chosen slot, and the id. A
// search continues in the other slots of the chosen slot's cache line.
//
// Levels double. When a level is full, a new level is put before it, and each
// insert from then on moves some of the old slots, so no call takes long. A
// level that has been moved frees its memory. No entry is ever removed.
//
// Any thread and any signal handler may call any function at any time. If two
// threads insert one key while slots are being moved, both may succeed: the key
// then has two ids, both valid.

#ifndef MEMKIT_CAPTURE_STACKS_NODEINDEX_H
#define MEMKIT_CAPTURE_STACKS_NODEINDEX_H

#include "Runtime/Syscall.h"

#include <atomic>

namespace memkit::capture {

/// An index for codes of \p TheCodeBits.
template <unsigned TheCodeBits> class BasicIndex {
public:
  static constexpr unsigned IdBits = 25, CodeBits = TheCodeBits;

  bool begin() { return Levels[0].allocate(FirstBits) && reserve(0); }

  /// Makes room for the children of \p Id; false: no memory.
  bool reserve(uint32_t Id) {
    const std::atomic<Near *> &P = NearPieces[Id / NearPerPiece];
    return __builtin_expect(P.load(std::memory_order_acquire) != nullptr, 1) ||
           addPiece(Id);
  }

  /// 0: not found. reserve(\p Parent) must have succeeded.
  __attribute__((always_inline)) uint32_t find(uint32_t Parent,
                                               uint32_t Code) const {
    uint32_t Is = near(Parent).load(std::memory_order_acquire) ^ Code;
    if (Is && !(Is & CodeMask))
      return Parent + (Is >> CodeBits);
    return findHashed(Parent, Code);
  }

  /// Inserts \p Id, unless the key has an id; returns the id in the index. 0:
  /// no memory for a larger level.
  uint32_t insert(uint32_t Parent, uint32_t Code, uint32_t Id) {
    uint32_t Is = 0, Distance = Id - Parent;
    if (Distance - 1 < (1u << (32 - CodeBits)) - 1) {
      if (near(Parent).compare_exchange_strong(Is, Distance << CodeBits | Code,
                                               std::memory_order_acq_rel))
        return Id;
      if ((Is & CodeMask) == Code)
        return Parent + (Is >> CodeBits);
    }
    if (Oldest.load(std::memory_order_acquire) !=
        Newest.load(std::memory_order_acquire))
      moveSome();
    return insertProduct(product(Parent, Code), Id);
  }

  /// The memory in use, in bytes: all levels that are not moved yet.
  uint64_t bytes() const {
    uint64_t Sum = 0;
    for (auto &P : NearPieces)
      Sum += P.load() ? NearPieceBytes : 0;
    for (uint32_t N = Oldest.load(); N <= Newest.load(); ++N)
      Sum += sizeof(uint64_t) << (FirstBits + N);
    return Sum;
  }

private:
  /// The code in the low CodeBits, above it the child's id minus the parent's;
  /// 0: none.
  using Near = std::atomic<uint32_t>;
  static constexpr uint32_t CodeMask = (1u << CodeBits) - 1;
  static constexpr size_t NearPieceBytes = 1u << 18;
  static constexpr uint32_t NearPerPiece = NearPieceBytes / sizeof(Near);

  Near &near(uint32_t Id) const {
    return NearPieces[Id / NearPerPiece].load(
        std::memory_order_acquire)[Id % NearPerPiece];
  }

  __attribute__((noinline)) bool addPiece(uint32_t Id) {
    std::atomic<Near *> &P = NearPieces[Id / NearPerPiece];
    auto *Mine = static_cast<Near *>(sys::mapPrivate(NearPieceBytes));
    Near *None = nullptr;
    if (Mine &&
        !P.compare_exchange_strong(None, Mine, std::memory_order_acq_rel))
      sys::unmap(Mine, NearPieceBytes);
    return Mine || None;
  }

  static constexpr unsigned KeyBits = IdBits + CodeBits;
  static constexpr unsigned FirstBits = 14, NumLevels = 13;
  static constexpr uint32_t MoveStep = 64; ///< slots
  static constexpr uint64_t MaxIds = 1ull << IdBits;

  /// The key times an odd number, in the high KeyBits bits.
  static uint64_t product(uint32_t Parent, uint32_t Code) {
    constexpr uint64_t Odd = 0x9e3779b97f4bull;
    return (uint64_t(Parent) << CodeBits | Code) * (Odd << (64 - KeyBits));
  }

  class IndexLevel {
  public:
    /// \p B is at least FirstBits, so that distances have a few bits.
    bool allocate(unsigned B) {
      size_t Bytes = sizeof(uint64_t) << B;
      auto *Mine = static_cast<std::atomic<uint64_t> *>(sys::mapPrivate(Bytes));
      LogSlots.store(B, std::memory_order_relaxed);
      std::atomic<uint64_t> *None = nullptr;
      if (Mine &&
          !Slots.compare_exchange_strong(None, Mine, std::memory_order_acq_rel))
        sys::unmap(Mine, Bytes);
      return Mine || None;
    }

    /// The values of a look-up that are the same for all slots, loaded once.
    struct IndexView {
      const std::atomic<uint64_t> *Slots;
      uint64_t Home, Rest;

      /// Reads the slot at \p Distance from the chosen slot: the id if the slot
      /// has the key, else 0 or at least MaxIds.
      uint64_t at(uint64_t Distance) const {
        return Slots[Home ^ Distance].load(std::memory_order_acquire) ^
               (Rest | Distance << IdBits);
      }
    };
    IndexView view(uint64_t P) const {
      unsigned Bits = bits();
      return {Slots.load(std::memory_order_acquire), P >> (64 - Bits),
              P << Bits};
    }

    uint32_t find(uint64_t P) const {
      IndexView V = view(P);
      for (uint32_t I = 0, End = reach(); I != End; ++I) {
        uint64_t Is = V.at(I);
        if (Is < MaxIds && Is)
          return uint32_t(Is);
        if (Is == (V.Rest | uint64_t(I) << IdBits)) // an empty slot
          return 0;
      }
      return 0;
    }

    uint32_t insert(uint64_t P, uint32_t Id) {
      auto *S = Slots.load(std::memory_order_acquire);
      uint64_t Home = P >> (64 - bits()), Rest = P << bits();
      for (uint32_t I = 0, End = reach(); I != End; ++I) {
        uint64_t Is = S[Home ^ I].load(std::memory_order_acquire);
        if (!Is && S[Home ^ I].compare_exchange_strong(
                       Is, Rest | uint64_t(I) << IdBits | Id,
                       std::memory_order_acq_rel)) {
          Used.fetch_add(1, std::memory_order_relaxed);
          return Id;
        }
        if ((Is ^ Rest) >> IdBits == I)
          return uint32_t(Is % MaxIds);
      }
      return 0;
    }

    bool isFull() const {
      return Used.load(std::memory_order_relaxed) > (3u << bits()) / 4;
    }

    /// Claims the next MoveStep slots for the caller to move; false: all are
    /// claimed.
    bool claim(uint32_t &From) {
      if (NextMove.load(std::memory_order_relaxed) >= 1u << bits())
        return false;
      From = NextMove.fetch_add(MoveStep, std::memory_order_acq_rel);
      return From < 1u << bits();
    }
    /// Counts the caller's claimed slots as moved. True: all slots are moved.
    bool moved() {
      return Moved.fetch_add(MoveStep, std::memory_order_acq_rel) + MoveStep ==
             1u << bits();
    }
    void clear() {
      sys::call(SYS_madvise, long(Slots.load(std::memory_order_acquire)),
                long(sizeof(uint64_t) << bits()), MADV_DONTNEED);
    }

    /// The content of slot \p I; false: empty.
    bool get(uint32_t I, uint64_t &P, uint32_t &Id) const {
      uint64_t Is = slot(I),
               Distance = Is >> IdBits & ((1u << distanceBits()) - 1);
      Id = uint32_t(Is % MaxIds);
      P = (I ^ Distance) << (64 - bits()) | Is >> (IdBits + distanceBits())
                                                      << (64 - KeyBits);
      return Is;
    }

  private:
    unsigned bits() const { return LogSlots.load(std::memory_order_relaxed); }
    uint64_t slot(uint64_t I) const {
      return Slots.load(std::memory_order_acquire)[I].load(
          std::memory_order_acquire);
    }
    /// The bits between the rest of the product and the id.
    unsigned distanceBits() const { return 64 - IdBits - (KeyBits - bits()); }
    uint32_t reach() const {
      return 1u << (distanceBits() < 7 ? distanceBits() : 7);
    }

    std::atomic<std::atomic<uint64_t> *> Slots{nullptr};
    std::atomic<uint32_t> LogSlots{0}; ///< every thread writes the same value
    std::atomic<uint32_t> Used{0}, NextMove{0}, Moved{0};
  };

  __attribute__((always_inline)) uint32_t findHashed(uint32_t Parent,
                                                     uint32_t Code) const {
    const IndexLevel &L = Levels[Newest.load(std::memory_order_acquire)];
    uint64_t P = product(Parent, Code);
    typename IndexLevel::IndexView V = L.view(P);
    uint64_t Is = V.at(0);
    if (__builtin_expect(Is < MaxIds, 1) && Is)
      return uint32_t(Is);
    Is = V.at(1);
    return Is < MaxIds && Is ? uint32_t(Is) : findFar(P);
  }

  __attribute__((noinline)) uint32_t findFar(uint64_t P) const {
    uint32_t N = Newest.load(std::memory_order_acquire);
    if (uint32_t Id = Levels[N].find(P))
      return Id;
    for (uint32_t O = Oldest.load(std::memory_order_acquire); N-- > O;)
      if (uint32_t Id = Levels[N].find(P))
        return Id;
    return 0;
  }

  uint32_t insertProduct(uint64_t P, uint32_t Id) {
    for (;;) {
      uint32_t N = Newest.load(std::memory_order_acquire);
      if (Levels[N].isFull() && addLevel(N))
        continue;
      if (uint32_t In = Levels[N].insert(P, Id))
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
    uint32_t O = Oldest.load(std::memory_order_acquire), From, Id;
    uint64_t P;
    IndexLevel &L = Levels[O];
    if (O == Newest.load(std::memory_order_acquire) || !L.claim(From))
      return;
    for (uint32_t I = From; I != From + MoveStep; ++I)
      if (L.get(I, P, Id))
        insertProduct(P, Id);
    if (!L.moved())
      return;
    Oldest.store(O + 1, std::memory_order_release);
    L.clear();
  }

  std::atomic<uint32_t> Newest{0}, Oldest{0};
  IndexLevel Levels[NumLevels];
  std::atomic<Near *> NearPieces[(1u << IdBits) / NearPerPiece];
};

/// Nodes by parent and code.
using NodeIndex = BasicIndex<23>;
/// By two ids of nodes.
using PairIndex = BasicIndex<NodeIndex::IdBits>;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_NODEINDEX_H
