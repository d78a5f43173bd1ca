// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The detours of the allocators that are built into a binary.

#include "PrivateDetours.h"

#include "CodeImage.h"
#include "DetourPlan.h"
#include "PrivateFunctions.h"
#include "RegisterUse.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cstring>
#include <optional>

using namespace memkit;
using namespace llvm;
using namespace llvm::object;
using wire::DetourReply;

namespace {

/// A function of an allocator that is built in, under the name of its symbol.
struct BuiltIn {
  wire::DetourCall Call;
  uint8_t Pool;
};

class Planner {
public:
  Planner(const CodeImage::CodeFile &File, StringRef Name, DetourReply &Reply)
      : File(File), Name(Name), Reply(Reply) {}
  Error run();

private:
  using SymbolList = CodeImage::CodeFile::Elf_Shdr;
  /// The allocators that a file's symbols tell of.
  struct FoundAllocators {
    /// By prefix; null: exported.
    StringMap<const PrivateAllocator *> Signed;
    bool HasMalloc = false; ///< exports malloc
    bool HasTests = false;  ///< has a function that runs a test
    StringRef OwnName;      ///< of the allocator behind malloc; empty: unknown
  };
  Expected<bool> isProgram() const;
  Error findAllocators();
  Error readSymbols(const SymbolList &In, bool IsProgram, FoundAllocators &To);
  std::optional<uint8_t> poolOf(StringRef Allocator);
  void add(StringRef Allocator, ArrayRef<PrivateFunction> Its,
           StringRef Prefix);
  void refuseEndless(ArrayRef<CodeSymbol> Of,
                     MutableArrayRef<PlannedFunction> Plans) const;
  void put(const PlannedFunction &P, const CodeSymbol &Of,
           ArrayRef<uint8_t> Original);

  const CodeImage::CodeFile &File;
  StringRef Name;
  DetourReply &Reply;
  StringMap<BuiltIn> Functions; ///< by symbol
};

} // namespace

/// Copies what there is room for, and a NUL.
static void copyText(MutableArrayRef<char> To, StringRef Text) {
  Text = Text.take_front(To.size() - 1);
  memcpy(To.data(), Text.data(), Text.size());
  To[Text.size()] = 0;
}

/// The number of the allocator's heap; none: there are too many.
std::optional<uint8_t> Planner::poolOf(StringRef Allocator) {
  char Text[DetourReply::NameBytes] = {};
  copyText(Text, (Allocator + "@" + Name).str());
  for (uint32_t I = 0; I < Reply.NumPools; ++I)
    if (StringRef(Reply.Pools[I]) == StringRef(Text))
      return uint8_t(I);
  if (Reply.NumPools == DetourReply::MaxPools)
    return std::nullopt;
  memcpy(Reply.Pools[Reply.NumPools], Text, sizeof(Text));
  return uint8_t(Reply.NumPools++);
}

void Planner::add(StringRef Allocator, ArrayRef<PrivateFunction> Its,
                  StringRef Prefix) {
  if (std::optional<uint8_t> Pool = poolOf(Allocator))
    for (const PrivateFunction &F : Its)
      Functions.try_emplace((Prefix + F.Name).str(), BuiltIn{F.Call, *Pool});
}

/// Whether a table of names has the sign of an allocator. Most files have none,
/// and some have a hundred MB of names.
static bool hasSign(StringRef Names) {
  auto Has = [&](const std::string &Text) {
    // With the NUL that ends a name.
    return memmem(Names.data(), Names.size(), Text.c_str(), Text.size() + 1);
  };
  return any_of(privateAllocators(),
                [&](const PrivateAllocator &A) {
                  return Has((A.Prefix + A.Sign).str());
                }) ||
         any_of(testFunctions(),
                [&](const PrivateFunction &F) { return Has(F.Name.str()); });
}

/// An allocator that may stand behind an executable's own malloc.
static StringRef ownerOf(StringRef Symbol) {
  return StringSwitch<StringRef>(Symbol)
      .Case("mallocx", "jemalloc")
      .Case("mi_malloc_aligned", "mimalloc")
      .Cases("tc_malloc", "TCMallocInternalMalloc", "tcmalloc")
      .Case("rpmalloc", "rpmalloc")
      .Default("");
}

/// A file that is run, and no library that can also be run, as libc.
Expected<bool> Planner::isProgram() const {
  auto Headers = File.program_headers();
  if (!Headers)
    return Headers.takeError();
  if (none_of(*Headers,
              [](const auto &P) { return P.p_type == ELF::PT_INTERP; }))
    return false;
  auto Entries = File.dynamicEntries();
  if (!Entries)
    return Entries.takeError();
  return none_of(*Entries,
                 [](const auto &D) { return D.getTag() == ELF::DT_SONAME; });
}

Error Planner::readSymbols(const SymbolList &In, bool IsProgram,
                           FoundAllocators &To) {
  auto Names = File.getStringTableForSymtab(In);
  if (!Names)
    return Names.takeError();
  if (!IsProgram && !hasSign(*Names))
    return Error::success();
  auto Symbols = File.symbols(&In);
  if (!Symbols)
    return Symbols.takeError();
  bool IsExported = In.sh_type == ELF::SHT_DYNSYM;
  for (const auto &S : *Symbols) {
    if (S.getType() != ELF::STT_FUNC || S.st_shndx == ELF::SHN_UNDEF)
      continue;
    auto Text = S.getName(*Names);
    if (!Text)
      return Text.takeError();
    To.HasMalloc |= IsExported && *Text == "malloc";
    To.HasTests |= any_of(testFunctions(), [&](const PrivateFunction &F) {
      return *Text == F.Name;
    });
    if (StringRef Owner = ownerOf(*Text); !Owner.empty())
      To.OwnName = Owner;
    StringRef Prefix;
    if (const PrivateAllocator *A = signedBy(*Text, Prefix))
      To.Signed.try_emplace(Prefix, IsExported && A->HasHooks ? nullptr : A);
  }
  return Error::success();
}

Error Planner::findAllocators() {
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  Expected<bool> IsProgram = isProgram();
  if (!IsProgram)
    return IsProgram.takeError();
  FoundAllocators Found;
  for (uint32_t Type : {ELF::SHT_DYNSYM, ELF::SHT_SYMTAB})
    for (const auto &In : *Sections)
      if (In.sh_type == Type)
        if (Error E = readSymbols(In, *IsProgram, Found))
          return E;
  for (const auto &[Prefix, A] : Found.Signed) {
    if (A)
      add(A->Name, A->Functions, Prefix);
    if (A && A->HasFunctionsOfC)
      add(A->Name, functionsOfC(), Prefix);
  }
  if (Found.HasTests)
    add("googletest", testFunctions(), "");
  // The loader looks into an executable before it looks into preloaded
  // libraries, so nobody's calls of malloc reach the capture library's.
  if (*IsProgram && Found.HasMalloc) {
    StringRef Owner = Found.OwnName.empty() ? "malloc" : Found.OwnName;
    add(Owner, functionsOfC(), "");
    for (const PrivateAllocator &A : privateAllocators())
      if (A.Name == Owner && A.Prefix.empty())
        add(Owner, A.Functions, "");
  }
  return Error::success();
}

void Planner::put(const PlannedFunction &P, const CodeSymbol &Of,
                  ArrayRef<uint8_t> Original) {
  const DetourPlan &Plan = P.Plan;
  std::string Refusal = P.Refusal;
  if (Refusal.empty() && (Plan.Replaced > wire::Detour::MaxReplaced ||
                          Plan.Moved.size() > wire::Detour::MaxMoved ||
                          Plan.Words.size() > wire::Detour::MaxWords))
    Refusal = "its first instructions are too long";
  if (Refusal.empty() && Reply.NumDetours == DetourReply::MaxDetours)
    Refusal = "there are too many functions";
  if (!Refusal.empty()) {
    copyText(Reply.Refused, (Of.Name + ": " + Refusal).str());
    ++Reply.NumRefused;
    return;
  }
  const BuiltIn &B = Functions.find(Of.Name)->second;
  wire::Detour &D = Reply.Detours[Reply.NumDetours++];
  D.At = Plan.At;
  D.Call = B.Call;
  D.Pool = B.Pool;
  D.NumReplaced = Plan.Replaced;
  D.NumMoved = uint8_t(Plan.Moved.size());
  D.NumWords = uint8_t(Plan.Words.size());
  memcpy(D.Original, Original.data(), Plan.Replaced);
  memcpy(D.Moved, Plan.Moved.data(), Plan.Moved.size());
  for (size_t I = 0; I < Plan.Words.size(); ++I) {
    const MovedWord &W = Plan.Words[I];
    D.Words[I] = {W.Target, W.At, W.End, {}};
  }
}

Error Planner::run() {
  if (Error E = findAllocators())
    return E;
  if (Functions.empty())
    return Error::success();
  auto Image = CodeImage::create(File);
  if (!Image)
    return Image.takeError();
  std::vector<CodeSymbol> Chosen;
  // Several names may mean one function.
  for (const CodeSymbol &F : Image->functions())
    if (Functions.count(F.Name) &&
        (Chosen.empty() || Chosen.back().Address != F.Address))
      Chosen.push_back(F);
  std::vector<PlannedFunction> Plans = planDetours(*Image, Chosen);
  CodeReader Reader;
  RegisterUse Registers(Reader, *Image);
  for (size_t I = 0; I < Plans.size(); ++I)
    if (Plans[I].Refusal.empty() && !Registers.mayChangeAll(Chosen[I]))
      Plans[I].Refusal = "its callers may count on registers";
  refuseEndless(Chosen, Plans);
  for (size_t I = 0; I < Plans.size(); ++I)
    put(Plans[I], Chosen[I], Image->from(Plans[I].Plan.At));
  return Error::success();
}

/// `free` behind any prefix, and not `cfree` or `vfree`, which few call.
static bool isUsualFree(StringRef Name) {
  return Name.consume_back("free") && !Name.ends_with("c") &&
         !Name.ends_with("v");
}

/// Blocks whose end cannot be seen are better not recorded: all would leak.
void Planner::refuseEndless(ArrayRef<CodeSymbol> Of,
                            MutableArrayRef<PlannedFunction> Plans) const {
  for (size_t I = 0; I != Of.size(); ++I) {
    const BuiltIn &Free = Functions.find(Of[I].Name)->second;
    if (Plans[I].Refusal.empty() || Free.Call.Task != wire::DetourTask::Free ||
        !isUsualFree(Of[I].Name))
      continue;
    for (size_t J = 0; J != Of.size(); ++J)
      if (Plans[J].Refusal.empty() &&
          Functions.find(Of[J].Name)->second.Pool == Free.Pool)
        Plans[J].Refusal = ("its blocks have no end, as " + Of[I].Name + ": " +
                            Plans[I].Refusal)
                               .str();
  }
}

Expected<DetourReply> memkit::planPrivateAllocators(StringRef File,
                                                    StringRef Name) {
  auto Opened = ObjectFile::createObjectFile(File);
  if (!Opened)
    return Opened.takeError();
  const auto *Elf = dyn_cast<ELF64LEObjectFile>(Opened->getBinary());
  if (!Elf || Elf->getArch() != Triple::x86_64)
    return makeError("not a binary for x86-64");
  DetourReply Reply = {};
  BuildIDRef Id = getBuildID(Elf).take_front(sizeof(Reply.BuildId));
  Reply.BuildIdBytes = uint32_t(Id.size());
  memcpy(Reply.BuildId, Id.data(), Id.size());
  if (Error E = Planner(Elf->getELFFile(), Name, Reply).run())
    return E;
  return Reply;
}
