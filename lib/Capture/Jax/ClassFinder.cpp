// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of a loaded binary.

#include "ClassFinder.h"

#include "Runtime/Syscall.h"
#include "Stacks/MappedElf.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

ClassFinder::ClassFinder(const FoundObject &O)
    : Start(uintptr_t(O.MapStart)), End(uintptr_t(O.MapEnd)) {
  auto *Map = static_cast<const link_map *>(O.LinkMap);
  Bias = Map->l_addr;
  Fd = sys::open(Map->l_name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  Buffer = static_cast<char *>(sys::mapPrivate(PartBytes + MaxName));
  size_t Count = 0;
  const Elf64_Phdr *P = programHeaders(Start, Count);
  for (size_t I = 0; P && I != Count; ++I) {
    if (P[I].p_type != PT_GNU_RELRO)
      continue;
    RelroStart = (Bias + P[I].p_vaddr + 7) & ~uintptr_t(7);
    RelroEnd = Bias + P[I].p_vaddr + P[I].p_filesz;
  }
  bool IsInside = RelroStart >= Start && RelroEnd <= End;
  if (!IsInside || RelroStart > RelroEnd || !isThatFile())
    RelroStart = RelroEnd = 0;
}

ClassFinder::~ClassFinder() {
  if (Fd >= 0)
    sys::close(Fd);
  if (Buffer)
    sys::unmap(Buffer, PartBytes + MaxName);
}

bool ClassFinder::read(void *To, size_t Bytes, uint64_t Offset) const {
  return Fd >= 0 && sys::readAt(Fd, To, Bytes, Offset) == long(Bytes);
}

/// Compares the ELF header, with the places of all other headers.
bool ClassFinder::isThatFile() {
  return Buffer && read(&Header, sizeof(Header), 0) &&
         memcmp(&Header, reinterpret_cast<const void *>(Start),
                sizeof(Header)) == 0 &&
         Header.e_shentsize == sizeof(Elf64_Shdr);
}

bool ClassFinder::isCode(uintptr_t Pc) const {
  size_t Count = 0;
  const Elf64_Phdr *P = programHeaders(Start, Count);
  for (size_t I = 0; P && I != Count; ++I)
    if (P[I].p_type == PT_LOAD && (P[I].p_flags & PF_X) &&
        Pc - Bias - P[I].p_vaddr < P[I].p_memsz)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Notes the place \p Address of the text \p At if the text is a class's name.
void ClassFinder::noteName(WantedClass *const *Classes, unsigned N,
                           const char *At, const char *End, uintptr_t Address) {
  for (unsigned I = 0; I != N; ++I) {
    size_t Bytes = strlen(Classes[I]->Type) + 1;
    if (Bytes > size_t(End - At) || memcmp(At, Classes[I]->Type, Bytes) != 0 ||
        NumNames + 2 > MaxPlaces)
      continue;
    // gcc puts a star before the name of a class of one file.
    Names[NumNames++] = {Address, I};
    Names[NumNames++] = {Address - 1, I};
  }
}

/// Searches the part of the file at \p Offset, which is mapped at \p Address.
void ClassFinder::findNames(WantedClass *const *Classes, unsigned N,
                            uint64_t Offset, uint64_t Bytes,
                            uintptr_t Address) {
  // All names start alike: one search finds all.
  static constexpr char Prefix[] = "N3xla";
  for (uint64_t At = 0; At < Bytes; At += PartBytes) {
    uint64_t Left = Bytes - At;
    size_t Size = Left < PartBytes + MaxName ? Left : PartBytes + MaxName;
    if (!read(Buffer, Size, Offset + At))
      return;
    const char *From = Buffer, *To = Buffer + Size;
    // A name beyond PartBytes is found again in the next part.
    while (const auto *Hit = static_cast<const char *>(
               memmem(From, size_t(To - From), Prefix, sizeof(Prefix) - 1))) {
      if (size_t(Hit - Buffer) >= PartBytes)
        break;
      noteName(Classes, N, Hit, To, Address + At + uintptr_t(Hit - Buffer));
      From = Hit + 1;
    }
  }
}

/// The places of words in the tables' memory whose values are among \p From.
unsigned ClassFinder::findWords(const NamePlace *From, unsigned NumFrom,
                                NamePlace *To) const {
  uintptr_t Low = ~uintptr_t(0), High = 0;
  for (unsigned I = 0; I != NumFrom; ++I) {
    Low = From[I].Address < Low ? From[I].Address : Low;
    High = From[I].Address > High ? From[I].Address : High;
  }
  unsigned Found = 0;
  for (uintptr_t At = RelroStart; NumFrom && At + 8 <= RelroEnd; At += 8) {
    uintptr_t Word = *reinterpret_cast<const volatile uintptr_t *>(At);
    if (Word - Low > High - Low)
      continue;
    for (unsigned I = 0; I != NumFrom && Found != MaxPlaces; ++I)
      if (From[I].Address == Word)
        To[Found++] = {At, From[I].Class};
  }
  return Found;
}

void ClassFinder::findTables(WantedClass *const *Classes, unsigned N) {
  Elf64_Shdr Texts;
  if (!RelroEnd || Header.e_shstrndx >= Header.e_shnum ||
      !read(&Texts, sizeof(Texts),
            Header.e_shoff + uint64_t(Header.e_shstrndx) * sizeof(Texts)))
    return;
  for (unsigned I = 0; I != Header.e_shnum; ++I) {
    Elf64_Shdr S;
    if (!read(&S, sizeof(S), Header.e_shoff + I * sizeof(S)))
      return;
    uintptr_t Address = Bias + S.sh_addr;
    static constexpr char Data[] = ".rodata";
    char Name[sizeof(Data) - 1];
    bool IsData = read(Name, sizeof(Name), Texts.sh_offset + S.sh_name) &&
                  memcmp(Name, Data, sizeof(Name)) == 0;
    if (IsData && Address >= Start && Address < End)
      findNames(Classes, N, S.sh_offset, S.sh_size, Address);
  }
  // Type information: a pointer to its own class's table, then the name.
  NamePlace Infos[MaxPlaces], Users[MaxPlaces];
  unsigned NumInfos = findWords(Names, NumNames, Infos);
  for (unsigned I = 0; I != NumInfos; ++I)
    Infos[I].Address -= 8;
  // A table: 0, the type information, the functions.
  unsigned NumUsers = findWords(Infos, NumInfos, Users);
  for (unsigned I = 0; I != NumUsers; ++I) {
    auto *Word = reinterpret_cast<uintptr_t *>(Users[I].Address);
    if (Users[I].Address >= RelroStart + 8 &&
        Users[I].Address + 16 <= RelroEnd && !Word[-1] && isCode(Word[1]))
      Classes[Users[I].Class]->Table = Word + 1;
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool ClassFinder::nameIs(uint64_t Offset, const char *Name) const {
  char *Is = Buffer + PartBytes;
  long Got = Fd >= 0 ? sys::readAt(Fd, Is, MaxName - 1, Offset) : 0;
  if (Got <= 0)
    return false;
  Is[Got] = 0;
  auto IsDigit = [](char C) { return C >= '0' && C <= '9'; };
  for (; *Name; ++Name) {
    if (*Name != '#') {
      if (*Is++ != *Name)
        return false;
      continue;
    }
    if (!IsDigit(*Is))
      return false;
    while (IsDigit(*Is))
      ++Is;
  }
  return !*Is;
}

/// Lists the slots of all classes of the functions.
void ClassFinder::listSlots(const WantedFunction *Functions, unsigned N) {
  NumSlots = 0;
  memset(Filter, 0, sizeof(Filter));
  for (unsigned F = 0; F != N; ++F) {
    const WantedClass *Class = Functions[F].Class;
    bool IsListed = false;
    for (unsigned I = 0; I != F; ++I)
      IsListed |= Functions[I].Class == Class;
    for (unsigned I = 0; !IsListed && Class->Table && I != MaxSlots; ++I) {
      uintptr_t *At = Class->Table + I;
      if (uintptr_t(At) + 8 > RelroEnd || !isCode(*At))
        break;
      Slots[NumSlots++] = {Class, At};
      Filter[bitOf(*At) / 64] |= uint64_t(1) << bitOf(*At) % 64;
    }
  }
}

/// The symbol at \p Address has its name at \p Offset of the file.
void ClassFinder::noteFunction(WantedFunction *Functions, unsigned N,
                               uintptr_t Address, uint64_t Offset) const {
  for (unsigned I = 0; I != NumSlots; ++I)
    for (unsigned F = 0; *Slots[I].At == Address && F != N; ++F)
      if (Functions[F].Class == Slots[I].Class && !Functions[F].Slot &&
          nameIs(Offset, Functions[F].Name))
        Functions[F].Slot = Slots[I].At;
}

void ClassFinder::findSlots(WantedFunction *Functions, unsigned N) {
  // The binary's symbol table, and the texts of its names.
  Elf64_Shdr S, Strings;
  for (unsigned I = 0; RelroEnd && !HasSymbols && I != Header.e_shnum; ++I)
    HasSymbols = read(&S, sizeof(S), Header.e_shoff + I * sizeof(S)) &&
                 S.sh_type == SHT_SYMTAB && S.sh_link < Header.e_shnum &&
                 read(&Strings, sizeof(Strings),
                      Header.e_shoff + uint64_t(S.sh_link) * sizeof(Strings));
  if (!HasSymbols)
    return;
  listSlots(Functions, N);
  constexpr unsigned AtOnce = PartBytes / sizeof(Elf64_Sym);
  uint64_t Count = S.sh_size / sizeof(Elf64_Sym);
  for (uint64_t First = 0; First < Count; First += AtOnce) {
    uint64_t Some = Count - First < AtOnce ? Count - First : AtOnce;
    if (!read(Buffer, Some * sizeof(Elf64_Sym),
              S.sh_offset + First * sizeof(Elf64_Sym)))
      return;
    auto *Symbols = reinterpret_cast<const Elf64_Sym *>(Buffer);
    for (uint64_t I = 0; I != Some; ++I) {
      uintptr_t Address = Bias + Symbols[I].st_value;
      if (ELF64_ST_TYPE(Symbols[I].st_info) == STT_FUNC && mayHave(Address))
        noteFunction(Functions, N, Address,
                     Strings.sh_offset + Symbols[I].st_name);
    }
  }
}
