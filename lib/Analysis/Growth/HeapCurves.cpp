// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The highest live bytes, column by column.

#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Number of events replayed in a fraction of a second.
static constexpr uint64_t MaxReplayed = 1 << 21;

static bool hasAllProcesses(const SelectedStats &S) {
  for (uint32_t Id = 1; Id <= S.trace().processes().size(); ++Id)
    if (!S.selection().hasProcess(Id))
      return false;
  return true;
}

/// Whether the trace has all its events, and only few.
static bool canReplay(const Trace &T) {
  uint64_t Held = 0;
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::Events)
      Held += B.Events;
  uint64_t Events = T.summary().Events;
  return Held && Held >= Events && Held <= MaxReplayed;
}

namespace {
/// Visits each event, and the live bytes at the begin of each column.
class Watcher : public ReplayObserver {
public:
  Watcher(const Trace &T, unsigned Columns)
      : T(T), Columns(Columns), EndNs(std::max<uint64_t>(T.endNs(), 1)),
        Highest(T.heaps().size() + 1, std::vector<uint64_t>(Columns)),
        Spaces(T.devices().size() + 1, std::vector<uint64_t>(Columns)) {}

  void watch(const LiveStats &Of) { A = &Of; }
  bool event(const ReplayedEvent &E) {
    unsigned At = columnOf(E.TimeNs);
    note(E.Heap, At);
    noteSpace(T.heap(E.Heap).Space, At);
    return true;
  }

  uint64_t nextTimeStop() override {
    return Next == Columns ? UINT64_MAX : beginOf(Next);
  }
  Error timeStop(uint64_t, uint64_t) override {
    for (uint32_t Heap = 1; Heap != Highest.size(); ++Heap)
      note(Heap, Next);
    for (uint32_t Space = 0; Space != Spaces.size(); ++Space)
      noteSpace(Space, Next);
    ++Next;
    return Error::success();
  }

  const Trace &T;
  unsigned Columns;
  uint64_t EndNs;
  std::vector<std::vector<uint64_t>> Highest, Spaces;

private:
  /// Computed in 128 bits: times of any trace, without overflow.
  uint64_t beginOf(unsigned Column) const {
    return uint64_t((unsigned __int128)(EndNs)*Column / Columns);
  }
  unsigned columnOf(uint64_t TimeNs) const {
    if (TimeNs >= EndNs)
      return Columns - 1;
    return unsigned((unsigned __int128)(TimeNs)*Columns / EndNs);
  }
  void note(uint32_t Heap, unsigned At) {
    uint64_t Live = A->hasHeap(Heap) ? A->heapLiveBytes(Heap) : 0;
    Highest[Heap][At] = std::max(Highest[Heap][At], Live);
  }
  void noteSpace(uint32_t Space, unsigned At) {
    Spaces[Space][At] = std::max(Spaces[Space][At], A->spaceLiveBytes(Space));
  }

  const LiveStats *A = nullptr;
  unsigned Next = 1; ///< the next column to begin
};
} // namespace

static Error replayCurves(const Trace &T, unsigned Columns, HeapCurves &Out) {
  Watcher W(T, Columns);
  ReplayOptions Options;
  Options.OnEvent = [&W](const ReplayedEvent &E) { return W.event(E); };
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T.reader(), std::move(Options), &W);
  if (!R)
    return R.takeError();
  W.watch((*R)->stats());
  if (Error E = (*R)->run())
    return E;
  Out.Highest = std::move(W.Highest);
  Out.Spaces = std::move(W.Spaces);
  Out.Highest[0] = Out.Spaces[0];
  Out.FromEvents = true;
  return Error::success();
}

/// Makes a curve from the values at the ends of intervals, which lack changes
/// within an interval. The peak of the heap is added, since its time is known.
static std::vector<uint64_t> curveOfIntervals(const Trace &T,
                                              const TotalStats &H,
                                              ArrayRef<SeriesPoint> Points,
                                              unsigned Columns, bool WithPeak) {
  std::vector<uint64_t> Values = highestOf(Points, 0, T.endNs(), Columns);
  if (!WithPeak || Points.empty() || Columns == 0)
    return Values;
  SeriesPoint Peak{H.PeakTimeNs, H.PeakBytes};
  std::vector<uint64_t> Top =
      highestOf({Peak, {Peak.TimeNs + 1, 0}}, 0, T.endNs(), Columns);
  for (size_t At = 0; At != Values.size(); ++At)
    Values[At] = std::max(Values[At], Top[At]);
  return Values;
}

std::vector<SeriesPoint> spaceSeries(const Trace &T, uint32_t Space,
                                     const LiveSeries &Live) {
  std::vector<std::vector<SeriesPoint>> All;
  for (uint32_t Id = 1; Id < Live.Heaps.size(); ++Id) {
    const Heap &H = T.heap(Id);
    if (H.Space == Space && !H.Parent && !(H.Flags & HF_OutsideTotals))
      All.push_back(Live.Heaps[Id]);
  }
  return sumOf(All);
}

HeapCurves readHeapCurves(const SelectedStats &S, const LiveSeries &Live,
                          unsigned Columns) {
  const Trace &T = S.trace();
  HeapCurves Out;
  bool AllProcesses = hasAllProcesses(S);
  if (AllProcesses && canReplay(T)) {
    // Intervals may be intact even if events are not.
    Error E = replayCurves(T, Columns, Out);
    if (!E)
      return Out;
    consumeError(std::move(E));
  }
  Out.Highest.resize(T.heaps().size() + 1);
  for (uint32_t Heap = 1; Heap < Live.Heaps.size(); ++Heap)
    Out.Highest[Heap] = curveOfIntervals(T, T.heapStats(Heap), Live.Heaps[Heap],
                                         Columns, AllProcesses);
  for (uint32_t Space = 0; Space <= T.devices().size(); ++Space)
    Out.Spaces.push_back(curveOfIntervals(T, T.spaceStats(Space),
                                          spaceSeries(T, Space, Live), Columns,
                                          AllProcesses));
  return Out;
}

} // namespace memkit
