// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how many frames have symbols, and why others have none.

#include "Cli/ToolMain.h"
#include "Support/CommandText.h"
#include "SymbolizeFlags.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

/// Binaries with a line of their own, without -v.
static constexpr size_t MaxBinaries = 10;

static std::string countText(uint64_t Count, StringRef What) {
  return (Twine(Count) + " " + What + (Count == 1 ? "" : "s")).str();
}

static std::string nameOf(const BinarySymbolCounts &B) {
  return B.Path.empty() ? "unknown binary"
                        : oneLine(sys::path::filename(B.Path));
}

/// Why the frames of B have no symbols. HasServers: servers were asked, too.
static std::string reasonOf(const BinarySymbolCounts &B, bool HasServers) {
  const SymbolFiles &Files = B.Files;
  StringRef Where = HasServers ? " here or on the servers" : "";
  std::string Id = "build-id " + hexOf(B.BuildId);
  switch (B.Gap) {
  case SymbolGap::None:
    break;
  case SymbolGap::NoBinary:
    return "the trace does not have it";
  case SymbolGap::NoBuildId:
    return "the trace has no build-id of it";
  case SymbolGap::NoFile:
    return ("no file with " + Id + " was found" + Where).str();
  case SymbolGap::BadFile:
    return oneLine(B.Problem) +
           (B.BuildId.empty() ? "" : " (the trace has " + Id + ")");
  case SymbolGap::BadSymbols:
    return oneLine(B.Problem);
  case SymbolGap::NoDebugInfo:
    return ("no debug information was found" + Where + " (" + Id +
            "), and the symbols of " + oneLine(Files.Symbols) +
            " do not cover them")
        .str();
  case SymbolGap::NotCovered:
    return "the debug information of " + oneLine(Files.Debug) +
           " does not cover them";
  }
  return "";
}

static void printLooked(const BinarySymbolCounts &B) {
  for (const std::string *Used : {&B.Files.Debug, &B.Files.Symbols})
    if (!Used->empty() && (Used == &B.Files.Debug || *Used != B.Files.Debug))
      sayVerbose(nameOf(B) + ": used " + oneLine(*Used));
  std::string Missing;
  for (const PassedFile &P : B.Files.Passed) {
    if (!P.IsMissing)
      sayVerbose(nameOf(B) + ": passed over " + oneLine(P.Path) + ": " +
                 oneLine(P.Problem));
    else
      Missing += (Missing.empty() ? "" : ", ") + oneLine(P.Path);
  }
  if (!Missing.empty())
    sayVerbose(nameOf(B) + ": looked for " + Missing);
}

/// A line for each binary with frames without symbols, the most first.
static void printGaps(ArrayRef<BinarySymbolCounts> All, bool HasServers) {
  std::vector<const BinarySymbolCounts *> Gaps;
  for (const BinarySymbolCounts &B : All)
    if (B.missing() || isVerbose())
      Gaps.push_back(&B);
  stable_sort(Gaps,
              [](auto *A, auto *B) { return A->missing() > B->missing(); });
  size_t Shown = isVerbose() ? Gaps.size() : std::min(Gaps.size(), MaxBinaries);
  for (const BinarySymbolCounts *B : ArrayRef(Gaps).take_front(Shown)) {
    if (B->missing())
      say(nameOf(*B) + ": " + countText(B->missing(), "frame") + ": " +
          reasonOf(*B, HasServers));
    printLooked(*B);
  }
  uint64_t Rest = 0;
  for (const BinarySymbolCounts *B : ArrayRef(Gaps).drop_front(Shown))
    Rest += B->missing();
  if (Shown != Gaps.size())
    say(Twine(Gaps.size() - Shown) + " more " +
        (Gaps.size() - Shown == 1 ? "binary: " : "binaries: ") +
        countText(Rest, "frame") + " (-v lists them)");
}

static void printJit(const SymbolizeStats &Stats) {
  const JitCounts &Jit = Stats.Jit;
  if (!Jit.Frames)
    return;
  std::string Maps;
  for (const std::string &File : Jit.Read)
    Maps += (Maps.empty() ? "" : ", ") + oneLine(File);
  uint64_t Missing = Jit.Frames - Jit.Named;
  if (Maps.empty()) {
    say("code outside of all binaries: " + countText(Missing, "frame") +
        ": no perf map was read");
    return;
  }
  say("code outside of all binaries: " + countText(Jit.Named, "frame") +
      " of " + Twine(Jit.Frames) + " named from " + Maps);
  if (Jit.Ambiguous)
    say("code outside of all binaries: " + countText(Jit.Ambiguous, "frame") +
        ": the code of several processes, which the maps do not agree on");
}

/// What the user can do about the frames that are left: the options not used.
static void printAdvice(const SymbolizeStats &Stats,
                        const SymbolizeOptions &Options) {
  bool NeedsFiles = false, NeedsProgram = false, NeedsName = false;
  for (const BinarySymbolCounts &B : Stats.Binaries) {
    if (!B.missing() || B.Gap == SymbolGap::NoBinary ||
        B.Gap == SymbolGap::NotCovered)
      continue;
    bool HasId = B.Gap != SymbolGap::NoBuildId;
    NeedsName |= !HasId;
    NeedsFiles |= HasId;
    NeedsProgram |= HasId && B.IsProgram;
  }
  std::vector<std::string> Next;
  if (NeedsFiles && Options.Places.DebugDirs.empty())
    Next.push_back("--debug-dir=DIR for a folder of debug files");
  if (NeedsFiles && Options.Places.Sysroots.empty())
    Next.push_back("--sysroot=DIR for the files of the recorded machine");
  if (NeedsFiles && !Options.Places.Servers)
    Next.push_back("--debuginfod for the servers of your distribution");
  if (NeedsProgram && Options.Named.empty())
    Next.push_back("--exe=FILE for the program before strip");
  if (NeedsName)
    Next.push_back("--exe=NAME=FILE for a binary without a build-id");
  if (Stats.Jit.Frames && Options.PerfMaps.empty())
    Next.push_back("--perf-map=FILE for the code of a JIT compiler");
  if (!Next.empty())
    say("next: " + join(Next, ", "));
}

static void printWarnings(const SymbolizeStats &Stats) {
  if (!Stats.ServerFailure.empty())
    warn("--debuginfod: " + oneLine(Stats.ServerFailure));
  for (const BinarySymbolCounts &B : Stats.Binaries) {
    if (!B.Note.empty())
      warn(nameOf(B) + ": " + oneLine(B.Note));
    if (B.Gap == SymbolGap::None && B.Lineless && !B.Problem.empty())
      warn(nameOf(B) + ": " + oneLine(B.Problem));
    if (!B.Files.AltProblem.empty())
      warn(nameOf(B) + ": " + oneLine(B.Files.AltProblem) +
           ": some inlined functions have no name");
  }
  for (const std::string &Passed : Stats.Jit.Passed)
    warn(oneLine(Passed));
}

void memkit::printSymbolizeStats(const SymbolizeStats &Stats,
                                 const SymbolizeOptions &Options) {
  printWarnings(Stats);
  using Counts = BinarySymbolCounts;
  uint64_t Frames = Stats.sum(&Counts::Frames) + Stats.Jit.Frames;
  uint64_t Resolved = Stats.sum(&Counts::Resolved) + Stats.Jit.Named;
  uint64_t Lineless = Stats.sum(&Counts::Lineless);
  uint64_t Functions = Stats.sum(&Counts::Functions);
  uint64_t Lines = Stats.sum(&Counts::Lines);
  say("added symbols to " + Twine(Resolved) + " of " +
      countText(Frames, "frame") + " without symbols" +
      (Lineless ? ", to " + Twine(Lineless) + " of them without a line" : ""));
  if (Lines || (Functions && isVerbose()))
    say("added lines to " + Twine(Lines) + " of " +
        countText(Functions, "frame") + " with a function alone");
  printGaps(Stats.Binaries, Options.Places.Servers != nullptr);
  printJit(Stats);
  if (Resolved != Frames)
    printAdvice(Stats, Options);
}
