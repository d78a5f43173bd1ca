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

static std::string growthTitle(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthSpan &S = V.R.Growth.Spans[G.Span];
  std::string Text = "+" + rateText(G.Rate);
  Text += S.HasSteps ? " per step in " : " per second in ";
  Text += V.T.heapName(F.Heap).str() + processText(V.T, S.Image) + ", " +
          formatSize(F.Bytes) + " in " + plural(F.Blocks, "block");
  Text += S.HasSteps ? " in step " + std::to_string(S.LastStep)
                     : " after " + formatTime(S.EndNs);
  return Text;
}

static std::string growthEvidence(const LeakView &V, const LeakFinding &F) {
  const Growth &G = V.R.Growth.Found[F.Place];
  const GrowthSpan &S = V.R.Growth.Spans[G.Span];
  std::string Text = "from " + rateText(G.Low) + " to " + rateText(G.High);
  Text += S.HasSteps ? " per step (95 %), " : " per second (95 %), ";
  Text += chanceText(G.PValue) + ", ";
  if (S.HasSteps)
    Text +=
        "since step " + std::to_string(G.SinceStep ? G.SinceStep : S.FirstStep);
  else
    Text += "since " + formatTime(G.SinceNs ? G.SinceNs : S.BeginNs);
  if (!G.SinceNs)
    Text += " or before";
  if (G.Stacks > 1)
    Text += "; " + plural(G.Stacks, "stack") + " below this one";
  return Text;
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

static void printFindings(raw_ostream &OS, const LeakView &V,
                          LeakKinds Kind) {
  unsigned Width = outputWidth();
  ArrayRef<LeakFinding> Shown = V.shown(Kind);
  for (const LeakFinding &F : Shown) {
    OS << '\n' << titleOf(V, F) << '\n';
    if (std::string Why = evidenceOf(V, F); !Why.empty())
      OS << "  " << Why << '\n';
    printFrames(OS, V.T.shownWay(F.Node), 4, Width, isVerbose());
  }
  if (size_t Left = V.count(Kind) - Shown.size())
    OS << "\n" << plural(Left, "smaller finding") << "; --top=0 shows all\n";
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// `steps 21 to 100`, `2.1 s to 10.3 s`, `3 processes`.
static std::string spanText(const GrowthReport &G) {
  if (G.Spans.size() != 1)
    return plural(G.Spans.size(), "process") + (G.Spans.size() > 1 ? "es" : "");
  const GrowthSpan &S = G.Spans.front();
  if (S.HasSteps)
    return "steps " + std::to_string(S.FirstStep) + " to " +
           std::to_string(S.LastStep);
  return formatTime(S.BeginNs) + " to " + formatTime(S.EndNs);
}

static void printGrowth(raw_ostream &OS, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  if (G.Spans.empty())
    return;
  if (G.Found.empty()) {
    OS << "nothing grows (measured: " << spanText(G) << ")\n";
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
    OS << ", by " << rateText(Sum)
       << (G.Spans[G.Found[0].Span].HasSteps ? " per step" : " per second")
       << (One ? "" : " in all");
  OS << " (measured: " << spanText(G) << ")\n";
  printFindings(OS, V, FK_Growth);
  OS << '\n';
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
    OS << (V.R.InBaseline ? "no new leaks" : "no leaks");
    if (!V.At.empty())
      OS << " among what lived at " << V.At;
    OS << '\n';
    return;
  }
  OS << bytesText(R) << " in " << plural(R.Blocks, "block")
     << " live at " << (V.At.empty() ? "the end" : V.At) << ", from "
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
