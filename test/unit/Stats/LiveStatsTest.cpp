// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live stats compared with brute force.

#include "memkit/Stats/LiveStats.h"
#include "Live/MomentMerge.h"
#include "Naive.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace memkit;
using namespace memkit::test;

namespace {

std::vector<Heap> someHeaps() {
  std::vector<Heap> Heaps(5);
  Heaps[3].Space = 1;
  Heaps[4].Flags = HF_OutsideTotals;
  return Heaps;
}

std::string print(const StackStats &R) {
  std::string S;
  for (uint64_t V :
       {uint64_t(R.Heap), uint64_t(R.Key), R.Allocations, R.AllocatedBytes,
        R.Splits, R.Temporaries, R.LiveBlocks, R.LiveBytes, R.LiveExclusive,
        R.PeakBytes, R.HeapPeakBlocks, R.HeapPeakBytes, R.SpacePeakBlocks,
        R.SpacePeakBytes})
    S += std::to_string(V) + " ";
  return S;
}

std::string print(const TotalStats &T) {
  std::string S;
  for (uint64_t V : {uint64_t(T.Id), T.Allocations, T.Frees, T.AllocatedBytes,
                     T.FreedBytes, T.Temporaries, T.LiveBlocks, T.LiveBytes,
                     T.PeakBytes, T.PeakBlocks, T.PeakTimeNs})
    S += std::to_string(V) + " ";
  return S;
}

void expectSame(const std::vector<StackStatsRows> &A,
                const std::vector<StackStatsRows> &B) {
  ASSERT_EQ(A.size(), B.size());
  for (size_t I = 0; I < A.size(); ++I) {
    EXPECT_EQ(A[I].Process, B[I].Process);
    ASSERT_EQ(A[I].Rows.size(), B[I].Rows.size());
    for (size_t J = 0; J < A[I].Rows.size(); ++J)
      EXPECT_EQ(print(A[I].Rows[J]), print(B[I].Rows[J]));
  }
}

void expectSame(const Summary &A, const Summary &B, bool WithRows = true) {
  EXPECT_EQ(A.Events, B.Events);
  if (WithRows) {
    expectSame(A.Stacks, B.Stacks);
    expectSame(A.ScopePaths, B.ScopePaths);
  }
  ASSERT_EQ(A.Heaps.size(), B.Heaps.size());
  for (size_t I = 0; I < A.Heaps.size(); ++I)
    EXPECT_EQ(print(A.Heaps[I]), print(B.Heaps[I]));
  for (size_t I = 0; I < A.Heaps.size(); ++I)
    EXPECT_EQ(A.Heaps[I].Sizes, B.Heaps[I].Sizes);
  EXPECT_EQ(A.Threads, B.Threads);
  ASSERT_EQ(A.Spaces.size(), B.Spaces.size());
  for (size_t I = 0; I < A.Spaces.size(); ++I)
    EXPECT_EQ(print(A.Spaces[I]), print(B.Spaces[I]));
  EXPECT_EQ(A.Processes, B.Processes);
  EXPECT_EQ(A.Steps, B.Steps);
}

/// Drives both sides with the same random events.
class RandomRun {
public:
  /// Together: apply() gets as many events at once as possible.
  RandomRun(unsigned Seed, bool Nesting, bool Together = false)
      : Rng(Seed), Nesting(Nesting), Together(Together), N(someHeaps()) {
    for (uint32_t Id = 1; Id <= 5; ++Id)
      A.addHeap(Id, someHeaps()[Id - 1]);
  }

  void go(unsigned Events) {
    startProcess();
    startProcess();
    for (unsigned I = 0; I < Events; ++I) {
      Time += pick(3) * TimeUnitNs;
      unsigned Dice = pick(1000);
      // Live memory drifts up and down, so peaks come at several times.
      unsigned Up = (I / 100) % 2 ? 350 : 520;
      if (Dice < Up)
        allocate();
      else if (Dice < 900)
        free();
      else if (Dice < 950)
        resize();
      else if (Dice < 970)
        split();
      else if (Dice < 985)
        step();
      else if (Dice < 995)
        interval(pickProcess());
      else if (Dice < 997 && NextProcess < 6)
        startProcess();
      else if (Dice < 998 && Running.size() > 1)
        endProcess();
      readMoment();
    }
    tell();
    EXPECT_GT(MomentsRead, Events / 100);
    Summary Want = N.summary(Time);
    expectSame(A.summary(0, Time), Want);
  }

private:
  uint64_t pick(uint64_t Below) { return Rng() % Below; }
  uint32_t pickProcess() { return Running[pick(Running.size())]; }
  int pickBlock() {
    std::vector<int> Live;
    for (size_t I = 0; I < N.Blocks.size(); ++I)
      if (N.Blocks[I].Live && !A.isEnded(N.Blocks[I].Process))
        Live.push_back(I);
    return Live.empty() ? -1 : Live[pick(Live.size())];
  }
  BlockRef ref(int At) {
    const NaiveBlock &B = N.Blocks[At];
    return {AllocationIds[At], A.stackRow(B.Process, B.Heap, B.Stack),
            A.scopeRow(B.Process, B.Heap, B.ScopePath)};
  }
  uint64_t enclosing(int At) {
    int O = N.Blocks[At].Outer;
    return O < 0 ? 0 : AllocationIds[O] + 1;
  }
  bool encloses(int At) {
    for (size_t I = 0; I < N.Blocks.size(); ++I)
      if (N.Blocks[I].Live && N.outer(I) == At)
        return true;
    return false;
  }
  /// Queues an event for apply() with others of the same process.
  void gather(uint32_t Process, Change C) {
    if (Process != ChangesOf)
      tell();
    ChangesOf = Process;
    Changes.push_back(C);
    ChangeTimes.push_back(Time);
  }
  void gather(int At, Change::ChangeKind Kind, uint64_t Bytes) {
    BlockRef B = ref(At);
    gather(N.Blocks[At].Process, {Bytes, B.Row, B.ScopeRow, Kind});
  }
  void tell() {
    if (!Changes.empty())
      A.apply(ChangesOf, Changes, ChangeTimes.data());
    Changes.clear();
    ChangeTimes.clear();
  }
  /// Reads moments, a few rows after some of the events: each is the summary of
  /// the time of its begin.
  void readMoment() {
    if (Looks() % 3)
      return;
    tell();
    if (!A.isInMoment()) {
      AtMoment = A.summary(0, Time);
      expectSame(A.totals(0, Time), AtMoment, /*WithRows=*/false);
      // Every third moment in full, the others as changes since the one before.
      Since = MomentsRead % 3 ? FollowedEvents : 0;
      A.beginMoment(Since);
      Cells = A.momentCells();
      FollowedEvents = A.momentEvents();
      MomentSeen.clear();
    }
    if (A.momentPart(1 + Looks() % 3, MomentSeen))
      return;
    ++MomentsRead;
    sortRows(MomentSeen);
    if (Since)
      mergeMoment(Followed, Since, Cells, MomentSeen);
    else
      Followed = MomentSeen;
    std::multiset<std::string> Seen, Want;
    for (const MomentRow &R : Followed)
      Seen.insert(textOf(R.Process, R.IsScopePath, R.Stats));
    for (bool OfPaths : {false, true})
      for (const StackStatsRows &Rows :
           OfPaths ? AtMoment.ScopePaths : AtMoment.Stacks)
        for (const StackStats &R : Rows.Rows)
          Want.insert(textOf(Rows.Process, OfPaths, R));
    EXPECT_EQ(Seen, Want);
  }
  static std::string textOf(uint32_t Process, bool OfPaths,
                            const StackStats &R) {
    return std::to_string(Process) + (OfPaths ? " path " : " stack ") +
           print(R);
  }
  void startProcess() {
    tell();
    A.beginProcess(NextProcess, Time);
    Running.push_back(NextProcess++);
  }
  void endProcess() {
    tell();
    size_t At = pick(Running.size());
    uint32_t Process = Running[At];
    Running.erase(Running.begin() + At);
    Time = A.boundary(Time);
    A.endProcess(Process, Time, 128 + Process, Process);
    N.endProcess(Process, Time, 128 + Process, Process);
    interval(Process);
  }
  void step() {
    tell();
    uint32_t Process = pickProcess();
    Time = A.boundary(Time);
    A.beginStep(Process, ++Step, Time);
    N.beginStep(Process, Step, Time);
  }
  void interval(uint32_t Process) {
    tell();
    Interval S;
    IntervalDetail Detail = Intervals[Process] % 3 ? IntervalDetail::Whole
                                                   : IntervalDetail::Changed;
    A.cutInterval(Process, Time, NextAllocationId[Process], Detail, S);
    EXPECT_EQ(S.Detail, Detail);
    EXPECT_EQ(S.Rows, N.interval(Process, Detail));
    EXPECT_EQ(S.Index, Intervals[Process]++);
    EXPECT_EQ(S.EndNs, Time);
  }
  void allocate() {
    NaiveBlock B;
    B.Process = pickProcess();
    B.Heap = 1 + pick(5);
    B.Stack = 1 + pick(4);
    B.ScopePath = pick(3);
    B.Thread = B.Process * 2 + pick(2);
    B.Size = pick(100);
    B.Outer = -1;
    int Outer = Nesting && pick(2) ? pickBlock() : -1;
    if (Outer >= 0 && N.Blocks[Outer].Process == B.Process) {
      B.Outer = Outer;
      // In a valid stream a block fits into its enclosing block.
      uint64_t Room = N.Blocks[Outer].Size;
      for (size_t I = 0; I < N.Blocks.size(); ++I)
        if (N.Blocks[I].Live && N.outer(I) == Outer)
          Room -= std::min(Room, N.Blocks[I].Size);
      B.Size = Room ? pick(Room) : 0;
    }
    uint64_t AllocationId = NextAllocationId[B.Process]++;
    int At = N.allocate(B, Time);
    AllocationIds.push_back(AllocationId);
    if (Together) {
      gather(At, Change::Allocate, B.Size);
      A.noteAllocation(B.Thread, AllocationId, B.Size);
      if (A.isOutsideTotals(B.Heap))
        A.noteUncounted(B.Thread, B.Size);
    } else if (B.Outer >= 0)
      A.allocateIn(ref(At), ref(B.Outer), B.Size, Time, B.Thread);
    else
      A.allocate(ref(At), B.Size, Time, B.Thread);
  }
  void free() {
    int At = pick(2) ? pickBlock() : int(N.Blocks.size()) - 1;
    if (At < 0 || !N.Blocks[At].Live || A.isEnded(N.Blocks[At].Process))
      return;
    const NaiveBlock &B = N.Blocks[At];
    uint32_t Thread = B.Process * 2 + pick(2);
    if (Together)
      gather(At,
             A.lastAllocation(Thread) == AllocationIds[At] + 1
                 ? Change::FreeTemporary
                 : Change::Free,
             B.Size);
    else
      A.free(ref(At), B.Size, Time, Thread, enclosing(At));
    N.free(At, Thread, Time);
  }
  void resize() {
    int At = pickBlock();
    if (At < 0)
      return;
    if (encloses(At))
      return; // keeps enclosing blocks larger than their inner blocks
    uint64_t Old = N.Blocks[At].Size;
    uint64_t New = N.Blocks[At].Outer >= 0 ? pick(Old + 1) : pick(150);
    if (!Together)
      A.resize(ref(At), Old, New, Time, enclosing(At));
    else if (New >= Old)
      gather(At, Change::Grow, New - Old);
    else
      gather(At, Change::Shrink, Old - New);
    N.resize(At, New, Time);
  }
  void split() {
    int At = pickBlock();
    if (At < 0)
      return;
    if (encloses(At))
      return;
    if (Together)
      gather(At, Change::Split, 0);
    else
      A.split(ref(At), Time, enclosing(At));
    N.split(At, pick(N.Blocks[At].Size + 1), Time);
    AllocationIds.push_back(NextAllocationId[N.Blocks[At].Process]++);
  }

  std::mt19937_64 Rng;
  std::mt19937 Looks; ///< leaves the events of Rng as they are
  Summary AtMoment;
  std::vector<MomentRow> Followed; ///< merged from moment to moment
  std::vector<MomentCell> Cells;
  uint64_t Since = 0, FollowedEvents = 0;
  std::vector<MomentRow> MomentSeen;
  unsigned MomentsRead = 0;
  bool Nesting, Together;
  std::vector<Change> Changes; ///< of process ChangesOf, not yet applied
  std::vector<uint64_t> ChangeTimes;
  uint32_t ChangesOf = 0;
  Naive N;
  LiveStats A;
  uint64_t Time = 0, Step = 0;
  uint32_t NextProcess = 1;
  std::vector<uint32_t> Running;
  std::vector<uint64_t> AllocationIds;
  std::map<uint32_t, uint64_t> NextAllocationId, Intervals;
};

TEST(LiveStats, RandomStreams) {
  for (unsigned Seed = 0; Seed < 24; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomRun(Seed, false).go(500);
    if (HasFailure())
      return;
  }
}

TEST(LiveStats, RandomStreamsToldTogether) {
  for (unsigned Seed = 200; Seed < 224; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomRun(Seed, false, /*Together=*/true).go(500);
    if (HasFailure())
      return;
  }
}

TEST(LiveStats, RandomStreamsOfNestedBlocks) {
  for (unsigned Seed = 100; Seed < 124; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomRun(Seed, true).go(500);
    if (HasFailure())
      return;
  }
}

namespace {
/// Random events of blocks of one row each, some uncounted, in one another.
class UncountedRun {
public:
  explicit UncountedRun(unsigned Seed) : Rng(Seed) {
    A.addHeap(1, Heap());
    A.beginProcess(1, 0);
  }
  void go(unsigned Events) {
    for (unsigned I = 0; I != Events && !testing::Test::HasFailure(); ++I) {
      ++Time;
      unsigned Dice = pick(100), Up = (I / 100) % 2 ? 40 : 60;
      if (Dice < Up)
        allocate();
      else if (Dice < 90)
        free();
      else if (Dice < 95)
        resize();
      else
        split();
      compare();
    }
    EXPECT_EQ(A.spaceStats(0).PeakBytes, Peak);
    Summary Sums = A.summary(0, Time);
    for (const StackStats &R : Sums.Stacks[0].Rows)
      EXPECT_EQ(R.SpacePeakBytes, AtPeak[R.Key - 1]) << R.Key;
  }

private:
  struct TestBlock {
    uint64_t Size;
    int Outer; ///< at the allocation; -1: none
    bool Counts, Live = true;
    uint32_t Around = 0; ///< uncounted: the row to name
  };
  uint64_t pick(uint64_t Below) { return Rng() % Below; }
  int pickBlock() {
    std::vector<int> Live;
    for (size_t I = 0; I != Blocks.size(); ++I)
      if (Blocks[I].Live)
        Live.push_back(int(I));
    return Live.empty() ? -1 : Live[pick(Live.size())];
  }
  int outer(int At) const {
    int O = Blocks[At].Outer;
    while (O >= 0 && !Blocks[O].Live)
      O = Blocks[O].Outer;
    return O;
  }
  uint64_t innerBytes(int At) const {
    uint64_t Sum = 0;
    for (size_t I = 0; I != Blocks.size(); ++I)
      if (Blocks[I].Live && outer(int(I)) == At)
        Sum += Blocks[I].Size;
    return Sum;
  }
  /// A row for each block, so that rows can be compared one by one.
  uint32_t row(int At) { return A.stackRow(1, 1, At + 1); }
  uint64_t enclosing(int At) const { return uint64_t(Blocks[At].Outer + 1); }
  bool isKnown(int At) const { return Blocks[At].Counts || Blocks[At].Around; }
  OuterRef outerRef(int At) {
    if (Blocks[At].Counts)
      return BlockRef{uint64_t(At), row(At), 0};
    return OuterRef::uncounted(At, Blocks[At].Around);
  }
  void allocate() {
    int At = int(Blocks.size()), O = pick(3) ? pickBlock() : -1;
    uint64_t Size =
        O < 0 ? 1 + pick(100) : pick(Blocks[O].Size - innerBytes(O) + 1);
    Blocks.push_back({Size, O, pick(2) == 0});
    bool Lies = O >= 0 && isKnown(O);
    if (Blocks[At].Counts) {
      BlockRef B{uint64_t(At), row(At), 0};
      if (Lies)
        A.allocateIn(B, outerRef(O), Size, Time, 1);
      else
        A.allocate(B, Size, Time, 1);
    } else if (Lies && A.allocateUncountedIn(1, outerRef(O), Size, Time)) {
      Blocks[At].Around = outerRef(O).Block.Row;
    }
  }
  void free() {
    int At = pickBlock();
    if (At < 0)
      return;
    TestBlock &B = Blocks[At];
    if (B.Counts)
      A.free({uint64_t(At), row(At), 0}, B.Size, Time, 1, enclosing(At));
    else if (B.Around)
      A.freeUncounted(At, B.Around, B.Size, Time, enclosing(At));
    B.Live = false;
  }
  void resize() {
    int At = pickBlock();
    if (At < 0 || innerBytes(At))
      return;
    TestBlock &B = Blocks[At];
    uint64_t New = outer(At) < 0 ? pick(120) : pick(B.Size + 1);
    if (B.Counts)
      A.resize({uint64_t(At), row(At), 0}, B.Size, New, Time, enclosing(At));
    else if (B.Around)
      A.resizeUncounted(B.Around, B.Size, New, Time, enclosing(At));
    B.Size = New;
  }
  void split() {
    int At = pickBlock();
    if (At < 0 || innerBytes(At) || Blocks[At].Counts)
      return; // the row of a split block is not its own
    TestBlock Rest = Blocks[At];
    if (Rest.Around)
      A.splitUncounted(Rest.Around, Time, enclosing(At));
    Blocks[At].Size = pick(Rest.Size + 1);
    Rest.Size -= Blocks[At].Size;
    Blocks.push_back(Rest);
  }
  void compare() {
    uint64_t Sum = 0, Outermost = 0;
    std::vector<uint64_t> Exclusive;
    for (size_t I = 0; I != Blocks.size(); ++I) {
      const TestBlock &B = Blocks[I];
      Exclusive.push_back(B.Live && B.Counts ? B.Size - innerBytes(int(I)) : 0);
      Sum += Exclusive.back();
      int O = outer(int(I));
      Outermost += B.Live && B.Counts && (O < 0 || !Blocks[O].Counts);
      if (B.Counts) {
        EXPECT_EQ(A.liveExclusive(row(int(I))), Exclusive.back());
      }
    }
    EXPECT_EQ(A.spaceLiveBytes(0), Sum);
    EXPECT_EQ(A.spaceStats(0).LiveBlocks, Outermost);
    if (Sum > Peak)
      AtPeak = Exclusive;
    Peak = std::max(Peak, Sum);
    AtPeak.resize(Blocks.size());
  }

  std::mt19937_64 Rng;
  LiveStats A;
  uint64_t Time = 0, Peak = 0;
  std::vector<TestBlock> Blocks;
  std::vector<uint64_t> AtPeak;
};
} // namespace

TEST(LiveStats, UncountedBlocksTakeTheirBytesOut) {
  for (unsigned Seed = 0; Seed != 40; ++Seed) {
    SCOPED_TRACE(Seed);
    UncountedRun(Seed).go(400);
    if (HasFailure())
      return;
  }
}

TEST(LiveStats, EnclosingBlockFreedFirst) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.addHeap(2, Heap());
  A.beginProcess(1, 0);
  BlockRef Outer{0, A.stackRow(1, 1, 1), 0}, Inner{1, A.stackRow(1, 2, 2), 0};
  A.allocate(Outer, 100, 100, 1);
  A.allocateIn(Inner, Outer, 30, 200, 1);
  EXPECT_EQ(A.spaceStats(0).LiveBytes, 100u);
  EXPECT_EQ(A.spaceStats(0).LiveBlocks, 1u);
  EXPECT_EQ(A.spaceStats(0).Allocations, 1u);
  A.free(Outer, 100, 300, 1);
  EXPECT_EQ(A.spaceStats(0).LiveBytes, 30u);
  EXPECT_EQ(A.spaceStats(0).FreedBytes, 70u);
  EXPECT_EQ(A.spaceStats(0).LiveBlocks, 1u);
  A.free(Inner, 30, 400, 1, 1);
  TotalStats T = A.spaceStats(0);
  EXPECT_EQ(T.LiveBytes, 0u);
  EXPECT_EQ(T.LiveBlocks, 0u);
  EXPECT_EQ(T.PeakBytes, 100u);
  Summary S = A.summary(0, 400);
  EXPECT_EQ(S.Stacks[0].Rows[0].SpacePeakBytes, 100u);
  EXPECT_EQ(S.Stacks[0].Rows[0].LiveExclusive, 0u);
  EXPECT_EQ(S.Stacks[0].Rows[1].LiveExclusive, 0u);
}

TEST(LiveStats, EndedProcessCountsNothingAtLaterPeak) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  A.beginProcess(2, 0);
  A.allocate({0, A.stackRow(1, 1, 1), 0}, 50, 100, 1);
  A.endProcess(1, A.boundary(100), 0, 0);
  A.allocate({0, A.stackRow(2, 1, 1), 0}, 60, A.floorNs(), 2);
  Summary S = A.summary(0, 300);
  EXPECT_EQ(S.Heaps[0].PeakBytes, 60u);
  EXPECT_EQ(S.Heaps[0].LiveBytes, 110u);
  EXPECT_EQ(S.Stacks[0].Rows[0].HeapPeakBytes, 0u);
  EXPECT_EQ(S.Stacks[0].Rows[0].SpacePeakBytes, 0u);
  EXPECT_EQ(S.Stacks[0].Rows[0].LiveBytes, 50u);
  EXPECT_EQ(S.Stacks[1].Rows[0].HeapPeakBytes, 60u);
}

TEST(LiveStats, WhatIsReserved) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  uint32_t Row = A.stackRow(1, 1, 1);
  EXPECT_FALSE(A.heapStats(1).ReservedKnown);
  A.setReserved(1, 1, 1000);
  A.allocate({0, Row, 0}, 100, 100, 1);
  A.setReserved(1, 1, 3000); // 900 of 1000 are free
  A.allocate({1, Row, 0}, 1900, 200, 1);
  EXPECT_EQ(A.heapStats(1).ReservedAtPeakBytes, 3000u);
  A.setReserved(1, 1, 4000); // 1000 of 3000
  A.free({0, Row, 0}, 100, 300, 1);
  A.setReserved(1, 1, 2000);
  HeapStats T = A.heapStats(1);
  EXPECT_TRUE(T.ReservedKnown);
  EXPECT_EQ(T.ReservedBytes, 2000u);
  EXPECT_EQ(T.ReservedPeakBytes, 4000u);
  EXPECT_EQ(T.ReservedAtPeakBytes, 3000u);
  EXPECT_EQ(T.GrowthFragmentationPpm, 900000u);
  // A later peak, then the end of the process.
  A.allocate({2, Row, 0}, 500, 400, 1);
  EXPECT_EQ(A.heapStats(1).ReservedAtPeakBytes, 2000u);
  A.endProcess(1, 500, 0, 0);
  EXPECT_EQ(A.heapStats(1).ReservedAtPeakBytes, 2000u);
  EXPECT_EQ(A.heapStats(1).ReservedBytes, 2000u);
}

TEST(LiveStats, BoundaryLiesAfterAllEvents) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  EXPECT_EQ(A.boundary(130), 200u);
  A.allocate({0, A.stackRow(1, 1, 1), 0}, 1, 500, 1);
  EXPECT_EQ(A.boundary(420), 600u);
  EXPECT_EQ(A.floorNs(), 600u);
  EXPECT_EQ(A.boundary(550), 700u);
}

TEST(LiveStats, SummaryComesInParts) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  uint32_t Stacks = MaxSectionRows + 10;
  for (uint32_t S = 1; S <= Stacks; ++S)
    A.allocate({S - 1u, A.stackRow(1, 1, S), 0}, S, 100, 1);
  unsigned Parts = 0, Complete = 0;
  size_t Rows = 0;
  ASSERT_FALSE(bool(A.summary(7, 100, [&](const Summary &S) {
    ++Parts;
    Complete += S.Complete;
    EXPECT_EQ(S.Number, 7u);
    size_t InPart = 0;
    for (const StackStatsRows &R : S.Stacks)
      InPart += R.Rows.size();
    EXPECT_LE(InPart, MaxSectionRows / 4);
    EXPECT_EQ(S.Complete, S.Heaps.size() == 1);
    Rows += InPart;
    return llvm::Error::success();
  })));
  EXPECT_EQ(Parts, 6u);
  EXPECT_EQ(Complete, 1u);
  EXPECT_EQ(Rows, Stacks);
}

} // namespace
