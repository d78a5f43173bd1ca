// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols that a loaded binary exports.

#include "Exports.h"

#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

Exports::Exports(const void *LinkMap) {
  auto *Map = static_cast<const link_map *>(LinkMap);
  Bias = Map->l_addr;
  // glibc has made the addresses absolute, except in the vDSO.
  auto At = [&](const Elf64_Dyn *D) {
    uintptr_t A = D->d_un.d_ptr;
    return A < Bias ? A + Bias : A;
  };
  for (const Elf64_Dyn *D = Map->l_ld; D && D->d_tag != DT_NULL; ++D)
    switch (D->d_tag) {
    case DT_SYMTAB:
      Symbols = reinterpret_cast<const Elf64_Sym *>(At(D));
      break;
    case DT_STRTAB:
      Strings = reinterpret_cast<const char *>(At(D));
      break;
    case DT_STRSZ:
      StringBytes = D->d_un.d_val;
      break;
    case DT_GNU_HASH:
      GnuHash = reinterpret_cast<const uint32_t *>(At(D));
      break;
    case DT_HASH:
      OldHash = reinterpret_cast<const uint32_t *>(At(D));
      break;
    }
}

uintptr_t Exports::matches(uint32_t I, const char *Name) const {
  const Elf64_Sym &S = Symbols[I];
  bool Is = S.st_shndx != SHN_UNDEF && S.st_name < StringBytes &&
            ELF64_ST_TYPE(S.st_info) <= STT_FUNC &&
            strcmp(Strings + S.st_name, Name) == 0;
  return Is ? Bias + S.st_value : 0;
}

uintptr_t Exports::findGnu(const char *Name) const {
  uint32_t Hash = 5381;
  for (const char *C = Name; *C; ++C)
    Hash = Hash * 33 + uint8_t(*C);
  uint32_t NumBuckets = GnuHash[0], First = GnuHash[1], NumWords = GnuHash[2];
  uint32_t Shift = GnuHash[3];
  if (!NumBuckets || !NumWords)
    return 0;
  auto *Filter = reinterpret_cast<const uint64_t *>(GnuHash + 4);
  uint64_t Word = Filter[Hash / 64 % NumWords];
  if (!(Word >> (Hash % 64) & Word >> ((Hash >> Shift) % 64) & 1))
    return 0;
  auto *Buckets = reinterpret_cast<const uint32_t *>(Filter + NumWords);
  const uint32_t *Chain = Buckets + NumBuckets;
  uint32_t I = Buckets[Hash % NumBuckets];
  if (I < First)
    return 0;
  for (;; ++I) {
    uint32_t Has = Chain[I - First];
    if ((Has | 1) == (Hash | 1))
      if (uintptr_t At = matches(I, Name))
        return At;
    if (Has & 1)
      return 0;
  }
}

uintptr_t Exports::findOld(const char *Name) const {
  uint32_t Hash = 0;
  for (const char *C = Name; *C; ++C) {
    Hash = (Hash << 4) + uint8_t(*C);
    uint32_t High = Hash & 0xf0000000;
    Hash = (Hash ^ High >> 24) & ~High;
  }
  uint32_t NumBuckets = OldHash[0];
  const uint32_t *Buckets = OldHash + 2, *Chain = Buckets + NumBuckets;
  for (uint32_t I = NumBuckets ? Buckets[Hash % NumBuckets] : 0; I;
       I = Chain[I])
    if (uintptr_t At = matches(I, Name))
      return At;
  return 0;
}

bool Exports::hasNameEnd(const char *End) const {
  return Strings && memmem(Strings, StringBytes, End, strlen(End) + 1);
}

uintptr_t Exports::find(const char *Name) const {
  if (!Symbols || !Strings)
    return 0;
  return GnuHash ? findGnu(Name) : OldHash ? findOld(Name) : 0;
}
