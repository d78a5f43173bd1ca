// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a range of time, exact at its edges.

#include "memkit/Analysis/RangeChanges.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

/// The known part of the range for one process.
static KnownRange knownRange(const ProcessIntervals &P, uint64_t BeginNs,
                             uint64_t EndNs) {
  KnownRange K;
  K.Process = P.Process;
  ArrayRef<IntervalHead> Heads = P.Heads;
  // Nothing is known: the first edge is the whole range.
  K.BeginNs = K.EndNs = EndNs;
  if (Heads.front().BeginNs >= EndNs || Heads.back().EndNs < BeginNs) {
    // The process has no event in the range: there is no edge.
    K.BeginNs = BeginNs;
    return K;
  }
  bool HasBegin = Heads.front().BeginNs >= BeginNs;
  if (HasBegin)
    K.BeginNs = K.EndNs = BeginNs;
  for (size_t I = 0; I != Heads.size() && Heads[I].EndNs <= EndNs; ++I) {
    const IntervalHead &H = Heads[I];
    if (H.Detail != IntervalDetail::Whole || H.EndNs < BeginNs)
      continue;
    // The last interval ends with its process.
    K.EndNs = I + 1 == Heads.size() ? EndNs : H.EndNs;
    K.Last = I + 1;
    if (!HasBegin) {
      HasBegin = true;
      K.First = I + 1;
      K.BeginNs = K.EndNs;
    }
  }
  return K;
}

std::vector<KnownRange> knownRanges(const IntervalSeries &Intervals,
                                    uint64_t BeginNs, uint64_t EndNs) {
  std::vector<KnownRange> Out;
  for (const ProcessIntervals &P : Intervals.processes())
    Out.push_back(knownRange(P, BeginNs, EndNs));
  return Out;
}

namespace {
/// A part of an edge.
struct EdgePart {
  uint64_t BeginNs = 0, EndNs = 0;
};
/// The parts of an edge, by process.
using EdgeParts = std::map<uint32_t, EdgePart>;

/// Replays an edge and adds up the events in the parts of the processes.
class EdgeReader {
public:
  explicit EdgeReader(const EdgeParts &Parts) : Parts(Parts) {}
  Error read(TraceReader &R);
  void give(RangeTaker Take) const {
    for (const auto &[Key, C] : Sums)
      if (C.Allocations || C.AllocatedBytes || C.FreedBytes || C.Temporaries)
        Take(C);
  }

private:
  void add(const ReplayedEvent &E);

  const EdgeParts &Parts;
  const LiveStats *Stats = nullptr;
  /// By process and heap, and stack.
  DenseMap<std::pair<uint64_t, uint32_t>, RangeChange> Sums;
};
} // namespace

void EdgeReader::add(const ReplayedEvent &E) {
  auto P = Parts.find(E.Process);
  if (P == Parts.end() || E.TimeNs < P->second.BeginNs ||
      E.TimeNs >= P->second.EndNs)
    return;
  RangeChange &C = Sums[{uint64_t(E.Process) << 32 | E.Heap, E.Stack}];
  C.Process = E.Process;
  C.Heap = E.Heap;
  C.Stack = E.Stack;
  uint64_t Weight = std::max<uint32_t>(E.Weight, 1);
  switch (E.Kind) {
  case EventKind::Allocate:
    C.Allocations += Weight;
    C.AllocatedBytes += E.Size * Weight;
    return;
  case EventKind::Free:
    C.FreedBytes += E.Size * Weight;
    // As LiveStats::free().
    C.Temporaries +=
        !E.Weight && E.Thread && Stats->lastAllocation(E.Thread) == E.Block + 1;
    return;
  case EventKind::Resize:
    if (E.Size >= E.SizeBefore)
      C.AllocatedBytes += E.Size - E.SizeBefore;
    else
      C.FreedBytes += E.SizeBefore - E.Size;
    return;
  case EventKind::Split:
    return;
  }
}

Error EdgeReader::read(TraceReader &R) {
  if (Parts.empty())
    return Error::success();
  uint64_t BeginNs = UINT64_MAX, EndNs = 0;
  for (const auto &[Process, P] : Parts) {
    BeginNs = std::min(BeginNs, P.BeginNs);
    EndNs = std::max(EndNs, P.EndNs);
  }
  ReplayOptions Options;
  Options.BlocksOnly = true;
  Options.OnEventFromNs = BeginNs;
  Options.OnEvent = [this](const ReplayedEvent &E) {
    add(E);
    return true;
  };
  Expected<std::unique_ptr<Replay>> Run = Replay::create(R, Options);
  if (!Run)
    return Run.takeError();
  Stats = &(*Run)->stats();
  if (BeginNs)
    if (Error E = (*Run)->startNear(BeginNs))
      return E;
  return (*Run)->run(EndNs - 1);
}

Error readRangeEdges(TraceReader &R, uint64_t BeginNs, uint64_t EndNs,
                     ArrayRef<KnownRange> Known, const ProgressCallback &Tell,
                     RangeTaker Take) {
  EdgeParts First, Last;
  for (const KnownRange &K : Known) {
    if (K.BeginNs > BeginNs)
      First[K.Process] = {BeginNs, K.BeginNs};
    if (K.EndNs < EndNs)
      Last[K.Process] = {K.EndNs, EndNs};
  }
  for (const EdgeParts *Parts : {&First, &Last}) {
    if (Tell)
      Tell("reading the edges of the range", Parts == &Last, 2);
    EdgeReader Edge(*Parts);
    if (Error E = Edge.read(R))
      return E;
    Edge.give(Take);
  }
  return Error::success();
}

} // namespace memkit
