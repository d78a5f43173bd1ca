// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes in sentences.

#include "DiffSentences.h"
#include "DiffRows.h"
#include "Support/CommandText.h"
#include "TraceText/EnumNames.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// A total of a memory space.
struct Total {
  StringRef Name;
  uint64_t DiffStats::*Field;
  double SampleVariances::*Error;
};
} // namespace

/// Whether a total changed by the noise, and not by chance.
static bool isReported(const DiffView &V, const SpaceChange &S,
                       const Total &T) {
  uint64_t Before = S.Stats.Before.*T.Field, After = S.Stats.After.*T.Field;
  if (Before == After || distance(Before, After) < S.Noise)
    return false;
  // One arena is chance.
  bool IsLive = T.Field == &DiffStats::LiveBytes;
  if (S.Noise && (IsLive || T.Field == &DiffStats::PeakBytes)) {
    int64_t Arenas =
        changeOfArenas(V, S.Name, IsLive ? Metric::Live : Metric::Peak);
    auto Rest = int64_t(After - Before) - Arenas;
    if (uint64_t(std::abs(Arenas)) <= OneArena &&
        uint64_t(std::abs(Rest)) < S.Noise)
      return false;
  }
  std::optional<ConfidenceInterval> I =
      changeOfTotal(V.Runs, S.Stats, T.Field, T.Error, V.Confidence);
  return !I || !I->hasZero();
}

/// Whether a total changed by the noise, by means that the runs vary around.
static bool mayBeChance(const DiffView &V, const SpaceChange &S,
                        const Total &T) {
  uint64_t Before = S.Stats.Before.*T.Field, After = S.Stats.After.*T.Field;
  std::optional<ConfidenceInterval> I =
      changeOfTotal(V.Runs, S.Stats, T.Field, T.Error, V.Confidence);
  return Before != After && distance(Before, After) >= S.Noise && I &&
         I->hasZero();
}

static std::string totalText(const SpaceChange &S, const Total &T, bool Bytes) {
  uint64_t Before = S.Stats.Before.*T.Field, After = S.Stats.After.*T.Field;
  std::string Share = shareText(Before, After);
  return T.Name.str() + " " + changeText(int64_t(After - Before), Bytes) +
         (Share == "new" ? "" : " (" + Share + ")") + ", " +
         valueText(Before, Bytes) + " -> " + valueText(After, Bytes);
}

/// The first total decides; live bytes are added where they changed.
static SmallVector<Total, 2> verdictTotals(const DiffView &V) {
  const Total Live = {"live at the end", &DiffStats::LiveBytes,
                      &SampleVariances::Live};
  if (V.IsAtTimePoint)
    return {{"live then", &DiffStats::LiveBytes, &SampleVariances::Live}};
  switch (V.By) {
  case Metric::Peak:
    return {{"peak", &DiffStats::PeakBytes, &SampleVariances::SpacePeak}, Live};
  case Metric::Live:
  case Metric::Leaked:
    return {Live};
  case Metric::Allocated:
    return {
        {"allocated", &DiffStats::AllocatedBytes, &SampleVariances::Allocated}};
  case Metric::Count:
    return {{"allocations", &DiffStats::Allocations, nullptr}};
  case Metric::Temporary:
    return {{"temporary allocations", &DiffStats::Temporaries, nullptr}};
  }
  llvm_unreachable("all metrics are handled");
}

static std::string verdict(const DiffView &V) {
  bool Bytes = isInBytes(V.By);
  SmallVector<Total, 2> Totals = verdictTotals(V);
  std::string Changed, Unsure;
  auto Add = [&](std::string &To, const SpaceChange &S, const Total &T) {
    To += (To.empty() ? "" : "; ") + spacePrefix(V, S) + totalText(S, T, Bytes);
  };
  for (const SpaceChange &S : V.Report.Spaces)
    for (const Total &T : Totals)
      if (isReported(V, S, T))
        Add(Changed, S, T);
      else if (mayBeChance(V, S, T))
        Add(Unsure, S, T);
  if (!Changed.empty())
    return Changed;
  if (!Unsure.empty())
    return "no certain change: " + Unsure + "; the runs vary as much";
  const SpaceChange &S = V.Report.Spaces.front();
  return "no change of " + Totals.front().Name.str() +
         (Totals.size() > 1 ? " or of memory " + Totals.back().Name.str()
                            : std::string()) +
         " above the noise (" + valueText(S.Noise, Bytes) + ")";
}

std::string verdictLine(const DiffView &V) {
  const Trace &Last = V.Runs.trace(V.Runs.size() - 1);
  std::string Name = oneLine(queryProgram(Last));
  return (Name.empty() ? "" : Name + ": ") + verdict(V);
}

/// `+1 MiB name`, the largest changes; empty: none reaches the noise.
static std::string listChanges(const DiffView &V, ArrayRef<NamedChange> Changes,
                               StringRef Title) {
  constexpr size_t Max = 4;
  std::string Text;
  size_t Count = 0;
  for (const NamedChange &C : Changes) {
    uint64_t Noise = V.Report.NoiseValue;
    for (const SpaceChange &S : V.Report.Spaces)
      if (S.Name == C.Space)
        Noise = S.Noise;
    if (!C.change() || distance(C.Before, C.After) < Noise)
      continue;
    if (++Count <= Max)
      Text += (Text.empty() ? "" : ", ") +
              (C.Name.empty() ? categoryName(C.Category) : C.Name) + " " +
              changeText(C.change(), true);
  }
  if (Text.empty())
    return "";
  return (Title + ": " + Text + (Count > Max ? ", ..." : "")).str();
}

/// The operators whose self time changed most; times differ from run to run, so
/// a change below a twentieth of all self time is left out.
static std::string operatorText(ArrayRef<OperatorChange> Changes) {
  constexpr size_t Max = 4;
  constexpr uint64_t Noise = 20;
  uint64_t Before = 0, After = 0;
  for (const OperatorChange &C : Changes) {
    Before += C.SelfNsBefore;
    After += C.SelfNsAfter;
  }
  std::string Text;
  for (const OperatorChange &C : Changes.take_front(Max)) {
    bool Rises = C.SelfNsAfter > C.SelfNsBefore;
    uint64_t Ns = distance(C.SelfNsBefore, C.SelfNsAfter);
    if (!Ns || Ns < std::max(Before, After) / Noise)
      break;
    Text += (Text.empty() ? "" : ", ") + C.Name + (Rises ? " +" : " -") +
            formatTime(Ns);
    if (C.CallsBefore != C.CallsAfter)
      Text += " (" + formatCount(C.CallsBefore) + " -> " +
              formatCount(C.CallsAfter) + " calls)";
  }
  return Text.empty() ? "" : "Operators, self time: " + Text;
}

static std::string stepText(const DiffView &V, const StepChange &S) {
  if (!S.First)
    return "";
  bool Single = *S.First == S.Last;
  std::string Of = V.Report.Spaces.size() > 1 ? S.Space + " " : "";
  return (Single ? "Step " : "Steps ") + std::to_string(*S.First) +
         (Single ? "" : " to " + std::to_string(S.Last)) + ": " + Of +
         "peak of a step " + changeText(S.MedianChange, true) +
         (Single ? "" : " (median)") + ", of " + formatCount(S.Aligned) +
         (S.Aligned == 1 ? " step" : " steps") + " that both have";
}

static std::string rateText(double Rate, bool HasSteps) {
  return "+" + formatSize(wholeBytes(Rate)) +
         (HasSteps ? " per step" : " per second");
}

static std::string growthText(const DiffView &V, const GrowthChange &C) {
  std::string Where = V.Report.Places.Where[C.Run].text(C.Where);
  std::string Before = rateText(C.Before, C.HasSteps);
  std::string After = rateText(C.After, C.HasSteps);
  if (C.Before <= 0)
    return "Grows now, not before: " + Where + "  " + After;
  if (C.After <= 0)
    return "Grows no longer: " + Where + "  (" + Before + " before)";
  return "Grows " + std::string(C.After > C.Before ? "faster" : "slower") +
         ": " + Where + "  " + Before + " -> " + After;
}

bool needsLook(StringRef DetailLine) {
  return DetailLine.starts_with("Grows now") ||
         DetailLine.starts_with("Grows faster");
}

std::vector<std::string> detailLines(const DiffView &V) {
  std::vector<std::string> Lines;
  auto Add = [&](std::string Line) {
    if (!Line.empty())
      Lines.push_back(std::move(Line));
  };
  const DiffDetails &D = V.Report.Details;
  constexpr size_t MaxGrowing = 3;
  for (const GrowthChange &C : ArrayRef(D.Growing).take_front(MaxGrowing))
    Add(growthText(V, C));
  if (!V.IsAtTimePoint && isInBytes(V.By)) {
    for (const StepChange &S : D.Steps)
      Add(stepText(V, S));
    Add(listChanges(V, D.Layers, "Layers, bytes held at the peak"));
    Add(listChanges(V, D.Categories, "Tensors at the peak"));
    Add(operatorText(D.Operators));
  }
  const DiffPlaces &P = V.Report.Places;
  if (P.HiddenBefore != StackMetrics() || P.HiddenAfter != StackMetrics()) {
    Metric By = placeMetrics(V).front();
    Add("Suppressed: " +
        changeText(
            int64_t(metricOf(P.HiddenAfter, By) - metricOf(P.HiddenBefore, By)),
            isInBytes(By)) +
        " " + metricTitle(V, By) + " (" +
        valueText(metricOf(P.HiddenBefore, By), isInBytes(By)) + " -> " +
        valueText(metricOf(P.HiddenAfter, By), isInBytes(By)) + ")");
  }
  return Lines;
}

} // namespace memkit
