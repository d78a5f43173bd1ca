// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdiff's answer: what changed, by the lines of the user's own code.

#include "Cli/Terminal.h"
#include "DiffText.h"
#include "Support/CommandText.h"
#include "TraceText/CategorySums.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include <cmath>

using namespace llvm;

namespace memkit {

static uint64_t distance(uint64_t A, uint64_t B) {
  return A > B ? A - B : B - A;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The metrics of the table of places; the first one gives the order.
static SmallVector<Metric, 2> placeMetrics(const DiffView &V) {
  if (V.IsAtTimePoint || V.By != Metric::Peak)
    return {V.By};
  return {Metric::Peak, Metric::Live};
}

/// Whether the change reaches the noise, and is no chance of runs or samples.
static bool isReported(const DiffView &V, const SpaceChange &Space,
                       const PlaceChange &C, Metric By) {
  uint64_t Change = distance(C.before(By), C.after(By));
  if (!Change || Change < Space.Noise)
    return false;
  std::optional<ConfidenceInterval> I =
      changeOfPlace(V.Runs, C, By, V.Confidence);
  return !I || !I->hasZero() || V.Uncertain;
}

PlaceRows placeRows(const DiffView &V, const SpaceChange &Space) {
  SmallVector<Metric, 2> By = placeMetrics(V);
  PlaceRows Out;
  for (const PlaceChange &C : V.Report.Places.All) {
    if (C.Space != Space.Name)
      continue;
    bool Any = any_of(By, [&](Metric M) { return isReported(V, Space, C, M); });
    (Any ? Out.Shown : Out.Others).push_back(&C);
  }
  auto Key = [&](const PlaceChange *C) {
    return std::pair(distance(C->before(By.front()), C->after(By.front())),
                     distance(C->before(By.back()), C->after(By.back())));
  };
  stable_sort(Out.Shown, [&](const PlaceChange *A, const PlaceChange *B) {
    return Key(A) > Key(B);
  });

  // A place that is gone, and a new place with as much: the memory moved.
  auto IsGone = [](const PlaceChange *C) { return !C->After.Allocations; };
  auto IsNew = [](const PlaceChange *C) { return !C->Before.Allocations; };
  auto AreSame = [&](const PlaceChange *Old, const PlaceChange *New) {
    uint64_t A = Old->before(By.front()), B = New->after(By.front());
    return A && double(distance(A, B)) <= MoveShare * double(std::max(A, B));
  };
  for (size_t I = 0; I < Out.Shown.size(); ++I) {
    const PlaceChange *Old = Out.Shown[I];
    if (!IsGone(Old))
      continue;
    auto New = find_if(Out.Shown, [&](const PlaceChange *C) {
      return IsNew(C) && AreSame(Old, C);
    });
    if (New == Out.Shown.end())
      continue;
    Out.Moved.push_back({Old, *New});
    Out.Shown.erase(New);
    Out.Shown.erase(find(Out.Shown, Old));
    I = size_t(-1);
  }

  constexpr size_t Usual = 8;
  size_t Max = V.MaxGiven || !V.Max ? V.Max : Usual;
  if (Max && Out.Shown.size() > Max + 1) {
    append_range(Out.Others, ArrayRef(Out.Shown).drop_front(Max));
    Out.More = Out.Shown.size() - Max;
    Out.Shown.resize(Max);
  }
  return Out;
}

/// Whether a place that changed at the peak allocates as before: only the
/// moment of the peak is another.
static bool allocatesAsBefore(const PlaceChange &C) {
  auto AreClose = [](uint64_t A, uint64_t B) {
    return A && B &&
           double(distance(A, B)) <= MoveShare * double(std::max(A, B));
  };
  return AreClose(C.Before.AllocatedBytes, C.After.AllocatedBytes) &&
         AreClose(C.Before.Allocations, C.After.Allocations) &&
         (!C.Before.AtPeakBytes || !C.After.AtPeakBytes);
}

static std::string rowText(const DiffView &V, const PlaceChange &C, Metric By) {
  std::string Text = V.Report.Places.text(C);
  if (By == Metric::Peak && allocatesAsBefore(C))
    Text += C.After.AtPeakBytes ? " (allocates as before, now at the peak)"
                                : " (allocates as before, not at the peak)";
  return Text;
}

static std::string metricTitle(const DiffView &V, Metric By) {
  if (V.IsAtTimePoint)
    return "live then";
  return By == Metric::Peak ? "at the peak" : metricName(By).str();
}

Table placeTable(const DiffView &V, const PlaceRows &Rows) {
  using Side = Table::Side;
  SmallVector<Metric, 2> By = placeMetrics(V);
  bool HasLines = any_of(V.Report.Places.Where,
                         [](const Places &P) { return P.hasLines(); });
  std::vector<Table::Column> Columns = {{metricTitle(V, By[0]), Side::Right},
                                        {"", Side::Left}};
  for (Metric M : ArrayRef(By).drop_front())
    Columns.push_back({metricTitle(V, M), Side::Right});
  Columns.push_back({HasLines ? "line of your code" : "function or library",
                     Side::Left, true});
  Columns.push_back({"", Side::Left, true, 3});
  Table T(std::move(Columns));
  for (const PlaceChange *C : Rows.Shown) {
    bool Bytes = isInBytes(By[0]);
    std::vector<std::string> Cells = {changeText(C->change(By[0]), Bytes),
                                      valueText(C->before(By[0]), Bytes) +
                                          " -> " +
                                          valueText(C->after(By[0]), Bytes)};
    for (Metric M : ArrayRef(By).drop_front())
      Cells.push_back(changeText(C->change(M), isInBytes(M)));
    Cells.push_back(rowText(V, *C, By[0]));
    Cells.push_back(oneLine(V.Report.Places.place(*C).Source));
    T.add(std::move(Cells));
  }
  std::vector<int64_t> Rest(By.size());
  size_t Changed = 0;
  for (const PlaceChange *C : Rows.Others) {
    bool Any = false;
    for (size_t I = 0; I != By.size(); ++I) {
      Rest[I] += C->change(By[I]);
      Any |= C->change(By[I]) != 0;
    }
    Changed += Any;
  }
  if (!Rows.Shown.empty() && Changed) {
    std::vector<std::string> Cells = {changeText(Rest[0], isInBytes(By[0])),
                                      ""};
    for (size_t I = 1; I != By.size(); ++I)
      Cells.push_back(changeText(Rest[I], isInBytes(By[I])));
    Cells.push_back(formatCount(Changed) + " other place" +
                    (Changed == 1 ? "" : "s"));
    Cells.push_back("");
    T.add(std::move(Cells));
  }
  return T;
}

std::vector<std::string> placeMoveLines(const DiffView &V,
                                        const PlaceRows &Rows) {
  Metric By = placeMetrics(V).front();
  std::vector<std::string> Lines;
  for (auto [Old, New] : Rows.Moved)
    Lines.push_back(valueText(New->after(By), isInBytes(By)) + " moved from " +
                    V.Report.Places.text(*Old) + " to " +
                    V.Report.Places.text(*New));
  return Lines;
}

//===----------------------------------------------------------------------===//
// Sentences
//===----------------------------------------------------------------------===//

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
  std::optional<ConfidenceInterval> I =
      changeOfTotal(V.Runs, S.Stats, T.Field, T.Error, V.Confidence);
  return !I || !I->hasZero();
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
  std::string Changed;
  for (const SpaceChange &S : V.Report.Spaces)
    for (const Total &T : Totals)
      if (isReported(V, S, T))
        Changed += (Changed.empty() ? "" : "; ") + spacePrefix(V, S) +
                   totalText(S, T, Bytes);
  if (!Changed.empty())
    return Changed;
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

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void printShort(raw_ostream &OS, const DiffView &V) {
  unsigned Width = outputWidth();
  for (const std::string &Line : lossLines(V))
    OS << Line << '\n';
  printWrapped(OS, verdictLine(V), Width, 2);
  if (!V.Runs.isPair())
    OS << "means of " << V.Runs.numBefore() << " and "
       << V.Runs.size() - V.Runs.numBefore() << " runs\n";
  OS << '\n';
  totalsTable(V, /*WithShare=*/true).print(OS, Width);
  for (const SpaceChange &S : V.Report.Spaces) {
    PlaceRows Rows = placeRows(V, S);
    if (Rows.Shown.empty() && Rows.Moved.empty())
      continue;
    OS << '\n';
    if (V.Report.Spaces.size() > 1)
      OS << S.Name << '\n';
    if (!Rows.Shown.empty())
      placeTable(V, Rows).print(OS, Width);
    for (const std::string &Line : placeMoveLines(V, Rows))
      printWrapped(OS, "  " + Line, Width, 2);
    if (Rows.More)
      OS << "  --top=0 shows all\n";
  }
  std::vector<std::string> Details = detailLines(V);
  if (!Details.empty())
    OS << '\n';
  for (const std::string &Line : Details) {
    if (StringRef(Line).starts_with("Grows now") ||
        StringRef(Line).starts_with("Grows faster"))
      printWrapped(WithColor(OS, raw_ostream::RED).get(), Line, Width, 2);
    else
      printWrapped(OS, Line, Width, 2);
  }
  if (!V.Report.Changes.Findings.empty())
    OS << "\nStacks of the changes: memdiff -v\n";
}

} // namespace memkit
