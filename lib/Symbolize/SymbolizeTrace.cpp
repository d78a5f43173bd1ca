// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds symbols to a trace.

#include "SymbolizeTrace.h"
#include "DebugServers.h"
#include "FrameResolver.h"
#include "Trace/NameTable.h"
#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"

using namespace llvm;
using namespace memkit;

/// Copies the sections of In, without header and index, and collects what
/// symbols need.
static Error copySections(SectionStream &In, TraceWriter &Out, NameTable &Names,
                          TraceFrames &Trace, JitOwners *Owners) {
  for (;;) {
    Expected<std::optional<AnySection>> Next = In.next();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      return Error::success();
    Error E = std::visit(
        [&](const auto &Section) -> Error {
          using T = std::decay_t<decltype(Section)>;
          if constexpr (std::is_same_v<T, Dictionary>) {
            Names.learn(Section);
            Trace.add(Section);
          }
          if constexpr (std::is_same_v<T, Dictionary> ||
                        std::is_same_v<T, Summary>)
            if (Owners)
              Owners->add(Section);
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
}

Expected<SymbolizeStats>
memkit::symbolizeTrace(SectionStream &In, const Header &H, TraceWriter &Out,
                       const SymbolizeOptions &Options) {
  NameTable Names;
  TraceFrames Trace;
  JitOwners Owners;
  SymbolizeStats Stats;
  if (Error E = copySections(In, Out, Names, Trace,
                             Options.PerfMaps.empty() ? nullptr : &Owners))
    return std::move(E);
  FrameResolver Resolver(Trace, Options, Names);
  if (Error E = Resolver.chooseFiles(H.PageSize))
    return std::move(E);
  auto Jit = nameJitFrames(Trace, Owners, H, Options.PerfMaps,
                           [&](uint32_t Frame, const std::string &Name) {
                             SourceLocation Named;
                             Named.Function = Name;
                             Names.addSymbols(Frame, Named);
                           });
  if (!Jit)
    return Jit.takeError();
  Stats.Jit = std::move(*Jit);
  Resolver.resolve(Stats);
  if (Options.Places.Servers)
    Stats.ServerFailure = Options.Places.Servers->failure().str();
  if (!(Names.Pending == Dictionary()))
    if (Error E = Out.write(Names.Pending))
      return std::move(E);
  if (Error E = Out.finish())
    return std::move(E);
  return Stats;
}
