// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pcs to their code words.

#include "CodeMap.h"

using namespace memkit;
using namespace memkit::capture;

CodeWord CodeMap::findBeside(const MapLevel *L, uintptr_t Pc) {
  for (; L; L = L->Older.load(std::memory_order_acquire))
    for (uintptr_t I = Pc, End = Pc + L->Mask; I != End; ++I) {
      const CodeSlot &S = L->Slots[I & L->Mask];
      uintptr_t Key = S.Key.load(std::memory_order_acquire);
      if (Key == Pc)
        return CodeWord(S.Word.load(std::memory_order_acquire));
      if (!Key)
        break;
    }
  return CodeWord();
}

/// Inserts \p W, unless \p Pc has a word; returns the word of \p Pc. Empty: the
/// level is full.
CodeWord CodeMap::insertIn(MapLevel *L, uintptr_t Pc, CodeWord W) {
  // A free slot must remain, to end searches.
  if (L->Used.load(std::memory_order_relaxed) >= L->Mask - 256)
    return CodeWord();
  for (uintptr_t I = Pc;; ++I) {
    CodeSlot &S = L->Slots[I & L->Mask];
    uintptr_t Key = S.Key.load(std::memory_order_acquire);
    bool WasThere = Key == Pc;
    if (!Key &&
        S.Key.compare_exchange_strong(Key, Pc, std::memory_order_acq_rel)) {
      L->Used.fetch_add(1, std::memory_order_relaxed);
      Key = Pc;
    }
    if (Key != Pc)
      continue;
    uint64_t In = 0;
    if (S.Word.compare_exchange_strong(In, W.bits(),
                                       std::memory_order_acq_rel)) {
      if (WasThere) // The pc had been removed. In a race with another insertion
                    // the count is off by one, which is harmless.
        L->Forgotten.fetch_sub(1, std::memory_order_relaxed);
      return W;
    }
    return CodeWord(In);
  }
}

CodeWord CodeMap::insert(uintptr_t Pc, CodeWord W) {
  MapLevel *L = Newest.load(std::memory_order_acquire);
  if (L->Used.load(std::memory_order_relaxed) > L->most() && grow(L))
    L = Newest.load(std::memory_order_acquire);
  CodeWord In = insertIn(L, Pc, W);
  return In ? In : W;
}

CodeMap::MapLevel *CodeMap::addLevel(MapLevel *Old) {
  uint32_t Slots = FirstSlots;
  if (Old) {
    // With many forgotten pcs, leaving them out makes enough room.
    uint32_t Live = Old->Used.load() - Old->Forgotten.load();
    Slots = Live > Old->most() / 2 ? (Old->Mask + 1) * 2 : Old->Mask + 1;
  }
  if (!Slots)
    return nullptr;
  auto *L = static_cast<MapLevel *>(sys::mapPrivate(MapLevel::bytes(Slots)));
  if (!L)
    return nullptr;
  // The words of the old level come to nearly all pages of the new at once.
  if (Old)
    sys::populate(L, MapLevel::bytes(Slots));
  L->Mask = Slots - 1;
  L->Older.store(Old, std::memory_order_relaxed);
  Newest.store(L, std::memory_order_release);
  return L;
}

/// Puts a level before \p Full and moves all words. False: another thread does
/// this, or no memory.
bool CodeMap::grow(MapLevel *Full) {
  sys::SignalBlock Block;
  if (!tryLock())
    return false;
  bool Grown = true;
  if (Newest.load(std::memory_order_acquire) == Full) {
    MapLevel *L = addLevel(Full);
    Grown = L;
    for (uint32_t I = 0; L && Full && I <= Full->Mask; ++I) {
      uintptr_t Key = Full->Slots[I].Key.load(std::memory_order_acquire);
      uint64_t Word = Full->Slots[I].Word.load(std::memory_order_acquire);
      if (Key && Key != Gone && Word)
        insertIn(L, Key, CodeWord(Word));
    }
    if (L && Full) {
      // A reader that still searches the old level finds nothing, and asks
      // again. The level's header and mapping stay.
      L->Older.store(nullptr, std::memory_order_release);
      constexpr uintptr_t Page = 4096;
      uintptr_t From = (uintptr_t(Full->Slots) + Page - 1) & ~(Page - 1);
      uintptr_t To =
          (uintptr_t(Full) + MapLevel::bytes(Full->Mask + 1)) & ~(Page - 1);
      if (From < To)
        sys::call(SYS_madvise, long(From), long(To - From), MADV_DONTNEED);
    }
  }
  unlock();
  return Grown;
}

void CodeMap::forgetIn(MapLevel *L, AddressRange Range) {
  for (uint32_t I = 0; I <= L->Mask; ++I)
    if (Range.has(L->Slots[I].Key.load(std::memory_order_relaxed))) {
      L->Slots[I].Key.store(Gone, std::memory_order_release);
      L->Slots[I].Word.store(0, std::memory_order_release);
      L->Forgotten.fetch_add(1, std::memory_order_relaxed);
    }
}

void CodeMap::forget(AddressRange Range) {
  sys::SignalBlock Block;
  while (!tryLock())
    sys::sleepMicroseconds(20);
  for (MapLevel *L = Newest.load(std::memory_order_acquire); L;
       L = L->Older.load(std::memory_order_acquire))
    forgetIn(L, Range);
  unlock();
}

/// Removes a pc from one level; an empty word: not found. The slot keeps the
/// key, which is likely to return: free slots with other keys would make
/// searches ever longer.
CodeWord CodeMap::takeFrom(MapLevel *L, uintptr_t Pc) {
  for (uintptr_t I = Pc, End = Pc + L->Mask; I != End; ++I) {
    CodeSlot &S = L->Slots[I & L->Mask];
    uintptr_t Key = S.Key.load(std::memory_order_acquire);
    if (!Key)
      break;
    if (Key != Pc)
      continue;
    L->Forgotten.fetch_add(1, std::memory_order_relaxed);
    return CodeWord(S.Word.exchange(0, std::memory_order_acq_rel));
  }
  return CodeWord();
}

CodeWord CodeMap::take(uintptr_t Pc) {
  if (!find(Pc))
    return CodeWord();
  while (!tryLock())
    sys::sleepMicroseconds(20);
  CodeWord Taken;
  for (MapLevel *L = Newest.load(std::memory_order_acquire); L;
       L = L->Older.load(std::memory_order_acquire))
    if (CodeWord W = takeFrom(L, Pc))
      Taken = W;
  unlock();
  return Taken;
}

uint64_t CodeMap::bytes() const {
  return MapLevel::bytes(Newest.load(std::memory_order_acquire)->Mask + 1);
}
