// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a range of time, exact at its edges.

#include "memkit/Analysis/RangeChanges.h"
#include "memkit/Model/HeapStackRows.h"
#include "memkit/Model/Replay.h"
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

/// The changes by row. Memory: 48 bytes a row, and those of the numbers. A hash
/// table of the changes took three times as much while it grew.
class ChangeRows {
public:
  explicit ChangeRows(std::deque<RangeChange> &Out) : Out(Out) {}
  RangeChange &of(uint32_t Process, uint32_t Heap, uint32_t Stack) {
    auto &[Numbers, At] = Processes[Process];
    uint32_t Row = Numbers.row(Heap, Stack);
    if (Row > At.size()) {
      At.push_back(static_cast<uint32_t>(Out.size()));
      RangeChange &New = Out.emplace_back();
      New.Process = Process;
      New.Heap = Heap;
      New.Stack = Stack;
    }
    return Out[At[Row - 1]];
  }

private:
  struct RowsOfProcess {
    HeapStackRows Numbers;
    std::vector<uint32_t> At; ///< by row: where in Out
  };
  std::map<uint32_t, RowsOfProcess> Processes;
  std::deque<RangeChange> &Out; ///< grows without a copy
};

/// Replays an edge and adds up the events in the parts of the processes.
class EdgeReader {
public:
  EdgeReader(const EdgeParts &Parts, ChangeRows &Rows)
      : Parts(Parts), Rows(Rows) {}
  Error read(TraceReader &R);

private:
  void add(const ReplayedEvent &E);

  const EdgeParts &Parts;
  ChangeRows &Rows;
  const LiveStats *Stats = nullptr;
};
} // namespace

void EdgeReader::add(const ReplayedEvent &E) {
  auto P = Parts.find(E.Process);
  if (P == Parts.end() || E.TimeNs < P->second.BeginNs ||
      E.TimeNs >= P->second.EndNs)
    return;
  if (E.Kind == EventKind::Split)
    return;
  RangeChange &C = Rows.of(E.Process, E.Heap, E.Stack);
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
    return; // as above
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
                     std::deque<RangeChange> &Out) {
  EdgeParts First, Last;
  for (const KnownRange &K : Known) {
    if (K.BeginNs > BeginNs)
      First[K.Process] = {BeginNs, K.BeginNs};
    if (K.EndNs < EndNs)
      Last[K.Process] = {K.EndNs, EndNs};
  }
  ChangeRows Rows(Out);
  for (const EdgeParts *Parts : {&First, &Last}) {
    if (Tell)
      Tell("reading the edges of the range", Parts == &Last, 2);
    if (Error E = EdgeReader(*Parts, Rows).read(R))
      return E;
  }
  return Error::success();
}

} // namespace memkit
