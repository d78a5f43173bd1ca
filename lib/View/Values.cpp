// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a time point or a range, by key of a graph.

#include "HttpServer.h"
#include "TraceView.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

void takeSums(ArrayRef<uint64_t> Sums, Profile &P) {
  for (uint32_t Key = 0; Key != Sums.size(); ++Key)
    if (Sums[Key]) {
      P.Values.push_back({Key, Sums[Key]});
      P.Total += Sums[Key];
    }
}

std::string TraceView::atText(uint64_t Ns) const {
  std::string Text = formatTime(Ns);
  if (std::optional<uint64_t> Step = stepAt(trace(), Ns))
    Text += ", step " + std::to_string(*Step);
  return Text;
}

TimePoint TraceView::timePoint(uint64_t AtNs) const {
  TimePoint At;
  At.TimeNs = AtNs;
  At.IsEnd = AtNs >= endNs();
  return At;
}

/// The event of the peak of a memory space, or of the part's heap.
Expected<TimePoint> TraceView::peakPoint(const TracePart &P,
                                         uint32_t Space) const {
  const PartFilter &Of = P.filter();
  if (!Of.Heap)
    return findSpacePeak(trace(), Space);
  TimePointSpec Peak;
  Peak.K = TimePointSpec::TimePointKind::Peak;
  BitVector Heaps(trace().heaps().size() + 1);
  Heaps.set(Of.Heap);
  return findTimePoint(trace(), Peak,
                       BitVector(trace().processes().size() + 1, true), &Heaps);
}

/// Reads the live blocks at a time point, unless they were read last.
Error TraceView::readLive(const TracePart &P, const TimePoint &At) {
  // The whole trace lacks the heaps outside the totals.
  uint32_t Heap = P.filter().Heap;
  if (Heap && !(trace().heap(Heap).Flags & HF_OutsideTotals))
    Heap = 0;
  if (LiveNs == At.TimeNs && LiveHeap == Heap && !At.Events)
    return Error::success();
  const Selection &Sel = Heap ? P.stats().selection() : In.S->selection();
  LiveNs.reset();
  Live.clear();
  if (Error E =
          forEachLivePart(trace(), Sel, At, "the memory of a moment needs",
                          [&](const LivePart &B) { Live.push_back(B); }))
    return E;
  if (!At.Events)
    LiveNs = At.TimeNs;
  LiveHeap = Heap;
  return Error::success();
}

Error TraceView::atMoments(ArrayRef<uint64_t> TimesNs,
                           function_ref<Error(uint64_t TimeNs)> Do) {
  return forEachLiveMoment(trace(), In.S->selection(), TimesNs,
                           "the memory of a moment needs",
                           [&](uint64_t TimeNs, std::vector<LivePart> &Parts) {
                             Live.assign(Parts.begin(), Parts.end());
                             LiveNs = TimeNs;
                             return Do(TimeNs);
                           });
}

Expected<KeyedValues> TraceView::liveValues(const TracePart &P, Graph &G,
                                            uint32_t Space, const TimePoint &At,
                                            uint64_t SinceNs) {
  if (Error E = readLive(P, At))
    return std::move(E);
  KeyedValues V;
  LiveSums.begin(G.numKeys());
  for (const LivePart &B : Live) {
    if (!P.hasBlock(B.Heap, B.Process, Space) || B.AllocatedNs < SinceNs)
      continue;
    uint64_t Bytes = P.filter().Heap ? B.AllBytes : B.Bytes;
    LiveSums.add(G.keyOf(B), Bytes, 1);
  }
  V.Of.M = Metric::Live;
  LiveSums.take(V.Of, V.Blocks);
  return V;
}

/// Values that the summary has, of the whole run.
Expected<KeyedValues> TraceView::summaryValues(TracePart &P, Graph &G,
                                               uint32_t Space, Metric M) {
  const SelectedStats *S = &P.stats();
  if (G.isOfScopes()) {
    Expected<const SelectedStats *> ByScope = P.statsByScope();
    if (!ByScope)
      return ByScope.takeError();
    S = *ByScope;
  }
  auto KeyOf = [&](const StackStats &R) {
    return G.keyOf(R.Heap, G.isOfScopes() ? 0 : R.Key, R.Key);
  };
  KeyedValues V;
  V.Of = makeProfile(*S, M, KeyOf, Space);
  if (M != Metric::Peak)
    return V;
  S->forEach([&](uint32_t, const StackStats &R) {
    uint64_t Blocks = P.filter().Heap ? R.HeapPeakBlocks : R.SpacePeakBlocks;
    if (Blocks && trace().heap(R.Heap).Space == Space)
      V.Blocks.push_back({KeyOf(R), Blocks});
  });
  return V;
}

Expected<KeyedValues> TraceView::peakValues(TracePart &P, Graph &G,
                                            uint32_t Space) {
  if (!G.isOfBlocks())
    return summaryValues(P, G, Space, Metric::Peak);
  Expected<TimePoint> At = peakPoint(P, Space);
  if (!At)
    return At.takeError();
  Expected<KeyedValues> V = liveValues(P, G, Space, *At, 0);
  if (V)
    V->Of.M = Metric::Peak;
  return V;
}

/// The words of a title for a kind of values of a range.
static std::string rangeTitle(StringRef What, ViewRange R) {
  StringRef Words = What == "count"       ? "allocations"
                    : What == "temporary" ? "temporary allocations"
                    : What == "retained"  ? "allocated"
                                          : What;
  std::string Text =
      (Words + " from " + formatTime(R.BeginNs) + " to " + formatTime(R.EndNs))
          .str();
  if (What == "retained")
    Text += ", and live at the end of the range";
  return Text;
}

static Metric metricOf(StringRef What) {
  return What == "count"       ? Metric::Count
         : What == "temporary" ? Metric::Temporary
                               : Metric::Allocated;
}

Expected<KeyedValues> TraceView::values(const Question &Q, Graph &G) {
  const Trace &T = trace();
  Expected<TracePart *> Part = part(Q);
  if (!Part)
    return Part.takeError();
  TracePart &P = **Part;
  Expected<uint64_t> Asks = Q.number("space", 0, T.devices().size());
  if (!Asks)
    return Asks.takeError();
  uint32_t Heap = P.filter().Heap;
  uint32_t Space = Heap ? T.heap(Heap).Space : uint32_t(*Asks);
  std::string What = Q.text("what").str();
  if (What.empty())
    What = Q.text("at").empty() ? "peak" : "live";
  AskedValues Asked;
  Asked.What = What;
  Asked.Heap = Heap ? T.heapName(Heap).str() : "";
  Asked.Process = P.filter().Process;
  if (What == "peak") {
    Expected<KeyedValues> V = peakValues(P, G, Space);
    if (!V)
      return V;
    V->Title =
        ("peak of " + (Heap ? T.heapName(Heap) : T.spaceName(Space)) + " at ")
            .str() +
        atText(peakOf(P, Space).TimeNs);
    V->Command = CommandOf(Asked);
    return V;
  }
  if (What == "live") {
    Expected<uint64_t> At = Q.number("at", endNs(), UINT64_MAX);
    if (!At)
      return At.takeError();
    Expected<KeyedValues> V = liveValues(P, G, Space, timePoint(*At), 0);
    if (!V)
      return V;
    V->Title = "live at " + atText(*At);
    Asked.AtNs = *At;
    V->Command = CommandOf(Asked);
    return V;
  }
  if (!is_contained({"allocated", "count", "temporary", "freed", "retained"},
                    What))
    return makeRequestError("what=" + What + ": not a kind of values");
  if (G.isOfBlocks() && What != "retained")
    return makeRequestError("by category, the trace shows what is live at a "
                            "moment, and what a range retains; choose another "
                            "group-by for what a range allocates and frees");
  Expected<ViewRange> R = range(Q);
  if (!R)
    return R.takeError();
  Asked.BeginNs = R->BeginNs;
  Asked.EndNs = R->EndNs;
  bool IsWhole = R->BeginNs == 0 && R->EndNs == endNs() && What != "freed";
  Expected<KeyedValues> V =
      What == "retained"
          ? liveValues(P, G, Space, timePoint(R->EndNs), R->BeginNs)
      : IsWhole ? summaryValues(P, G, Space, metricOf(What))
                : rangeValues(P, G, Space, What, *R, Q.isOn("exact"));
  if (!V)
    return V;
  V->Of.M = What == "retained" ? Metric::Live : metricOf(What);
  V->Title = rangeTitle(What, *R);
  V->Command = CommandOf(Asked);
  return V;
}

} // namespace memkit
