// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables, stacks and other memory of a program that hold its blocks.

#include "Census/GlobalNames.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;
using namespace memkit;

namespace {

/// The variables of a binary by address, from its file.
class Variables {
public:
  Variables(pid_t Pid, const TargetMap &Of, ArrayRef<TargetMap> Maps) {
    // The file as the program sees it.
    std::string Path = "/proc/" + std::to_string(Pid) + "/root" + Of.Path;
    Expected<object::OwningBinary<object::ObjectFile>> File =
        object::ObjectFile::createObjectFile(Path);
    if (!File) {
      consumeError(File.takeError());
      return;
    }
    const auto *Elf = dyn_cast<object::ELF64LEObjectFile>(File->getBinary());
    if (Elf)
      read(*Elf, biasOf(*Elf, Of, Maps));
  }

  /// The variable at Address; empty: none is known.
  std::string at(uint64_t Address) const {
    auto It = partition_point(
        All, [=](const Variable &V) { return V.Start <= Address; });
    if (It == All.begin() || Address >= std::prev(It)->End)
      return "";
    std::string Name = demangle(std::prev(It)->Name);
    StringRef Plain = Name;
    Plain.consume_back("[abi:cxx11]"); // of the C++ library's own names
    return Plain.str();
  }

private:
  struct Variable {
    uint64_t Start, End;
    std::string Name;
  };

  static uint64_t biasOf(const object::ELF64LEObjectFile &Elf,
                         const TargetMap &Of, ArrayRef<TargetMap> Maps) {
    const TargetMap *First = find_if(Maps, [&](const TargetMap &M) {
      return M.Inode == Of.Inode && M.Path == Of.Path;
    });
    auto Headers = Elf.getELFFile().program_headers();
    if (!Headers) {
      consumeError(Headers.takeError());
      return 0;
    }
    for (const auto &H : *Headers)
      if (H.p_type == ELF::PT_LOAD)
        return First->Start - First->Offset - (H.p_vaddr - H.p_offset);
    return 0;
  }

  void read(const object::ELF64LEObjectFile &Elf, uint64_t Bias) {
    auto Take = [&](object::ELFSymbolRef S) {
      Expected<uint64_t> Address = S.getAddress();
      Expected<StringRef> Name = S.getName();
      if (Address && Name && S.getELFType() == ELF::STT_OBJECT && S.getSize())
        All.push_back(
            {*Address + Bias, *Address + Bias + S.getSize(), Name->str()});
      consumeError(Address.takeError());
      consumeError(Name.takeError());
    };
    for (object::ELFSymbolRef S : Elf.symbols())
      Take(S);
    if (All.empty())
      for (object::ELFSymbolRef S : Elf.getDynamicSymbolIterators())
        Take(S);
    llvm::sort(All, [](const Variable &A, const Variable &B) {
      return A.Start < B.Start;
    });
  }

  std::vector<Variable> All;
};

/// Calls Do with the addresses and the values of the words from Begin to End.
void forEachWord(const TargetMemory &Memory, uint64_t Begin, uint64_t End,
                 function_ref<void(uint64_t, uint64_t)> Do) {
  std::vector<uint8_t> Buffer;
  forEachTouched(Memory, Begin, End, [&](uint64_t From, uint64_t Size) {
    ArrayRef<uint8_t> Bytes = Memory.readUpTo(From, size_t(Size), Buffer);
    for (size_t At = 0; At + 8 <= Bytes.size(); At += 8)
      Do(From + At, wordAt(Bytes, At));
  });
}

} // namespace

/// Of a binary's data, and of the zeros behind it.
static void addData(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                    const TargetMap &Of, uint64_t End, BlockGraph &To) {
  std::optional<Variables> Names;
  std::string Other = "data of " + sys::path::filename(Of.Path).str();
  forEachWord(Memory, Of.Start, End, [&](uint64_t At, uint64_t Word) {
    if (!To.find(Word))
      return;
    if (!Names)
      Names.emplace(Memory.pid(), Of, Maps);
    std::string Name = Names->at(At);
    To.addRoot(Word, Name.empty() ? Other : Name, Of.Path);
  });
}

/// Of memory that belongs to no binary, but for that of the allocators.
static void addOther(const TargetMemory &Memory, const TargetMap &M,
                     ArrayRef<std::pair<uint64_t, uint64_t>> Taken,
                     BlockGraph &To) {
  bool IsStack = M.Path == "[stack]";
  for (uint64_t At = M.Start, End; At < M.End; At = End) {
    const auto *T =
        partition_point(Taken, [=](auto &R) { return R.second <= At; });
    if (T != Taken.end() && T->first <= At) {
      End = T->second;
      continue;
    }
    End = T != Taken.end() ? std::min(M.End, T->first) : M.End;
    forEachWord(Memory, At, End, [&](uint64_t, uint64_t Word) {
      To.addRoot(Word,
                 IsStack ? "[main thread's stack]" : "[stacks and mappings]",
                 "");
    });
  }
}

/// Follows what variables hold before stacks: a stack often points into the
/// middle of a container.
void memkit::followGlobals(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                           ArrayRef<std::pair<uint64_t, uint64_t>> Taken,
                           BlockGraph &To) {
  std::vector<bool> IsDone(Maps.size());
  for (size_t I = 0; I != Maps.size(); ++I) {
    const TargetMap &M = Maps[I];
    if (!M.IsWritable || M.IsShared || !M.Inode)
      continue;
    bool HasZeros = I + 1 != Maps.size() && Maps[I + 1].Start == M.End &&
                    Maps[I + 1].Path.empty() && Maps[I + 1].IsWritable;
    addData(Memory, Maps, M, HasZeros ? Maps[I + 1].End : M.End, To);
    IsDone[I] = true;
    if (HasZeros)
      IsDone[I + 1] = true;
  }
  To.follow();
  for (size_t I = 0; I != Maps.size(); ++I)
    if (Maps[I].IsWritable && !Maps[I].IsShared && !IsDone[I] && !Maps[I].Inode)
      addOther(Memory, Maps[I], Taken, To);
  To.followAll();
}
