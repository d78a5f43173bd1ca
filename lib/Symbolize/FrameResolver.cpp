// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the native frames of a trace.

#include "FrameResolver.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

Error FrameResolver::chooseFiles(uint64_t PageSize) {
  if (Options.Named.empty())
    return Error::success();
  auto Chosen = chooseTwins(Trace, Options.Named, Finder, PageSize);
  if (!Chosen)
    return Chosen.takeError();
  Twins = std::move(*Chosen);
  return Error::success();
}

void FrameResolver::takeSymbols(const FrameToResolve &F,
                                const std::vector<SourceLocation> &Locations,
                                BinarySymbolCounts &Counts) {
  bool HasLine = any_of(Locations, [](const SourceLocation &L) {
    return L.Line || !L.File.empty();
  });
  if (F.HasFunction && !HasLine)
    return;
  Names.addSymbols(F.Id, Locations);
  Counts.Lines += F.HasFunction;
  Counts.Resolved += !F.HasFunction;
  Counts.Lineless += !F.HasFunction && !HasLine;
}

/// Finds the reason of the frames that still have no symbols.
static void explain(BinarySymbolCounts &Counts) {
  const SymbolFiles &Files = Counts.Files;
  if (!Counts.missing())
    return;
  if (Files.empty()) {
    Counts.Gap =
        Counts.BuildId.empty() ? SymbolGap::NoBuildId : SymbolGap::NoFile;
    for (const PassedFile &P : Files.Passed)
      if (!P.IsMissing) {
        Counts.Gap = SymbolGap::BadFile;
        Counts.Problem = P.Path + ": " + P.Problem;
        break;
      }
  } else if (!Counts.Problem.empty()) {
    Counts.Gap = SymbolGap::BadSymbols;
  } else {
    Counts.Gap =
        Files.Debug.empty() ? SymbolGap::NoDebugInfo : SymbolGap::NotCovered;
  }
}

/// Resolves the frames of Open and removes those with an answer. Returns what
/// went wrong.
std::string FrameResolver::resolveWith(const SymbolFiles &Files,
                                       FrameList &Open,
                                       BinarySymbolCounts &Counts) {
  std::vector<uint64_t> Addresses;
  for (const FrameToResolve &F : Open)
    Addresses.push_back(F.Address);
  std::vector<bool> HasAnswer(Open.size());
  std::string Problem = Process.resolve(
      Files, Addresses, [&](size_t I, std::vector<SourceLocation> Locations) {
        if (Locations.empty())
          return;
        HasAnswer[I] = true;
        takeSymbols(Open[I], Locations, Counts);
        report(Done + I);
      });
  size_t I = 0;
  erase_if(Open, [&](const FrameToResolve &) { return HasAnswer[I++]; });
  if (!Problem.empty())
    Problem =
        (Files.Debug.empty() ? Files.Symbols : Files.Debug) + ": " + Problem;
  return Problem;
}

void FrameResolver::resolveBinary(uint32_t Id, FrameList Open,
                                  BinarySymbolCounts &Counts) {
  const Binary &B = Trace.binaries()[Id - 1];
  Counts.Path = Trace.path(Id).str();
  Counts.BuildId = B.BuildId;
  Counts.IsProgram = Trace.isProgram(Id);
  for (const FrameToResolve &F : Open)
    ++(F.HasFunction ? Counts.Functions : Counts.Frames);
  if (auto Twin = Twins.find(Id); Twin != Twins.end()) {
    Counts.Files = Finder.filesOf(Twin->second.File);
    Counts.Note = Twin->second.Note;
  } else if (!B.BuildId.empty()) {
    // Without a build-id, another binary of the same name might be used.
    Counts.Files = Finder.find(Counts.Path, B.BuildId);
  }
  sort(Open);
  SymbolFiles Files = Counts.Files;
  if (!Files.Debug.empty()) {
    Counts.Problem = resolveWith(Files, Open, Counts);
    // Damaged debug information does not hide the symbol table.
    Files.Debug.clear();
    if (Counts.Problem.empty())
      Open.clear();
  }
  // A symbol table knows no lines.
  erase_if(Open, [](const FrameToResolve &F) { return F.HasFunction; });
  if (!Files.empty() && !Open.empty())
    if (std::string Problem = resolveWith(Files, Open, Counts);
        Counts.Problem.empty())
      Counts.Problem = std::move(Problem);
  explain(Counts);
}

void FrameResolver::resolve(SymbolizeStats &Stats) {
  std::map<uint32_t, FrameList> Open;
  for (uint32_t Id = 1; Id <= Trace.frames().size(); ++Id) {
    const Frame &F = Trace.frames()[Id - 1];
    FrameKnowledge Known = Trace.knowledge(Id);
    if (F.Kind != FrameKind::Native || Known == FrameKnowledge::Line)
      continue;
    Open[Trace.binaryOf(F)].push_back(
        {F.Address, Id, Known == FrameKnowledge::Function});
    ++Total;
  }
  if (Total)
    report(0);
  for (auto &[Id, Frames] : Open) {
    BinarySymbolCounts &Counts = Stats.Binaries.emplace_back();
    uint64_t Count = Frames.size();
    if (Id) {
      resolveBinary(Id, std::move(Frames), Counts);
    } else {
      Counts.Frames = Count;
      Counts.Gap = SymbolGap::NoBinary;
    }
    Done += Count;
    report(Done);
  }
}
