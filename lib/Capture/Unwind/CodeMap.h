// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pcs to their code words.
//
// From a pc to its code word: an open hash table of 16 bytes a slot, at most
// half full, in private memory (with three quarters a fifth of all look-ups met
// another pc first). The slot is chosen by the pc's low bits, which spread
// well: the pcs of a function lie beside each other and never take one
// another's place. (What stands for a pc is up to the caller: a return address,
// in fact.)
//
// Readers never wait and write nothing. Any thread and any signal handler may
// find and insert; one thread at a time enlarges the table or forgets a range,
// with signals held back.

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

  /// What insert has put in for \p Pc; an empty word: nothing.
  CodeWord find(uintptr_t Pc) const {
    const Level *L = Newest.load(std::memory_order_acquire);
    const Slot &S = L->Slots[Pc & L->Mask];
    return __builtin_expect(S.Key.load(std::memory_order_acquire) == Pc, 1)
               ? CodeWord(S.Word.load(std::memory_order_acquire))
               : findBeside(L, Pc);
  }

  /// Puts \p W in for \p Pc, unless another has come first; returns the one
  /// that is in, or \p W itself where there is no memory for it.
  CodeWord insert(uintptr_t Pc, CodeWord W);

  /// Takes out all pcs of \p Range. Waits for a thread that enlarges the table.
  void forget(AddressRange Range);

  /// Takes out \p Pc alone; returns what was in. Waits as forget does; not to
  /// be called where a signal handler of this thread may call it or forget.
  CodeWord take(uintptr_t Pc);

  /// Memory that is in use, in bytes; pcs that were put in.
  uint64_t bytes() const;
  uint32_t used() const {
    return Newest.load(std::memory_order_acquire)->Used.load();
  }

private:
  struct Slot {
    std::atomic<uintptr_t> Key; ///< 0: never used; a pc; or Gone
    std::atomic<uint64_t> Word; ///< 0: not there yet
  };
  struct Level {
    std::atomic<Level *> Older; ///< null once all of it is here
    uint32_t Mask;
    std::atomic<uint32_t> Used; ///< slots, those of forgotten pcs too
    std::atomic<uint32_t> Forgotten;
    alignas(64) Slot Slots[1]; ///< a line has four

    uint32_t most() const { return Mask / 2; }
    static size_t bytes(uint32_t Slots) {
      return sizeof(Level) + Slots * sizeof(Slot);
    }
  };
  static constexpr uintptr_t Gone = 1;

  static CodeWord findBeside(const Level *L, uintptr_t Pc);
  static CodeWord insertIn(Level *L, uintptr_t Pc, CodeWord W);
  static void forgetIn(Level *L, AddressRange Range);
  static CodeWord takeFrom(Level *L, uintptr_t Pc);
  bool grow(Level *Full);
  Level *addLevel(Level *Old);
  bool tryLock() { return !Lock.exchange(1, std::memory_order_acquire); }
  void unlock() { Lock.store(0, std::memory_order_release); }

  std::atomic<Level *> Newest{nullptr};
  std::atomic<uint32_t> Lock{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CODEMAP_H
