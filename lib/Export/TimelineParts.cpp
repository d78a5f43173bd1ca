// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What timelines of a run show, in the order of the trace.

#include "TimelineParts.h"
#include "Model/Select/ScopeTimeCursor.h"
#include "memkit/Model/DeviceWork.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

std::string sampleName(const Trace &T, const Mark &M) {
  if (M.Values.empty() || M.Values[0] == UnknownBytes)
    return "";
  switch (M.Kind) {
  case MarkKind::Rss:
    return "resident";
  case MarkKind::Recorder:
    return "memrec resident";
  case MarkKind::Pss:
    return "proportional share";
  case MarkKind::HeapReserved:
    return M.Heap ? (T.heapName(M.Heap) + " reserved").str() : "";
  case MarkKind::DeviceUsed:
    return M.Id && M.Id <= T.devices().size()
               ? (T.spaceName(static_cast<uint32_t>(M.Id)) + " used").str()
               : "";
  default:
    return "";
  }
}

namespace {

/// Live bytes of heaps, interval by interval.
class IntervalSums {
public:
  IntervalSums(const TimelineParts &Parts, const IntervalSeries &Series,
               TimelineParts::HeapBytes Do)
      : Parts(Parts), Series(Series), Do(Do) {}

  /// An interval with many rows comes in several pieces.
  void add(size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
    if (Now && *Now != std::pair(Process, Interval))
      cut();
    Now = {Process, Interval};
    uint32_t Id = Series.processes()[Process].Process;
    for (const IntervalChange &R : Rows) {
      LiveBytes[{Id, R.Heap}] += R.Bytes - R.BytesBefore;
      Changed.push_back(R.Heap);
    }
  }
  /// Reports the heaps of the last interval, after all its rows.
  void cut() {
    if (!Now)
      return;
    const ProcessIntervals &I = Series.processes()[Now->first];
    uint64_t EndNs = I.Heads[Now->second].EndNs;
    llvm::sort(Changed);
    Changed.erase(std::unique(Changed.begin(), Changed.end()), Changed.end());
    if (Parts.isInWindow(EndNs))
      for (uint32_t Heap : Changed)
        Do(I.Process, Heap, EndNs, LiveBytes[{I.Process, Heap}]);
    Changed.clear();
  }

private:
  const TimelineParts &Parts;
  const IntervalSeries &Series;
  TimelineParts::HeapBytes Do;
  std::optional<std::pair<size_t, size_t>> Now; ///< process and interval
  /// By process and heap, at the end of the last interval.
  DenseMap<std::pair<uint32_t, uint32_t>, uint64_t> LiveBytes;
  std::vector<uint32_t> Changed; ///< heaps
};

} // namespace

Error TimelineParts::liveBytes(IntervalSeries &Series, HeapBytes Do,
                               IntervalSeries::Taker Also) const {
  IntervalSums Sums(*this, Series, Do);
  Error E = Series.forEach([&](size_t Process, size_t Interval,
                               ArrayRef<IntervalChange> Rows) -> Error {
    Sums.add(Process, Interval, Rows);
    return Also ? Also(Process, Interval, Rows) : Error::success();
  });
  Sums.cut();
  return E;
}

Error TimelineParts::marks(function_ref<void(const Mark &)> Do) const {
  uint32_t First = 1;
  while (First <= T.processes().size() && !isChosen(First))
    ++First;
  return T.forEachMark([&](const Mark &M) {
    if (isChosen(M.Process) && isInWindow(M.TimeNs))
      return Do(M);
    // memrec's own memory is drawn with the first process.
    if (M.Kind != MarkKind::Recorder || First > T.processes().size() ||
        !isInWindow(M.TimeNs))
      return;
    Mark Own = M;
    Own.Process = First;
    Do(Own);
  });
}

Error TimelineParts::scopesOf(const SectionInfo &B, ScopeOccurrences &Spans,
                              ScopeOccurrences::ScopeCallback Do) const {
  EventTable E;
  if (Error Err = T.reader().read(B, E))
    return Err;
  if (std::string Wrong = T.limits().check(E); !Wrong.empty())
    return makeTraceError(T.name(), B.Offset, Wrong);
  for (size_t At = 0; At != E.allocations(); ++At) {
    uint32_t Row = E.AllocRow[At];
    uint32_t Thread = E.threadOf(Row);
    if (isInWindow(E.TimeNs[Row]) && Sel.hasThread(Thread))
      Spans.allocation(Thread, E.ScopePath.empty() ? 0 : E.ScopePath[At],
                       E.TimeNs[Row], Do);
  }
  return Error::success();
}

/// Of the processes without times of scopes.
Error TimelineParts::scopesByAllocations(
    ScopeTimeline::OccurrenceCallback Do) const {
  auto NoPeaks = [&](const ScopeOccurrences::ScopeOccurrence &Sp, bool Begins) {
    Do(Sp, Begins, {});
  };
  BitVector HasTimes(T.processes().size() + 1);
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::ScopeTimes && B.Process < HasTimes.size())
      HasTimes.set(B.Process);
  ScopeOccurrences Spans(T.scopePaths());
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::Events && !T.scopePaths().empty() &&
        isChosen(B.Process) && !HasTimes[B.Process])
      if (Error E = scopesOf(B, Spans, NoPeaks))
        return E;
  Spans.finish(endNs(), NoPeaks);
  return Error::success();
}

Expected<uint64_t> TimelineParts::deviceWork(uint64_t Max,
                                             WorkCallback Do) const {
  std::vector<std::pair<uint32_t, DeviceSpan>> All;
  uint64_t LeftOut = 0;
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Kind != SectionKind::DeviceSpans || !isChosen(B.Process))
      continue;
    DeviceSpans Read;
    if (Error E = T.reader().read(B, Read))
      return std::move(E);
    if (std::string Wrong = T.limits().check(Read); !Wrong.empty())
      return makeTraceError(T.name(), B.Offset, Wrong);
    for (const DeviceSpan &W : Read.Rows)
      if (isInWindow(W.BeginNs)) {
        if (All.size() < Max)
          All.emplace_back(B.Process, W);
        else
          ++LeftOut;
      }
  }
  // Buffers of records come in any order.
  llvm::stable_sort(All, [](const auto &A, const auto &B) {
    auto Key = [](const auto &X) {
      return std::tuple(X.first, X.second.Device, X.second.Stream,
                        X.second.BeginNs);
    };
    return Key(A) < Key(B);
  });
  for (const auto &[Process, W] : All)
    Do(Process, W);
  return LeftOut;
}

std::string TimelineParts::workText(const DeviceSpan &Work) const {
  return workName(Work.Kind, T.string(Work.Name), Work.Graph);
}

std::string TimelineParts::streamText(const DeviceSpan &Work) const {
  return (T.spaceName(Work.Device) + " stream " + Twine(Work.Stream)).str();
}

Expected<uint64_t>
TimelineParts::scopes(uint64_t Max,
                      ScopeTimeline::OccurrenceCallback Do) const {
  uint64_t Begun = 0, LeftOut = 0;
  // By thread, then depth. Scopes that began before the limit still end.
  std::vector<BitVector> Drawn(T.threads().size() + 1);
  auto Limit = [&](const ScopeOccurrences::ScopeOccurrence &Sp, bool Begins,
                   ArrayRef<LayerPeaks::SpacePeak> Peaks) {
    BitVector &Of = Drawn[Sp.Thread];
    if (Begins) {
      if (Of.size() <= Sp.Depth)
        Of.resize(Sp.Depth + 1);
      Of[Sp.Depth] = Begun < Max;
      ++(Of[Sp.Depth] ? Begun : LeftOut);
    }
    if (Of[Sp.Depth])
      Do(Sp, Begins, Peaks);
  };
  if (Error E = scopesByAllocations(Limit))
    return std::move(E);
  if (hasScopeTimes(T))
    if (Error E = ScopeTimeline(T, Sel).run(Limit))
      return std::move(E);
  return LeftOut;
}

} // namespace memkit
