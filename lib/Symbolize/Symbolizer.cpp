// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in binaries to source code.

#include "Symbolizer.h"
#include "FrameLocations.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/Symbolize/SymbolizableObjectFile.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"

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
  DWARFContext *dwarfOf(const std::string &Path);

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

/// The debug information behind Path, which is open; null: none.
DWARFContext *Symbolizer::Impl::dwarfOf(const std::string &Path) {
  Expected<symbolize::SymbolizableModule *> Binary =
      Llvm.getOrCreateModuleInfo(Path);
  if (!Binary) {
    consumeError(Binary.takeError());
    return nullptr;
  }
  if (!*Binary)
    return nullptr;
  // For an ELF file LLVM always returns a SymbolizableObjectFile.
  return dyn_cast_or_null<DWARFContext>(
      debugInfoOf(static_cast<symbolize::SymbolizableObjectFile &>(**Binary)));
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
  Out = locationsOf(std::move(*Info), Address, I->dwarfOf(Path));
  I->Llvm.pruneCache();
  return Out;
}
