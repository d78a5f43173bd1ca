// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of growth, for people.

#include "GrowthText.h"
#include "Cli/Advice.h"
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
  std::string Text = G.Word == GrowthWord::Leak ? "LEAK " : "grows ";
  if (G.Word == GrowthWord::Grew)
    Text = G.FreedNs ? "grew, freed at " + formatTime(G.FreedNs) + ", "
           : S.HasSteps
               ? "grew until step " + std::to_string(G.UntilStep) + ", "
               : "grew until " + formatTime(G.UntilNs) + ", ";
  Text += "+" + rateText(G.Rate) + " per " + unitOf(S).str() + " in " +
          V.T.heapName(F.Heap).str() + processText(V.T, S.Process) + ", " +
          formatSize(F.Bytes) + " in " + plural(F.Blocks, "block");
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
  if (!G.Age)
    return Text + "; live bytes rise";
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
  if (!G.IsContainer && G.Age)
    Text += chanceText(G.PValue) + ", ";
  Text += courseOf(G, S);
  if (G.Stacks > 1)
    Text += "; " + plural(G.Stacks, "stack") + " below this one";
  if (G.Evidence == GrowthEvidence::Rounds)
    Text += "; other memory comes back to its level in " +
            formatCount(G.Rounds) + " rounds";
  if (G.Evidence == GrowthEvidence::Bursts)
    Text += "; in " + plural(G.Rounds, "burst");
  if (!G.Bounded.empty())
    Text += ("; may fill " + G.Bounded).str();
  if (G.IdleSinceNs)
    Text += "; idle since " + formatTime(G.IdleSinceNs);
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

std::string outsideText(const Trace &T, const OutsideRise &O) {
  std::string Heap = T.heapName(O.Heap).str();
  return Heap + " grows, outside of the totals: +" +
         formatSize(static_cast<uint64_t>(O.Rate)) +
         (O.HasSteps ? " per step, " : " per second, ") + formatSize(O.Rise) +
         " so far" + (O.Line.empty() ? "" : ", most at " + O.Line) +
         ": memleak --heap=" + Heap;
}

std::string notSeenText(const Trace &T, const GrowthReport &G) {
  // Fewer sampled blocks show no course.
  constexpr uint64_t Blocks = 10;
  uint64_t Sample = 0;
  for (const Heap &H : T.heaps())
    Sample = std::max(Sample, H.estimateBytes());
  std::string Text;
  if (Sample)
    Text += "; sampled: growth of less than some " +
            formatSize(Blocks * Sample) + " is not seen";
  if (G.FewArenaBytes)
    Text += "; Python's objects took " + formatSize(G.FewArenaBytes) +
            " of arenas in the last half, too few to judge: memrec "
            "--python-objects counts each";
  constexpr uint64_t Small = 16 * 1024;
  if (G.LeftOut && (G.LeftOutBytes >= Small || isVerbose()))
    Text += "; " + plural(G.LeftOut, "place") + " that gained less than " +
            formatSize(G.LeftOutBytes) + " are left out";
  return Text;
}

void printGrowth(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Spans.empty())
    return;
  if (any_of(G.Spans, [](const GrowthRange &S) { return S.EndsEarly; }))
    OS << "measured up to " << formatTime(lastEnd(G))
       << ": later frees count as the end of the process\n";
  double Sum = 0;
  bool OneUnit = true;
  size_t Growing = 0;
  for (const Growth &F : G.Found) {
    if (F.Word == GrowthWord::Grew)
      continue;
    Growing += 1;
    Sum += F.Rate;
    OneUnit &= G.Spans[F.Span].HasSteps == G.Spans[G.Found[0].Span].HasSteps;
  }
  bool One = Growing == 1;
  if (Growing)
    OS << plural(Growing, "place") << (One ? " grows" : " grow");
  else
    OS << (V.R.GrowthInBaseline ? "nothing new grows" : "nothing grows");
  if (OneUnit && Growing)
    OS << ", by " << rateText(Sum) << " per "
       << unitOf(G.Spans[G.Found[0].Span]) << (One ? "" : " in all");
  OS << " (measured: " << spanText(G) << ")" << notSeenText(V.T, G) << '\n';
  for (const OutsideRise &O : V.R.Outside)
    OS << outsideText(V.T, O) << '\n';
  printFindings(OS, V, FK_Growth);
  if (any_of(G.Found, [&](const Growth &F) {
        return F.Word == GrowthWord::Grows && !G.Spans[F.Span].HasSteps;
      }))
    OS << '\n' << undecidedText() << '\n';
  if (!G.Found.empty())
    OS << '\n';
}

} // namespace memkit
