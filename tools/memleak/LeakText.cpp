//===- LeakText.cpp - What memleak found, for people -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeakPrinter.h"
#include "memkit/Export/StackText.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/Table.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;

namespace memkit {

static std::string plural(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

/// The bytes of a finding or a sum of such, with their error when they are an
/// estimate.
template <class T> static std::string bytesText(const T &Of) {
  return formatEstimate(Of.Bytes, standardError(Of.Variance));
}

StringRef kindName(LeakKinds Kind) {
  return Kind == FK_Exit ? "exit" : Kind == FK_Growth ? "growth" : "outlier";
}

size_t LeakView::count(LeakKinds Kind) const {
  return count_if(R.All, [&](const LeakFinding &F) { return F.Kind == Kind; });
}

ArrayRef<LeakFinding> LeakView::shown(LeakKinds Kind) const {
  ArrayRef<LeakFinding> All = R.All;
  const LeakFinding *At =
      find_if(All, [&](const LeakFinding &F) { return F.Kind == Kind; });
  ArrayRef<LeakFinding> Of = All.slice(At - All.begin(), count(Kind));
  return Most ? Of.take_front(Most) : Of;
}

//===----------------------------------------------------------------------===//
// A finding
//===----------------------------------------------------------------------===//

std::string rateText(double Bytes) {
  std::string Text;
  if (Bytes < 0)
    return "-" + rateText(-Bytes);
  if (Bytes >= 100)
    return formatSize(static_cast<uint64_t>(std::min(Bytes, 0x1p63) + 0.5));
  raw_string_ostream(Text) << format("%.3g B", Bytes);
  return Text;
}

/// `p < 1e-30`, `p = 2e-10`.
static std::string chanceText(double P) {
  std::string Text;
  if (P < 1e-30)
    return "p < 1e-30";
  raw_string_ostream(Text) << "p = " << format("%.1g", P);
  return Text;
}

/// ` of train.py (2)`, where there are several processes.
static std::string processText(const Trace &T, uint32_t Image) {
  if (T.images().size() < 2)
    return "";
  return (" of " + T.processName(Image) + " (#" + Twine(Image) + ")").str();
}

/// `step` or `second`.
static StringRef unitOf(const GrowthSpan &S) {
  return S.HasSteps ? "step" : "second";
}

static std::string growthTitle(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthSpan &S = V.R.Growth.Spans[G.Span];
  std::string Text = "+" + rateText(G.Rate) + " per " + unitOf(S).str() +
                     " in " + V.T.heapName(F.Heap).str() +
                     processText(V.T, S.Image) + ", " + formatSize(F.Bytes) +
                     " in " + plural(F.Blocks, "block");
  Text += S.HasSteps ? " after step " + std::to_string(S.LastStep)
                     : " after " + formatTime(S.EndNs);
  return Text;
}

/// Since when, and of what nothing is freed.
static std::string courseOf(const Growth &G, const GrowthSpan &S) {
  std::string Text;
  if (G.SinceNs)
    Text += S.HasSteps ? "since step " + std::to_string(G.SinceStep)
                       : "since " + formatTime(G.SinceNs);
  else
    Text += "from the begin on";
  if (G.IsContainer)
    return Text + "; one block is replaced by a larger one again and again";
  auto Ns = static_cast<uint64_t>(std::min(G.Age * 1e9, 0x1p62));
  std::string Age =
      S.HasSteps ? plural(std::llround(G.Age), "step") : formatTime(Ns);
  return Text + "; what is older than " + Age + " stays";
}

static std::string growthEvidence(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthSpan &S = V.R.Growth.Spans[G.Span];
  std::string Text = "from " + rateText(G.Low) + " to " + rateText(G.High) +
                     " per " + unitOf(S).str() + " (95 %), ";
  if (!G.IsContainer)
    Text += chanceText(G.PValue) + ", ";
  Text += courseOf(G, S);
  if (G.Stacks > 1)
    Text += "; " + plural(G.Stacks, "stack") + " below this one";
  return Text;
}

/// How much of its heap a finding is, and what became of it.
static std::string growthOutcome(const LeakView &V, const Growth &G) {
  return V.T.heapName(G.Heap).str() +
         " as a whole: " + formatSize(G.HeapBegin) + " to " +
         formatSize(G.HeapEnd) + (G.FreedAtExit ? "; freed at exit" : "");
}

static std::string outlierTitle(const LeakView &V, const LeakFinding &F) {
  const Outlier &O = V.R.Outliers[F.Place];
  return formatSize(F.Bytes) + " in " + plural(F.Blocks, "block") + " of " +
         V.T.heapName(F.Heap).str() + processText(V.T, O.Image) +
         (F.Blocks == 1 ? " outlives its siblings" : " outlive their siblings");
}

static std::string outlierEvidence(const LeakView &V, const LeakFinding &F) {
  const Outlier &O = V.R.Outliers[F.Place];
  std::string When = formatTime(O.OldestNs), Last = formatTime(O.NewestNs);
  std::string Life = V.R.HasSteps ? " were freed within their step"
                                  : " were freed within a slice of time";
  if (O.LifeNs)
    Life = " lived " + formatTime(O.LifeNs) + " on average";
  return plural(O.Allocations - O.Blocks, "other") + Life + "; allocated " +
         (When == Last ? "at " + When : "from " + When + " to " + Last) +
         ", never freed";
}

std::string titleOf(const LeakView &V, const LeakFinding &F) {
  if (F.Kind == FK_Growth)
    return growthTitle(V, F);
  if (F.Kind == FK_Outlier)
    return outlierTitle(V, F);
  return bytesText(F) + " in " + plural(F.Blocks, "block") + " of " +
         V.T.heapName(F.Heap).str();
}

std::string evidenceOf(const LeakView &V, const LeakFinding &F) {
  std::string Text = F.Kind == FK_Growth    ? growthEvidence(V, F)
                     : F.Kind == FK_Outlier ? outlierEvidence(V, F)
                                            : "";
  if (F.Layer)
    Text += (Text.empty() ? "" : "; ") + ("layer " + V.T.string(F.Layer)).str();
  return Text;
}

static void printFindings(raw_ostream &OS, const LeakView &V, LeakKinds Kind) {
  unsigned Width = outputWidth();
  ArrayRef<LeakFinding> Shown = V.shown(Kind);
  for (const LeakFinding &F : Shown) {
    OS << '\n' << titleOf(V, F) << '\n';
    if (std::string Why = evidenceOf(V, F); !Why.empty())
      OS << "  " << Why << '\n';
    if (Kind == FK_Growth)
      OS << "  " << growthOutcome(V, V.R.Growth.Found[F.Place]) << '\n';
    if (Kind == FK_Growth && V.R.Growth.Found[F.Place].IsArenas)
      OS << "    Python objects, line unknown: memrec --python-objects records "
            "them\n";
    else
      printFrames(OS, V.T.shownWay(F.Node), 4, Width, isVerbose());
  }
  if (size_t Left = V.count(Kind) - Shown.size())
    OS << "\n" << plural(Left, "smaller finding") << "; --top=0 shows all\n";
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// `steps 1 to 100`, `2.1 s to 10.3 s`, `3 processes`.
static std::string spanText(const GrowthReport &G) {
  const GrowthSpan &S = G.Spans.front();
  std::vector<uint32_t> Images;
  for (const GrowthSpan &Other : G.Spans)
    Images.push_back(Other.Image);
  sort(Images);
  Images.erase(llvm::unique(Images), Images.end());
  if (Images.size() > 1)
    return formatCount(Images.size()) + " processes";
  if (S.HasSteps)
    return "steps " + std::to_string(S.FirstStep) + " to " +
           std::to_string(S.LastStep);
  return formatTime(S.BeginNs) + " to " + formatTime(S.EndNs);
}

/// The last moment that was measured of any process that ended later.
static uint64_t lastEnd(const GrowthReport &G) {
  uint64_t End = 0;
  for (const GrowthSpan &S : G.Spans)
    End = S.EndsEarly ? std::max(End, S.EndNs) : End;
  return End;
}

/// Places of which it cannot be told yet.
static void printUnsure(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Unsure.empty())
    return;
  bool One = G.Unsure.size() == 1;
  OS << plural(G.Unsure.size(), "place")
     << (One ? " still fills or leaks" : " still fill or leak")
     << ": the run is too short to tell"
     << (isVerbose() ? "\n" : " (-v shows more)\n");
  if (!isVerbose())
    return;
  for (const Growth &U : G.Unsure) {
    const GrowthSpan &S = G.Spans[U.Span];
    OS << "\n+" << rateText(U.Rate) << " per " << unitOf(S) << " in "
       << V.T.heapName(U.Heap) << processText(V.T, S.Image) << " so far\n  "
       << courseOf(U, S) << '\n';
    printFrames(OS, V.T.shownWay(U.Node), 4, outputWidth(), true);
  }
}

static void printGrowth(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Spans.empty())
    return;
  if (any_of(G.Spans, [](const GrowthSpan &S) { return S.EndsEarly; }))
    OS << "what was freed after " << formatTime(lastEnd(G))
       << " is taken for the end of the process\n";
  if (G.Found.empty()) {
    OS << "nothing grows (measured: " << spanText(G) << ")\n";
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

static void printHeaps(raw_ostream &OS, const LeakView &V) {
  using Align = Table::Align;
  Table Heaps({{"heap", Align::Left, true},
               {V.At.empty() ? "live at end" : "live", Align::Right},
               {"blocks", Align::Right},
               {"findings", Align::Right}});
  for (const HeapLeaks &H : V.R.Exit.Heaps)
    Heaps.add({V.T.heapName(H.Heap).str(), bytesText(H), formatCount(H.Blocks),
               formatCount(H.Findings)});
  Heaps.print(OS, outputWidth());
}

static void printExits(raw_ostream &OS, const LeakView &V) {
  const LeakReport &R = V.R.Exit;
  if (R.Leaks.empty()) {
    // What grew and was freed in the end is no less a leak.
    if (V.R.Growth.Found.empty())
      OS << (V.R.InBaseline ? "no new leaks" : "no leaks");
    else
      OS << "nothing else was live at the end";
    if (!V.At.empty())
      OS << " among what lived at " << V.At;
    OS << '\n';
    return;
  }
  OS << bytesText(R) << " in " << plural(R.Blocks, "block") << " live at "
     << (V.At.empty() ? "the end" : V.At) << ", from "
     << plural(R.Leaks.size(), "stack") << "\n\n";
  printHeaps(OS, V);
  printFindings(OS, V, FK_Exit);
}

/// What a suppression hid.
static std::string hiddenText(const SuppressionUse &U) {
  std::string Text;
  if (U.Findings)
    Text = bytesText(U) + " in " + plural(U.Blocks, "block") + ", " +
           plural(U.Findings, "finding");
  if (U.Others)
    Text += (U.Findings ? " and " : "") + formatCount(U.Others) + " over time";
  return Text;
}

static void printHidden(raw_ostream &OS, const LeakView &V) {
  const LeakReport &R = V.R.Exit;
  if (V.R.InBaseline)
    OS << "\nin the baseline too: " << plural(V.R.InBaseline, "finding")
       << '\n';
  if (R.ByDefault.any())
    OS << "\nkept by design: " << hiddenText(R.ByDefault)
       << "; --no-default-suppressions shows them\n";
  for (const SuppressionUse &U : R.Suppressed)
    if (U.any())
      OS << "\nsuppressed by leak:" << U.Pattern << ": " << hiddenText(U)
         << '\n';
}

void printLeaks(raw_ostream &OS, const LeakView &V) {
  if (uint64_t Lost = V.T.lostEvents())
    OS << plural(Lost, "event") << " lost: leaks may be false\n";
  if (V.Kinds & FK_Growth)
    printGrowth(OS, V);
  if (V.Kinds & FK_Exit)
    printExits(OS, V);
  if (V.count(FK_Outlier)) {
    if (V.Kinds & FK_Exit)
      OS << '\n';
    OS << plural(V.count(FK_Outlier), "stack")
       << (V.count(FK_Outlier) == 1 ? " has" : " have")
       << " a few blocks that outlive their siblings\n";
    printFindings(OS, V, FK_Outlier);
  } else if (V.Kinds == FK_Outlier) {
    OS << "no outliers\n";
  }
  printHidden(OS, V);
}

} // namespace memkit
