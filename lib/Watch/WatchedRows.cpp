// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as memtop watches it: the rows of a moment.

#include "KnownTimes.h"
#include "WatchedTrace.h"
#include "memkit/Trace/Categories.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
constexpr double NsPerS = 1e9;

/// What a row had so far at one time. The counts wrap: only differences over a
/// window are of use.
struct RowThen {
  uint64_t Live = 0;
  uint32_t Allocations = 0, Temporaries = 0;
};

enum CaptureTime {
  CT_Since,
  CT_Mark,
  CT_StepBegin,
  CT_StepEnd,
  CT_At,
  NumCaptureTimes
};

/// A process at the times of a moment.
struct ProcessThen {
  uint64_t Ns[NumCaptureTimes] = {}; ///< 0: not asked for
  uint64_t SinceNs = 0;              ///< the begin of the window
  double GrowthS = 0;                ///< the time that growth is of
  double RateS = 0;                  ///< the time that allocations are of
  uint64_t Steps = 0;                ///< between CT_StepBegin and CT_StepEnd
};
} // namespace

MomentValues &MomentValues::operator+=(const MomentValues &O) {
  Live += O.Live;
  Peak += O.Peak;
  Growth += O.Growth;
  SinceMark += O.SinceMark;
  PerStep += O.PerStep;
  Allocations += O.Allocations;
  Temporaries += O.Temporaries;
  ByteAges += O.ByteAges;
  AgedBytes += O.AgedBytes;
  return *this;
}

/// The rows at the times of a moment, by number of row. A time that no process
/// asks for has no rows.
struct WatchedTrace::Captures {
  std::vector<RowThen> Then[NumCaptureTimes];
  std::vector<ProcessThen> Processes; ///< as IntervalSeries::processes()

  RowThen at(CaptureTime K, std::optional<uint32_t> Row) const {
    return Row && *Row < Then[K].size() ? Then[K][*Row] : RowThen();
  }
};

/// The times of a process, between ends of intervals.
static ProcessThen timesOf(const ProcessIntervals &P, const MomentSpec &At,
                           bool IsEnd, bool IsPeak, bool HasEnded) {
  ProcessThen Out;
  std::optional<size_t> Last = headAt(P, At.AtNs);
  // Before the end of the trace, allocations are known of the end of an
  // interval; so are live bytes, except of the peak.
  uint64_t AtNs = IsEnd || !Last ? At.AtNs : knownAt(P, *Last, At.AtNs);
  uint64_t LiveNs = IsPeak ? At.AtNs : AtNs;
  uint64_t SinceNs = LiveNs - std::min(LiveNs, At.WindowNs);
  std::optional<size_t> Since = headAt(P, SinceNs);
  Out.Ns[CT_Since] = Since ? SinceNs : 0;
  Out.SinceNs = Since ? knownAt(P, *Since, SinceNs) : P.Heads.front().BeginNs;
  auto SinceBegin = [&](uint64_t Ns) {
    return double(Ns - std::min(Ns, Out.SinceNs)) / NsPerS;
  };
  Out.GrowthS = SinceBegin(LiveNs);
  Out.RateS = SinceBegin(AtNs);
  Out.Ns[CT_Mark] = At.MarkNs.value_or(0);
  Out.Ns[CT_At] = IsEnd ? 0 : At.AtNs;
  // The last interval of a process that has ended has what its end freed.
  if (Last && *Last && HasEnded && *Last + 1 == P.Heads.size())
    --*Last;
  if (!Last || !P.Heads[*Last].LastStep)
    return Out;
  // The first interval ends with the first step: the time before is the start
  // of the program.
  uint64_t LastStep = P.Heads[*Last].LastStep;
  size_t First = *Last;
  while (First != 0 && P.Heads[First - 1].LastStep &&
         LastStep - P.Heads[First].LastStep < GrowthSteps)
    --First;
  Out.Steps = LastStep - P.Heads[First].LastStep;
  Out.Ns[CT_StepBegin] = P.Heads[First].EndNs;
  Out.Ns[CT_StepEnd] = P.Heads[*Last].EndNs;
  return Out;
}

Expected<WatchedTrace::Captures> WatchedTrace::capture(const MomentSpec &At,
                                                       bool IsPeak) {
  Captures C;
  bool IsEnd = At.AtNs == EndNs;
  bool IsAsked[NumCaptureTimes] = {};
  uint64_t LastNs = 0;
  for (const ProcessIntervals &P : Intervals->processes()) {
    const ProcessStats *Stats = trace().processStats(P.Process);
    C.Processes.push_back(timesOf(P, At, IsEnd, IsPeak, Stats && Stats->Ended));
    for (unsigned K = 0; K != NumCaptureTimes; ++K) {
      IsAsked[K] |= C.Processes.back().Ns[K] != 0;
      LastNs = std::max(LastNs, C.Processes.back().Ns[K]);
    }
  }
  if (!LastNs)
    return C;
  std::vector<RowThen> Sums;
  auto Take = [&](size_t Place, size_t Interval,
                  ArrayRef<IntervalChange> Rows) -> Error {
    uint64_t HeadNs = Intervals->processes()[Place].Heads[Interval].EndNs;
    if (HeadNs > LastNs)
      return Error::success();
    size_t NumRows = Intervals->numRows();
    if (Sums.size() < NumRows) {
      Sums.resize(NumRows);
      for (unsigned K = 0; K != NumCaptureTimes; ++K)
        if (IsAsked[K])
          C.Then[K].resize(NumRows);
    }
    const ProcessThen &P = C.Processes[Place];
    for (const IntervalChange &R : Rows) {
      RowThen &S = Sums[R.Row];
      S.Live = R.Bytes;
      S.Allocations += uint32_t(R.Allocations);
      S.Temporaries += uint32_t(R.Temporaries);
      for (unsigned K = 0; K != NumCaptureTimes; ++K)
        if (P.Ns[K] && HeadNs <= P.Ns[K])
          C.Then[K][R.Row] = S;
    }
    return Error::success();
  };
  if (Error E = Intervals->forEach(Take))
    return std::move(E);
  return C;
}

//===----------------------------------------------------------------------===//
// Blocks inside blocks
//===----------------------------------------------------------------------===//

/// The share of a row's bytes that inner blocks hold.
static double innerShare(const StackStats &R) {
  auto Outside = [](uint64_t Part, uint64_t All) {
    return std::clamp(double(int64_t(Part)) / double(All), 0.0, 1.0);
  };
  if (R.LiveBytes)
    return 1 - Outside(R.LiveExclusive, R.LiveBytes);
  if (R.HeapPeakBytes)
    return 1 - Outside(R.SpacePeakBytes, R.HeapPeakBytes);
  return 0;
}

namespace {
/// Takes the bytes of inner blocks from rows of one time, so that the sum of
/// each process is that of the outermost heaps.
class InnerBytes {
public:
  /// The heap around a heap in the same memory space; 0: none.
  static uint32_t outerOf(const Trace &T, const Heap &H) {
    bool IsInside = H.Parent && T.heap(H.Parent).Space == H.Space &&
                    !(T.heap(H.Parent).Flags & HF_OutsideTotals);
    return IsInside ? H.Parent : 0;
  }

  void add(const Trace &T, uint32_t Process, uint32_t Heap, double Bytes,
           double Share) {
    HeapSums &Own = Sums[{Process, Heap}];
    Own.All += Bytes;
    Own.Inner += Bytes * Share;
    if (uint32_t Outer = outerOf(T, T.heap(Heap)))
      Sums[{Process, Outer}].OfInnerHeaps += Bytes;
  }

  double without(uint32_t Process, uint32_t Heap, double Bytes,
                 double Share) const {
    HeapSums S = Sums.lookup({Process, Heap});
    double Inner = Bytes * Share, Rest = Bytes - Inner;
    double Wanted = std::min(S.OfInnerHeaps, S.All);
    double OfInner = S.Inner > 0 ? std::min(1.0, Wanted / S.Inner) : 0;
    double Left = Wanted - S.Inner * OfInner, Others = S.All - S.Inner;
    double OfRest = Others > 0 ? std::min(1.0, Left / Others) : 0;
    return Inner * (1 - OfInner) + Rest * (1 - OfRest);
  }

private:
  /// Of the rows of a heap in a process: bytes, bytes by their shares, and the
  /// bytes of the heaps inside.
  struct HeapSums {
    double All = 0, Inner = 0, OfInnerHeaps = 0;
  };
  DenseMap<std::pair<uint32_t, uint32_t>, HeapSums> Sums;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Bytes of a row. Where inner blocks are larger than the block around them,
/// the bytes outside of inner blocks are negative, modulo 2^64.
static double bytesOf(uint64_t Bytes) { return double(int64_t(Bytes)); }

static bool isOf(const Trace &T, const WatchedHeap &S, uint32_t Heap) {
  if (!S.IsSpace)
    return S.Id == Heap;
  return T.heap(Heap).Space == S.Id && !(T.heap(Heap).Flags & HF_OutsideTotals);
}

/// Whether any heap of a memory space lies in another.
static bool hasInnerHeaps(const Trace &T, const WatchedHeap &S) {
  return S.IsSpace && any_of(T.heaps(), [&](const Heap &H) {
           return H.Space == S.Id && InnerBytes::outerOf(T, H);
         });
}

/// One pass over the rows of a heap, as of a moment.
class WatchedTrace::RowMaker {
public:
  RowMaker(const WatchedTrace &W, const WatchedHeap &Of, const MomentSpec &At,
           const Captures &C)
      : W(W), T(W.trace()), Of(Of), At(At), C(C), IsEnd(At.AtNs == W.EndNs),
        IsNested(hasInnerHeaps(T, Of)),
        PlaceOf(T.processes().size() + 1, UINT32_MAX) {
    for (size_t I = 0; I != W.Intervals->processes().size(); ++I)
      PlaceOf[W.Intervals->processes()[I].Process] = uint32_t(I);
    Out.WindowNs = std::min(At.WindowNs, At.AtNs);
  }

  WatchedRows make() {
    if (IsNested)
      W.stats().forEach([&](uint32_t Process, const StackStats &S) {
        if (isOf(T, Of, S.Heap))
          addInner(Process, S);
      });
    Out.Rows.reserve(W.stats().numRows());
    W.stats().forEach([&](uint32_t Process, const StackStats &S) {
      if (isOf(T, Of, S.Heap))
        addRow(Process, S);
    });
    return std::move(Out);
  }

private:
  std::optional<uint32_t> rowOf(uint32_t Process, const StackStats &S) const {
    uint32_t Place = PlaceOf[Process];
    if (Place == UINT32_MAX)
      return std::nullopt;
    return W.Intervals->findRow(Place, S.Heap, S.Key);
  }

  /// The live bytes of a row at a time, with inner blocks.
  double liveAt(CaptureTime K, uint32_t Process, RowThen Then) const {
    uint64_t Ns = C.Processes[PlaceOf[Process]].Ns[K];
    return Ns && !W.isGone(Process, Ns) ? double(Then.Live) : 0;
  }

  void addInner(uint32_t Process, const StackStats &S) {
    std::optional<uint32_t> Row = rowOf(Process, S);
    if (!Row)
      return;
    for (unsigned K = 0; K != NumCaptureTimes; ++K)
      Inner[K].add(T, Process, S.Heap,
                   liveAt(CaptureTime(K), Process, C.at(CaptureTime(K), Row)),
                   innerShare(S));
  }

  double ownAt(CaptureTime K, uint32_t Process, const StackStats &S,
               RowThen Then) const {
    double Bytes = liveAt(K, Process, Then);
    return IsNested && Bytes > 0
               ? Inner[K].without(Process, S.Heap, Bytes, innerShare(S))
               : Bytes;
  }

  void addRow(uint32_t Process, const StackStats &S) {
    WatchedRow R{Process, S.Heap, S.Key, {}};
    R.V.Peak = bytesOf(Of.IsSpace ? S.SpacePeakBytes : S.HeapPeakBytes);
    std::optional<uint32_t> Row = rowOf(Process, S);
    RowThen Now = C.at(CT_At, Row), Since = C.at(CT_Since, Row);
    if (IsEnd) {
      if (!W.isGone(Process, W.EndNs))
        R.V.Live = bytesOf(Of.IsSpace ? S.LiveExclusive : S.LiveBytes);
      Now.Allocations = uint32_t(S.Allocations);
      Now.Temporaries = uint32_t(S.Temporaries);
    } else if (At.AtNs == Of.ExactNs) {
      R.V.Live = R.V.Peak;
    } else if (Row) {
      R.V.Live = ownAt(CT_At, Process, S, Now);
    }
    if (PlaceOf[Process] == UINT32_MAX)
      addChanges(R, {}, Now, {}, 0, 0);
    else
      addChanges(R, C.Processes[PlaceOf[Process]], Now, Since,
                 Row ? ownAt(CT_Since, Process, S, Since) : 0,
                 Row && At.MarkNs
                     ? ownAt(CT_Mark, Process, S, C.at(CT_Mark, Row))
                     : 0);
    addSteps(R, Process, S, Row);
    const MomentValues &V = R.V;
    if (V.Live || V.Growth || V.SinceMark || V.Allocations || V.Peak ||
        V.PerStep)
      Out.Rows.push_back(R);
  }

  void addChanges(WatchedRow &R, const ProcessThen &P, RowThen Now,
                  RowThen Since, double LiveSince, double LiveAtMark) const {
    double WantedS = double(Out.WindowNs) / NsPerS;
    // A window that begins with the process has no earlier value: the growth
    // is what it is.
    double Scale =
        P.Ns[CT_Since] && P.GrowthS > WantedS ? WantedS / P.GrowthS : 1;
    R.V.Growth = (R.V.Live - LiveSince) * Scale;
    if (At.MarkNs)
      R.V.SinceMark = R.V.Live - LiveAtMark;
    double Seconds = P.RateS > 0 ? P.RateS : WantedS;
    if (Seconds <= 0)
      return;
    R.V.Allocations = uint32_t(Now.Allocations - Since.Allocations) / Seconds;
    R.V.Temporaries =
        std::min(uint32_t(Now.Temporaries - Since.Temporaries) / Seconds,
                 R.V.Allocations);
  }

  void addSteps(WatchedRow &R, uint32_t Process, const StackStats &S,
                std::optional<uint32_t> Row) {
    uint32_t Place = PlaceOf[Process];
    if (Place == UINT32_MAX || !C.Processes[Place].Steps)
      return;
    Out.HasSteps = true;
    if (Row)
      R.V.PerStep = (ownAt(CT_StepEnd, Process, S, C.at(CT_StepEnd, Row)) -
                     ownAt(CT_StepBegin, Process, S, C.at(CT_StepBegin, Row))) /
                    double(C.Processes[Place].Steps);
  }

  const WatchedTrace &W;
  const Trace &T;
  const WatchedHeap &Of;
  const MomentSpec &At;
  const Captures &C;
  bool IsEnd, IsNested;
  std::vector<uint32_t> PlaceOf; ///< in the intervals, by process
  InnerBytes Inner[NumCaptureTimes];
  WatchedRows Out;
};

Expected<WatchedRows> WatchedTrace::rowsAt(const WatchedHeap &Of,
                                           MomentSpec At) {
  At.AtNs = std::min(At.AtNs, EndNs);
  Expected<Captures> C = capture(At, At.AtNs == Of.ExactNs);
  if (!C)
    return C.takeError();
  WatchedRows Out = RowMaker(*this, Of, At, *C).make();
  if (At.AtNs == EndNs)
    if (Error E = addAges(Of, Out))
      return std::move(E);
  return Out;
}

Error WatchedTrace::addAges(const WatchedHeap &Of, WatchedRows &To) {
  DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> At; // index + 1
  bool IsAsked = false;
  auto Take = [&](size_t Place, const SectionLifetimes &L) {
    if (!std::exchange(IsAsked, true))
      for (uint32_t I = 0; I != To.Rows.size(); ++I)
        At[{uint64_t(To.Rows[I].Process) << 32 | To.Rows[I].Heap,
            To.Rows[I].Key}] = I + 1;
    const ProcessIntervals &P = Intervals->processes()[Place];
    L.forEachRow([&](const RowLifetimes &R) {
      uint32_t Index =
          isOf(trace(), Of, R.Heap)
              ? At.lookup({uint64_t(P.Process) << 32 | R.Heap, R.Stack})
              : 0;
      if (!Index)
        return;
      MomentValues &V = To.Rows[Index - 1].V;
      for (const Cohort &C : R.Cohorts) {
        size_t Head = P.headsBefore(uint64_t(C.Interval) + 1);
        if (!Head)
          continue;
        uint64_t Ns = P.Heads[Head - 1].EndNs;
        V.ByteAges +=
            double(C.Bytes) * double(EndNs - std::min(EndNs, Ns)) / NsPerS;
        V.AgedBytes += double(C.Bytes);
        To.HasAges = true;
      }
    });
  };
  return Intervals->forEachLifetimes(Take);
}

/// Rows of other keys than stacks.
WatchedRows WatchedTrace::rowsOf(const WatchedHeap &Of,
                                 const SelectedStats &S) const {
  WatchedRows Out;
  S.forEach([&](uint32_t Process, const StackStats &R) {
    if (!isOf(trace(), Of, R.Heap))
      return;
    WatchedRow W{Process, R.Heap, R.Key, {}};
    if (!isGone(Process, EndNs))
      W.V.Live = bytesOf(Of.IsSpace ? R.LiveExclusive : R.LiveBytes);
    W.V.Peak = bytesOf(Of.IsSpace ? R.SpacePeakBytes : R.HeapPeakBytes);
    if (W.V.Live || W.V.Peak)
      Out.Rows.push_back(W);
  });
  return Out;
}

Expected<WatchedRows> WatchedTrace::scopesAtEnd(const WatchedHeap &Of) {
  Expected<SelectedStats> S =
      SelectedStats::create(trace(), stats().selection(), StatsBy::ScopePaths);
  if (!S)
    return S.takeError();
  return rowsOf(Of, *S);
}

Expected<WatchedRows> WatchedTrace::threadsAtEnd(const WatchedHeap &Of) {
  AllocationGroups Threads;
  Threads.GroupOf = [](const Allocation &B) { return B.Thread; };
  Threads.KeyOf = [](uint64_t Thread) { return uint32_t(Thread); };
  Expected<SelectedStats> S =
      SelectedStats::createGrouped(trace(), stats().selection(), Threads);
  if (!S)
    return S.takeError();
  return rowsOf(Of, *S);
}
