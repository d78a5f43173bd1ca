// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as memtop watches it: curves, marks, measurements.

#include "WatchedTrace.h"
#include "KnownTimes.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Trace/Categories.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

WatchedTrace::~WatchedTrace() = default;

Expected<std::unique_ptr<WatchedTrace>>
WatchedTrace::open(StringRef Path, const SelectionSpec &Spec) {
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::open(Path, Spec.empty() ? TP_All | TP_Intervals : TP_All);
  if (!Opened)
    return Opened.takeError();
  return create(std::move(*Opened), Spec);
}

Expected<std::unique_ptr<WatchedTrace>>
WatchedTrace::create(std::unique_ptr<Trace> Opened, const SelectionSpec &Spec) {
  std::unique_ptr<WatchedTrace> W(new WatchedTrace());
  // Also the heaps outside the totals: which bytes count once is decided here.
  W->Spec = Spec;
  W->IsWhole = Spec.empty();
  SelectionSpec All = Spec;
  if (All.Heaps.empty() && !Opened->heaps().empty())
    All.Heaps = {"*"};
  if (Error E = W->In.take(std::move(Opened), All))
    return std::move(E);
  if (Error E = W->read())
    return std::move(E);
  return W;
}

/// The allocations of the selected stacks.
static uint64_t allocationsOf(const SelectedStats &S) {
  uint64_t Sum = 0;
  S.forEach([&](uint32_t, const StackStats &R) { Sum += R.Allocations; });
  return Sum;
}

Error WatchedTrace::read() {
  Run = queryRun(trace());
  EndNs = trace().endNs();
  for (const ProcessReport &P : Run.Processes)
    if (P.Stats && P.Stats->Ended)
      EndNs = std::max(EndNs, P.Stats->EndNs);
  EndOf.resize(Run.Processes.size() + 1);
  uint64_t LastEnd = 0;
  for (const ProcessReport &P : Run.Processes)
    LastEnd =
        std::max(LastEnd, P.Stats && P.Stats->Ended ? P.Stats->EndNs : EndNs);
  // The blocks of the last process count up to the end of the run, as in all
  // tools.
  for (const ProcessReport &P : Run.Processes)
    if (P.Stats && P.Stats->Ended && P.Stats->EndNs < LastEnd)
      EndOf[P.Id] = std::max<uint64_t>(P.Stats->EndNs, 1);
  auto Made = IntervalSeries::create(*In.S, /*NeedsLifetimes=*/false);
  if (!Made)
    return Made.takeError();
  Intervals = std::move(*Made);
  auto Live = readLiveSeries(
      *Intervals, *In.S, {},
      [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
        uint64_t Sum = 0;
        for (const IntervalChange &R : Rows)
          Sum += R.Allocations;
        uint64_t Ns = Intervals->processes()[Process].Heads[Interval].EndNs;
        if (!Allocated.empty() && Allocated.back().TimeNs == Ns)
          Allocated.back().Value += Sum;
        else
          Allocated.push_back({Ns, Sum});
      });
  if (!Live)
    return Live.takeError();
  // Processes come one after the other.
  llvm::stable_sort(Allocated, [](const SeriesPoint &A, const SeriesPoint &B) {
    return A.TimeNs < B.TimeNs;
  });
  uint64_t Sum = 0;
  for (SeriesPoint &P : Allocated)
    P.Value = Sum += P.Value;
  if (Allocated.empty() || Allocated.back().TimeNs < EndNs)
    Allocated.push_back({EndNs, std::max(Sum, allocationsOf(*In.S))});
  if (Error E = readMarkSeries(trace()).moveInto(Measured))
    return E;
  if (Error E = readMarks())
    return E;
  readHeaps(*Live);
  return Error::success();
}

bool WatchedTrace::isGone(uint32_t Process, uint64_t AtNs) const {
  return EndOf[Process] && EndOf[Process] < AtNs;
}

//===----------------------------------------------------------------------===//
// Heaps
//===----------------------------------------------------------------------===//

/// Ends a curve with the value at the end of the trace.
static void endCurve(std::vector<SeriesPoint> &Curve, uint64_t EndNs,
                     uint64_t Value) {
  while (!Curve.empty() && Curve.back().TimeNs >= EndNs)
    Curve.pop_back();
  Curve.push_back({EndNs, Value});
}

/// Adds what the selection held at the peak of all, which lies between the ends
/// of intervals, and finds the selection's own peak.
static void addPeak(WatchedHeap &H, uint64_t EndNs, uint64_t AtPeak) {
  H.PeakNs = H.ExactNs;
  H.PeakBytes = AtPeak;
  if (H.ExactNs && H.ExactNs < EndNs)
    addSpike(H.Curve, H.ExactNs, AtPeak);
  for (const SeriesPoint &P : H.Curve)
    if (P.Value > H.PeakBytes) {
      H.PeakBytes = P.Value;
      H.PeakNs = P.TimeNs;
    }
}

namespace {
/// Bytes of the selected rows of memory spaces, or of heaps, by id. Rows of
/// blocks around others may be negative, modulo 2^64; sums are not.
struct SelectedBytes {
  std::vector<uint64_t> Live, AtPeak;
  explicit SelectedBytes(size_t Count) : Live(Count), AtPeak(Count) {}
};
} // namespace

void WatchedTrace::readHeaps(const LiveSeries &Live) {
  const Trace &T = trace();
  SelectedBytes Spaces(T.devices().size() + 1), All(T.heaps().size() + 1);
  stats().forEach([&](uint32_t Process, const StackStats &R) {
    const Heap &H = T.heap(R.Heap);
    bool IsGone = isGone(Process, EndNs);
    bool IsInSpace = !(H.Flags & HF_OutsideTotals);
    All.Live[R.Heap] += IsGone ? 0 : R.LiveBytes;
    All.AtPeak[R.Heap] += R.HeapPeakBytes;
    Spaces.Live[H.Space] += IsInSpace && !IsGone ? R.LiveExclusive : 0;
    Spaces.AtPeak[H.Space] += IsInSpace ? R.SpacePeakBytes : 0;
  });
  auto Add = [&](WatchedHeap Of, const TotalStats &Stats,
                 const SelectedBytes &Sums) {
    Of.ExactNs = Stats.PeakTimeNs;
    endCurve(Of.Curve, EndNs, Sums.Live[Of.Id]);
    addPeak(Of, EndNs, IsWhole ? Stats.PeakBytes : Sums.AtPeak[Of.Id]);
    Heaps.push_back(std::move(Of));
  };
  for (const SpaceReport &S : Run.Spaces) {
    if (!S.Stats.Allocations)
      continue;
    WatchedHeap Space;
    Space.Id = S.Id;
    Space.Name = S.Name.str();
    Space.Curve = spaceSeries(T, S.Id, Live);
    Add(std::move(Space), S.Stats, Spaces);
    for (const HeapReport &H : Run.Heaps) {
      if (H.Space != S.Id || !H.Stats.Allocations)
        continue;
      WatchedHeap Heap;
      Heap.IsSpace = false;
      Heap.IsApart = T.heap(H.Id).Flags & HF_OutsideTotals;
      Heap.Id = H.Id;
      Heap.Name = H.Name.str();
      if (H.Id < Live.Heaps.size())
        Heap.Curve = Live.Heaps[H.Id];
      Add(std::move(Heap), H.Stats, All);
    }
  }
}

//===----------------------------------------------------------------------===//
// Marks and measurements
//===----------------------------------------------------------------------===//

/// The sum over the processes that run; a process's value ends with the
/// process.
static std::vector<SeriesPoint>
sumOfProcesses(ArrayRef<std::vector<SeriesPoint>> Of,
               ArrayRef<uint64_t> EndOf) {
  std::vector<std::vector<SeriesPoint>> All;
  for (size_t Process = 0; Process != Of.size(); ++Process) {
    All.push_back(Of[Process]);
    if (!All.back().empty() && Process < EndOf.size() && EndOf[Process])
      All.back().push_back(
          {std::max(EndOf[Process], All.back().back().TimeNs), 0});
  }
  return sumOf(All);
}

Error WatchedTrace::readMarks() {
  constexpr size_t MaxMarks = 1 << 20;
  const Trace &T = trace();
  Error E = T.forEachMark([&](const Mark &M) {
    bool IsText = M.Kind == MarkKind::User || M.Kind == MarkKind::Alert ||
                  M.Kind == MarkKind::RangeBegin;
    if (Marks.size() == MaxMarks)
      return;
    if (IsText)
      Marks.push_back({M.Kind, M.TimeNs, 0, T.string(M.Name).str()});
    else if (M.Kind == MarkKind::Step)
      Marks.push_back({M.Kind, M.TimeNs, M.Id, ""});
    else if (M.Kind == MarkKind::Oom)
      Marks.push_back({M.Kind, M.TimeNs, 0, "out of memory"});
  });
  if (E)
    return E;
  llvm::stable_sort(Marks, [](const WatchedMark &A, const WatchedMark &B) {
    return A.TimeNs < B.TimeNs;
  });
  Resident = sumOfProcesses(Measured.Rss, EndOf);
  for (uint32_t Process = 0; Process != Measured.Rss.size(); ++Process)
    Own.push_back(ownSeries(Measured, Process));
  return Error::success();
}

static std::optional<uint64_t> valueAt(ArrayRef<SeriesPoint> Points,
                                       uint64_t AtNs) {
  const SeriesPoint *P = pointAt(Points, AtNs);
  return P ? std::optional(P->Value) : std::nullopt;
}

std::optional<uint64_t> WatchedTrace::residentAt(uint64_t AtNs) const {
  return valueAt(Resident, AtNs);
}

size_t WatchedTrace::livingAt(uint64_t AtNs) const {
  return count_if(Intervals->processes(), [&](const ProcessIntervals &P) {
    return !P.Heads.empty() && P.Heads.front().BeginNs <= AtNs &&
           !isGone(P.Process, AtNs);
  });
}

/// The sum over the processes that run at AtNs.
std::optional<uint64_t>
WatchedTrace::sumAt(ArrayRef<std::vector<SeriesPoint>> OfProcesses,
                    uint64_t AtNs) const {
  std::optional<uint64_t> Sum;
  for (size_t Process = 0; Process != OfProcesses.size(); ++Process)
    if (auto V = valueAt(OfProcesses[Process], AtNs);
        V && !isGone(uint32_t(Process), AtNs))
      Sum = Sum.value_or(0) + *V;
  return Sum;
}

std::optional<uint64_t> WatchedTrace::swappedAt(uint64_t AtNs) const {
  return sumAt(Measured.Swapped, AtNs);
}

std::optional<uint64_t> WatchedTrace::ownAt(uint64_t AtNs) const {
  return sumAt(Own, AtNs);
}

/// The last time up to Ns of which the values of all processes are known.
uint64_t WatchedTrace::knownUpTo(uint64_t Ns) const {
  uint64_t Known = Ns;
  for (const ProcessIntervals &P : Intervals->processes())
    if (std::optional<size_t> Last = headAt(P, Ns))
      Known = std::min(Known, knownAt(P, *Last, Ns));
  return Known;
}

double WatchedTrace::allocationsPerSecond(uint64_t AtNs,
                                          uint64_t WindowNs) const {
  const SeriesPoint *Now = pointAt<SeriesPoint>(Allocated, AtNs);
  if (!Now)
    return 0;
  uint64_t EndNs = std::max(Now->TimeNs, knownUpTo(AtNs));
  uint64_t WantedNs = EndNs - std::min(EndNs, WindowNs);
  const SeriesPoint *Before = pointAt<SeriesPoint>(Allocated, WantedNs);
  uint64_t FromNs = Before ? std::max(Before->TimeNs, knownUpTo(WantedNs)) : 0;
  if (FromNs >= EndNs)
    return 0;
  constexpr double NsPerS = 1e9;
  return double(Now->Value - (Before ? Before->Value : 0)) /
         (double(EndNs - FromNs) / NsPerS);
}
