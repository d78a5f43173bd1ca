// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of one binary, from files that belong together.

#include "BinarySymbols.h"
#include "DemangledName.h"
#include "FrameLocations.h"
#include "SharedDwarf.h"
#include "Support/Failure.h"
#include "SymbolTable.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/Symbolize/SymbolizableObjectFile.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/Decompressor.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>

using namespace llvm;
using namespace memkit;

namespace {
/// An object file and its bytes.
struct MappedObject {
  std::unique_ptr<MemoryBuffer> Bytes;
  std::unique_ptr<object::ObjectFile> File; ///< null: none
};

/// What compressed sections may take when they are decompressed.
struct SectionBudget {
  uint64_t Max, Left; ///< bytes
};
} // namespace

class BinarySymbols::Impl {
public:
  explicit Impl(uint64_t MaxSectionBytes)
      : Budget{MaxSectionBytes, MaxSectionBytes} {}
  Error open(const SymbolFiles &Files);

  MappedObject Debug, Table;
  DwarfSections Joined; ///< of Debug and the file that Debug shares
  /// Without a debug file. None of Table's debug information is read then.
  std::unique_ptr<SymbolTable> Plain;
  std::unique_ptr<symbolize::SymbolizableObjectFile> Module;
  DWARFContext *Dwarf = nullptr; ///< owned by Module
  std::string Damage;
  void keepLines(uint64_t Address);

private:
  /// Units whose tables of lines stay in memory.
  static constexpr size_t MaxLineTables = 32;
  SectionBudget Budget;
  SmallVector<DWARFUnit *, MaxLineTables + 1> WithLines; ///< most recent last
  Expected<std::unique_ptr<DWARFContext>> openDwarf(const SymbolFiles &Files);
  void note(Error E);
};

void BinarySymbols::Impl::note(Error E) {
  std::string Text = toString(std::move(E));
  if (Damage.empty())
    Damage = StringRef(Text).take_front(300).split('\n').first.str();
}

/// Maximum size of a decompressed section, in sizes of the compressed section:
/// ordinary debug information shrinks to a third or a tenth, tables of zeros to
/// a thousandth.
static constexpr uint64_t MaxRatio = 100;
/// A section below this size may have any ratio.
static constexpr uint64_t SmallBytes = 1 << 20;

/// Checks the sizes that compressed sections claim, which LLVM believes and
/// decompresses at once. Takes them from Budget.
static Error checkClaims(const object::ObjectFile &File,
                         SectionBudget &Budget) {
  for (const object::SectionRef &S : File.sections()) {
    if (!S.isCompressed())
      continue;
    Expected<StringRef> Bytes = S.getContents();
    if (!Bytes)
      return Bytes.takeError();
    auto Packed = object::Decompressor::create(
        "", *Bytes, File.isLittleEndian(), File.is64Bit());
    if (!Packed)
      return Packed.takeError();
    uint64_t Claimed = Packed->getDecompressedSize();
    if (Claimed > SmallBytes && Claimed / MaxRatio > Bytes->size())
      return makeError("a section of " + Twine(Bytes->size()) +
                       " bytes claims " + Twine(Claimed) +
                       " bytes when it is decompressed");
    if (Claimed > Budget.Left)
      return makeError("the compressed sections claim more than " +
                       Twine(Budget.Max >> 20) +
                       " MiB when they are decompressed");
    Budget.Left -= Claimed;
  }
  return Error::success();
}

static Error openObject(const std::string &Path, MappedObject &Out) {
  Expected<object::OwningBinary<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(Path);
  if (!File)
    return File.takeError();
  std::tie(Out.File, Out.Bytes) = File->takeBinary();
  return Error::success();
}

static Error openDebugFile(const std::string &Path, SectionBudget &Budget,
                           MappedObject &Out) {
  if (Error E = openObject(Path, Out))
    return E;
  return checkClaims(*Out.File, Budget);
}

Expected<std::unique_ptr<DWARFContext>>
BinarySymbols::Impl::openDwarf(const SymbolFiles &Files) {
  auto OnError = [this](Error E) { note(std::move(E)); };
  const object::ObjectFile &Main = *Debug.File;
  if (usesSharedDwarf(Main)) {
    MappedObject Alt;
    if (!Files.Alt.empty())
      if (Error E = openDebugFile(Files.Alt, Budget, Alt))
        return makeError("the shared file: " + toString(std::move(E)));
    return joinSharedDwarf(Main, Alt.File.get(), Joined, OnError);
  }
  return DWARFContext::create(Main,
                              DWARFContext::ProcessDebugRelocations::Process,
                              nullptr, "", OnError, OnError);
}

Error BinarySymbols::Impl::open(const SymbolFiles &Files) {
  if (!Files.Debug.empty())
    if (Error E = openDebugFile(Files.Debug, Budget, Debug))
      return E;
  if (!Files.Symbols.empty() && Files.Symbols != Files.Debug)
    if (Error E = openObject(Files.Symbols, Table))
      return E;
  if (Files.Debug.empty()) {
    if (!Table.File)
      return makeError("no file has symbols");
    if (Error E = SymbolTable::create(*Table.File).moveInto(Plain))
      return E;
    return Plain ? Error::success() : makeError("is no ELF file of 64 bits");
  }
  Expected<std::unique_ptr<DWARFContext>> Context = openDwarf(Files);
  if (!Context)
    return Context.takeError();
  Dwarf = Context->get();
  const object::ObjectFile *Symbols = (Table.File ? Table : Debug).File.get();
  auto Made = symbolize::SymbolizableObjectFile::create(
      Symbols, std::move(*Context), /*UntagAddresses=*/false);
  if (!Made)
    return Made.takeError();
  Module = std::move(*Made);
  return Error::success();
}

/// LLVM keeps the table of lines of each unit that was asked for: 40 bytes a
/// row, which is a third of the memory of a process that finds names. Drops the
/// tables of the units that were not asked for lately.
void BinarySymbols::Impl::keepLines(uint64_t Address) {
  DWARFUnit *Unit = Dwarf->getCompileUnitForCodeAddress(Address);
  if (!Unit || (!WithLines.empty() && WithLines.back() == Unit))
    return;
  erase(WithLines, Unit);
  WithLines.push_back(Unit);
  if (WithLines.size() <= MaxLineTables)
    return;
  Dwarf->clearLineTableForUnit(WithLines.front());
  WithLines.erase(WithLines.begin());
}

BinarySymbols::BinarySymbols(std::unique_ptr<Impl> I) : I(std::move(I)) {}
BinarySymbols::~BinarySymbols() = default;

Expected<std::unique_ptr<BinarySymbols>>
BinarySymbols::open(const SymbolFiles &Files, uint64_t MaxSectionBytes) {
  auto I = std::make_unique<Impl>(MaxSectionBytes);
  if (Error E = I->open(Files))
    return std::move(E);
  return std::unique_ptr<BinarySymbols>(new BinarySymbols(std::move(I)));
}

/// (MemoryBuffer::dontNeedIfMmap() asks by posix_madvise(), which glibc
/// ignores.)
static void releasePagesOf(const MemoryBuffer &Bytes) {
  if (Bytes.getBufferKind() != MemoryBuffer::MemoryBuffer_MMap)
    return;
  auto Begin = reinterpret_cast<uintptr_t>(Bytes.getBufferStart());
  uintptr_t Page = Begin & ~uintptr_t(sys::Process::getPageSizeEstimate() - 1);
  madvise(reinterpret_cast<void *>(Page), Bytes.getBufferSize() + Begin - Page,
          MADV_DONTNEED);
}

void BinarySymbols::releasePages() {
  for (MappedObject *O : {&I->Debug, &I->Table})
    if (O->Bytes)
      releasePagesOf(*O->Bytes);
}

StringRef BinarySymbols::damage() const { return I->Damage; }

static std::vector<SourceLocation> resolvePlain(const SymbolTable &Symbols,
                                                uint64_t Address) {
  StringRef Name = Symbols.at(Address);
  if (Name.empty())
    return {};
  SourceLocation L;
  L.Function = plainName(demangledName(Name.str()));
  return {std::move(L)};
}

std::vector<SourceLocation> BinarySymbols::resolve(uint64_t Address) {
  if (I->Plain)
    return resolvePlain(*I->Plain, Address);
  DILineInfoSpecifier Wanted(
      DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
      DILineInfoSpecifier::FunctionNameKind::LinkageName);
  DIInliningInfo Info = I->Module->symbolizeInlinedCode(
      {Address, object::SectionedAddress::UndefSection}, Wanted,
      /*UseSymbolTable=*/true);
  for (uint32_t F = 0; F != Info.getNumberOfFrames(); ++F) {
    DILineInfo *Line = Info.getMutableFrame(F);
    Line->FunctionName = demangledName(Line->FunctionName, I->Module.get());
  }
  auto Locations = locationsOf(std::move(Info), Address, I->Dwarf);
  I->keepLines(Address);
  // The name may be in a shared file that was not found.
  for (SourceLocation &L : Locations)
    if (L.Function.empty())
      L.Function = "?";
  return Locations;
}
