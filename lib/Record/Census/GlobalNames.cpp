// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables, stacks and other memory of a program that hold its blocks.

#include "Census/GlobalNames.h"
#include "Census/TargetFile.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;
using namespace memkit;

namespace {

/// Rust's names end with `::h` and a hash of 16 digits.
StringRef withoutHash(StringRef Name) {
  auto [Path, Hash] = Name.rsplit("::h");
  constexpr size_t Digits = 16;
  return Hash.size() == Digits && all_of(Hash, isHexDigit) ? Path : Name;
}

/// The variables of a binary by address, from its file.
class Variables {
public:
  Variables(pid_t Pid, const TargetMap &Of, ArrayRef<TargetMap> Maps) {
    TargetFile File(Pid, Of);
    if (const object::ELF64LEObjectFile *Elf = File.elf())
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
    return withoutHash(Plain).str();
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

using Ranges = ArrayRef<std::pair<uint64_t, uint64_t>>;

/// The words from Begin to End, but for memory of the allocators: their lists
/// lead to the ends of blocks, too.
static void forEachWordBeside(Ranges Taken, const TargetMemory &Memory,
                              uint64_t Begin, uint64_t End,
                              function_ref<void(uint64_t, uint64_t)> Do) {
  forEachBeside(Taken, Begin, End, [&](uint64_t From, uint64_t To) {
    forEachWord(Memory, From, To, Do);
  });
}

/// Of a binary's data, and of the zeros behind it. IsProgram: the binary is the
/// program itself, whose variables need no file.
static void addData(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                    const TargetMap &Of, uint64_t End, Ranges Taken,
                    BlockGraph &To) {
  std::optional<Variables> Names;
  bool IsProgram = Of.Path == pathOfProgram(Memory.pid());
  std::string Other = "data of " + sys::path::filename(Of.Path).str();
  auto Take = [&](uint64_t At, uint64_t Word) {
    if (!To.find(Word))
      return;
    if (!Names)
      Names.emplace(Memory.pid(), Of, Maps);
    std::string Name = Names->at(At);
    To.addRoot(Word, Name.empty() ? Other : Name,
               IsProgram ? StringRef() : StringRef(Of.Path));
  };
  forEachWordBeside(Taken, Memory, Of.Start, End, Take);
}

/// Of memory from Begin to End that belongs to no binary, but for that of the
/// allocators.
static void addOther(const TargetMemory &Memory, uint64_t Begin, uint64_t End,
                     Ranges Taken, StringRef Name, BlockGraph &To) {
  forEachWordBeside(Taken, Memory, Begin, End, [&](uint64_t, uint64_t Word) {
    To.addRoot(Word, Name, "");
  });
}

/// Follows what variables hold before stacks: a stack often points into the
/// middle of a container.
void memkit::followGlobals(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                           Ranges Taken, Ranges Unread, BlockGraph &To) {
  // Where the part of a mapping begins that is no binary's.
  std::vector<uint64_t> Rest(Maps.size());
  for (size_t I = 0; I != Maps.size(); ++I) {
    const TargetMap &M = Maps[I];
    Rest[I] = std::max(Rest[I], M.Start);
    if (!M.IsWritable || M.IsShared || !M.Inode)
      continue;
    uint64_t End = M.End;
    if (I + 1 != Maps.size() && Maps[I + 1].Start == M.End &&
        Maps[I + 1].Path.empty()) {
      End = std::clamp(alignTo(endOfImage(Memory, Maps, M), TargetPage), M.End,
                       Maps[I + 1].End);
      Rest[I + 1] = End;
    }
    addData(Memory, Maps, M, End, Taken, To);
  }
  To.follow();
  for (size_t I = 0; I != Maps.size(); ++I)
    if (const TargetMap &M = Maps[I]; M.IsWritable && !M.IsShared && !M.Inode)
      addOther(Memory, Rest[I], M.End, Taken,
               M.Path == "[stack]" ? "[main thread's stack]"
                                   : "[stacks and mappings]",
               To);
  for (auto [Begin, End] : Unread)
    addOther(Memory, alignDown(Begin, TargetPage), alignTo(End, TargetPage), {},
             "[stacks and mappings]", To);
  To.followAll();
  // Few programs keep addresses there, and some have much of it.
  constexpr uint64_t MostShared = 256 << 20;
  for (const TargetMap &M : Maps)
    if (M.IsWritable && M.IsShared && M.End - M.Start <= MostShared)
      addOther(Memory, M.Start, M.End, Taken, "[shared memory]", To);
  To.followAll();
}
