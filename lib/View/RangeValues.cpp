// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a range of time, by key of a graph.

#include "TraceView.h"
#include "memkit/Analysis/RangeChanges.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// Adds changes up, by key.
class ChangeSums {
public:
  ChangeSums(const Trace &T, const TracePart &P, Graph &G, uint32_t Space,
             StringRef What)
      : T(T), P(P), G(G), Space(Space), What(What), Sums(G.numKeys()) {}

  /// Adds a share of a change, which may be negative.
  void add(const RangeChange &C, double Share) {
    // A file that grows may have stacks that were not read.
    if (C.Heap > T.heaps().size() || C.Stack >= T.view().Leaves.size() ||
        !P.hasBlock(C.Heap, C.Process, Space))
      return;
    auto Value = int64_t(valueOf(C));
    Sums[G.keyOf(C.Heap, C.Stack, 0)] +=
        Share == 1 ? Value : int64_t(double(Value) * Share);
  }
  std::vector<uint64_t> take() const {
    std::vector<uint64_t> Out;
    for (int64_t Sum : Sums)
      Out.push_back(uint64_t(std::max<int64_t>(Sum, 0)));
    return Out;
  }

private:
  uint64_t valueOf(const RangeChange &C) const {
    if (What == "allocated")
      return C.AllocatedBytes;
    if (What == "count")
      return C.Allocations;
    if (What == "temporary")
      return C.Temporaries;
    return C.FreedBytes;
  }

  const Trace &T;
  const TracePart &P;
  Graph &G;
  uint32_t Space;
  StringRef What;
  std::vector<int64_t> Sums;
};

/// The changes at the edges of a range.
struct FoundEdges : JobResult {
  std::deque<RangeChange> Rows;
};
} // namespace

/// The edges of a range of a trace with fewer events are read in this time, so
/// that no estimate is needed.
static constexpr unsigned EstimateAfterMs = 150;
static constexpr uint64_t FewEvents = 5'000'000;

static Job::Work edgeWork(const TraceReader &Of, ViewRange R,
                          std::vector<KnownRange> Known) {
  return [&Of, R, Known = std::move(Known)](
             ProgressCallback Tell) -> Expected<std::unique_ptr<JobResult>> {
    // A reader belongs to one thread.
    Expected<std::unique_ptr<TraceReader>> Reader = Of.again();
    if (!Reader)
      return Reader.takeError();
    auto Out = std::make_unique<FoundEdges>();
    if (Error E = readRangeEdges(**Reader, R.BeginNs, R.EndNs, Known, Tell,
                                 Out->Rows))
      return std::move(E);
    return Out;
  };
}

namespace {
/// Which shares of a process's changes count.
struct ProcessShares {
  std::vector<double> Heads; ///< by interval
  double Summary = 0;        ///< of the sums of the whole run
};
} // namespace

static std::vector<ProcessShares> knownShares(ArrayRef<KnownRange> Known,
                                              const IntervalSeries &Of) {
  std::vector<ProcessShares> Out;
  for (const auto &[K, P] : zip(Known, Of.processes())) {
    std::vector<double> &Heads = Out.emplace_back().Heads;
    Heads.resize(P.Heads.size());
    std::fill(Heads.begin() + K.First, Heads.begin() + K.Last, 1);
  }
  return Out;
}

/// Shares for an estimate. Allocations are exact up to the end of an interval
/// with all rows (docs/TraceFormat.md, Intervals), so the intervals up to such
/// an end count together, by their part in the range. What comes after the last
/// such end is the summary less all intervals before.
static ProcessShares estimatedShares(const ProcessIntervals &P, ViewRange R) {
  ProcessShares Out;
  Out.Heads.resize(P.Heads.size());
  auto ShareOf = [&](size_t First, size_t Last) {
    uint64_t BeginNs = P.Heads[First].BeginNs, EndNs = P.Heads[Last].EndNs;
    uint64_t From = std::max(BeginNs, R.BeginNs), To = std::min(EndNs, R.EndNs);
    return From < To ? double(To - From) / double(EndNs - BeginNs) : 0.0;
  };
  size_t First = 0;
  for (size_t I = 0; I != P.Heads.size(); ++I)
    if (P.Heads[I].Detail == IntervalDetail::Whole) {
      std::fill(Out.Heads.begin() + First, Out.Heads.begin() + I + 1,
                ShareOf(First, I));
      First = I + 1;
    }
  if (First == P.Heads.size())
    return Out;
  Out.Summary = ShareOf(First, P.Heads.size() - 1);
  for (size_t I = 0; I != First; ++I)
    Out.Heads[I] -= Out.Summary;
  return Out;
}

/// A row of the summary as the change of the whole run.
static RangeChange changeOf(uint32_t Process, const StackStats &S) {
  return {Process,       S.Heap,           S.Key,
          S.Allocations, S.AllocatedBytes, S.AllocatedBytes - S.LiveBytes,
          S.Temporaries};
}

/// Freed: what came, less what stayed.
static RangeChange changeOf(uint32_t Process, const IntervalChange &C) {
  return {Process,          C.Heap,
          C.Stack,          C.Allocations,
          C.AllocatedBytes, C.AllocatedBytes + C.BytesBefore - C.Bytes,
          C.Temporaries};
}

/// Allocations and frees of a range: from the intervals, and from the events at
/// the edges of the range. If the edges take long: an estimate, or with IsExact
/// nothing, while isWaiting().
Expected<KeyedValues> TraceView::rangeValues(TracePart &P, Graph &G,
                                             uint32_t Space, StringRef What,
                                             ViewRange R, bool IsExact) {
  if (G.isOfScopes())
    return makeRequestError("allocations of a range are known by stack, and "
                            "not by layer or scope");
  // A range up to the end of the run has the last event.
  if (R.EndNs == endNs())
    ++R.EndNs;
  Expected<IntervalSeries *> Series = P.intervals();
  if (!Series)
    return Series.takeError();
  KeyedValues V;
  ChangeSums Sums(trace(), P, G, Space, What);
  std::vector<KnownRange> Known = knownRanges(**Series, R.BeginNs, R.EndNs);
  std::vector<ProcessShares> Shares = knownShares(Known, **Series);
  std::string Name = EdgesPrefix.str();
  for (uint64_t Part : {uint64_t(P.filter().Process), uint64_t(P.filter().Heap),
                        R.BeginNs, R.EndNs})
    Name += " " + std::to_string(Part);
  // Edges and live blocks together take up to 70 MB.
  LiveNs.reset();
  Live = {};
  auto Edges = result(Name, edgeWork(trace().reader(), R, std::move(Known)),
                      IsExact || numEvents() > FewEvents ? 0 : EstimateAfterMs);
  if (!Edges)
    return Edges.takeError();
  if (!*Edges && IsExact)
    return V;
  Waits = false;
  V.IsExact = *Edges != nullptr;
  if (V.IsExact) {
    for (const RangeChange &C : static_cast<const FoundEdges *>(*Edges)->Rows)
      Sums.add(C, 1);
  } else {
    std::map<uint32_t, double> OfSummary; // by process
    for (const auto &[To, I] : zip(Shares, (*Series)->processes())) {
      To = estimatedShares(I, R);
      OfSummary[I.Process] = To.Summary;
    }
    P.stats().forEach([&](uint32_t Process, const StackStats &S) {
      if (double Share = OfSummary[Process])
        Sums.add(changeOf(Process, S), Share);
    });
    V.Note = "An estimate, until the events at the edges of the range are "
             "counted.";
  }
  auto Take = [&](size_t At, size_t Interval,
                  ArrayRef<IntervalChange> Rows) -> Error {
    double Share = Shares[At].Heads[Interval];
    if (Share == 0)
      return Error::success();
    uint32_t Process = (*Series)->processes()[At].Process;
    for (const IntervalChange &C : Rows)
      Sums.add(changeOf(Process, C), Share);
    return Error::success();
  };
  if (Error E = (*Series)->forEach(Take))
    return std::move(E);
  takeSums(Sums.take(), V.Of);
  return V;
}

} // namespace memkit
