// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of conditions that the samples of a trace tell.

#include "TraceMetrics.h"
#include "Stats/MarkMetrics.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;
using namespace memkit;

/// Whether the selection is about a mark. Devices are of all processes.
static bool isWanted(const Selection &Sel, const Mark &M) {
  switch (M.Kind) {
  case MarkKind::DeviceUsed:
    return true;
  case MarkKind::HeapReserved:
    return Sel.hasProcess(M.Process) && Sel.hasHeap(M.Heap);
  case MarkKind::Rss:
  case MarkKind::ProcessEnd:
  case MarkKind::Oom:
    return Sel.hasProcess(M.Process);
  default:
    return false;
  }
}

/// The marks with values, in order of time.
static Expected<std::vector<Mark>> readMarks(const SelectedStats &S) {
  std::vector<Mark> Out;
  auto Take = [&](const Mark &M) {
    if (isWanted(S.selection(), M))
      Out.push_back(M);
  };
  if (S.trace().hasReader())
    if (Error E = S.trace().forEachMark(Take))
      return std::move(E);
  stable_sort(Out,
              [](const Mark &A, const Mark &B) { return A.TimeNs < B.TimeNs; });
  return Out;
}

static MetricValue named(const Trace &T, const MarkMetric &V,
                         const MarkMetrics &Of) {
  MetricValue Out{V.Metric, "", V.Value, {}, V.IsSpace};
  if (isOfRun(V.Metric))
    return Out;
  Out.Name = (V.IsSpace ? T.spaceName(V.Id) : T.heapName(V.Id)).str();
  if (std::optional<uint64_t> Total =
          Of.totalOf(V.IsSpace ? V.Id : Of.spaceOf(V.Id)))
    Out.Whole = double(*Total);
  return Out;
}

/// The exact maximum of the largest selected process; 0: not measured.
static uint64_t largestResident(const SelectedStats &S) {
  uint64_t Most = 0;
  for (const ProcessStats &P : S.trace().summary().Processes)
    if (S.selection().hasProcess(P.Process))
      Most = std::max(Most, P.RssPeakBytes);
  return Most;
}

Expected<std::vector<MetricValue>>
memkit::queryTraceMetrics(const SelectedStats &S) {
  const Trace &T = S.trace();
  MarkMetrics Of;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    Of.addHeap(Heap, T.heap(Heap).Space);
  std::map<std::tuple<ConditionMetric, bool, uint32_t>, MarkMetric> Highest;
  auto Keep = [&](const MarkMetric &V) {
    auto [It, New] = Highest.insert({{V.Metric, V.IsSpace, V.Id}, V});
    It->second.Value = std::max(It->second.Value, V.Value);
  };
  Keep({ConditionMetric::Oom, true, 0, 0});
  if (uint64_t Most = largestResident(S))
    Keep({ConditionMetric::Rss, true, 0, double(Most)});
  Expected<std::vector<Mark>> Marks = readMarks(S);
  if (!Marks)
    return Marks.takeError();
  for (const Mark &M : *Marks)
    Of.see(M, [](uint32_t) { return 0; }, Keep);
  std::vector<MetricValue> Out;
  for (const auto &[Key, V] : Highest)
    if (V.Metric != ConditionMetric::Fragmentation)
      Out.push_back(named(T, V, Of));
  return Out;
}
