// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions of --fail-on, judged of a trace.

#include "Gates.h"
#include "Analysis/Series/TraceMetrics.h"
#include "Cli/ToolMain.h"
#include "Stats/MarkMetrics.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace memkit {

/// The conditions of --fail-on: those of samples, and memstat's own.
static std::vector<MetricForms> makeConditions() {
  constexpr unsigned Bytes = CF_Value | CF_PerHeap;
  std::vector<MetricForms> All = {
      {ConditionMetric::Lost, CF_Any},
      {ConditionMetric::Suggestions, CF_Any | CF_Value},
      {ConditionMetric::Peak, Bytes},
      {ConditionMetric::Live, Bytes},
      {ConditionMetric::Kept, Bytes},
      {ConditionMetric::Rise, Bytes}};
  append_range(All, sampledMetrics());
  return All;
}
ArrayRef<MetricForms> gateConditions() {
  static const std::vector<MetricForms> All = makeConditions();
  return All;
}

/// The peak and the live bytes at the end of memory spaces and heaps. Without a
/// heap name a condition is about each memory space, and with chosen heaps
/// about each of these heaps.
static void addTotals(const PageInput &F, const SelectedStats &S,
                      std::vector<MetricValue> &Out) {
  auto Add = [&](StringRef Name, const TotalStats &T, bool IsMeantByAll) {
    Out.push_back({ConditionMetric::Peak,
                   Name.str(),
                   double(T.PeakBytes),
                   {},
                   IsMeantByAll});
    Out.push_back({ConditionMetric::Live,
                   Name.str(),
                   double(T.LiveBytes),
                   {},
                   IsMeantByAll});
  };
  for (const HeapOverview &H : F.O.Heaps)
    Add(H.Heap ? F.heapName(H.Heap) : F.T.spaceName(H.Space), H.Stats,
        F.OfHeaps || !H.Heap);
  // With some of the processes selected, F.O.Heaps has no memory spaces.
  if (F.Whole || F.OfHeaps)
    return;
  std::vector<TotalStats> Spaces = partOfSpaces(S);
  for (uint32_t Id = 0; Id != Spaces.size(); ++Id)
    Add(F.T.spaceName(Id), Spaces[Id], true);
}

/// Of heaps whose reserved bytes are known, at their peaks; a memory space has
/// the values of its heaps.
static void addFragmentation(const PageInput &F,
                             std::vector<MetricValue> &Out) {
  for (const HeapFragmentation &H : F.O.Fragmentation)
    if (H.AtPeak.Ppm) {
      constexpr double Millionths = 1e6;
      double Share = double(*H.AtPeak.Ppm) / Millionths;
      for (StringRef Name :
           {F.heapName(H.Heap), F.T.spaceName(F.T.heap(H.Heap).Space)})
        Out.push_back(
            {ConditionMetric::Fragmentation, Name.str(), Share, 1.0, true});
    }
}

/// What lives of a scope's blocks at its end, in all memory spaces.
static uint64_t keptOf(const LayerStats &L) {
  uint64_t Kept = 0;
  for (const SpaceShare &S : L.Shares) {
    uint64_t Made = S.Space ? S.AllocatedBytes : L.AllocatedBytes;
    Kept += Made - std::min(Made, S.FreedBytes);
  }
  return Kept;
}

/// Of the scopes and ranges of the program, as tests.
static void addScopes(const PageInput &F, std::vector<MetricValue> &Out) {
  for (const LayerStats &L : queryScopes(F.T)) {
    std::string Name = F.T.string(L.Name).str();
    Out.push_back({ConditionMetric::Kept, Name, double(keptOf(L))});
    Out.push_back({ConditionMetric::Rise, Name, double(L.RiseBytes)});
  }
}

/// Names the scopes for which C holds.
static void sayScopes(const Condition &C, ArrayRef<MetricValue> Values) {
  constexpr size_t Max = 10;
  std::vector<const MetricValue *> Over;
  for (const MetricValue &V : Values)
    if (isMeant(C, V) && C.isAbove(V.Value))
      Over.push_back(&V);
  llvm::sort(Over, [](auto *A, auto *B) {
    return std::tie(B->Value, A->Name) < std::tie(A->Value, B->Name);
  });
  for (const MetricValue *V : ArrayRef(Over).take_front(Max))
    say(V->Name + ": " + metricWord(C.Metric) + " " +
        formatSize(uint64_t(V->Value)));
  if (Over.size() > Max)
    say(formatCount(Over.size() - Max) + " more");
}

/// The values of all metrics that Fatal asks for. Errors: TraceError.
static Expected<std::vector<MetricValue>>
valuesFor(const FailOn &Fatal, const PageInput &F, const SelectedStats &S) {
  using enum ConditionMetric;
  std::vector<MetricValue> Out;
  Out.push_back({Lost, "", double(F.R.Lost)});
  Out.push_back({Suggestions, "", 0});
  for (const Suggestion &Of : F.O.Suggestions)
    Out.push_back({Suggestions, "", double(std::max<uint64_t>(Of.Bytes, 1))});
  addTotals(F, S, Out);
  addFragmentation(F, Out);
  if (Fatal.asksFor(Kept) || Fatal.asksFor(Rise))
    addScopes(F, Out);
  if (none_of(sampledMetrics(),
              [&](const MetricForms &M) { return Fatal.asksFor(M.Metric); }))
    return Out;
  Expected<std::vector<MetricValue>> More = queryTraceMetrics(S);
  if (!More)
    return More.takeError();
  for (MetricValue &V : *More) {
    V.IsMeantByAll = V.Name.empty() || V.IsMeantByAll != F.OfHeaps;
    Out.push_back(std::move(V));
  }
  return Out;
}

/// Whether the peaks are parts of the peaks of all processes: those of several
/// of them together are in no trace, nor those of heaps.
static bool hasPartialPeaks(const PageInput &F) {
  bool IsWhole = all_of(seq<uint32_t>(1, F.T.processes().size() + 1),
                        [&](uint32_t Id) { return F.Sel.hasProcess(Id); });
  return !IsWhole && (F.OfHeaps || !onlyProcess(F.T, F.Sel));
}

Expected<int> gateStatus(const FailOn &Fatal, const PageInput &F,
                         const SelectedStats &S) {
  if (Fatal.conditions().empty())
    return ExitOk;
  Expected<std::vector<MetricValue>> Values = valuesFor(Fatal, F, S);
  if (!Values)
    return Values.takeError();
  return Fatal.status([&](const Condition &C) -> Expected<bool> {
    Expected<bool> Is = judge(C, *Values);
    if (Is && *Is && isOfScopes(C.Metric))
      sayScopes(C, *Values);
    if (Is && !*Is && C.Metric == ConditionMetric::Peak && hasPartialPeaks(F))
      return cannotJudge(C, "the trace has the peaks of all processes, and of "
                            "each alone");
    return Is;
  });
}

} // namespace memkit
