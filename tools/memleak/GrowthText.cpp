// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of growth, for people.

#include "GrowthText.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// `p < 1e-30`, `p = 2e-10`.
static std::string chanceText(double P) {
  std::string Text;
  if (P < 1e-30)
    return "p < 1e-30";
  raw_string_ostream(Text) << "p = " << format("%.1g", P);
  return Text;
}

/// `step` or `second`.
static StringRef unitOf(const GrowthRange &S) {
  return S.HasSteps ? "step" : "second";
}

std::string growthTitle(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthRange &S = V.R.Growth.Spans[G.Span];
  std::string Text = "+" + rateText(G.Rate) + " per " + unitOf(S).str() +
                     " in " + V.T.heapName(F.Heap).str() +
                     processText(V.T, S.Process) + ", " + formatSize(F.Bytes) +
                     " in " + plural(F.Blocks, "block");
  Text += S.HasSteps ? " after step " + std::to_string(S.LastStep)
                     : " after " + formatTime(S.EndNs);
  return Text;
}

/// The start of growth, and the memory of which nothing is freed.
static std::string courseOf(const Growth &G, const GrowthRange &S) {
  std::string Text;
  if (G.SinceNs)
    Text += S.HasSteps ? "since step " + std::to_string(G.SinceStep)
                       : "since " + formatTime(G.SinceNs);
  else
    Text += "from the start";
  if (G.IsContainer)
    return Text + "; one block is replaced by larger ones repeatedly";
  auto Ns = static_cast<uint64_t>(std::min(G.Age * 1e9, 0x1p62));
  std::string Age =
      S.HasSteps ? plural(std::llround(G.Age), "step") : formatTime(Ns);
  return Text + "; blocks older than " + Age + " are never freed";
}

std::string growthEvidence(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthRange &S = V.R.Growth.Spans[G.Span];
  std::string Text = "from " + rateText(G.Low) + " to " + rateText(G.High) +
                     " per " + unitOf(S).str() + " (95 %), ";
  if (!G.IsContainer)
    Text += chanceText(G.PValue) + ", ";
  Text += courseOf(G, S);
  if (G.Stacks > 1)
    Text += "; " + plural(G.Stacks, "stack") + " below this one";
  return Text;
}

std::string growthOutcome(const LeakView &V, const Growth &G) {
  return V.T.heapName(G.Heap).str() +
         " as a whole: " + formatSize(G.HeapBegin) + " to " +
         formatSize(G.HeapEnd) + (G.FreedAtExit ? "; freed at exit" : "");
}

/// The latest end of the spans that end before a long exit of their process; 0
/// if none.
static uint64_t lastEnd(const GrowthReport &G) {
  uint64_t End = 0;
  for (const GrowthRange &S : G.Spans)
    End = S.EndsEarly ? std::max(End, S.EndNs) : End;
  return End;
}

void printUnsure(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Unsure.empty())
    return;
  bool One = G.Unsure.size() == 1;
  OS << plural(G.Unsure.size(), "place")
     << (One ? " still fills or leaks" : " still fill or leak")
     << ": the run is too short to distinguish growth from filling"
     << (isVerbose() ? "\n" : " (-v shows more)\n");
  if (!isVerbose())
    return;
  for (const Growth &U : G.Unsure) {
    const GrowthRange &S = G.Spans[U.Span];
    OS << "\n+" << rateText(U.Rate) << " per " << unitOf(S) << " in "
       << V.T.heapName(U.Heap) << processText(V.T, S.Process) << " so far\n  "
       << courseOf(U, S) << '\n';
    printFrames(OS, V.T.shownWay(U.Node), 4, outputWidth(), true);
  }
}

void printGrowth(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Spans.empty())
    return;
  if (any_of(G.Spans, [](const GrowthRange &S) { return S.EndsEarly; }))
    OS << "measured up to " << formatTime(lastEnd(G))
       << ": later frees count as the end of the process\n";
  if (G.Found.empty()) {
    OS << (V.R.GrowthInBaseline ? "nothing new grows" : "nothing grows")
       << " (measured: " << spanText(G) << ")\n";
    printUnsure(OS, V);
    return;
  }
  double Sum = 0;
  bool OneUnit = true;
  for (const Growth &F : G.Found) {
    Sum += F.Rate;
    OneUnit &= G.Spans[F.Span].HasSteps == G.Spans[G.Found[0].Span].HasSteps;
  }
  bool One = G.Found.size() == 1;
  OS << plural(G.Found.size(), "place") << (One ? " grows" : " grow");
  if (OneUnit)
    OS << ", by " << rateText(Sum) << " per "
       << unitOf(G.Spans[G.Found[0].Span]) << (One ? "" : " in all");
  OS << " (measured: " << spanText(G) << ")\n";
  printFindings(OS, V, FK_Growth);
  OS << '\n';
  printUnsure(OS, V);
}

} // namespace memkit
