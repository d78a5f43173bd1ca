// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an ELF file for x86-64, and where its functions begin.

#include "CodeImage.h"

#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"

using namespace memkit;
using namespace llvm;
using namespace llvm::object;

Expected<CodeImage> CodeImage::create(const CodeFile &File) {
  CodeImage To;
  if (Error E = To.readSections(File))
    return E;
  if (Error E = To.readSymbols(File))
    return E;
  return To;
}

Error CodeImage::readSections(const CodeFile &File) {
  auto All = File.sections();
  if (!All)
    return All.takeError();
  for (const auto &S : *All) {
    if (!(S.sh_flags & ELF::SHF_EXECINSTR) || S.sh_type != ELF::SHT_PROGBITS)
      continue;
    auto Bytes = File.getSectionContents(S);
    if (!Bytes)
      return Bytes.takeError();
    if (S.sh_addr + Bytes->size() < S.sh_addr)
      return makeError("a section ends beyond the end of memory");
    Sections.push_back({S.sh_addr, *Bytes});
  }
  sort(Sections, [](const CodeBytes &A, const CodeBytes &B) {
    return A.Address < B.Address;
  });
  return Error::success();
}

Error CodeImage::readSymbols(const CodeFile &File) {
  auto All = File.sections();
  if (!All)
    return All.takeError();
  for (const auto &S : *All) {
    if (S.sh_type != ELF::SHT_SYMTAB && S.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Symbols = File.symbols(&S);
    if (!Symbols)
      return Symbols.takeError();
    auto Names = File.getStringTableForSymtab(S);
    if (!Names)
      return Names.takeError();
    for (const auto &Symbol : *Symbols) {
      bool IsChosen = Symbol.getType() == ELF::STT_GNU_IFUNC;
      if ((Symbol.getType() != ELF::STT_FUNC && !IsChosen) ||
          Symbol.st_shndx == ELF::SHN_UNDEF || !section(Symbol.st_value) ||
          Symbol.st_value + Symbol.st_size < Symbol.st_value)
        continue;
      auto Name = Symbol.getName(*Names);
      if (!Name)
        return Name.takeError();
      Functions.push_back({Symbol.st_value, Symbol.st_size, *Name, IsChosen});
    }
  }
  sort(Functions, [](const CodeSymbol &A, const CodeSymbol &B) {
    return std::tie(A.Address, A.Name) < std::tie(B.Address, B.Name);
  });
  Functions.erase(unique(Functions,
                         [](const CodeSymbol &A, const CodeSymbol &B) {
                           return A.Address == B.Address && A.Name == B.Name;
                         }),
                  Functions.end());
  return Error::success();
}

const CodeBytes *CodeImage::section(uint64_t Address) const {
  auto Next = partition_point(
      Sections, [&](const CodeBytes &S) { return S.Address <= Address; });
  if (Next == Sections.begin() || !std::prev(Next)->has(Address))
    return nullptr;
  return &*std::prev(Next);
}

ArrayRef<uint8_t> CodeImage::from(uint64_t Address) const {
  const CodeBytes *S = section(Address);
  return S ? S->Bytes.drop_front(Address - S->Address) : ArrayRef<uint8_t>();
}

const CodeSymbol *CodeImage::before(uint64_t Address) const {
  auto Next = partition_point(
      Functions, [&](const CodeSymbol &F) { return F.Address <= Address; });
  return Next == Functions.begin() ? nullptr : &*std::prev(Next);
}

uint64_t CodeImage::nextBegin(uint64_t Address) const {
  auto Next = partition_point(
      Functions, [&](const CodeSymbol &F) { return F.Address <= Address; });
  const CodeBytes *S = section(Address);
  uint64_t End = S ? S->end() : Address;
  return Next == Functions.end() ? End : std::min(End, Next->Address);
}
