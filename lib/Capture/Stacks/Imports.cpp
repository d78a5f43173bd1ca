// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a loaded binary that name functions of other binaries.

#include "Imports.h"

#include "Runtime/Pieces.h"
#include "Stacks/Loader.h"
#include "Stacks/MappedElf.h"

#include <atomic>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

Imports::Imports(const void *LinkMap) {
  auto *Map = static_cast<const link_map *>(LinkMap);
  Bias = Map->l_addr;
  const char *Begin[2] = {};
  size_t Bytes[2] = {};
  // glibc has made the addresses absolute, except in the vDSO.
  auto At = [&](const Elf64_Dyn *D) {
    uintptr_t A = D->d_un.d_ptr;
    return reinterpret_cast<const char *>(A < Bias ? A + Bias : A);
  };
  for (const Elf64_Dyn *D = Map->l_ld; D && D->d_tag != DT_NULL; ++D)
    switch (D->d_tag) {
    case DT_SYMTAB:
      Symbols = reinterpret_cast<const Elf64_Sym *>(At(D));
      break;
    case DT_STRTAB:
      Strings = At(D);
      break;
    case DT_STRSZ:
      StringBytes = D->d_un.d_val;
      break;
    case DT_JMPREL:
      Begin[0] = At(D);
      break;
    case DT_PLTRELSZ:
      Bytes[0] = D->d_un.d_val;
      break;
    case DT_RELA:
      Begin[1] = At(D);
      break;
    case DT_RELASZ:
      Bytes[1] = D->d_un.d_val;
      break;
    }
  for (int I = 0; I != 2; ++I)
    if (Begin[I] && Symbols && Strings) {
      Tables[I].Begin = reinterpret_cast<const Elf64_Rela *>(Begin[I]);
      Tables[I].End = Tables[I].Begin + Bytes[I] / sizeof(Elf64_Rela);
    }
}

bool Imports::read(const Elf64_Rela &R, Import &To) const {
  uint32_t Type = ELF64_R_TYPE(R.r_info);
  bool IsCall = Type == R_X86_64_JUMP_SLOT;
  bool IsAddress =
      Type == R_X86_64_GLOB_DAT || (Type == R_X86_64_64 && R.r_addend == 0);
  if (!IsCall && !IsAddress)
    return false;
  const Elf64_Sym *Symbol = &Symbols[ELF64_R_SYM(R.r_info)];
  uint32_t Text = Symbol->st_name;
  if (!Text || Text >= StringBytes)
    return false;
  To = {Strings + Text, reinterpret_cast<uintptr_t *>(Bias + R.r_offset),
        IsCall, Symbol};
  return true;
}

void NameMemo::begin(const Imports &Of) {
  First = Of.Symbols;
  size_t Count = 0;
  for (const Imports::Relocations &T : Of.Tables)
    for (const Elf64_Rela *R = T.Begin; R != T.End; ++R)
      if (size_t Next = ELF64_R_SYM(R->r_info) + size_t(1); Next > Count)
        Count = Next;
  if (Count > Room) {
    constexpr size_t AtLeast = 1 << 17;
    if (Bytes)
      sys::unmap(Bytes, Room);
    Room = Count > AtLeast ? Count : AtLeast;
    Bytes = static_cast<uint8_t *>(sys::mapPrivate(Room));
    Room = Bytes ? Room : 0;
  } else if (Bytes) {
    memset(Bytes, 0, Count);
  }
}

NameMemo::~NameMemo() {
  if (Bytes)
    sys::unmap(Bytes, Room);
}

uintptr_t *capture::importSlot(const void *LinkMap, const char *Name) {
  uintptr_t *Found = nullptr;
  Imports(LinkMap).each([&](const Import &I) {
    if (!Found && I.IsCall && strcmp(I.Name, Name) == 0)
      Found = I.At;
  });
  return Found;
}

bool capture::isUnbound(const Import &I, const link_map *Of) {
  FoundObject O = {};
  return I.IsCall && Loader.find(*I.At, O) && O.LinkMap == Of;
}

static std::atomic<uint32_t> Binding;

BindingTurn::BindingTurn() {
  constexpr unsigned MaxTurns = 20000; // a second
  for (unsigned Turn = 0; Binding.exchange(1, std::memory_order_acquire);
       ++Turn) {
    if (Turn == MaxTurns)
      return;
    sys::sleepMicroseconds(50);
  }
  HasTurn = true;
}

BindingTurn::~BindingTurn() {
  if (HasTurn)
    Binding.store(0, std::memory_order_release);
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

static bool protect(uintptr_t At, int Access) {
  uintptr_t Page = At & ~uintptr_t(PageBytes - 1);
  return !sys::failed(sys::call(SYS_mprotect, long(Page), PageBytes, Access));
}

/// The access that the file asks for at \p At; 0: \p At is not the binary's.
static int accessOf(const link_map &Map, uintptr_t At) {
  size_t Count = 0;
  const Elf64_Phdr *P =
      Map.l_addr ? programHeaders(Map.l_addr, Count) : nullptr;
  for (size_t I = 0; P && I != Count; ++I)
    if (P[I].p_type == PT_LOAD &&
        At - (Map.l_addr + P[I].p_vaddr) < P[I].p_memsz)
      return (P[I].p_flags & PF_R ? PROT_READ : 0) |
             (P[I].p_flags & PF_W ? PROT_WRITE : 0) |
             (P[I].p_flags & PF_X ? PROT_EXEC : 0);
  return 0;
}

bool capture::unnameImport(const link_map &Of, const Import &I) {
  auto At = uintptr_t(&I.Symbol->st_name);
  int Access = accessOf(Of, At);
  if (!Access || !protect(At, Access | PROT_WRITE))
    return false;
  *reinterpret_cast<Elf64_Word *>(At) = 0;
  protect(At, Access);
  return true;
}

bool capture::setWord(const void *LinkMap, uintptr_t *At, uintptr_t Value) {
  bool Sealed = isSealed(static_cast<const link_map *>(LinkMap), uintptr_t(At));
  if (Sealed && !protect(uintptr_t(At), PROT_READ | PROT_WRITE))
    return false;
  reinterpret_cast<std::atomic<uintptr_t> *>(At)->store(
      Value, std::memory_order_release);
  if (Sealed)
    protect(uintptr_t(At), PROT_READ);
  return true;
}
