// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared names and file names.

#include "Texts.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Reading str
//===----------------------------------------------------------------------===//

namespace {
/// The characters of a str, of any width.
struct Characters {
  const char *Data;
  uint64_t Count;
  uint32_t Width; ///< bytes of each; 0: unreadable

  uint32_t operator[](uint64_t I) const {
    uint32_t C = 0;
    memcpy(&C, Data + I * Width, Width);
    return C;
  }
};
} // namespace

static Characters charactersOf(const void *Str, const PythonLayout &L) {
  // PyASCIIObject: all versions have the length and the state's bits at these
  // offsets.
  auto *Base = static_cast<const char *>(Str);
  int64_t Length;
  uint32_t State;
  memcpy(&Length, Base + 16, 8);
  memcpy(&State, Base + 32, 4);
  uint32_t Width = State >> 2 & 7;
  bool IsCompact = State >> 5 & 1, IsAscii = State >> 6 & 1;
  const char *Data = Base + (IsAscii ? L.Ascii : L.Compact);
  if (!IsCompact)
    memcpy(&Data, Base + L.Compact, sizeof(Data));
  bool IsGood = Length >= 0 && Data && (Width == 1 || Width == 2 || Width == 4);
  return {Data, uint64_t(Length), IsGood ? Width : 0};
}

/// Writes \p C; returns the number of bytes, at most 6.
static uint32_t encode(uint32_t C, char *To) {
  auto Tail = [&](unsigned Shift) { return char(0x80 | (C >> Shift & 0x3f)); };
  if (C < 0x80) {
    To[0] = char(C);
    return 1;
  }
  if (C < 0x800) {
    To[0] = char(0xc0 | C >> 6);
    To[1] = Tail(0);
    return 2;
  }
  if (C >= 0xd800 && C < 0xe000) {
    To[0] = '\\';
    To[1] = 'u';
    for (unsigned I = 0; I < 4; ++I)
      To[2 + I] = "0123456789abcdef"[C >> (12 - 4 * I) & 15];
    return 6;
  }
  if (C < 0x10000) {
    To[0] = char(0xe0 | C >> 12);
    To[1] = Tail(6);
    To[2] = Tail(0);
    return 3;
  }
  To[0] = char(0xf0 | (C >> 18 & 7));
  To[1] = Tail(12);
  To[2] = Tail(6);
  To[3] = Tail(0);
  return 4;
}

uint32_t capture::copyText(const void *Str, const PythonLayout &L, char *To) {
  if (!Str)
    return 0;
  Characters From = charactersOf(Str, L);
  uint32_t N = 0;
  for (uint64_t I = 0; From.Width && I < From.Count; ++I) {
    char One[6];
    uint32_t Bytes = encode(From[I], One);
    if (N + Bytes > wire::MaxTextBytes)
      break;
    memcpy(To + N, One, Bytes);
    N += Bytes;
  }
  return N;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static uintptr_t hashOf(const char *S, uint32_t Bytes) {
  uint64_t Hash = Bytes * 0x9e3779b97f4a7c15ull;
  for (uint32_t I = 0; I < Bytes; I += 8) {
    uint64_t Word = 0;
    memcpy(&Word, S + I, Bytes - I < 8 ? Bytes - I : 8);
    Hash = (Hash ^ Word) * 0xff51afd7ed558ccdull;
    Hash ^= Hash >> 32;
  }
  return Hash | 2; // 0 and 1 are no keys.
}

const char *Texts::text(uint32_t Number, uint32_t &Bytes) {
  auto *T =
      reinterpret_cast<const char *>(Number ? Table.get(Number - 1) : nullptr);
  Bytes = 0;
  if (T)
    memcpy(&Bytes, T, 4);
  return T ? T + 4 : "";
}

bool Texts::is(uint32_t Number, const char *S, uint32_t Bytes) {
  uint32_t Has;
  const char *T = text(Number, Has);
  return Has == Bytes && memcmp(T, S, Bytes) == 0;
}

uint32_t Texts::write(const char *S, uint32_t Bytes) {
  uint32_t Units = (4 + Bytes + wire::TextAlign - 1) / wire::TextAlign;
  constexpr uint32_t PerPiece = decltype(Table)::PerPiece;
  uint32_t Next = Ctl->NextText.load(std::memory_order_relaxed), At;
  uint64_t *To;
  do {
    At = Next % PerPiece + Units > PerPiece ? (Next / PerPiece + 1) * PerPiece
                                            : Next;
    To = At + Units <= Table.limit() ? Table.get(At) : nullptr;
    if (!To)
      return 0;
  } while (!Ctl->NextText.compare_exchange_weak(Next, At + Units,
                                                std::memory_order_acq_rel));
  auto *Text = reinterpret_cast<char *>(To);
  memcpy(Text + 4, S, Bytes);
  memcpy(Text, &Bytes, 4);
  return At + 1;
}

uint32_t Texts::intern(const char *S, uint32_t Bytes) {
  uintptr_t Key = hashOf(S, Bytes);
  if (CodeWord W = Index.find(Key))
    if (is(uint32_t(W.bits()), S, Bytes))
      return uint32_t(W.bits());
  uint32_t Number = write(S, Bytes);
  if (Number)
    Index.insert(Key, CodeWord(Number));
  return Number;
}
