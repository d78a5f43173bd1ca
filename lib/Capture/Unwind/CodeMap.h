// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pcs to their code words.
//
// An open hash table of 16 bytes a slot, at most half full, in private memory
// (at three quarters, a fifth of all look-ups would meet another pc first). The
// low bits of the pc choose the slot and spread well: the pcs of a function
// have neighbouring slots and never collide with each other. (Callers use
// return addresses as pcs.)
//
// Readers never wait and write nothing. Any thread and any signal handler may
// find and insert; one thread at a time enlarges the table or forgets a range,
// with signals blocked.

#ifndef MEMKIT_CAPTURE_UNWIND_CODEMAP_H
#define MEMKIT_CAPTURE_UNWIND_CODEMAP_H

#include "CodeWord.h"

#include "Runtime/Syscall.h"

#include <atomic>

namespace memkit::capture {

class CodeMap {
public:
  static constexpr uint32_t FirstSlots = 1u << 12;

  bool begin() { return hasBegun() || grow(nullptr); }
  bool hasBegun() const { return Newest.load(std::memory_order_acquire); }

  /// The word of \p Pc from insert; empty: none.
  CodeWord find(uintptr_t Pc) const {
    const MapLevel *L = Newest.load(std::memory_order_acquire);
    const CodeSlot &S = L->Slots[Pc & L->Mask];
    return __builtin_expect(S.Key.load(std::memory_order_acquire) == Pc, 1)
               ? CodeWord(S.Word.load(std::memory_order_acquire))
               : findBeside(L, Pc);
  }

  /// Inserts \p W, unless \p Pc has a word. Returns the word of \p Pc, or \p W
  /// if there is no memory.
  CodeWord insert(uintptr_t Pc, CodeWord W);

  /// Removes all pcs of \p Range. Waits for a thread that enlarges the table.
  void forget(AddressRange Range);

  /// Removes \p Pc alone; returns its word. Waits as forget does; must not be
  /// called if a signal handler of this thread may call take or forget.
  CodeWord take(uintptr_t Pc);

  /// The memory in use, in bytes. used(): the number of inserted pcs.
  uint64_t bytes() const;
  uint32_t used() const {
    return Newest.load(std::memory_order_acquire)->Used.load();
  }

private:
  struct CodeSlot {
    std::atomic<uintptr_t> Key; ///< 0: never used; a pc; or Gone
    std::atomic<uint64_t> Word; ///< 0: no word yet
  };
  struct MapLevel {
    std::atomic<MapLevel *> Older; ///< null after all words are moved here
    uint32_t Mask;
    std::atomic<uint32_t> Used; ///< slots, including forgotten pcs
    std::atomic<uint32_t> Forgotten;
    alignas(64) CodeSlot Slots[1]; ///< four in a cache line

    uint32_t most() const { return Mask / 2; }
    static size_t bytes(uint32_t Slots) {
      return sizeof(MapLevel) + Slots * sizeof(CodeSlot);
    }
  };
  static constexpr uintptr_t Gone = 1;

  static CodeWord findBeside(const MapLevel *L, uintptr_t Pc);
  static CodeWord insertIn(MapLevel *L, uintptr_t Pc, CodeWord W);
  static void forgetIn(MapLevel *L, AddressRange Range);
  static CodeWord takeFrom(MapLevel *L, uintptr_t Pc);
  bool grow(MapLevel *Full);
  MapLevel *addLevel(MapLevel *Old);
  bool tryLock() { return !Lock.exchange(1, std::memory_order_acquire); }
  void unlock() { Lock.store(0, std::memory_order_release); }

  std::atomic<MapLevel *> Newest{nullptr};
  std::atomic<uint32_t> Lock{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CODEMAP_H
