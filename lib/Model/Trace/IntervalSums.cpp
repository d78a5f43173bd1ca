// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary of a trace that has interval rows and no events.

#include "IntervalSums.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// A change of live values in a process at the end of an interval, or of the
/// process. Falls wrap around.
struct LiveDelta {
  uint64_t TimeNs;
  uint32_t Process, Heap;
  uint64_t Bytes, Blocks;
};

/// Live values, and the highest of them.
struct LiveLevel {
  uint64_t Bytes = 0, Blocks = 0;
  uint64_t PeakBytes = 0, PeakBlocks = 0, PeakTimeNs = 0;
  void note(uint64_t TimeNs) {
    if (Bytes <= PeakBytes)
      return;
    PeakBytes = Bytes;
    PeakBlocks = Blocks;
    PeakTimeNs = TimeNs;
  }
};

/// Live bytes of a process in a memory space at the ends of its intervals.
using ProcessCurve = std::vector<std::pair<uint64_t, uint64_t>>;

class IntervalSummer {
public:
  IntervalSummer(const Trace &T, ArrayRef<ProcessStats> Written,
                 LastSummary &Sums)
      : T(T), Sums(Sums) {
    for (const ProcessStats &P : Sums.Totals.Processes)
      if (P.Ended)
        Ends[P.Process] = P.EndNs;
    for (const ProcessStats &P : Written)
      this->Written[P.Process] = &P;
  }
  Expected<uint64_t> add();

private:
  using RowTaker =
      function_ref<void(uint64_t TimeNs, uint32_t Row, const IntervalRow &)>;
  Error forEachRow(RowTaker Take);
  uint32_t rowOf(uint32_t Process, const IntervalRow &R);
  Error readRows();
  void endProcesses();
  void sweep();
  void endMoment(uint64_t TimeNs);
  Error readPeaks();
  void writeRows();
  void writeTotals();
  void writeProcesses();
  void takeWritten(ProcessStats &P) const;
  void writeWritten();
  void writeSteps();
  uint32_t spaceOf(uint32_t Heap) const { return T.heap(Heap).Space; }
  bool isOutermost(uint32_t Heap) const;
  std::optional<uint64_t> endOf(uint32_t Process) const;

  const Trace &T;
  LastSummary &Sums;
  // By process; a trace may have very many.
  DenseMap<uint32_t, uint64_t> Ends;
  DenseMap<uint32_t, const ProcessStats *> Written;
  DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> RowIds;
  std::vector<StackStats> Rows;
  std::vector<uint32_t> ProcessOf; ///< by row
  std::vector<LiveDelta> Changes;
  uint64_t LastNs = 0;
  std::vector<LiveLevel> Heaps, Spaces; ///< by heap (0: none), by memory space
  std::map<std::pair<uint32_t, uint32_t>, LiveLevel>
      Shares; ///< by process and memory space
  std::map<std::pair<uint32_t, uint32_t>, ProcessCurve> Curves; ///< likewise
  std::vector<LiveDelta> Moment; ///< the changes of one time
};
} // namespace

/// Whether the heap's blocks count in their memory space.
bool IntervalSummer::isOutermost(uint32_t Heap) const {
  const struct Heap &H = T.heap(Heap);
  bool IsInner = H.Parent && spaceOf(H.Parent) == H.Space;
  return !IsInner && !(H.Flags & HF_OutsideTotals);
}

std::optional<uint64_t> IntervalSummer::endOf(uint32_t Process) const {
  auto At = Ends.find(Process);
  return At == Ends.end() ? std::nullopt : std::optional(At->second);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

uint32_t IntervalSummer::rowOf(uint32_t Process, const IntervalRow &R) {
  uint64_t Key = uint64_t(Process) << 32 | R.Stack;
  auto [At, New] = RowIds.try_emplace({Key, R.Heap}, Rows.size());
  if (New) {
    Rows.emplace_back();
    Rows.back().Key = R.Stack;
    Rows.back().Heap = R.Heap;
    ProcessOf.push_back(Process);
  }
  return At->second;
}

Error IntervalSummer::forEachRow(RowTaker Take) {
  Intervals Section;
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Kind != SectionKind::Intervals)
      continue;
    if (Error E = T.reader().read(B, Section))
      return E;
    if (std::string Wrong = T.limits().check(Section); !Wrong.empty())
      return makeTraceError(T.name(), B.Offset, Wrong);
    for (const Interval &I : Section.Rows)
      for (const IntervalRow &R : I.Rows)
        Take(I.EndNs, rowOf(Section.Process, R), R);
  }
  return Error::success();
}

Error IntervalSummer::readRows() {
  return forEachRow([&](uint64_t TimeNs, uint32_t Id, const IntervalRow &R) {
    StackStats &Row = Rows[Id];
    LiveDelta Change = {TimeNs, ProcessOf[Id], R.Heap,
                        R.LiveBytes - Row.LiveBytes,
                        R.LiveBlocks - Row.LiveBlocks};
    Row.LiveBytes = R.LiveBytes;
    Row.LiveBlocks = R.LiveBlocks;
    Row.PeakBytes = std::max(Row.PeakBytes, R.LiveBytes);
    Row.Allocations += R.Allocations;
    Row.AllocatedBytes += R.AllocatedBytes;
    Row.Temporaries += R.Temporaries;
    LastNs = std::max(LastNs, TimeNs);
    // Rows of one interval and heap come together.
    LiveDelta *Last = Changes.empty() ? nullptr : &Changes.back();
    if (Last && Last->TimeNs == TimeNs && Last->Process == Change.Process &&
        Last->Heap == R.Heap) {
      Last->Bytes += Change.Bytes;
      Last->Blocks += Change.Blocks;
    } else {
      Changes.push_back(Change);
    }
  });
}

/// The values of rows at the peaks of their heaps and memory spaces: those of
/// the last interval before.
Error IntervalSummer::readPeaks() {
  Error E = forEachRow([&](uint64_t TimeNs, uint32_t Id, const IntervalRow &R) {
    StackStats &Row = Rows[Id];
    if (TimeNs <= Heaps[R.Heap].PeakTimeNs) {
      Row.HeapPeakBytes = R.LiveBytes;
      Row.HeapPeakBlocks = R.LiveBlocks;
    }
    if (isOutermost(R.Heap) && TimeNs <= Spaces[spaceOf(R.Heap)].PeakTimeNs) {
      Row.SpacePeakBytes = R.LiveBytes;
      Row.SpacePeakBlocks = R.LiveBlocks;
    }
  });
  for (size_t Id = 0; Id != Rows.size(); ++Id) {
    StackStats &Row = Rows[Id];
    std::optional<uint64_t> End = endOf(ProcessOf[Id]);
    if (End && *End < Heaps[Row.Heap].PeakTimeNs)
      Row.HeapPeakBytes = Row.HeapPeakBlocks = 0;
    if (End && *End < Spaces[spaceOf(Row.Heap)].PeakTimeNs)
      Row.SpacePeakBytes = Row.SpacePeakBlocks = 0;
  }
  return E;
}

//===----------------------------------------------------------------------===//
// Peaks, in the order of time
//===----------------------------------------------------------------------===//

/// The blocks of a process that has ended are gone.
void IntervalSummer::endProcesses() {
  std::map<std::pair<uint32_t, uint32_t>, LiveLevel> Live;
  for (size_t Id = 0; Id != Rows.size(); ++Id) {
    LiveLevel &Of = Live[{ProcessOf[Id], Rows[Id].Heap}];
    Of.Bytes += Rows[Id].LiveBytes;
    Of.Blocks += Rows[Id].LiveBlocks;
  }
  for (const auto &[Key, Of] : Live)
    if (std::optional<uint64_t> End = endOf(Key.first))
      Changes.push_back(
          {*End + 1, Key.first, Key.second, 0 - Of.Bytes, 0 - Of.Blocks});
  stable_sort(Changes, [](const LiveDelta &A, const LiveDelta &B) {
    return A.TimeNs < B.TimeNs;
  });
}

/// Changes of one time happen together.
void IntervalSummer::endMoment(uint64_t TimeNs) {
  for (const LiveDelta &C : Moment) {
    Heaps[C.Heap].note(TimeNs);
    if (!isOutermost(C.Heap))
      continue;
    std::pair Key(C.Process, spaceOf(C.Heap));
    LiveLevel &Share = Shares[Key];
    Share.note(TimeNs);
    Spaces[Key.second].note(TimeNs);
    ProcessCurve &Curve = Curves[Key];
    if (Curve.empty() || Curve.back().first != TimeNs)
      Curve.push_back({TimeNs, 0});
    Curve.back().second = Share.Bytes;
  }
  Moment.clear();
}

void IntervalSummer::sweep() {
  Heaps.resize(T.heaps().size() + 1);
  Spaces.resize(T.devices().size() + 1);
  for (const LiveDelta &C : Changes) {
    if (!Moment.empty() && Moment.front().TimeNs != C.TimeNs)
      endMoment(Moment.front().TimeNs);
    Moment.push_back(C);
    auto Add = [&](LiveLevel &To) {
      To.Bytes += C.Bytes;
      To.Blocks += C.Blocks;
    };
    Add(Heaps[C.Heap]);
    if (!isOutermost(C.Heap))
      continue;
    Add(Spaces[spaceOf(C.Heap)]);
    Add(Shares[{C.Process, spaceOf(C.Heap)}]);
  }
  if (!Moment.empty())
    endMoment(Moment.front().TimeNs);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void IntervalSummer::writeRows() {
  std::map<uint32_t, StackStatsRows> Of; // by process
  for (size_t Id = 0; Id != Rows.size(); ++Id) {
    StackStats &Row = Rows[Id];
    if (isOutermost(Row.Heap))
      Row.LiveExclusive = Row.LiveBytes;
    // Blocks that were there before, or that a split made.
    if (Row.LiveBlocks > Row.Allocations)
      Row.Splits = Row.LiveBlocks - Row.Allocations;
    Row.AllocatedBytes = std::max(Row.AllocatedBytes, Row.LiveBytes);
    Of[ProcessOf[Id]].Rows.push_back(Row);
  }
  for (auto &[Process, Group] : Of) {
    Group.Process = Process;
    sort(Group.Rows, [](const StackStats &A, const StackStats &B) {
      return std::pair(A.Heap, A.Key) < std::pair(B.Heap, B.Key);
    });
    PackedRows::pack(Group, Sums.StackRows);
  }
}

namespace {
/// Finds the totals of a list by their ids.
template <class Total> class TotalsById {
public:
  explicit TotalsById(std::vector<Total> &All) : All(All) {
    for (size_t I = 0; I != All.size(); ++I)
      Places[All[I].Id] = I;
  }
  Total &of(uint32_t Id) {
    auto [At, New] = Places.try_emplace(Id, All.size());
    if (New)
      All.emplace_back().Id = Id;
    return All[At->second];
  }

private:
  std::vector<Total> &All;
  DenseMap<uint32_t, size_t> Places;
};
} // namespace

static void addRow(TotalStats &To, const StackStats &Row) {
  To.Allocations += Row.Allocations;
  To.AllocatedBytes += Row.AllocatedBytes;
  To.Temporaries += Row.Temporaries;
  To.LiveBlocks += Row.LiveBlocks;
  To.LiveBytes += Row.LiveBytes;
  To.Frees += Row.Allocations + Row.Splits - Row.LiveBlocks;
  To.FreedBytes += Row.AllocatedBytes - Row.LiveBytes;
}

static void setPeak(TotalStats &To, const LiveLevel &Of) {
  To.PeakBytes = Of.PeakBytes;
  To.PeakBlocks = Of.PeakBlocks;
  To.PeakTimeNs = Of.PeakTimeNs;
}

void IntervalSummer::writeTotals() {
  TotalsById OfHeaps(Sums.Totals.Heaps);
  TotalsById OfSpaces(Sums.Totals.Spaces);
  for (const StackStats &Row : Rows) {
    addRow(OfHeaps.of(Row.Heap), Row);
    if (isOutermost(Row.Heap))
      addRow(OfSpaces.of(spaceOf(Row.Heap)), Row);
  }
  for (HeapStats &H : Sums.Totals.Heaps)
    setPeak(H, Heaps[H.Id]);
  for (TotalStats &S : Sums.Totals.Spaces)
    setPeak(S, Spaces[S.Id]);
}

void IntervalSummer::writeProcesses() {
  std::map<std::pair<uint32_t, uint32_t>, TotalStats> Of;
  std::map<uint32_t, TotalStats> All; // by process
  for (size_t Id = 0; Id != Rows.size(); ++Id) {
    addRow(All[ProcessOf[Id]], Rows[Id]);
    if (isOutermost(Rows[Id].Heap))
      addRow(Of[{ProcessOf[Id], spaceOf(Rows[Id].Heap)}], Rows[Id]);
  }
  for (ProcessStats &P : Sums.Totals.Processes) {
    P.Allocations = All[P.Process].Allocations;
    P.Frees = All[P.Process].Frees;
    P.Shares.clear();
    auto Begin = Of.lower_bound({P.Process, 0}),
         End = Of.lower_bound({P.Process + 1, 0});
    for (auto At = Begin; At != End; ++At) {
      const TotalStats &Sum = At->second;
      uint64_t Peak = Shares[At->first].PeakBytes;
      if (!At->first.second) {
        P.LiveBytes = Sum.LiveBytes;
        P.PeakBytes = Peak;
        continue;
      }
      SpaceShare S;
      S.Space = At->first.second;
      S.Allocations = Sum.Allocations;
      S.Frees = Sum.Frees;
      S.AllocatedBytes = Sum.AllocatedBytes;
      S.FreedBytes = Sum.FreedBytes;
      S.LiveBytes = Sum.LiveBytes;
      S.PeakBytes = Peak;
      P.Shares.push_back(S);
    }
  }
}

static SpaceShare &shareIn(SpaceShares &All, uint32_t Space) {
  auto At = find_if(All, [&](const SpaceShare &S) { return S.Space >= Space; });
  if (At == All.end() || At->Space != Space)
    At = All.insert(At, SpaceShare{.Space = Space});
  return *At;
}

/// Adds what the recorder has written of the process.
void IntervalSummer::takeWritten(ProcessStats &P) const {
  const ProcessStats *Of = Written.lookup(P.Process);
  if (!Of)
    return;
  auto IsLater = [&](uint32_t Space) {
    auto Curve = Curves.find({P.Process, Space});
    return Curve == Curves.end() || Curve->second.back().first < Of->EndNs;
  };
  P.Allocations = std::max(P.Allocations, Of->Allocations);
  P.Frees = std::max(P.Frees, Of->Frees);
  P.PeakBytes = std::max(P.PeakBytes, Of->PeakBytes);
  if (IsLater(0))
    P.LiveBytes = Of->LiveBytes;
  for (const SpaceShare &S : Of->Shares) {
    SpaceShare &To = shareIn(P.Shares, S.Space);
    uint64_t Live = IsLater(S.Space) ? S.LiveBytes : To.LiveBytes;
    uint64_t Peak = std::max(To.PeakBytes, S.PeakBytes);
    if (S.Allocations > To.Allocations)
      To = S;
    To.LiveBytes = Live;
    To.PeakBytes = Peak;
  }
}

/// The peak of a memory space is not below that of a process in it.
void IntervalSummer::writeWritten() {
  TotalsById OfSpaces(Sums.Totals.Spaces);
  for (ProcessStats &P : Sums.Totals.Processes) {
    takeWritten(P);
    auto Raise = [&](uint32_t Space, uint64_t Peak) {
      if (!Peak)
        return;
      TotalStats &S = OfSpaces.of(Space);
      S.PeakBytes = std::max(S.PeakBytes, Peak);
    };
    Raise(0, P.PeakBytes);
    for (const SpaceShare &S : P.Shares)
      Raise(S.Space, S.PeakBytes);
  }
}

/// The live bytes at the end of a step, and the highest in it.
static std::pair<uint64_t, uint64_t> valuesIn(const ProcessCurve &Curve,
                                              const StepStats &S) {
  auto After = [&](uint64_t TimeNs) {
    return partition_point(
        Curve, [&](const auto &Point) { return Point.first <= TimeNs; });
  };
  auto Begin = After(S.BeginNs), End = After(S.EndNs);
  uint64_t Live = Begin == Curve.begin() ? 0 : std::prev(Begin)->second;
  uint64_t Peak = Live;
  for (auto At = Begin; At < End; ++At) {
    Live = At->second;
    Peak = std::max(Peak, Live);
  }
  return {Live, Peak};
}

void IntervalSummer::writeSteps() {
  for (StepStats &S : Sums.Totals.Steps) {
    S.Shares.clear();
    for (auto At = Curves.lower_bound({S.Process, 0});
         At != Curves.end() && At->first.first == S.Process; ++At) {
      auto [Live, Peak] = valuesIn(At->second, S);
      if (!At->first.second) {
        S.LiveBytes = Live;
        S.PeakBytes = Peak;
        continue;
      }
      SpaceShare Of;
      Of.Space = At->first.second;
      Of.LiveBytes = Live;
      Of.PeakBytes = Peak;
      if (isAny(Of))
        S.Shares.push_back(Of);
    }
  }
}

Expected<uint64_t> IntervalSummer::add() {
  if (Error E = readRows())
    return std::move(E);
  endProcesses();
  sweep();
  if (Error E = readPeaks())
    return std::move(E);
  writeRows();
  writeTotals();
  writeProcesses();
  writeWritten();
  writeSteps();
  auto ById = [](const auto &A, const auto &B) { return A.Id < B.Id; };
  sort(Sums.Totals.Heaps, ById);
  sort(Sums.Totals.Spaces, ById);
  return LastNs;
}

Expected<uint64_t> addIntervalSums(const Trace &T,
                                   ArrayRef<ProcessStats> Written,
                                   LastSummary &Sums) {
  return IntervalSummer(T, Written, Sums).add();
}

} // namespace memkit
