// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The overview of a trace on one page.

#include "memkit/Analysis/Overview.h"
#include "Analysis/Device/SegmentWaste.h"
#include "Analysis/Resident/Resident.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"

using namespace llvm;

namespace memkit {

/// Fills in the values from the summary, for the selected processes.
static void takeSummary(const SelectedStats &S, Overview &Out) {
  const Trace &T = S.trace();
  const Selection &Sel = S.selection();
  Out.Layers = queryLayers(T, &Sel);
  Out.Held = orderByHeld(S, Out.Layers);
  Out.Operators = queryOperators(T, &Sel);
  Out.Steps = querySteps(T, &Sel);
  Out.Threads = queryThreads(T, &Sel);
  Out.Categories = queryCategories(T, &Sel);
}

/// Device memory by library. Empty if no heap is on a device.
static std::vector<GroupedStats> deviceLibraries(const SelectedStats &S) {
  const Trace &T = S.trace();
  BitVector OfDevices(T.heaps().size() + 1);
  for (uint32_t Heap = 1; Heap != OfDevices.size(); ++Heap)
    if (T.heap(Heap).Space != 0 || T.heapName(Heap).starts_with("cuda."))
      OfDevices.set(Heap);
  if (OfDevices.none())
    return {};
  return groupStats(S, GroupBy::Library,
                    [&](uint32_t Heap) { return OfDevices[Heap]; });
}

/// Whether any question needs intervals.
static bool needsIntervals(const MarkSeries &Marks) {
  auto HasPoints = [](const auto &Points) { return !Points.empty(); };
  // The parts of resident memory need the live bytes at a sample.
  return any_of(Marks.Heaps, HasPoints) || any_of(Marks.Devices, HasPoints) ||
         any_of(Marks.Rss, HasPoints);
}

static void takeOwn(const SelectedStats &S, const MarkSeries &Marks,
                    Resident &Out) {
  std::vector<SeriesPoint> Swapped = residentSeries(S, Marks.Swapped);
  if (none_of(Swapped, [](const SeriesPoint &P) { return P.Value != 0; }))
    return;
  std::vector<std::vector<SeriesPoint>> OfProcesses(Marks.Rss.size());
  for (uint32_t Process = 1; Process < Marks.Rss.size(); ++Process)
    OfProcesses[Process] = ownSeries(Marks, Process);
  std::vector<SeriesPoint> Own = residentSeries(S, OfProcesses);
  for (const SeriesPoint &P : Own)
    if (P.Value > Out.OwnBytes) {
      Out.OwnBytes = P.Value;
      Out.OwnNs = P.TimeNs;
    }
  if (const SeriesPoint *P = pointAt<SeriesPoint>(Swapped, Out.OwnNs))
    Out.OwnSwapped = std::min(P->Value, Out.OwnBytes);
  if (const SeriesPoint *Last = lastSample(Own))
    Out.LastOwnBytes = Last->Value;
}

/// Finds out whether the process was largest at another moment than the host's
/// peak.
static BusyStacks findHighest(const SelectedStats &S, const MarkSeries &Marks,
                              Resident &Out) {
  const Trace &T = S.trace();
  uint32_t Process = onlySampled(S, Marks.Rss);
  if (!Process || !T.hostStats().PeakBytes)
    return {0, 0};
  const ProcessStats *Stats = T.processStats(Process);
  const SeriesPoint *Most =
      highestElsewhere(Marks.Rss[Process], T.hostStats().PeakTimeNs,
                       Stats ? Stats->RssPeakBytes : 0, Out.AtPeakBytes);
  if (!Most)
    return {0, 0};
  Out.HighestNs = Most->TimeNs;
  return {Process, Most->TimeNs};
}

static void takeResident(const SelectedStats &S, const MarkSeries &Marks,
                         unsigned Columns, Overview &Out) {
  const Trace &T = S.trace();
  std::vector<SeriesPoint> Sums = residentSeries(S, Marks.Rss);
  addResident(Out.Gaps, Sums);
  if (Columns)
    Out.Rss.Highest = highestOf(Sums, 0, T.endNs(), Columns);
  const SeriesPoint *Last = lastSample(Sums);
  if (!Last)
    return;
  Out.Rss.HasLast = true;
  Out.Rss.LastBytes = Last->Value;
  std::vector<SeriesPoint> Shared = residentSeries(S, Marks.RssShared);
  // Without the shared part, the parts of the resident bytes are not known.
  const SeriesPoint *OfShared = pointAt<SeriesPoint>(Shared, Last->TimeNs);
  if (!OfShared)
    return;
  Out.Rss.LastSharedBytes = std::min(OfShared->Value, Last->Value);
  std::vector<SeriesPoint> Live = spaceSeries(T, 0, Out.Live);
  const SeriesPoint *P = pointAt<SeriesPoint>(Live, Last->TimeNs);
  if (!P)
    return;
  // Live bytes are known at the ends of intervals. What lives more in the
  // sample may have been allocated since the last end.
  uint64_t Own = Out.Rss.LastBytes - Out.Rss.LastSharedBytes;
  uint64_t Next = P == &Live.back() ? P->Value : P[1].Value;
  Out.Rss.LastLiveBytes =
      std::max(P->Value, std::min(Own, std::max(P->Value, Next)));
}

static bool isPlace(const LineGrowth &L, const Place &P) {
  auto IsSame = [&](const Place &Q) {
    return Q.Kind == P.Kind && Q.Name == P.Name && Q.File == P.File &&
           Q.Line == P.Line;
  };
  return IsSame(L.Where) || any_of(L.Joined, IsSame);
}

/// Leaves out suggestions about memory that a finding explains: a leak is no
/// cache, and graphs that a program keeps are not to be recomputed.
static void dropExplained(Overview &Out) {
  auto IsExplained = [&](const Suggestion &A) {
    return any_of(Out.Growing, [&](const LineGrowth &L) {
      // What grows may be a cache; the word alone does not tell.
      if (A.What == Advice::NeverShrinks)
        return L.Word != GrowthWord::Grows &&
               isPlace(L, Out.Where->place(Out.Where->of(A.Stack)));
      bool IsOfHeap = any_of(L.Findings, [&](uint32_t Id) {
        return Out.Growth.Found[Id].Heap == A.Heap;
      });
      return A.What == Advice::Checkpoint && L.isGrowing() && IsOfHeap &&
             L.Rise >= A.Bytes / 2;
    });
  };
  erase_if(Out.Suggestions, IsExplained);
}

/// All but the places and what grows. Opens Intervals if they are needed, and
/// then makes the first pass of Search. Without Options.Stacks reads neither
/// texts of frames nor Trace::view().
static Error takeRest(const SelectedStats &S, const OverviewOptions &Options,
                      std::unique_ptr<IntervalSeries> &Intervals,
                      std::unique_ptr<GrowthSearch> &Search, BusyStacks &Busy,
                      Overview &Out) {
  const Trace &T = S.trace();
  takeSummary(S, Out);
  Out.Heaps = statHeaps(S, Options.Top, Options.Stacks);
  if (Options.Stacks)
    Out.Libraries = deviceLibraries(S);
  Expected<MarkSeries> Marks = readMarkSeries(T);
  if (!Marks)
    return Marks.takeError();
  std::vector<HeapStack> Caches = findCaches(S);
  Out.Live.Heaps.resize(T.heaps().size() + 1);
  if (Options.Columns || !Caches.empty() || needsIntervals(*Marks)) {
    if (Error E = IntervalSeries::create(S).moveInto(Intervals))
      return E;
    if (Options.Growth) {
      Search = std::make_unique<GrowthSearch>(*Intervals, S, Options.GrowthOf);
      if (Error E = Search->start())
        return E;
    }
    Busy = findHighest(S, *Marks, Out.Rss);
    auto Take = [&](size_t Process, size_t Interval,
                    ArrayRef<IntervalChange> Rows) {
      if (Search)
        Search->take(Process, Interval, Rows);
      const ProcessIntervals &Of = Intervals->processes()[Process];
      Busy.take(Of.Process, Of.Heads[Interval], Rows);
    };
    Expected<LiveSeries> Live = readLiveSeries(*Intervals, S, Caches, Take);
    if (!Live)
      return Live.takeError();
    Out.Live = std::move(*Live);
  }
  Out.Fragmentation = findFragmentation(T, S.selection(), *Marks, Out.Live);
  Out.Gaps = findGaps(T, *Marks, Out.Live);
  addFragmentation(T, *Marks, Out.Fragmentation, Out.Gaps);
  Out.Suggestions = makeSuggestions(S, *Marks, Out.Live, Caches);
  if (Error E = checkSegmentWaste(S, Out.Suggestions))
    return E;
  if (Options.Columns)
    Out.Curves = readHeapCurves(S, Out.Live, Options.Columns);
  takeResident(S, *Marks, Options.Columns, Out);
  takeOwn(S, *Marks, Out.Rss);
  Out.Residents = std::move(Marks->Residents);
  Out.Allocators = std::move(Marks->Allocators);
  Out.Costs = Marks->Costs;
  Out.Recorder = std::move(Marks->Recorder);
  Out.Alerts = std::move(Marks->Alerts);
  Out.Versions = std::move(Marks->Versions);
  Expected<ProgramReport> Compiled = queryPrograms(S);
  if (!Compiled)
    return Compiled.takeError();
  Out.Compiled = std::move(*Compiled);
  if (Options.Rounding)
    if (Error E = findRounding(S).moveInto(Out.Rounding))
      return E;
  if (Options.Dtypes)
    if (Error E = queryDtypes(S).moveInto(Out.Dtypes))
      return E;
  Expected<HeldBlocks> Held = findHeldBlocks(T);
  if (!Held)
    return Held.takeError();
  Out.Names = commonPaths(T, Held->Blocks);
  Out.Named = std::move(*Held);
  return Error::success();
}

/// What grows. Intervals and Search: null if the intervals were not opened.
static Expected<GrowthReport>
takeGrowth(const SelectedStats &S, const GrowthOptions &Options,
           std::unique_ptr<IntervalSeries> &Intervals,
           std::unique_ptr<GrowthSearch> &Search) {
  if (Search)
    return Search->finish();
  if (!Intervals)
    if (Error E = IntervalSeries::create(S).moveInto(Intervals))
      return std::move(E);
  return findGrowth(*Intervals, S, Options);
}

Expected<Overview> queryOverview(const SelectedStats &S,
                                 const OverviewOptions &Options) {
  Overview Out;
  std::unique_ptr<IntervalSeries> Intervals;
  std::unique_ptr<GrowthSearch> Search;
  GrowthReport Growth;
  BusyStacks Busy(0, 0);
  llvm::once_flag Folded;
  auto Fold = [&] {
    if (Options.Fold)
      llvm::call_once(Folded, Options.Fold);
  };
  Error Failed = Error::success();
  // Only one thread may read the file. The search for places reads nothing.
  runBoth(
      [&] {
        Error E = takeRest(S, Options, Intervals, Search, Busy, Out);
        Fold(); // or waits for it
        if (!E && Options.Growth)
          E = takeGrowth(S, Options.GrowthOf, Intervals, Search)
                  .moveInto(Growth);
        Failed = joinErrors(std::move(Failed), std::move(E));
      },
      [&] {
        Fold();
        Out.Where.emplace(S);
        Out.Places = statPlaces(S, *Out.Where);
      });
  if (Failed)
    return std::move(Failed);
  Out.Intervals = std::move(Intervals);
  Out.Rss.Ran = Busy.place(*Out.Where);
  Out.Growing = growthLines(S, *Out.Where, Growth);
  Out.Growth = std::move(Growth);
  dropExplained(Out);
  if (std::optional<OomReport> Oom = findLastOom(S)) {
    Expected<OomMoment> M = queryOomMoment(S, *Out.Where, std::move(*Oom));
    if (!M)
      return M.takeError();
    Out.Oom = std::move(*M);
  }
  return Out;
}

} // namespace memkit
