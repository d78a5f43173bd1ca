// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbol table of an ELF file, by address.

#include "SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <memory>

using namespace llvm;
using namespace memkit;

Expected<std::unique_ptr<SymbolTable>>
SymbolTable::create(const object::ObjectFile &File) {
  std::unique_ptr<SymbolTable> Table;
  if (auto *Elf = dyn_cast<object::ELFObjectFile<object::ELF64LE>>(&File)) {
    Table = std::make_unique<SymbolTable>();
    if (Error E = Table->read(Elf->getELFFile()))
      return std::move(E);
  }
  return Table;
}

Error SymbolTable::read(const ElfFile &File) {
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  const ElfFile::Elf_Shdr *Chosen = nullptr;
  std::vector<char> IsInMemory;
  for (const ElfFile::Elf_Shdr &S : *Sections) {
    IsInMemory.push_back((S.sh_flags & ELF::SHF_ALLOC) != 0);
    bool IsFull = S.sh_type == ELF::SHT_SYMTAB;
    if (IsFull || (S.sh_type == ELF::SHT_DYNSYM && !Chosen))
      Chosen = &S;
  }
  if (!Chosen)
    return Error::success();
  auto Found = File.symbols(Chosen);
  if (!Found)
    return Found.takeError();
  auto Strings = File.getStringTableForSymtab(*Chosen, *Sections);
  if (!Strings)
    return Strings.takeError();
  Symbols = *Found;
  Names = *Strings;
  readIndex(File, IsInMemory);
  sortIndex();
  return Error::success();
}

void SymbolTable::readIndex(const ElfFile &File, ArrayRef<char> IsInMemory) {
  bool HasMarkers = File.getHeader().e_machine == ELF::EM_AARCH64;
  auto IsCodeOrData = [&](const ElfSymbol &S) {
    // Sections of the reserved numbers are none, or have no address.
    if (S.st_shndx == ELF::SHN_UNDEF || S.st_shndx >= IsInMemory.size() ||
        !IsInMemory[S.st_shndx])
      return false;
    switch (S.getType()) {
    case ELF::STT_FUNC:
    case ELF::STT_GNU_IFUNC:
    case ELF::STT_OBJECT:
      return true;
    case ELF::STT_NOTYPE: // assembly; `$x` marks where code begins
      return !(HasMarkers && S.st_name < Names.size() &&
               Names[S.st_name] == '$');
    default:
      return false;
    }
  };
  Symbols = Symbols.take_front(UINT32_MAX);
  Index.reserve(size_t(count_if(Symbols, IsCodeOrData)));
  for (const auto &[I, S] : enumerate(Symbols))
    if (IsCodeOrData(S))
      Index.push_back({S.st_value, uint32_t(I),
                       uint32_t(std::min<uint64_t>(S.st_size, UINT32_MAX))});
}

/// Of the symbols at one address the longest stays: others may have no size.
void SymbolTable::sortIndex() {
  sort(Index, [](const IndexedSymbol &A, const IndexedSymbol &B) {
    return std::tie(A.Address, A.ShortSize, A.Number) <
           std::tie(B.Address, B.ShortSize, B.Number);
  });
  size_t Kept = 0;
  for (const IndexedSymbol &S : Index) {
    Kept -= Kept && Index[Kept - 1].Address == S.Address;
    Index[Kept++] = S;
  }
  Index.resize(Kept);
  Index.shrink_to_fit();
}

StringRef SymbolTable::at(uint64_t Address) const {
  auto It =
      upper_bound(Index, Address, [](uint64_t Wanted, const IndexedSymbol &S) {
        return Wanted < S.Address;
      });
  if (It == Index.begin())
    return "";
  const ElfSymbol &S = Symbols[std::prev(It)->Number];
  if (S.st_size && Address - S.st_value >= S.st_size)
    return "";
  // The table ends with a NUL: LLVM has checked it.
  return S.st_name < Names.size() ? StringRef(Names.data() + S.st_name) : "";
}
