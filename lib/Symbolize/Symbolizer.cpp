// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in binaries to source code.

#include "Symbolizer.h"
#include "DwarfNames.h"
#include "Support/FunctionName.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/Symbolize/SymbolizableObjectFile.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

namespace {
/// Gives access to the debug information of a binary that LLVM has read but
/// keeps private. Reading it again would take as much memory again. C++ lets an
/// explicit instantiation name a private member.
template <auto Member> struct DebugInfoOf {
  friend DIContext *debugInfoOf(symbolize::SymbolizableObjectFile &File) {
    return (File.*Member).get();
  }
};
DIContext *debugInfoOf(symbolize::SymbolizableObjectFile &File);
template struct DebugInfoOf<
    &symbolize::SymbolizableObjectFile::DebugInfoContext>;
} // namespace

/// Whether Text is known: LLVM returns BadString for unknown names.
static bool isKnown(StringRef Text) {
  return !Text.empty() && Text != DILineInfo::BadString;
}

std::vector<uint8_t> memkit::readBuildId(StringRef Path) {
  Expected<object::OwningBinary<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return {};
  }
  object::BuildIDRef Id = object::getBuildID(File->getBinary());
  return {Id.begin(), Id.end()};
}

static symbolize::LLVMSymbolizer::Options optionsFor(size_t CacheBytes) {
  symbolize::LLVMSymbolizer::Options O;
  O.MaxCacheSize = CacheBytes;
  O.DebugFileDirectory = {"/usr/lib/debug"};
  O.FallbackDebugPath = "/usr/lib/debug";
  return O;
}

class Symbolizer::Impl {
public:
  explicit Impl(size_t CacheBytes) : Llvm(optionsFor(CacheBytes)) {}

  struct OpenBinary {
    std::vector<uint8_t> BuildId;
    std::vector<std::string> Places;
    bool Tried = false;
    std::string Path; ///< the chosen place, empty for none
  };

  const std::string &pathOf(OpenBinary &M);
  void completeNames(const std::string &Path, uint64_t Address,
                     DIInliningInfo &Info);

  symbolize::LLVMSymbolizer Llvm;
  std::vector<OpenBinary> Binaries;
};

const std::string &Symbolizer::Impl::pathOf(OpenBinary &M) {
  if (std::exchange(M.Tried, true))
    return M.Path;
  for (std::string &Place : M.Places) {
    if (!M.BuildId.empty() && readBuildId(Place) != M.BuildId)
      continue;
    // Opened now: the file may be gone at the next request.
    Expected<symbolize::SymbolizableModule *> Info =
        Llvm.getOrCreateModuleInfo(Place);
    if (!Info) {
      consumeError(Info.takeError());
      continue;
    }
    if (*Info) {
      M.Path = Place;
      break;
    }
  }
  M.Places.clear();
  return M.Path;
}

/// Whether a name has parameters, and therefore its scope. Also false for
/// operators that look like brackets.
static bool hasParameters(StringRef Name) {
  Name.consume_front("operator()");
  int Depth = 0;
  for (char C : Name) {
    if (C == '(' && Depth <= 0)
      return true;
    Depth += (C == '<') - (C == '>');
  }
  return false;
}

/// Completes the names of functions that debug information gives without scope
/// and parameters.
void Symbolizer::Impl::completeNames(const std::string &Path, uint64_t Address,
                                     DIInliningInfo &Info) {
  uint32_t Count = Info.getNumberOfFrames(), F = 0;
  auto IsWhole = [](const DILineInfo &L) {
    return !isKnown(L.FunctionName) || hasParameters(L.FunctionName);
  };
  while (F != Count && IsWhole(Info.getFrame(F)))
    ++F;
  if (F == Count)
    return;
  Expected<symbolize::SymbolizableModule *> Binary =
      Llvm.getOrCreateModuleInfo(Path);
  if (!Binary)
    return consumeError(Binary.takeError());
  if (!*Binary)
    return;
  // For an ELF file LLVM always returns a SymbolizableObjectFile.
  auto *Dwarf = dyn_cast_or_null<DWARFContext>(
      debugInfoOf(static_cast<symbolize::SymbolizableObjectFile &>(**Binary)));
  if (!Dwarf)
    return;
  std::vector<std::string> Names = wholeNamesAt(*Dwarf, Address);
  for (; F < Names.size() && F != Count; ++F)
    if (DILineInfo *L = Info.getMutableFrame(F);
        !IsWhole(*L) && !Names[F].empty())
      L->FunctionName = std::move(Names[F]);
}

Symbolizer::Symbolizer(size_t CacheBytes)
    : I(std::make_unique<Impl>(CacheBytes)) {}
Symbolizer::~Symbolizer() = default;

unsigned Symbolizer::addBinary(ArrayRef<uint8_t> BuildId,
                               std::vector<std::string> Places) {
  I->Binaries.push_back({BuildId.vec(), std::move(Places), false, {}});
  return unsigned(I->Binaries.size() - 1);
}

std::vector<SourceLocation> Symbolizer::resolve(unsigned Binary,
                                                uint64_t Address) {
  std::vector<SourceLocation> Out;
  const std::string &Path = I->pathOf(I->Binaries[Binary]);
  if (Path.empty())
    return Out;
  Expected<DIInliningInfo> Info = I->Llvm.symbolizeInlinedCode(
      Path, {Address, object::SectionedAddress::UndefSection});
  if (!Info) {
    consumeError(Info.takeError());
    return Out;
  }
  I->completeNames(Path, Address, *Info);
  uint32_t Count = std::min<uint32_t>(Info->getNumberOfFrames(), 255);
  for (uint32_t F = 0; F != Count; ++F) {
    const DILineInfo &Line = Info->getFrame(F);
    if (!isKnown(Line.FunctionName) && !isKnown(Line.FileName))
      continue;
    SourceLocation &L = Out.emplace_back();
    if (isKnown(Line.FunctionName))
      L.Function = rustFunctionName(Line.FunctionName);
    L.Line = Line.Line;
    L.StartLine = Line.StartLine;
    // Without a line the file is a guess from the symbol table: the last file
    // named before the symbol, often of another object.
    if (!L.Line && !L.StartLine)
      continue;
    if (isKnown(Line.StartFileName))
      L.File = Line.StartFileName;
    else if (isKnown(Line.FileName))
      L.File = Line.FileName;
  }
  I->Llvm.pruneCache();
  return Out;
}
