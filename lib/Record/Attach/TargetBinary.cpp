// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary that a program has loaded.

#include "Attach/TargetBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>
#include <tuple>

using namespace llvm;
using namespace llvm::ELF;
using namespace memkit;

static constexpr size_t MaxCode = 64 << 20, MaxSymbols = 1 << 20,
                        MaxHeaders = 256, MaxDynamic = 4096;

TargetBinary::TargetBinary(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                           size_t First)
    : Path(Maps[First].Path) {
  for (const TargetMap &M : Maps.drop_front(First)) {
    if (M.Path != Path)
      continue;
    Start = Start ? Start : M.Start;
    End = M.End;
    if (M.IsExecutable)
      Code.push_back({M.Start, M.End, {}});
  }
  Elf64_Ehdr Header;
  if (!Memory.read(Start, Header) ||
      std::memcmp(Header.e_ident, ElfMagic, 4) != 0 ||
      Header.e_phnum > MaxHeaders || Header.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  std::vector<Elf64_Phdr> Headers(Header.e_phnum);
  if (!Memory.read(Start + Header.e_phoff, Headers.data(),
                   Headers.size() * sizeof(Elf64_Phdr)))
    return;
  Bias = Header.e_type == ET_EXEC ? 0 : Start;
  for (const Elf64_Phdr &P : Headers)
    if (P.p_type == PT_DYNAMIC)
      readDynamic(Memory, Bias + P.p_vaddr);
}

void TargetBinary::readDynamic(const TargetMemory &Memory, uint64_t Dynamic) {
  for (size_t I = 0; I != MaxDynamic; ++I) {
    Elf64_Dyn D;
    if (!Memory.read(Dynamic + I * sizeof(D), D) || D.d_tag == DT_NULL)
      break;
    // glibc has made most addresses absolute.
    uint64_t At = D.d_un.d_ptr < Bias ? D.d_un.d_ptr + Bias : D.d_un.d_ptr;
    if (D.d_tag == DT_SYMTAB)
      Symtab = At;
    else if (D.d_tag == DT_STRTAB)
      Strtab = At;
    else if (D.d_tag == DT_STRSZ)
      StringBytes = D.d_un.d_val;
    else if (D.d_tag == DT_GNU_HASH)
      GnuHash = At;
  }
}

void TargetBinary::readAll(const TargetMemory &Memory) {
  for (CodePart &C : Code)
    C.Bytes =
        Memory.readUpTo(C.Start, std::min<uint64_t>(C.End - C.Start, MaxCode));
  readFunctions(Memory);
}

bool TargetBinary::exports(const TargetMemory &Memory, StringRef Name) const {
  uint32_t Head[4], Index, Word, Hash = 5381;
  for (uint8_t C : Name.bytes())
    Hash = Hash * 33 + C;
  if (!GnuHash || !Memory.read(GnuHash, Head) || !Head[0])
    return false;
  uint64_t Buckets = GnuHash + sizeof(Head) + uint64_t(Head[2]) * 8;
  uint64_t Chain = Buckets + uint64_t(Head[0]) * sizeof(uint32_t);
  if (!Memory.read(Buckets + uint64_t(Hash % Head[0]) * sizeof(Index), Index) ||
      Index < Head[1])
    return false;
  for (size_t Steps = 0; Steps != MaxSymbols; ++Steps, ++Index) {
    if (!Memory.read(Chain + uint64_t(Index - Head[1]) * sizeof(Word), Word))
      return false;
    Elf64_Sym S;
    if ((Word | 1) == (Hash | 1) &&
        Memory.read(Symtab + Index * sizeof(S), S) && S.st_shndx != SHN_UNDEF) {
      std::vector<uint8_t> Text =
          Memory.readUpTo(Strtab + S.st_name, Name.size() + 1);
      if (Text.size() == Name.size() + 1 && !Text.back() &&
          std::memcmp(Text.data(), Name.data(), Name.size()) == 0)
        return true;
    }
    if (Word & 1)
      return false;
  }
  return false;
}

/// The number of symbols that a GNU hash table leads to.
static uint64_t countSymbols(const TargetMemory &Memory, uint64_t GnuHash) {
  uint32_t Head[4];
  if (!Memory.read(GnuHash, Head))
    return 0;
  uint64_t Buckets = GnuHash + sizeof(Head) + uint64_t(Head[2]) * 8;
  if (Head[0] > MaxSymbols)
    return 0;
  std::vector<uint32_t> First(Head[0]);
  if (!Memory.read(Buckets, First.data(), First.size() * sizeof(uint32_t)))
    return 0;
  uint32_t Last = 0;
  for (uint32_t F : First)
    Last = std::max(Last, F);
  if (Last < Head[1])
    return Head[1];
  uint64_t Chain = Buckets + First.size() * sizeof(uint32_t);
  for (uint32_t Word = 0; Last < MaxSymbols; ++Last) {
    if (!Memory.read(Chain + uint64_t(Last - Head[1]) * sizeof(Word), Word))
      return 0;
    if (Word & 1)
      break;
  }
  return uint64_t(Last) + 1;
}

void TargetBinary::readFunctions(const TargetMemory &Memory) {
  uint64_t Count = GnuHash ? countSymbols(Memory, GnuHash) : 0;
  if (!Symtab || !Strtab || !Count || StringBytes > MaxCode)
    return;
  std::vector<Elf64_Sym> Symbols(Count);
  std::vector<char> Strings(StringBytes + 1);
  if (!Memory.read(Symtab, Symbols.data(), Count * sizeof(Elf64_Sym)) ||
      !Memory.read(Strtab, Strings.data(), StringBytes))
    return;
  for (const Elf64_Sym &S : Symbols)
    if (S.st_shndx != SHN_UNDEF && S.st_name < StringBytes &&
        S.getType() == STT_FUNC)
      Functions.push_back({Strings.data() + S.st_name, Bias + S.st_value,
                           Bias + S.st_value + S.st_size});
  llvm::sort(Functions, [](const TargetFunction &A, const TargetFunction &B) {
    // Of several names the usual one comes last: __libc_malloc, malloc.
    return std::tie(A.Start, A.Name) < std::tie(B.Start, B.Name);
  });
}

const TargetFunction *TargetBinary::find(StringRef Name) const {
  const auto *Found = find_if(
      functions(), [=](const TargetFunction &F) { return F.Name == Name; });
  return Found == functions().end() ? nullptr : Found;
}

const TargetFunction *TargetBinary::functionAt(uint64_t Address) const {
  const auto *After = partition_point(
      functions(), [=](const TargetFunction &F) { return F.Start <= Address; });
  // Names of one function follow each other.
  if (After == functions().begin() || (After - 1)->End <= Address)
    return nullptr;
  return After - 1;
}

ArrayRef<uint8_t> TargetBinary::codeBefore(uint64_t Address,
                                           size_t Bytes) const {
  for (const CodePart &C : Code)
    if (Address >= C.Start + Bytes && Address <= C.Start + C.Bytes.size())
      return ArrayRef(C.Bytes).slice(Address - C.Start - Bytes, Bytes);
  return {};
}

bool TargetBinary::isAfterCall(uint64_t Address) const {
  ArrayRef<uint8_t> B = codeBefore(Address, 7);
  if (B.empty())
    return false;
  // The second byte of a call by a register or memory: /2.
  auto IsCall = [](uint8_t ModRm) { return (ModRm & 0x38) == 0x10; };
  return B[2] == 0xe8 || (B[5] == 0xff && IsCall(B[6])) ||
         (B[4] == 0xff && IsCall(B[5])) || (B[3] == 0xff && IsCall(B[4])) ||
         (B[1] == 0xff && IsCall(B[2])) || (B[0] == 0xff && IsCall(B[1]));
}

uint64_t TargetBinary::findCode(StringRef Bytes) const {
  for (const CodePart &C : Code) {
    StringRef Text(reinterpret_cast<const char *>(C.Bytes.data()),
                   C.Bytes.size());
    size_t At = Text.find(Bytes);
    if (At != StringRef::npos)
      return C.Start + At;
  }
  return 0;
}
