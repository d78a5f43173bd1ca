// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The __dict__ of an object of Python.

#include "InstanceDict.h"

#include "Runtime/ReadMemory.h"

using namespace memkit;
using namespace memkit::capture;

static uintptr_t load(uintptr_t Address) {
  return *reinterpret_cast<const volatile uintptr_t *>(Address);
}

namespace {
/// The place of the entries in a table of keys, in words.
struct Entries {
  unsigned First, Stride, Count;
};
/// The words of CPython's dict.
enum DictWord : unsigned { Used = 2, KeysAt = 4, ValuesAt = 5, DictWords };
} // namespace

/// The entries of the table of keys at \p Keys.
static Entries entriesOf(const uintptr_t *Keys, unsigned Minor) {
  if (Minor < 11) {
    // References, size, lookup function, usable, entries, indices.
    uintptr_t Size = Keys[1];
    uintptr_t Index = Size <= 0xff ? 1 : Size <= 0xffff ? 2 : 4;
    return {unsigned(5 + Size * Index / 8), 3, unsigned(Keys[4])};
  }
  // References; logarithms of size and of the bytes of indices, kind, version;
  // usable, entries, indices.
  unsigned IndexBytes = Keys[1] >> 8 & 0xff, Kind = Keys[1] >> 16 & 0xff;
  if (IndexBytes > 12)
    return {0, 0, 0};
  return {4 + (1u << IndexBytes) / 8, Kind ? 2u : 3u, unsigned(Keys[3])};
}

static InstanceDict::Values valuesOf(uintptr_t Dict, unsigned Minor) {
  using Values = InstanceDict::Values;
  constexpr unsigned MaxValues = sizeof(Values::Words) / sizeof(uintptr_t);
  Values Out;
  uintptr_t D[DictWords];
  if (readWords(Dict, D, DictWords) != DictWords)
    return Out;
  if (D[ValuesAt]) {
    // The dict shares its keys with other dicts. From 3.13 on a header precedes
    // the values.
    uintptr_t Max = D[Used] + (Minor >= 13);
    Out.Count = readWords(D[ValuesAt], Out.Words,
                          unsigned(Max < MaxValues ? Max : MaxValues));
    return Out;
  }
  constexpr unsigned MaxWords = 256;
  uintptr_t Keys[MaxWords];
  unsigned Read = readWords(D[KeysAt], Keys, MaxWords);
  if (Read < 5)
    return Out;
  Entries E = entriesOf(Keys, Minor);
  for (unsigned I = 0; I != E.Count && Out.Count != MaxValues; ++I) {
    unsigned At = E.First + I * E.Stride + E.Stride - 1; // the value is last
    if (At >= Read)
      break;
    Out.Words[Out.Count++] = Keys[At];
  }
  return Out;
}

bool InstanceDict::Values::has(uintptr_t Value) const {
  for (unsigned I = 0; I != Count; ++I)
    if (Words[I] == Value)
      return true;
  return false;
}

void InstanceDict::learn(uintptr_t Object, uintptr_t Dict, uintptr_t Known,
                         unsigned Minor) {
  if (isKnown())
    return;
  // The word is before the object's header, or after its type.
  for (int At : {-24, -32, -8, 16, 24}) {
    if (load(Object + uintptr_t(At)) != Dict)
      continue;
    this->Minor = Minor;
    if (valuesOf(Dict, Minor).has(Known))
      Offset.store(At, std::memory_order_release);
    return;
  }
}

InstanceDict::Values InstanceDict::read(uintptr_t Object) const {
  int At = Offset.load(std::memory_order_acquire);
  return At ? valuesOf(load(Object + uintptr_t(At)), Minor) : Values();
}
