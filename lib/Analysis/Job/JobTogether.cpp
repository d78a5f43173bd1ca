// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host memory that the ranks of a machine had at the same time.

#include "memkit/Analysis/JobTogether.h"
#include "memkit/Analysis/LiveSeries.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static constexpr uint32_t NoNode = UINT32_MAX;

/// The machine of each process, by id; NoNode: the process is of no rank.
static std::vector<uint32_t> nodesOf(const Trace &T, const JobReport &J) {
  std::vector<uint32_t> Out(T.processes().size() + 1, NoNode);
  for (uint32_t Node = 0; Node != J.Nodes.size(); ++Node)
    for (size_t I : J.Nodes[Node].Ranks)
      for (uint32_t Process : J.Ranks[I].Processes)
        Out[Process] = Node;
  return Out;
}

/// Whether the heap's blocks count on the host.
static bool isOutermostOfHost(const Trace &T, uint32_t Heap) {
  const struct Heap &H = T.heap(Heap);
  return H.Space == 0 && !H.Parent && !(H.Flags & HF_OutsideTotals);
}

/// How old the process's value is at TimeNs.
static uint64_t ageAt(const ProcessIntervals &P, uint64_t TimeNs) {
  auto At = partition_point(
      P.Heads, [&](const IntervalHead &H) { return H.EndNs < TimeNs; });
  bool IsWithin =
      At != P.Heads.end() && At->EndNs != TimeNs && At->BeginNs < TimeNs;
  return IsWithin ? TimeNs - At->BeginNs : 0;
}

Expected<std::vector<TogetherPeak>> findTogether(const SelectedStats &S,
                                                 const JobReport &J) {
  const Trace &T = S.trace();
  std::vector<TogetherPeak> Out;
  if (!T.hasReader())
    return Out;
  Expected<std::unique_ptr<IntervalSeries>> Series =
      IntervalSeries::create(S, /*NeedsLifetimes=*/false);
  if (!Series)
    return Series.takeError();
  if ((*Series)->processes().empty())
    return Out;
  std::vector<uint32_t> NodeOf = nodesOf(T, J);
  Expected<std::vector<std::vector<SeriesPoint>>> Sums = readGroupSeries(
      **Series, T, J.Nodes.size(),
      [&](uint32_t Process, uint32_t Heap, uint32_t) {
        return isOutermostOfHost(T, Heap) ? NodeOf[Process] : NoNode;
      });
  if (!Sums)
    return Sums.takeError();
  for (ArrayRef<SeriesPoint> Points : *Sums) {
    TogetherPeak &Peak = Out.emplace_back();
    for (const SeriesPoint &P : Points)
      if (P.Value > Peak.Bytes) {
        Peak.Bytes = P.Value;
        Peak.TimeNs = P.TimeNs;
      }
  }
  for (const ProcessIntervals &P : (*Series)->processes())
    if (uint32_t Node = NodeOf[P.Process]; Node != NoNode)
      Out[Node].AgeNs = std::max(Out[Node].AgeNs, ageAt(P, Out[Node].TimeNs));
  return Out;
}

} // namespace memkit
