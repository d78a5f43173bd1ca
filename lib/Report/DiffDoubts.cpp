// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a comparison may mislead.

#include "DiffSentences.h"
#include "memkit/Model/CutOff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

std::vector<std::string> lossLines(const DiffView &V) {
  std::vector<std::string> Lines;
  for (size_t R = 0; R != V.Runs.size(); ++R) {
    const Trace &T = V.Runs.trace(R);
    if (std::string Cut = cutOffText(T); !Cut.empty())
      Lines.push_back(std::move(Cut));
    if (uint64_t Lost = T.lostEvents())
      Lines.push_back((formatCount(Lost) + " events of " + T.name() +
                       " lost: differences may be wrong")
                          .str());
  }
  return Lines;
}

/// The name that views give to the started program.
static StringRef programOf(const Trace &T) {
  return T.processes().empty() ? StringRef() : T.processName(1);
}

/// The recording options of A that B lacks.
static std::string optionsOnlyOf(const Trace &A, const Trace &B) {
  std::vector<std::string> Only;
  // An alert changes nothing of what is recorded.
  for (StringRef Option : A.header().Options)
    if (!Option.starts_with("alert=") &&
        !is_contained(B.header().Options, Option))
      Only.push_back(Option.str());
  llvm::sort(Only);
  return Only.empty() ? "none" : join(Only, " ");
}

using VersionMap = std::map<StringRef, std::vector<StringRef>>;

/// The versions that a run has loaded, by name.
static VersionMap versionsOf(const Trace &T) {
  VersionMap Out;
  auto Take = [&](const Mark &M) {
    if (M.Kind != MarkKind::Version)
      return;
    auto [Name, Version] = T.string(M.Name).split('=');
    if (std::vector<StringRef> &Of = Out[Name]; !is_contained(Of, Version))
      Of.push_back(Version);
  };
  // Whoever reads the rest of the trace reports the error.
  if (T.hasReader())
    consumeError(T.forEachMark(Take));
  for (auto &[Name, Of] : Out)
    llvm::sort(Of);
  return Out;
}

/// Adds a line for each name of which two runs have loaded other versions. A
/// name that one run lacks says nothing: no stack led through its code.
static void addVersions(const Trace &A, const Trace &B,
                        std::vector<std::string> &Lines) {
  VersionMap OfA = versionsOf(A), OfB = versionsOf(B);
  for (const auto &[Name, Of] : OfA)
    if (auto It = OfB.find(Name); It != OfB.end() && It->second != Of)
      Lines.push_back(
          ("the versions of " + Name + " differ: " + join(Of, ", ") + " (" +
           A.name() + ") and " + join(It->second, ", ") + " (" + B.name() + ")")
              .str());
}

static void addSamples(const DiffRuns &Runs, std::vector<std::string> &Lines) {
  for (const DiffRuns::HeapInfo &H : Runs.heaps()) {
    if (bool(H.Before) == bool(H.After))
      continue;
    uint64_t Sample = std::max(H.Before.sampleBytes(), H.After.sampleBytes());
    Lines.push_back((H.Name + " is sampled " + (H.Before ? "before" : "after") +
                     " (one byte in " + formatCount(Sample) +
                     ") and recorded in full " +
                     (H.Before ? "after" : "before") +
                     "; values of the sampled side are estimates")
                        .str());
  }
}

std::vector<std::string> doubtLines(const DiffRuns &Runs) {
  std::vector<std::string> Lines;
  const Trace &First = Runs.trace(0);
  for (size_t R = 1; R != Runs.size(); ++R) {
    const Trace &T = Runs.trace(R);
    StringRef A = programOf(First), B = programOf(T);
    if (!A.empty() && !B.empty() && A != B)
      Lines.push_back(("the programs differ: " + A + " (" + First.name() +
                       ") and " + B + " (" + T.name() +
                       "); functions of the same name count as the same")
                          .str());
    std::string OfFirst = optionsOnlyOf(First, T),
                OfThis = optionsOnlyOf(T, First);
    if (OfFirst != OfThis)
      Lines.push_back(("recorded with different options: " + OfFirst + " (" +
                       First.name() + ") and " + OfThis + " (" + T.name() + ")")
                          .str());
    addVersions(First, T, Lines);
  }
  for (const auto &Of : Runs.namelessBinaries())
    Lines.push_back((Of.first() + " has no symbols in some of the traces, so "
                                  "its functions are compared as one")
                        .str());
  addSamples(Runs, Lines);
  return Lines;
}

} // namespace memkit
