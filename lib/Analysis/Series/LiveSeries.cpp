// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, from the intervals.

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Model/Intervals.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

using OtherTaker = function_ref<void(size_t, size_t, ArrayRef<IntervalChange>)>;

namespace {
/// A change of a group's live bytes; a fall wraps around.
struct LiveChange {
  uint64_t TimeNs;
  uint64_t Bytes;
};

/// Sums the live bytes of groups of rows over all processes.
class GroupSums {
public:
  GroupSums(IntervalSeries &From, size_t NumGroups)
      : From(From), Changes(NumGroups), Held(From.processes().size()),
        Sums(NumGroups) {}

  /// Adds a row of the interval that is read now.
  void add(uint32_t Group, const IntervalChange &R) {
    // Zero also if changes cancel out: the group is then twice in Changed, the
    // second time with nothing to add.
    if (Sums[Group] == 0)
      Changed.push_back(Group);
    Sums[Group] += R.Bytes - R.BytesBefore;
  }
  /// Ends the rows of an interval, or of a part of an interval.
  void endRows(size_t Process, uint64_t TimeNs) {
    for (uint32_t Group : Changed)
      addChange(Process, Group, std::exchange(Sums[Group], 0), TimeNs);
    Changed.clear();
  }
  std::vector<std::vector<SeriesPoint>> finish(const Trace &T) {
    endProcesses(T);
    std::vector<std::vector<SeriesPoint>> Out;
    for (std::vector<LiveChange> &Of : Changes)
      Out.push_back(sum(Of));
    return Out;
  }

private:
  void addChange(size_t Process, uint32_t Group, uint64_t More,
                 uint64_t TimeNs) {
    Held[Process][Group] += More;
    // All rows of an interval make one change.
    std::vector<LiveChange> &To = Changes[Group];
    if (!To.empty() && To.back().TimeNs == TimeNs)
      To.back().Bytes += More;
    else
      To.push_back({TimeNs, More});
  }

  /// Removes a process's live bytes from the curve when the process ends before
  /// the others.
  void endProcesses(const Trace &T) {
    std::map<uint32_t, uint64_t> Ends; // by process
    for (const ProcessStats &I : T.summary().Processes)
      if (I.Ended && I.EndNs < T.endNs())
        Ends[I.Process] = I.EndNs;
    for (size_t At = 0; At != Held.size(); ++At) {
      const ProcessIntervals &I = From.processes()[At];
      auto It = Ends.find(I.Process);
      if (It == Ends.end())
        continue;
      uint64_t EndNs = std::max(It->second, I.Heads.back().EndNs) + 1;
      for (auto [Group, Bytes] : Held[At])
        Changes[Group].push_back({EndNs, 0 - Bytes});
    }
  }

  static std::vector<SeriesPoint> sum(std::vector<LiveChange> &Of) {
    stable_sort(Of, [](const LiveChange &A, const LiveChange &B) {
      return A.TimeNs < B.TimeNs;
    });
    std::vector<SeriesPoint> Points;
    uint64_t Live = 0;
    for (const LiveChange &C : Of) {
      Live += C.Bytes;
      if (!Points.empty() && Points.back().TimeNs == C.TimeNs)
        Points.back().Value = Live;
      else
        Points.push_back({C.TimeNs, Live});
    }
    return Points;
  }

  IntervalSeries &From;
  std::vector<std::vector<LiveChange>> Changes; ///< by group
  /// By place of process, then group.
  std::vector<std::map<uint32_t, uint64_t>> Held;
  std::vector<uint64_t> Sums;    ///< by group, of the rows read now
  std::vector<uint32_t> Changed; ///< groups of these rows
};
} // namespace

/// By process of From: when the last quarter of the process's time begins.
static std::vector<uint64_t> lastQuarters(const Trace &T,
                                          const IntervalSeries &From) {
  std::map<uint32_t, uint64_t> Ends; // by process
  for (const ProcessStats &P : T.summary().Processes)
    Ends[P.Process] = P.EndNs;
  std::vector<uint64_t> Out;
  for (const ProcessIntervals &I : From.processes()) {
    uint64_t BeginNs = I.Heads.front().BeginNs;
    uint64_t EndNs = std::max(Ends[I.Process], I.Heads.back().EndNs);
    Out.push_back(EndNs - (EndNs - BeginNs) / 4);
  }
  return Out;
}

/// When the rises of an interval count. The end of the interval would leave a
/// hole behind a peak in the interval: what the peak held, and the end still
/// holds, would seem free between the two.
static uint64_t timeOfRises(const IntervalHead &H, uint64_t PeakNs) {
  return H.BeginNs <= PeakNs && PeakNs < H.EndNs ? PeakNs + 1 : H.EndNs;
}

static void watch(LiveSeries &Out, size_t Interval, bool IsLate,
                  const IntervalChange &R) {
  auto At = Out.Stacks.find({R.Heap, R.Stack});
  if (At == Out.Stacks.end())
    return;
  if (R.Bytes > R.BytesBefore) {
    if (!At->second.Rises++)
      At->second.FirstRise = Interval;
    At->second.LastRise = std::max<uint64_t>(At->second.LastRise, Interval);
    At->second.RisesLate |= IsLate;
  }
  At->second.Falls += R.Bytes < R.BytesBefore;
}

Expected<std::vector<std::vector<SeriesPoint>>> readGroupSeries(
    IntervalSeries &From, const Trace &T, size_t NumGroups,
    function_ref<uint32_t(uint32_t Process, uint32_t Heap, uint32_t Stack)>
        GroupOf,
    uint64_t PeakNs) {
  GroupSums Sums(From, NumGroups);
  auto Take = [&](size_t Process, size_t Interval,
                  ArrayRef<IntervalChange> Rows) {
    uint32_t Id = From.processes()[Process].Process;
    auto Add = [&](bool Rises, uint64_t TimeNs) {
      for (const IntervalChange &R : Rows)
        if ((R.Bytes > R.BytesBefore) == Rises)
          if (uint32_t Group = GroupOf(Id, R.Heap, R.Stack); Group < NumGroups)
            Sums.add(Group, R);
      Sums.endRows(Process, TimeNs);
    };
    const IntervalHead &Head = From.processes()[Process].Heads[Interval];
    Add(/*Rises=*/true, timeOfRises(Head, PeakNs));
    Add(/*Rises=*/false, Head.EndNs);
    return Error::success();
  };
  if (Error E = From.forEach(Take))
    return std::move(E);
  return Sums.finish(T);
}

Expected<LiveSeries> readLiveSeries(IntervalSeries &From,
                                    const SelectedStats &S,
                                    ArrayRef<HeapStack> Watched,
                                    OtherTaker Also) {
  LiveSeries Out;
  for (HeapStack Key : Watched)
    Out.Stacks[Key];
  GroupSums Sums(From, S.trace().heaps().size() + 1);
  std::vector<uint64_t> LastQuarters = lastQuarters(S.trace(), From);
  auto Take = [&](size_t Process, size_t Interval,
                  ArrayRef<IntervalChange> Rows) {
    if (Also)
      Also(Process, Interval, Rows);
    uint64_t EndNs = From.processes()[Process].Heads[Interval].EndNs;
    for (const IntervalChange &R : Rows) {
      Sums.add(R.Heap, R);
      if (!Out.Stacks.empty())
        watch(Out, Interval, EndNs >= LastQuarters[Process], R);
    }
    Sums.endRows(Process, EndNs);
    return Error::success();
  };
  if (Error E = From.forEach(Take))
    return std::move(E);
  Out.Heaps = Sums.finish(S.trace());
  for (const ProcessIntervals &I : From.processes())
    Out.Intervals = std::max<uint64_t>(Out.Intervals, I.Heads.size());
  return Out;
}

Expected<LiveSeries> readLiveSeries(const SelectedStats &S,
                                    ArrayRef<HeapStack> Watched) {
  Expected<std::unique_ptr<IntervalSeries>> From = IntervalSeries::create(S);
  if (!From)
    return From.takeError();
  return readLiveSeries(**From, S, Watched);
}

} // namespace memkit
