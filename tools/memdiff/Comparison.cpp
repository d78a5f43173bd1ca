// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the traces to compare and judges their differences.

#include "Comparison.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Report/DiffSentences.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace memkit {

Expected<std::vector<SelectedTrace>> openTraces(ArrayRef<std::string> Inputs,
                                                const SelectionSpec &Spec) {
  if (count(Inputs, "-") > 1)
    return makeUsageError("only one trace can come from standard input");
  std::vector<SelectedTrace> All(Inputs.size());
  for (size_t I = 0; I < Inputs.size(); I += 2) {
    Error Failed[] = {Error::success(), Error::success()};
    auto Open = [&](size_t N) {
      if (I + N < Inputs.size())
        Failed[N] = All[I + N].open(Inputs[I + N], Spec, showProgress());
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

static constexpr unsigned Bytes = CF_Value | CF_Change | CF_PerHeap;
static constexpr ConditionMetric Conditions[] = {
    {"differences", CF_Any},
    {"lost", CF_Any},
    {"peak", Bytes},
    {"live", Bytes},
    {"allocated", Bytes},
    {"count", Bytes | CF_Count},
    {"temporary", Bytes | CF_Count}};

ArrayRef<ConditionMetric> diffConditions() { return Conditions; }

/// The total that a condition names, and the total's error.
static std::pair<uint64_t DiffStats::*, double SampleVariances::*>
fieldOf(StringRef Metric) {
  if (Metric == "peak")
    return {&DiffStats::PeakBytes, &SampleVariances::SpacePeak};
  if (Metric == "live")
    return {&DiffStats::LiveBytes, &SampleVariances::Live};
  if (Metric == "allocated")
    return {&DiffStats::AllocatedBytes, &SampleVariances::Allocated};
  if (Metric == "count")
    return {&DiffStats::Allocations, nullptr};
  return {&DiffStats::Temporaries, nullptr};
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

bool holds(const Condition &C, const DiffRuns &Runs, const DiffReport &R,
           double Confidence, std::string &Why) {
  if (C.Metric == "differences") {
    size_t Found = R.Changes.Findings.size();
    Why = C.Text + ": " + formatCount(Found);
    return C.isAbove(double(Found));
  }
  if (C.Metric == "lost") {
    uint64_t Lost = 0;
    for (size_t Run = 0; Run != Runs.size(); ++Run)
      Lost += Runs.trace(Run).lostEvents();
    Why = C.Text + ": " + formatCount(Lost) + " events";
    return C.isAbove(double(Lost));
  }
  auto Is = [&](const DiffStatsOfRuns &S, StringRef Heap) {
    if (!holdsFor(C, Runs, S, Confidence))
      return false;
    auto Field = fieldOf(C.Metric).first;
    bool Count = C.Metric == "count" || C.Metric == "temporary";
    auto Text = [&](uint64_t V) {
      return Count ? formatCount(V) : formatSize(V);
    };
    Why = C.Text + ": " + (Heap.empty() ? "" : Heap.str() + " ") +
          Text(S.Before.*Field) + " -> " + Text(S.After.*Field);
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
