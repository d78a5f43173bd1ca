// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums from intervals and replays, compared with sums of the events themselves.

#include "../Model/TextTrace.h"
#include "memkit/Analysis/GroupCurves.h"
#include "memkit/Analysis/RangeChanges.h"

using namespace memkit;
using namespace llvm;

namespace {
struct MadeEvent {
  uint64_t TimeNs = 0;
  uint32_t Process = 0;
  bool IsFree = false;
  uint64_t Block = 0, Size = 0;
};

/// Two processes whose events alternate; the first has steps and outlives the
/// second. Every third block is never freed.
class MadeRun {
public:
  MadeRun() {
    for (uint64_t I = 0; I != 60; ++I)
      for (uint32_t Process : {1, 2}) {
        if (Process == 2 && I > 30)
          continue;
        uint64_t TimeNs = 100'000 * I + 10'000 * Process;
        Events.push_back({TimeNs, Process, false, I, 100 + I * Process});
        if (I % 3 != 0)
          Events.push_back(
              {TimeNs + 50'000, Process, true, I, 100 + I * Process});
      }
  }
  std::unique_ptr<Trace> trace() const;
  /// Bytes allocated, or freed, in a range.
  uint64_t sum(uint64_t BeginNs, uint64_t EndNs, bool Freed) const {
    uint64_t Sum = 0;
    for (const MadeEvent &E : Events)
      if (E.TimeNs >= BeginNs && E.TimeNs < EndNs && E.IsFree == Freed)
        Sum += E.Size;
    return Sum;
  }
  /// Bytes live before a time.
  uint64_t live(uint64_t TimeNs) const {
    return sum(0, TimeNs, false) - sum(0, TimeNs, true);
  }

private:
  std::vector<MadeEvent> Events;
};
} // namespace

std::unique_ptr<Trace> MadeRun::trace() const {
  std::string Text = R"(
header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  process 2 pid=2 exe="/bin/b" parent=1
  thread 1 process=1 tid=1
  thread 2 process=2 tid=2
  heap 1 name="host.malloc"
  stack 1 main > f > malloc
marks
)";
  raw_string_ostream OS(Text);
  for (uint64_t Step = 1; Step != 12; ++Step)
    OS << "  " << Step * 500'000 << " step process=1 id=" << Step << "\n";
  for (uint32_t Process : {1, 2}) {
    OS << "events process=" << Process << "\n";
    for (const MadeEvent &E : Events)
      if (E.Process == Process) {
        OS << "  " << E.TimeNs << " th" << Process;
        if (E.IsFree)
          OS << " free #" << E.Block << "\n";
        else
          OS << " alloc #" << E.Block << " heap=1 stack=1 size=" << E.Size
             << "\n";
      }
  }
  return textTrace(Text);
}

TEST(EventSums, RangesAreExact) {
  MadeRun Made;
  std::unique_ptr<Trace> T = Made.trace();
  SelectedStats S =
      orDie(SelectedStats::create(*T, orDie(Selection::create(*T, {}))));
  auto Intervals = orDie(IntervalSeries::create(S));
  for (uint64_t Begin = 0; Begin < 6'200'000; Begin += 370'000)
    for (uint64_t End = Begin + 10'000; End < 6'400'000; End += 430'000) {
      uint64_t Allocated = 0, Freed = 0;
      std::vector<KnownRange> Known = knownRanges(*Intervals, Begin, End);
      auto Take = [&](size_t P, size_t I, ArrayRef<IntervalChange> Rows) {
        if (I < Known[P].First || I >= Known[P].Last)
          return Error::success();
        for (const IntervalChange &C : Rows) {
          Allocated += C.AllocatedBytes;
          Freed += C.AllocatedBytes + C.BytesBefore - C.Bytes;
        }
        return Error::success();
      };
      ASSERT_FALSE(bool(Intervals->forEach(Take)));
      std::deque<RangeChange> Edges;
      ASSERT_FALSE(
          bool(readRangeEdges(T->reader(), Begin, End, Known, {}, Edges)));
      std::set<std::tuple<uint32_t, uint32_t, uint32_t>> Keys;
      for (const RangeChange &C : Edges) {
        Allocated += C.AllocatedBytes;
        Freed += C.FreedBytes;
        EXPECT_TRUE(Keys.insert({C.Process, C.Heap, C.Stack}).second);
      }
      EXPECT_EQ(Allocated, Made.sum(Begin, End, false)) << Begin << " " << End;
      EXPECT_EQ(Freed, Made.sum(Begin, End, true)) << Begin << " " << End;
    }
}

TEST(EventSums, GroupsAddUp) {
  MadeRun Made;
  std::unique_ptr<Trace> T = Made.trace();
  GroupCurveSpec Spec;
  Spec.GroupOf = [](const Allocation &B) { return B.Thread; };
  Spec.NumGroups = 3;
  Spec.Heaps = BitVector(2, true);
  Spec.EndNs = T->endNs();
  GroupCurves C = orDie(readGroupCurves(T->reader(), Spec, {}));
  ASSERT_EQ(C.Groups.size(), 3u);
  EXPECT_TRUE(C.Groups[0].empty());
  std::vector<SeriesPoint> Total = sumOf(C.Groups);
  ASSERT_FALSE(Total.empty());
  for (const SeriesPoint &P : Total)
    // The last point has the last event, too.
    EXPECT_EQ(P.Value, Made.live(P.TimeNs + (P.TimeNs == Spec.EndNs)))
        << P.TimeNs;
  TotalStats Host = T->spaceStats(0);
  EXPECT_EQ(C.PeakNs, Host.PeakTimeNs);
  EXPECT_EQ(C.AtPeak[1] + C.AtPeak[2], Host.PeakBytes);
}
