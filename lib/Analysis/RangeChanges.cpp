// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a range of time, exact at its edges.

#include "memkit/Analysis/RangeChanges.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>
#include <map>
#include <set>

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

/// Replays an edge: keeps the rows of each process at the start of its part,
/// and gives the differences to the end of the part.
class EdgeReader : public ReplayObserver {
public:
  EdgeReader(const EdgeParts &Parts, RangeTaker Take)
      : Parts(Parts), Take(Take) {
    for (const auto &[Process, P] : Parts) {
      Stops.insert(P.BeginNs);
      Stops.insert(P.EndNs);
    }
  }
  Error read(TraceReader &R);
  uint64_t nextTimeStop() override {
    return Stops.empty() ? UINT64_MAX : *Stops.begin();
  }
  Error timeStop(uint64_t TimeNs, uint64_t) override {
    visitRows(TimeNs);
    Stops.erase(TimeNs);
    return Error::success();
  }

private:
  void visitRows(uint64_t TimeNs);

  const EdgeParts &Parts;
  RangeTaker Take;
  std::set<uint64_t> Stops;
  const LiveStats *Stats = nullptr;
  struct RowState {
    uint64_t Allocations = 0, AllocatedBytes = 0, FreedBytes = 0;
    uint64_t Temporaries = 0;
  };
  /// By row: at the start of its part. Grows without a copy.
  std::deque<RowState> Before;
};
} // namespace

/// The values of a row so far.
static RangeChange stateOf(uint32_t Process, const StackStats &S) {
  return {Process,       S.Heap,           S.Key,
          S.Allocations, S.AllocatedBytes, S.AllocatedBytes - S.LiveBytes,
          S.Temporaries};
}

void EdgeReader::visitRows(uint64_t TimeNs) {
  Before.resize(Stats->numStackRows() + 1);
  for (uint32_t Row = 1; Row < Before.size(); ++Row) {
    auto P = Parts.find(Stats->processOf(Row));
    if (P == Parts.end())
      continue;
    RangeChange C = stateOf(P->first, Stats->rowStats(Row));
    RowState &Old = Before[Row];
    if (P->second.BeginNs == TimeNs)
      Old = {C.Allocations, C.AllocatedBytes, C.FreedBytes, C.Temporaries};
    if (P->second.EndNs != TimeNs)
      continue;
    C.Allocations -= Old.Allocations;
    C.AllocatedBytes -= Old.AllocatedBytes;
    C.FreedBytes -= Old.FreedBytes;
    C.Temporaries -= Old.Temporaries;
    if (C.Allocations || C.AllocatedBytes || C.FreedBytes || C.Temporaries)
      Take(C);
  }
}

Error EdgeReader::read(TraceReader &R) {
  if (Parts.empty())
    return Error::success();
  uint64_t BeginNs = *Stops.begin(), EndNs = *Stops.rbegin();
  Expected<std::unique_ptr<Replay>> Run = Replay::create(R, {}, this);
  if (!Run)
    return Run.takeError();
  Stats = &(*Run)->stats();
  if (BeginNs)
    if (Error E = (*Run)->startNear(BeginNs))
      return E;
  if (Error E = (*Run)->run(EndNs - 1))
    return E;
  // No event came after the stops that are left.
  while (!Stops.empty())
    if (Error E = timeStop(*Stops.begin(), 0))
      return E;
  return Error::success();
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
    if (Error E = EdgeReader(*Parts, Take).read(R))
      return E;
  }
  return Error::success();
}

} // namespace memkit
