// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in shared memory.

#include "SharedNames.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

static_assert(wire::TextAlign == sizeof(uint64_t));

static uint32_t cut(size_t Size) {
  return Size < wire::MaxTextBytes ? uint32_t(Size) : wire::MaxTextBytes;
}

uint32_t SharedNames::add(const char *Text, size_t FullSize) {
  constexpr uint32_t PerPiece = uint32_t(wire::PieceBytes / wire::TextAlign);
  uint32_t Size = cut(FullSize);
  uint32_t Units = uint32_t((sizeof(uint32_t) + Size + wire::TextAlign - 1) /
                            wire::TextAlign);
  uint32_t Begin = Next->load(std::memory_order_relaxed), At;
  do {
    // A text must be within one piece.
    At = Begin / PerPiece != (Begin + Units - 1) / PerPiece
             ? (Begin / PerPiece + 1) * PerPiece
             : Begin;
    if (!Room.get(At + Units - 1))
      return 0;
  } while (!Next->compare_exchange_weak(Begin, At + Units,
                                        std::memory_order_acq_rel));
  auto *To = reinterpret_cast<char *>(Room.get(At));
  memcpy(To, &Size, sizeof(Size));
  memcpy(To + sizeof(Size), Text, Size);
  return At + 1;
}

bool SharedNames::is(uint32_t Number, const char *Text, uint32_t Size) {
  auto *Is = reinterpret_cast<const char *>(Room.get(Number - 1));
  uint32_t Length;
  memcpy(&Length, Is, sizeof(Length));
  return Length == Size && memcmp(Is + sizeof(Length), Text, Size) == 0;
}

SharedNames::NameSlot *SharedNames::table() {
  NameSlot *T = Table.load(std::memory_order_acquire);
  if (__builtin_expect(T != nullptr, 1))
    return T;
  auto *Mine =
      static_cast<NameSlot *>(sys::mapPrivate(Slots * sizeof(NameSlot)));
  if (!Mine ||
      Table.compare_exchange_strong(T, Mine, std::memory_order_acq_rel))
    return Mine;
  sys::unmap(Mine, Slots * sizeof(NameSlot));
  return T;
}

static uint64_t hashOf(const char *Text, uint32_t Size) {
  constexpr uint64_t Odd = 0x9E3779B97F4A7C15ull;
  uint64_t Hash = Size * Odd, Word;
  auto Mix = [&] {
    Hash = (Hash ^ Word) * Odd;
    Hash ^= Hash >> 29;
  };
  for (; Size >= sizeof(Word); Text += sizeof(Word), Size -= sizeof(Word)) {
    memcpy(&Word, Text, sizeof(Word)); // One load; other sizes are calls.
    Mix();
  }
  if (Size) {
    Word = 0;
    memcpy(&Word, Text, Size);
    Mix();
  }
  return Hash * Odd;
}

/// The number of \p Text, added while the table has fewer than \p Max names.
uint32_t SharedNames::find(NameSlot *T, const char *Text, uint32_t Size,
                           uint32_t Max) {
  uint64_t Hash = hashOf(Text, Size), High = Hash & ~uint64_t(UINT32_MAX);
  for (uint32_t I = uint32_t(Hash >> 17);; ++I) {
    NameSlot &S = T[I % Slots];
    uint64_t Is = S.load(std::memory_order_acquire);
    if (!Is) {
      if (Names.load(std::memory_order_relaxed) >= Max)
        return 0;
      uint32_t Number = add(Text, Size);
      // If another thread has taken the slot, the number is still valid.
      if (Number && S.compare_exchange_strong(Is, High | Number,
                                              std::memory_order_acq_rel))
        Names.fetch_add(1, std::memory_order_relaxed);
      return Number;
    }
    if ((Is & ~uint64_t(UINT32_MAX)) == High && is(uint32_t(Is), Text, Size))
      return uint32_t(Is);
  }
}

uint32_t SharedNames::intern(const char *Text, size_t FullSize) {
  NameSlot *T = table();
  if (!T)
    return 0;
  uint32_t Size = cut(FullSize);
  if (uint32_t Number = find(T, Text, Size, MaxNames))
    return Number;
  char Folded[256];
  uint32_t Length = 0;
  for (uint32_t I = 0; I < Size && Length < sizeof(Folded); ++I) {
    bool Digit = Text[I] >= '0' && Text[I] <= '9';
    if (!Digit || !Length || Folded[Length - 1] != '#')
      Folded[Length++] = Digit ? '#' : Text[I];
  }
  return find(T, Folded, Length, MaxFolded);
}
