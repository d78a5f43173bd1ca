// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes in words.

#include "DiffText.h"
#include "Cli/Advice.h"
#include "Support/FunctionName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace memkit {

ArrayRef<Finding> shownFindings(const DiffView &V) {
  ArrayRef<Finding> All = V.Report.Changes.Findings;
  return V.Max ? All.take_front(V.Max) : All;
}

Table totalsTable(const DiffView &V, bool WithShare) {
  using Side = Table::Side;
  std::vector<Table::Column> Columns = {{"", Side::Left, true},
                                        {V.NameBefore.str(), Side::Right},
                                        {V.NameAfter.str(), Side::Right},
                                        {"change", Side::Right}};
  if (WithShare)
    Columns.push_back({"", Side::Right});
  Table TotalStats(std::move(Columns));
  for (TotalRow &R : totalRows(V)) {
    std::vector<std::string> Cells = {std::move(R.Name), std::move(R.Before),
                                      std::move(R.After), std::move(R.Change)};
    if (WithShare)
      Cells.push_back(std::move(R.Share));
    TotalStats.add(std::move(Cells));
  }
  return TotalStats;
}

Table heapsTable(const DiffView &V, size_t Max) {
  using Side = Table::Side;
  Table Heaps({{"heap", Side::Left, true},
               {V.IsAtTimePoint ? "live before" : "peak before", Side::Right},
               {"after", Side::Right},
               {"change", Side::Right}});
  if (V.Report.Heaps.size() < 2)
    return Heaps;
  auto Field = V.IsAtTimePoint ? &DiffStats::LiveBytes : &DiffStats::PeakBytes;
  auto Error =
      V.IsAtTimePoint ? &SampleVariances::Live : &SampleVariances::SpacePeak;
  size_t Added = 0;
  for (const HeapChange &H : V.Report.Heaps) {
    uint64_t Before = H.Stats.Before.*Field, After = H.Stats.After.*Field;
    uint64_t Change = After > Before ? After - Before : Before - After;
    if (!Change || (isInBytes(V.By) && Change < V.Report.NoiseOfHeap[H.Heap]))
      continue;
    if (++Added > Max)
      break;
    Heaps.add(
        {V.Runs.heaps()[H.Heap].Name.str(), formatSize(Before),
         formatSize(After),
         changeText(V, Before, After, true,
                    changeOfTotal(V.Runs, H.Stats, Field, Error, V.Confidence),
                    H.Stats.Before.Variances.*Error +
                        H.Stats.After.Variances.*Error)});
  }
  return Heaps;
}

std::string findingTitle(const DiffView &V, const Finding &F) {
  const DiffRuns::HeapInfo &H = V.Runs.heaps()[F.Heap];
  auto Text = [&](Metric M, StringRef What) {
    uint64_t Before = metricOf(F.Before, M), After = metricOf(F.After, M);
    bool Bytes = isInBytes(M);
    double Variance =
        varianceOf(F.Before, M, H.Before) + varianceOf(F.After, M, H.After);
    std::optional<ConfidenceInterval> I = M == F.By ? F.Change : std::nullopt;
    return (changeText(V, Before, After, Bytes, I, Variance) + " " + What +
            " (" + valueText(Before, Bytes) + " -> " + valueText(After, Bytes) +
            ")")
        .str();
  };
  if (V.IsAtTimePoint)
    return Text(F.By, "live then") + ", " + H.Name.str();
  std::string Title =
      Text(F.By, F.By == Metric::Peak ? "at the peak" : metricName(F.By));
  if (F.By != Metric::Live && F.Before.LiveBytes != F.After.LiveBytes)
    Title += ", " + Text(Metric::Live, "live at end");
  if (F.By == Metric::Live && F.Before.AtPeakBytes != F.After.AtPeakBytes)
    Title += ", " + Text(Metric::Peak, "at the peak");
  Title += ", " + H.Name.str();
  if (F.Parts > 1)
    Title += ", in " + formatCount(F.Parts) + " parts";
  else if (F.IsInner)
    Title += ", spread";
  return Title;
}

ArrayRef<Move> shownMoves(const DiffView &V) {
  ArrayRef<Move> All = V.Report.Changes.Moves;
  if (!V.WithMoves)
    return {};
  return V.Max ? All.take_front(V.Max) : All;
}

std::vector<ShownFrame> placeFrames(const DiffView &V, DiffPlace P) {
  std::vector<ShownFrame> Frames = V.Runs.trace(P.Run).shownWay(P.Node);
  if (P.IsArenas)
    return {arenasFrame()};
  if (Frames.empty()) {
    ShownFrame &All = Frames.emplace_back();
    All.Function = All.Label = "(all stacks)";
  }
  return Frames;
}

/// The functions on the way from a place down to a part. Above is the number of
/// frames on the way to the place.
static std::vector<std::string> wayBelow(const DiffView &V, size_t Above,
                                         DiffPlace P) {
  std::vector<ShownFrame> Way = V.Runs.trace(P.Run).shownWay(P.Node);
  std::vector<std::string> Names;
  for (size_t I = Way.size() - std::min(Above, Way.size()); I-- != 0;)
    Names.push_back(shortFunctionName(Way[I].Function));
  if (P.IsArenas)
    Names.push_back(arenasFrame().Function.str());
  else if (Names.empty())
    Names.push_back("(itself)");
  return Names;
}

/// The number of names that all ways share at the start, or with FromEnd at the
/// end.
static size_t commonNames(ArrayRef<std::vector<std::string>> Ways,
                          bool FromEnd) {
  const std::vector<std::string> &First = Ways.front();
  size_t Common = First.size();
  for (const std::vector<std::string> &Way : Ways) {
    Common = std::min(Common, Way.size());
    for (size_t I = 0; I < Common; ++I) {
      const std::string &A = FromEnd ? First[First.size() - 1 - I] : First[I];
      const std::string &B = FromEnd ? Way[Way.size() - 1 - I] : Way[I];
      if (A != B)
        Common = I;
    }
  }
  return Common;
}

/// Shortens ways that do not fit a line by the names that all ways share: first
/// the inner functions, then the outer ones. At least one name of each way
/// stays.
static void keepWhatDiffers(std::vector<std::vector<std::string>> &Ways,
                            size_t Max) {
  auto IsLong = [&](const auto &Way) { return Way.size() > Max; };
  for (bool FromEnd : {true, false}) {
    if (Ways.size() < 2 || none_of(Ways, IsLong))
      return;
    size_t Shortest = llvm::min_element(Ways, [](const auto &A, const auto &B) {
                        return A.size() < B.size();
                      })->size();
    size_t Common = std::min(commonNames(Ways, FromEnd), Shortest - 1);
    for (std::vector<std::string> &Way : Ways) {
      auto At = FromEnd ? Way.end() - Common : Way.begin();
      Way.erase(At, At + Common);
    }
  }
}

/// Where the memory of a move came from, or went to.
static std::string sideOfMove(ArrayRef<Finding::MergedPart> Parts,
                              ArrayRef<std::vector<std::string>> Ways,
                              bool Came) {
  constexpr size_t MaxNames = 2;
  std::string Text;
  size_t More = 0;
  for (auto [P, Way] : zip(Parts, Ways)) {
    if ((P.Change > 0) != Came)
      continue;
    if (Text.empty())
      Text = join(ArrayRef(Way).take_back(MaxNames), " > ");
    else
      ++More;
  }
  if (More)
    Text += " and " + formatCount(More) + (More == 1 ? " other" : " others");
  return Text;
}

/// ` (libz.so.1)`: the innermost known binary of the largest part; empty: none.
static std::string binaryOfMove(const DiffView &V, const Move &M, bool Came) {
  auto P = find_if(M.Parts, [&](const Finding::MergedPart &P) {
    return (P.Change > 0) == Came;
  });
  if (P == M.Parts.end())
    return "";
  for (const ShownFrame &F : V.Runs.trace(P->Place.Run).shownWay(P->Place.Node))
    if (!F.Binary.empty())
      return " (" + baseName(F.Binary).str() + ")";
  return "";
}

std::string moveTitle(const DiffView &V, const Move &M) {
  size_t Above = V.Runs.trace(M.Place.Run).shownWay(M.Place.Node).size();
  std::vector<std::vector<std::string>> Ways;
  for (const Finding::MergedPart &P : M.Parts)
    Ways.push_back(wayBelow(V, Above, P.Place));
  keepWhatDiffers(Ways, /*Max=*/0);
  std::string From = sideOfMove(M.Parts, Ways, /*Came=*/false);
  std::string To = sideOfMove(M.Parts, Ways, /*Came=*/true);
  if (From == To) {
    From += binaryOfMove(V, M, /*Came=*/false);
    To += binaryOfMove(V, M, /*Came=*/true);
  }
  return valueText(uint64_t(M.Value), isInBytes(M.By)) + " " +
         (M.By == Metric::Peak ? std::string("at the peak")
                               : metricName(M.By).str()) +
         " moved from " + From + " to " + To + ", " +
         V.Runs.heaps()[M.Heap].Name.str();
}

std::vector<std::string> partLines(const DiffView &V, DiffPlace Below,
                                   Metric By,
                                   ArrayRef<Finding::MergedPart> Parts) {
  const size_t Max = 4;
  size_t Above = V.Runs.trace(Below.Run).shownWay(Below.Node).size();
  std::vector<std::vector<std::string>> Ways;
  for (const Finding::MergedPart &P : Parts)
    Ways.push_back(wayBelow(V, Above, P.Place));
  keepWhatDiffers(Ways, Max);
  std::vector<std::string> Lines;
  for (auto [P, Names] : zip(Parts, Ways)) {
    if (Names.size() > Max) {
      Names[1] = "...";
      Names.erase(Names.begin() + 2, Names.end() - (Max - 2));
    }
    Lines.push_back(changeText(P.Change, isInBytes(By)) + " " +
                    join(Names, " > "));
  }
  return Lines;
}

std::vector<std::string> restLines(const DiffView &V) {
  const FindingReport &R = V.Report.Changes;
  std::vector<std::string> Lines;
  size_t Shown = shownFindings(V).size();
  if (size_t Left = R.Findings.size() - Shown)
    Lines.push_back(formatCount(Left) + " more; --top=0 shows all");
  if (R.Findings.empty())
    Lines.push_back("no differences above the noise");
  if (R.Uncertain)
    Lines.push_back(
        formatCount(R.Uncertain) +
        (R.Uncertain == 1 ? " change is" : " changes are") +
        " within the variation of runs or samples; --uncertain shows " +
        (R.Uncertain == 1 ? "it" : "them"));
  if (size_t Moves = R.Moves.size(); Moves && !V.WithMoves)
    Lines.push_back(
        formatCount(Moves) + (Moves == 1 ? " move" : " moves") +
        " of memory to another place below a caller; --moves shows " +
        (Moves == 1 ? "it" : "them"));
  if (std::fabs(R.Rest) >= 1)
    Lines.push_back(
        changeText(R.Rest, isInBytes(V.By)) + " in changes of less than " +
        valueText(V.Report.NoiseValue, isInBytes(V.By)) + " (--noise)");
  return Lines;
}

} // namespace memkit
