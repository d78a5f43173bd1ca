// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memleak's findings for people.

#include "Cli/Advice.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "GrowthText.h"
#include "Report/HolderSentences.h"
#include "Support/Table.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// The bytes of a finding, or of a sum of findings, with the error of an
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
  return Max ? Of.take_front(Max) : Of;
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

std::string processText(const Trace &T, uint32_t Process) {
  if (T.processes().size() < 2)
    return "";
  if (int32_t Rank = T.processes()[Process - 1].Place.Rank; Rank >= 0)
    return (" of rank " + Twine(Rank)).str();
  return (" of " + T.processName(Process) + " (#" + Twine(Process) + ")").str();
}

static std::string outlierTitle(const LeakView &V, const LeakFinding &F) {
  const Outlier &O = V.R.Outliers[F.Place];
  return formatSize(F.Bytes) + " in " + plural(F.Blocks, "block") + " of " +
         V.T.heapName(F.Heap).str() + processText(V.T, O.Process) +
         (F.Blocks == 1 ? " outlives its siblings" : " outlive their siblings");
}

static std::string outlierEvidence(const LeakView &V, const LeakFinding &F) {
  const Outlier &O = V.R.Outliers[F.Place];
  std::string When = formatTime(O.OldestNs), Last = formatTime(O.NewestNs);
  std::string Life = V.R.HasSteps ? " were freed within their step"
                                  : " were freed within an interval of time";
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

std::vector<ShownFrame> framesOf(const LeakView &V, const LeakFinding &F) {
  if (F.IsArenas)
    return {arenasFrame()};
  return V.T.shownWay(F.Node);
}

void printFindings(raw_ostream &OS, const LeakView &V, LeakKinds Kind) {
  unsigned Width = outputWidth();
  ArrayRef<LeakFinding> Shown = V.shown(Kind);
  for (const LeakFinding &F : Shown) {
    OS << '\n' << titleOf(V, F) << '\n';
    if (std::string Why = evidenceOf(V, F); !Why.empty())
      OS << "  " << Why << '\n';
    if (Kind == FK_Growth)
      OS << "  " << growthOutcome(V, V.R.Growth.Found[F.Place]) << '\n';
    if (std::string Held = holdersText(F.HeldBy); !Held.empty())
      OS << "  held by " << Held << '\n';
    printFrames(OS, framesOf(V, F), 4, Width, isVerbose());
  }
  if (size_t Left = V.count(Kind) - Shown.size())
    OS << "\n" << plural(Left, "smaller finding") << "; --top=0 shows all\n";
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static void printHeaps(raw_ostream &OS, const LeakView &V) {
  using Side = Table::Side;
  Table Heaps({{"heap", Side::Left, true},
               {V.At.empty() ? "live at end" : "live", Side::Right},
               {"blocks", Side::Right},
               {"findings", Side::Right}});
  for (const HeapLeaks &H : V.R.Exit.Heaps)
    Heaps.add({V.T.heapName(H.Heap).str(), bytesText(H), formatCount(H.Blocks),
               formatCount(H.Findings)});
  Heaps.print(OS, outputWidth());
}

std::string unknownText(const LeakView &V) {
  const Header &H = V.T.header();
  if (importedFrom(H).isCensus())
    return "A census is one moment: what grows shows in two of them, memdiff "
           "before.fb now.fb";
  std::string Why = noAnswerReason(H, HistoryQuestion::Growth);
  if (Why.empty())
    return "";
  return (noAnswerReason(H, HistoryQuestion::Leaks).empty()
              ? "Whether memory grows is not known: "
              : "What leaks or grows is not known: ") +
         Why;
}

/// The blocks of a trace that is one moment.
static void printMoment(raw_ostream &OS, const LeakView &V) {
  const LeakReport &R = V.R.Exit;
  OS << unknownText(V) << '\n'
     << bytesText(R) << " in " << plural(R.Blocks, "block") << ' '
     << momentWords(importedFrom(V.T.header())) << ", from "
     << plural(R.Leaks.size(), "stack") << "\n\n";
  printHeaps(OS, V);
  printFindings(OS, V, FK_Exit);
}

static void printExits(raw_ostream &OS, const LeakView &V) {
  if (importedFrom(V.T.header()).isMoment())
    return printMoment(OS, V);
  const LeakReport &R = V.R.Exit;
  if (R.Leaks.empty()) {
    // Memory that grew and was freed at the end is still a leak.
    if (V.R.Growth.Found.empty())
      OS << (V.R.InBaseline ? "no new leaks" : "no leaks");
    else
      OS << "nothing else was live at the end";
    if (!V.At.empty())
      OS << " among blocks live at " << V.At;
    OS << '\n';
    return;
  }
  OS << bytesText(R) << " in " << plural(R.Blocks, "block") << " live at "
     << (V.At.empty() ? "the end" : V.At) << ", from "
     << plural(R.Leaks.size(), "stack") << "\n\n";
  printHeaps(OS, V);
  printFindings(OS, V, FK_Exit);
}

/// The findings that a suppression hid.
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
    OS << "\nalso in the baseline: " << plural(V.R.InBaseline, "finding")
       << '\n';
  if (R.ByDefault.any())
    OS << "\nkept by design: " << hiddenText(R.ByDefault)
       << "; --no-default-suppressions shows them\n";
  for (const SuppressionUse &U : R.Suppressed)
    if (U.any())
      OS << "\nsuppressed by leak:" << U.Pattern << ": " << hiddenText(U)
         << '\n';
}

void printHiddenShort(raw_ostream &OS, const LeakView &V) {
  const LeakReport &R = V.R.Exit;
  if (V.R.InBaseline)
    OS << "Also in the baseline: " << plural(V.R.InBaseline, "finding") << '\n';
  if (R.ByDefault.any())
    OS << "Kept by design: " << hiddenText(R.ByDefault) << '\n';
  for (const SuppressionUse &U : R.Suppressed)
    if (U.any())
      OS << "Suppressed by leak:" << U.Pattern << ": " << hiddenText(U) << '\n';
}

void printLeaks(raw_ostream &OS, const LeakView &V) {
  if (uint64_t Lost = V.T.lostEvents())
    OS << plural(Lost, "event") << " lost: leaks may be wrong\n";
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
