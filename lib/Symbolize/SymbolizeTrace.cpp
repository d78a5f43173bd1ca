// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds symbols to a trace.

#include "SymbolizeTrace.h"
#include "Symbolizer.h"
#include "Trace/NameTable.h"
#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Collects from the dictionary of a trace the parts that symbols need.
class Collector {
public:
  void add(const Dictionary &D) {
    Names.learn(D);
    Paths.insert(Paths.end(), D.Strings.begin(), D.Strings.end());
    Binaries.insert(Binaries.end(), D.Binaries.begin(), D.Binaries.end());
    Frames.insert(Frames.end(), D.Frames.begin(), D.Frames.end());
    Known.resize(unsigned(Frames.size()) + 1);
    for (const FrameSymbols &S : D.Symbols)
      if (S.Frame < Known.size())
        Known.set(S.Frame);
  }

  /// Resolves frames without symbols into Names.Pending.
  SymbolizeStats resolve() {
    SymbolizeStats Stats;
    Symbolizer Symbols;
    for (const Binary &M : Binaries)
      Symbols.addBinary(M.BuildId, {path(M.Path)});
    for (size_t F = 0; F != Frames.size(); ++F) {
      if (Frames[F].Kind != FrameKind::Native || Known.test(unsigned(F + 1)))
        continue;
      ++Stats.Frames;
      // Without a build-id, another binary of the same name might be used.
      uint32_t Container = Frames[F].Container;
      if (!Container || Container > Binaries.size() ||
          Binaries[Container - 1].BuildId.empty())
        continue;
      std::vector<SourceLocation> Locations =
          Symbols.resolve(Container - 1, Frames[F].Address);
      if (Locations.empty())
        continue;
      ++Stats.Resolved;
      Names.addSymbols(uint32_t(F + 1), Locations);
    }
    return Stats;
  }

  NameTable Names;

private:
  std::string path(uint32_t Id) const {
    return Id && Id <= Paths.size() ? Paths[Id - 1] : std::string();
  }
  std::vector<std::string> Paths;
  std::vector<Binary> Binaries;
  std::vector<Frame> Frames;
  BitVector Known;
};

} // namespace

Expected<SymbolizeStats> memkit::symbolizeTrace(SectionStream &In,
                                                TraceWriter &Out) {
  Collector C;
  for (;;) {
    Expected<std::optional<AnySection>> Next = In.next();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      break;
    Error E = std::visit(
        [&](const auto &Section) -> Error {
          using T = std::decay_t<decltype(Section)>;
          if constexpr (std::is_same_v<T, Dictionary>)
            C.add(Section);
          // The writer has written the header, and makes a new index.
          if constexpr (std::is_same_v<T, std::monostate> ||
                        std::is_same_v<T, Header> || std::is_same_v<T, Index>)
            return Error::success();
          else
            return Out.write(Section);
        },
        **Next);
    if (E)
      return E;
  }
  SymbolizeStats Stats = C.resolve();
  if (Error E = Out.write(C.Names.Pending))
    return E;
  if (Error E = Out.finish())
    return E;
  return Stats;
}
