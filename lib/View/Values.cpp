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

/// Takes values that are not 0 from Sums, by key.
static void takeSums(ArrayRef<uint64_t> Sums, Profile &P) {
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

/// Reads the live blocks at a time point, unless they were read last.
Error TraceView::readLive(uint64_t AtNs) {
  if (LiveNs == AtNs)
    return Error::success();
  LiveNs.reset();
  Live.clear();
  TimePoint At;
  At.TimeNs = AtNs;
  At.IsEnd = AtNs >= endNs();
  if (Error E = forEachLivePart(trace(), In.S->selection(), At,
                                "the memory of a moment needs",
                                [&](const LivePart &B) { Live.push_back(B); }))
    return E;
  LiveNs = AtNs;
  return Error::success();
}

Error TraceView::atMoments(ArrayRef<uint64_t> TimesNs,
                           function_ref<Error(uint64_t TimeNs)> Do) {
  return forEachLiveMoment(trace(), In.S->selection(), TimesNs,
                           "the memory of a moment needs",
                           [&](uint64_t TimeNs, std::vector<LivePart> &Parts) {
                             Live.swap(Parts);
                             LiveNs = TimeNs;
                             return Do(TimeNs);
                           });
}

Expected<KeyedValues> TraceView::livePart(Graph &G, uint32_t Space,
                                          uint64_t AtNs, uint64_t SinceNs) {
  if (Error E = readLive(AtNs))
    return std::move(E);
  KeyedValues V;
  std::vector<uint64_t> Sums(G.numKeys());
  V.Blocks.resize(G.numKeys());
  for (const LivePart &B : Live) {
    if (trace().heap(B.Heap).Space != Space || B.AllocatedNs < SinceNs)
      continue;
    uint32_t Key = G.keyOf(B.Heap, B.Stack, B.ScopePath);
    Sums[Key] += B.Bytes;
    V.Blocks[Key] += B.Bytes != 0;
  }
  V.Of.M = Metric::Live;
  takeSums(Sums, V.Of);
  return V;
}

/// Values that the summary has, of the whole run.
Expected<KeyedValues> TraceView::summaryPart(Graph &G, uint32_t Space,
                                             Metric M) {
  if (G.isOfScopes() && !ByScope) {
    Expected<Selection> Sel = Selection::create(trace(), {});
    if (!Sel)
      return Sel.takeError();
    Expected<SelectedStats> Made =
        SelectedStats::create(trace(), std::move(*Sel), StatsBy::ScopePaths);
    if (!Made)
      return Made.takeError();
    ByScope.emplace(std::move(*Made));
  }
  const SelectedStats &S = G.isOfScopes() ? *ByScope : *In.S;
  KeyedValues V;
  V.Of = makeProfile(
      S, M,
      [&](const StackStats &R) {
        return G.keyOf(R.Heap, G.isOfScopes() ? 0 : R.Key, R.Key);
      },
      Space);
  if (M != Metric::Peak)
    return V;
  V.Blocks.resize(G.numKeys());
  S.forEach([&](uint32_t, const StackStats &R) {
    if (R.SpacePeakBlocks && trace().heap(R.Heap).Space == Space)
      V.Blocks[G.keyOf(R.Heap, G.isOfScopes() ? 0 : R.Key, R.Key)] +=
          R.SpacePeakBlocks;
  });
  return V;
}

/// Allocations and frees of a range, from the intervals: exact from the end of
/// one interval to the end of another.
Expected<KeyedValues> TraceView::rangePart(Graph &G, uint32_t Space,
                                           StringRef What, ViewRange R) {
  if (G.isOfScopes())
    return makeRequestError("allocations of a range are known by stack, and "
                            "not by layer or scope");
  if (!Intervals)
    if (Error E = IntervalSeries::create(*In.S).moveInto(Intervals))
      return std::move(E);
  std::vector<uint64_t> Sums(G.numKeys());
  uint64_t FirstNs = UINT64_MAX, LastNs = 0;
  auto Take = [&](size_t Process, size_t Interval,
                  ArrayRef<IntervalChange> Rows) -> Error {
    const IntervalHead &H = Intervals->processes()[Process].Heads[Interval];
    uint64_t Middle = H.BeginNs + (H.EndNs - H.BeginNs) / 2;
    if (Middle < R.BeginNs || Middle >= R.EndNs)
      return Error::success();
    FirstNs = std::min(FirstNs, H.BeginNs);
    LastNs = std::max(LastNs, H.EndNs);
    for (const IntervalChange &C : Rows) {
      if (trace().heap(C.Heap).Space != Space)
        continue;
      uint64_t &To = Sums[G.keyOf(C.Heap, C.Stack, 0)];
      if (What == "allocated")
        To += C.AllocatedBytes;
      else if (What == "count")
        To += C.Allocations;
      else if (What == "temporary")
        To += C.Temporaries;
      else // freed: what came, less what stayed
        To += C.AllocatedBytes + C.BytesBefore - C.Bytes;
    }
    return Error::success();
  };
  if (Error E = Intervals->forEach(Take))
    return std::move(E);
  KeyedValues V;
  V.Of.M = What == "count"       ? Metric::Count
           : What == "temporary" ? Metric::Temporary
                                 : Metric::Allocated;
  takeSums(Sums, V.Of);
  if (LastNs && (FirstNs != R.BeginNs || LastNs != R.EndNs)) {
    V.IsExact = false;
    V.Note = "Whole intervals: from " + formatTime(FirstNs) + " to " +
             formatTime(LastNs) + ".";
  }
  return V;
}

Expected<KeyedValues> TraceView::values(StringRef Query, Graph &G) {
  const Trace &T = trace();
  Expected<uint64_t> Space =
      number(Query, "space", peakSpace(T), T.devices().size());
  if (!Space)
    return Space.takeError();
  auto Of = static_cast<uint32_t>(*Space);
  std::string What = queryValue(Query, "what");
  if (What.empty())
    What = queryValue(Query, "at").empty() ? "peak" : "live";
  AskedValues Asked;
  Asked.What = What;
  if (What == "peak") {
    Expected<KeyedValues> V = summaryPart(G, Of, Metric::Peak);
    if (!V)
      return V;
    uint64_t Ns = 0;
    for (const SpaceReport &S : Run.Spaces)
      if (S.Id == Of)
        Ns = S.Stats.PeakTimeNs;
    V->Title = "peak of " + T.spaceName(Of).str() + " at " + atText(Ns);
    V->Command = CommandOf(Asked);
    return V;
  }
  if (What == "live") {
    Expected<uint64_t> At = number(Query, "at", endNs(), UINT64_MAX);
    if (!At)
      return At.takeError();
    Expected<KeyedValues> V = livePart(G, Of, *At, 0);
    if (!V)
      return V;
    V->Title = "live at " + atText(*At);
    Asked.AtNs = *At;
    V->Command = CommandOf(Asked);
    return V;
  }
  Expected<ViewRange> R = range(Query);
  if (!R)
    return R.takeError();
  Asked.BeginNs = R->BeginNs;
  Asked.EndNs = R->EndNs;
  std::string From =
      "from " + formatTime(R->BeginNs) + " to " + formatTime(R->EndNs);
  if (What == "retained") {
    Expected<KeyedValues> V = livePart(G, Of, R->EndNs, R->BeginNs);
    if (!V)
      return V;
    V->Title = "allocated " + From + ", and live at the end of the range";
    V->Command = CommandOf(Asked);
    return V;
  }
  if (!is_contained({"allocated", "count", "temporary", "freed"}, What))
    return makeRequestError("what=" + What + ": not a kind of values");
  bool IsWhole = R->BeginNs == 0 && R->EndNs == endNs() && What != "freed";
  Expected<KeyedValues> V =
      IsWhole ? summaryPart(G, Of,
                            What == "count"       ? Metric::Count
                            : What == "temporary" ? Metric::Temporary
                                                  : Metric::Allocated)
              : rangePart(G, Of, What, *R);
  if (!V)
    return V;
  V->Title = (What == "count"       ? "allocations"
              : What == "temporary" ? "temporary allocations"
              : What == "freed"     ? "freed"
                                    : "allocated") +
             (" " + From);
  V->Command = CommandOf(Asked);
  return V;
}

} // namespace memkit
