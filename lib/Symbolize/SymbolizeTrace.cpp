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
    const AnySection &Section = **Next;
    if (auto *D = std::get_if<Dictionary>(&Section)) {
      Names.learn(*D);
      Trace.add(*D);
      if (Owners)
        Owners->add(*D);
    } else if (auto *S = std::get_if<Summary>(&Section); S && Owners) {
      Owners->add(*S);
    }
    if (Error E = Out.copy(Section))
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
