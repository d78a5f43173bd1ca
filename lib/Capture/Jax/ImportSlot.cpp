// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a loaded binary that name functions.

#include "ImportSlot.h"

#include "Runtime/Pieces.h"
#include "Stacks/Loader.h"
#include "Stacks/MappedElf.h"

#include <atomic>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

uintptr_t *capture::importSlot(const void *LinkMap, const char *Name) {
  auto *Map = static_cast<const link_map *>(LinkMap);
  uintptr_t Bias = Map->l_addr;
  const Elf64_Sym *Symbols = nullptr;
  const char *Strings = nullptr;
  const Elf64_Rela *Imports = nullptr;
  size_t Bytes = 0, StringBytes = 0;
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
    case DT_JMPREL:
      Imports = reinterpret_cast<const Elf64_Rela *>(At(D));
      break;
    case DT_PLTRELSZ:
      Bytes = D->d_un.d_val;
      break;
    }
  if (!Symbols || !Strings || !Imports)
    return nullptr;
  for (size_t I = 0; I != Bytes / sizeof(Elf64_Rela); ++I) {
    uint32_t Text = Symbols[ELF64_R_SYM(Imports[I].r_info)].st_name;
    if (ELF64_R_TYPE(Imports[I].r_info) == R_X86_64_JUMP_SLOT &&
        Text < StringBytes && strcmp(Strings + Text, Name) == 0)
      return reinterpret_cast<uintptr_t *>(Bias + Imports[I].r_offset);
  }
  return nullptr;
}

/// Does the loader make the word read-only after relocation?
static bool isSealed(const link_map *Map, uintptr_t At) {
  FoundObject O;
  size_t Count = 0;
  if (!Loader.find(uintptr_t(Map->l_ld), O))
    return false;
  const Elf64_Phdr *P = programHeaders(uintptr_t(O.MapStart), Count);
  for (size_t I = 0; P && I != Count; ++I) {
    uintptr_t Start = Map->l_addr + P[I].p_vaddr;
    // The loader seals whole pages.
    uintptr_t End = (Start + P[I].p_memsz) & ~uintptr_t(PageBytes - 1);
    if (P[I].p_type == PT_GNU_RELRO &&
        At - (Start & ~uintptr_t(PageBytes - 1)) <
            End - (Start & ~uintptr_t(PageBytes - 1)))
      return true;
  }
  return false;
}

bool capture::setWord(const void *LinkMap, uintptr_t *At, uintptr_t Value) {
  uintptr_t Page = uintptr_t(At) & ~uintptr_t(PageBytes - 1);
  bool Sealed = isSealed(static_cast<const link_map *>(LinkMap), uintptr_t(At));
  auto Protect = [&](int Access) {
    return !sys::failed(sys::call(SYS_mprotect, long(Page), PageBytes, Access));
  };
  if (Sealed && !Protect(PROT_READ | PROT_WRITE))
    return false;
  reinterpret_cast<std::atomic<uintptr_t> *>(At)->store(
      Value, std::memory_order_release);
  if (Sealed)
    Protect(PROT_READ);
  return true;
}
