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
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cstring>

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
  Error findAllocators();
  void add(const PrivateAllocator &A, StringRef Prefix);
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

void Planner::add(const PrivateAllocator &A, StringRef Prefix) {
  if (Reply.NumPools == DetourReply::MaxPools)
    return;
  uint8_t Pool = uint8_t(Reply.NumPools++);
  copyText(Reply.Pools[Pool], (A.Name + "@" + Name).str());
  for (const PrivateFunction &F : A.Functions)
    Functions.try_emplace((Prefix + F.Name).str(), BuiltIn{F.Call, Pool});
}

/// Whether a table of names has the sign of an allocator. Most files have none,
/// and some have a hundred MB of names.
static bool hasSign(StringRef Names) {
  return any_of(privateAllocators(), [&](const PrivateAllocator &A) {
    std::string Text = (A.Prefix + A.Sign).str();
    // With the NUL that ends a name.
    return memmem(Names.data(), Names.size(), Text.c_str(), Text.size() + 1);
  });
}

Error Planner::findAllocators() {
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  StringMap<const PrivateAllocator *> Found; // by prefix; null: exported
  for (uint32_t Type : {ELF::SHT_DYNSYM, ELF::SHT_SYMTAB})
    for (const auto &Section : *Sections) {
      if (Section.sh_type != Type)
        continue;
      auto Names = File.getStringTableForSymtab(Section);
      if (!Names)
        return Names.takeError();
      if (!hasSign(*Names))
        continue;
      auto Symbols = File.symbols(&Section);
      if (!Symbols)
        return Symbols.takeError();
      for (const auto &S : *Symbols) {
        auto Text = S.getName(*Names);
        if (!Text)
          return Text.takeError();
        StringRef Prefix;
        const PrivateAllocator *A = signedBy(*Text, Prefix);
        if (A && S.getType() == ELF::STT_FUNC && S.st_shndx != ELF::SHN_UNDEF)
          // A function that the file exports has a hook (AllocatorHooks.h of
          // the capture library).
          Found.try_emplace(Prefix, Type == ELF::SHT_DYNSYM ? nullptr : A);
      }
    }
  for (const auto &[Prefix, A] : Found)
    if (A)
      add(*A, Prefix);
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
  for (size_t I = 0; I < Plans.size(); ++I) {
    if (Plans[I].Refusal.empty() && !Registers.mayChangeAll(Chosen[I]))
      Plans[I].Refusal = "its callers may count on registers";
    put(Plans[I], Chosen[I], Image->from(Plans[I].Plan.At));
  }
  return Error::success();
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
