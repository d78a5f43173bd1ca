// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth by the lines of the user's own code.

#include "memkit/Analysis/GrowthLines.h"
#include "OwnTree.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {
/// Finds the line that each finding belongs to.
class LineChooser {
public:
  LineChooser(const SelectedStats &S, const Places &Of, const GrowthReport &R)
      : Tree(S, Of), Grows(Tree.size()) {
    for (const Growth &G : R.Found)
      if (!G.IsArenas)
        for (uint32_t C = Tree.ofNode(G.Node); C; C = Tree.parent(C))
          Grows[C] = true;
  }

  /// The call of the line that explains the finding; 0: none.
  uint32_t callOf(const Growth &G) const {
    uint32_t First = G.IsArenas ? 0 : Tree.ofNode(G.Node);
    for (uint32_t C = First; C; C = Tree.parent(C))
      if (!runsWithoutGrowth(C))
        return C;
    return First;
  }
  const OwnTree &tree() const { return Tree; }

private:
  /// Whether other callers run the same line about as often, and nothing below
  /// grows. Calls of a recursive function below one another are one.
  bool runsWithoutGrowth(uint32_t Call) const {
    constexpr uint64_t Part = 4;
    return any_of(Tree.callsOfLine(Call), [&](uint32_t C) {
      return !Grows[C] && !Tree.isBelow(C, Call) && !Tree.isBelow(Call, C) &&
             Tree.allocations(C) >= Tree.allocations(Call) / Part;
    });
  }

  OwnTree Tree;
  std::vector<bool> Grows; ///< by call: a finding is at or below
};
} // namespace

static void add(LineGrowth &To, const Growth &G, const GrowthRange &Span) {
  bool IsFirst = To.Findings.empty();
  To.HasSteps = Span.HasSteps;
  To.Process = Span.Process;
  To.LastStep = std::max(To.LastStep, Span.LastStep);
  To.Rate += G.Rate;
  To.Rise += G.Rise;
  To.Bytes += G.Bytes;
  To.Blocks += G.Blocks;
  To.PValue = std::min(To.PValue, G.PValue);
  uint64_t Step = G.SinceStep ? G.SinceStep : Span.FirstStep;
  uint64_t Ns = G.SinceNs ? G.SinceNs : Span.BeginNs;
  To.SinceStep = IsFirst ? Step : std::min(To.SinceStep, Step);
  To.SinceNs = IsFirst ? Ns : std::min(To.SinceNs, Ns);
}

std::vector<LineGrowth> growthLines(const SelectedStats &S, const Places &Of,
                                    const GrowthReport &R) {
  std::vector<LineGrowth> Out;
  if (R.Found.empty())
    return Out;
  LineChooser Chooser(S, Of, R);
  const OwnTree &Tree = Chooser.tree();
  // Lines, and places without a line, of each kind of clock.
  StringMap<uint32_t> Known;
  for (uint32_t I = 0; I != R.Found.size(); ++I) {
    const Growth &G = R.Found[I];
    const GrowthRange &Span = R.Spans[G.Span];
    uint32_t Call = Chooser.callOf(G);
    Place Where;
    if (Call)
      Where = Tree.place(Call);
    else if (G.IsArenas)
      Where = {PlaceKind::Category, "Python arenas", "", 0, ""};
    else
      Where = Of.place(Of.of(G.Stack));
    // A line may be in two functions: a comprehension is one of its own.
    std::string Name =
        Where.Kind == PlaceKind::Line ? Of.lineText(Where) : Of.text(Where);
    std::string Key = (Twine(Span.HasSteps) + " " + Twine(Span.Process) + " " +
                       Name + " " + Where.File)
                          .str();
    auto [At, New] = Known.try_emplace(Key, Out.size());
    if (New) {
      LineGrowth &L = Out.emplace_back();
      L.Where = Where;
      auto IsSameLine = [&](uint32_t C) {
        const Place &P = Tree.place(C);
        return P.Line == Where.Line && P.File == Where.File;
      };
      uint32_t Caller = Call ? Tree.parent(Call) : 0;
      while (Caller && IsSameLine(Caller))
        Caller = Tree.parent(Caller);
      if (Caller)
        L.Caller = Tree.place(Caller);
    }
    LineGrowth &L = Out[At->second];
    add(L, G, Span);
    L.Findings.push_back(I);
  }
  // Arenas are filled by the lines that grow, and by others: a line tells more.
  auto Key = [](const LineGrowth &L) {
    return std::tuple(!L.HasSteps, L.Where.Kind == PlaceKind::Category,
                      -L.Rate);
  };
  stable_sort(Out, [&](const LineGrowth &A, const LineGrowth &B) {
    return Key(A) < Key(B);
  });
  return Out;
}

} // namespace memkit
