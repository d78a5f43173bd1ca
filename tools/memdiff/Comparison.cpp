// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the traces to compare and judges their differences.

#include "Comparison.h"
#include "Analysis/Series/TraceMetrics.h"
#include "Cli/FailOn.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Report/DiffSentences.h"
#include "Stats/MarkMetrics.h"
#include "Support/Rounding.h"
#include "Support/RunBoth.h"
#include "memkit/Model/CutOff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace llvm;

namespace memkit {

/// An error if no trace has what is selected. New memory is in the later traces
/// alone.
static Error checkMatches(ArrayRef<SelectedTrace> All,
                          const SelectionSpec &Spec) {
  Error First = Error::success();
  for (const SelectedTrace &T : All) {
    Expected<Selection> Sel = Selection::create(*T.T, Spec);
    if (Sel) {
      consumeError(std::move(First));
      return Error::success();
    }
    if (First)
      consumeError(Sel.takeError());
    else
      First = Sel.takeError();
  }
  return First;
}

Expected<std::vector<SelectedTrace>> openTraces(ArrayRef<std::string> Inputs,
                                                const SelectionSpec &Spec) {
  if (count(Inputs, "-") > 1)
    return makeUsageError("only one trace can come from standard input");
  std::vector<SelectedTrace> All(Inputs.size());
  SelectionSpec Of = Spec;
  Of.MayMatchNothing = true;
  for (size_t I = 0; I < Inputs.size(); I += 2) {
    Error Failed[] = {Error::success(), Error::success()};
    auto Open = [&](size_t N) {
      if (I + N < Inputs.size())
        Failed[N] = All[I + N].open(Inputs[I + N], Of, showProgress());
    };
    runBoth([&] { Open(0); }, [&] { Open(1); });
    // The caller gets one error; llvm::Error requires both to be examined.
    if (Failed[0] && Failed[1]) {
      consumeError(std::move(Failed[1]));
      return std::move(Failed[0]);
    }
    for (Error &E : Failed)
      if (E)
        return std::move(E);
  }
  if (!Spec.empty())
    if (Error E = checkMatches(All, Spec))
      return std::move(E);
  for (const SelectedTrace &T : All)
    for_each(T.T->warnings(), [](const std::string &W) { warn(W); });
  return All;
}

void warnOfDifferences(const DiffRuns &Runs) {
  for (const std::string &Line : doubtLines(Runs))
    warn(Line);
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// Of samples there are values and changes, no shares.
static std::vector<MetricForms> makeConditions() {
  constexpr unsigned Bytes = CF_Value | CF_Change | CF_PerHeap;
  std::vector<MetricForms> All = {
      {ConditionMetric::Differences, CF_Any}, {ConditionMetric::Lost, CF_Any},
      {ConditionMetric::Peak, Bytes},         {ConditionMetric::Live, Bytes},
      {ConditionMetric::Allocated, Bytes},    {ConditionMetric::Count, Bytes},
      {ConditionMetric::Temporary, Bytes}};
  for (MetricForms M : sampledMetrics())
    if (M.Forms & CF_Value) {
      M.Forms &= ~unsigned(CF_Share);
      M.Forms |= M.Forms & CF_Any ? 0u : unsigned(CF_Change);
      All.push_back(M);
    }
  return All;
}

ArrayRef<MetricForms> diffConditions() {
  static const std::vector<MetricForms> All = makeConditions();
  return All;
}

/// A total that conditions name, and the total's error.
struct JudgedField {
  uint64_t DiffStats::*Field = nullptr;
  double SampleVariances::*Error = nullptr; ///< null: none
};

/// Null Field: the metric is no total.
static JudgedField fieldOf(ConditionMetric Metric) {
  switch (Metric) {
  case ConditionMetric::Peak:
    return {&DiffStats::PeakBytes, &SampleVariances::SpacePeak};
  case ConditionMetric::Live:
    return {&DiffStats::LiveBytes, &SampleVariances::Live};
  case ConditionMetric::Allocated:
    return {&DiffStats::AllocatedBytes, &SampleVariances::Allocated};
  case ConditionMetric::Count:
    return {&DiffStats::Allocations, nullptr};
  case ConditionMetric::Temporary:
    return {&DiffStats::Temporaries, nullptr};
  default:
    return {};
  }
}

static bool holdsFor(const Condition &C, const DiffRuns &Runs,
                     const DiffStatsOfRuns &S, double Confidence) {
  auto [Field, Error] = fieldOf(C.Metric);
  uint64_t Before = S.Before.*Field, After = S.After.*Field;
  if (C.What == Condition::ConditionKind::Value)
    return C.isAbove(double(After));
  if (!C.isChangeAbove(Before, After))
    return false;
  std::optional<ConfidenceInterval> I =
      changeOfTotal(Runs, S, Field, Error, Confidence);
  return !I || !I->hasZero();
}

/// `peak>+5%: cuda:0 1 GiB -> 2 GiB`.
static std::string whyText(const Condition &C, StringRef Name, uint64_t Before,
                           uint64_t After) {
  auto Text = [&](uint64_t V) {
    return isCounted(C.Metric) ? formatCount(V) : formatSize(V);
  };
  return C.Text + ": " + (Name.empty() ? "" : Name.str() + " ") + Text(Before) +
         " -> " + Text(After);
}

static bool totalHolds(const Condition &C, const DiffRuns &Runs,
                       const DiffReport &R, double Confidence,
                       std::string &Why) {
  auto Is = [&](const DiffStatsOfRuns &S, StringRef Heap) {
    if (!holdsFor(C, Runs, S, Confidence))
      return false;
    auto Field = fieldOf(C.Metric).Field;
    Why = whyText(C, Heap, S.Before.*Field, S.After.*Field);
    return true;
  };
  // Why names no memory space if there is only one.
  bool IsAlone = R.Spaces.size() == 1;
  auto IsSpace = [&](const SpaceChange &S) {
    bool IsUnnamed = C.Heap.empty() && IsAlone;
    return C.isOfHeap(S.Name) && Is(S.Stats, IsUnnamed ? "" : S.Name);
  };
  if (any_of(R.Spaces, IsSpace))
    return true;
  return !C.Heap.empty() && any_of(R.Heaps, [&](const HeapChange &H) {
    StringRef Name = Runs.heaps()[H.Heap].Name;
    return C.isOfHeap(Name) && Is(H.Stats, Name);
  });
}

/// The means of the runs before and of those after, by name.
using MeansByName = std::map<std::string, std::array<double, 2>>;

/// Of what samples tell. A name that some run lacks has no means.
static Expected<MeansByName> sampledMeans(const Condition &C,
                                          const DiffRuns &Runs) {
  MeansByName Means;
  std::map<std::string, size_t> Found;
  for (size_t Run = 0; Run != Runs.size(); ++Run) {
    Expected<std::vector<MetricValue>> All = queryTraceMetrics(Runs.run(Run));
    if (!All)
      return All.takeError();
    bool IsAfter = Runs.isAfter(Run);
    size_t Count = IsAfter ? Runs.size() - Runs.numBefore() : Runs.numBefore();
    for (const MetricValue &V : *All)
      if (isMeant(C, V)) {
        Means[V.Name][IsAfter] += V.Value / double(Count);
        ++Found[V.Name];
      }
  }
  std::erase_if(Means,
                [&](const auto &Of) { return Found[Of.first] != Runs.size(); });
  return Means;
}

static Expected<bool> sampledHolds(const Condition &C, const DiffRuns &Runs,
                                   std::string &Why) {
  Expected<MeansByName> Means = sampledMeans(C, Runs);
  if (!Means)
    return Means.takeError();
  if (Means->empty() && !C.MayLack)
    return cannotJudge(C, "not each trace has it");
  bool IsChange = C.What == Condition::ConditionKind::Change ||
                  C.What == Condition::ConditionKind::ChangeShare;
  for (const auto &[Name, Of] : *Means) {
    uint64_t Before = nearestUnsigned(Of[0]), After = nearestUnsigned(Of[1]);
    if (IsChange ? C.isChangeAbove(Before, After) : C.isAbove(Of[1])) {
      Why = whyText(C, Name, Before, After);
      return true;
    }
  }
  return false;
}

/// Whether a condition compares with the runs before.
static bool isOfChange(const Condition &C) {
  return C.Metric == ConditionMetric::Differences ||
         C.What == Condition::ConditionKind::Change ||
         C.What == Condition::ConditionKind::ChangeShare;
}

Expected<bool> holds(const Condition &C, const DiffRuns &Runs,
                     const DiffReport &R, double Confidence, std::string &Why) {
  // Less before looks like a change.
  for (size_t Run = 0; Run != Runs.numBefore() && isOfChange(C); ++Run)
    if (std::string Cut = cutOffText(Runs.trace(Run)); !Cut.empty())
      return cannotJudge(C, Cut);
  switch (C.Metric) {
  case ConditionMetric::Differences: {
    size_t Found = R.Changes.Findings.size();
    Why = C.Text + ": " + formatCount(Found);
    return C.isAbove(double(Found));
  }
  case ConditionMetric::Lost: {
    uint64_t Lost = 0;
    for (size_t Run = 0; Run != Runs.size(); ++Run)
      Lost += Runs.trace(Run).lostEvents();
    Why = C.Text + ": " + formatCount(Lost) + " events";
    return C.isAbove(double(Lost));
  }
  default:
    return fieldOf(C.Metric).Field ? totalHolds(C, Runs, R, Confidence, Why)
                                   : sampledHolds(C, Runs, Why);
  }
}

std::vector<std::string> namesForGates(const DiffRuns &Runs) {
  std::vector<std::string> Names;
  StringSet<> Known;
  auto Add = [&](std::string Name) {
    if (Known.insert(Name).second)
      Names.push_back(std::move(Name));
  };
  for (size_t R = 0; R != Runs.size(); ++R)
    for (std::string &Name :
         answeredSpaces(Runs.trace(R), Runs.run(R).selection()))
      Add(std::move(Name));
  for (uint32_t Heap = 0; Heap != Runs.heaps().size(); ++Heap)
    for (size_t R = 0; R != Runs.size(); ++R)
      if (uint32_t Id = Runs.heapId(R, Heap);
          Id && isAnswered(Runs.run(R).selection(), Id))
        Add(Runs.heaps()[Heap].Name.str());
  return Names;
}

} // namespace memkit
