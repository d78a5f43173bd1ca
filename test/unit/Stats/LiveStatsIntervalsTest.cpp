// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts of intervals and their rows.

#include "memkit/Stats/LiveStats.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <tuple>

using namespace memkit;

namespace {

TEST(LiveStatsIntervals, AIntervalComesInParts) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.addHeap(2, Heap());
  A.beginProcess(1, 0);
  // The youngest rows come first; the row of stack 1 is unchanged at the end.
  for (uint32_t Stack = 9; Stack; --Stack)
    A.allocate({9 - Stack, A.stackRow(1, 1 + Stack % 2, Stack), 0}, Stack, 100,
               1);
  A.free({8, A.stackRow(1, 2, 1), 0}, 1, 200, 1);
  using Rows = std::vector<IntervalRow>;
  std::vector<Rows> Parts;
  auto Cut = [&](uint64_t TimeNs) {
    Parts.clear();
    A.beginCut(1, TimeNs, 9, IntervalDetail::Changed);
    Interval Part;
    while (A.isCutting(1))
      if (A.cutPart(1, 4, Part)) {
        EXPECT_EQ(Part.EndNs, TimeNs);
        Parts.push_back(Part.Rows);
      }
  };
  Cut(1'000);
  EXPECT_EQ(Parts, (std::vector<Rows>{{{1, 6, 1, 6, 1, 6},
                                       {1, 8, 1, 8, 1, 8},
                                       {2, 7, 1, 7, 1, 7},
                                       {2, 9, 1, 9, 1, 9}},
                                      {{1, 2, 1, 2, 1, 2},
                                       {1, 4, 1, 4, 1, 4},
                                       {2, 3, 1, 3, 1, 3},
                                       {2, 5, 1, 5, 1, 5}}}))
      << "each is sorted";
  Cut(2'000);
  EXPECT_EQ(Parts, std::vector<Rows>(1)) << "nothing to tell, in one part";
}

TEST(LiveStatsIntervals, ALongIntervalIsSorted) {
  constexpr uint32_t Heaps = 300, Stacks = 40;
  LiveStats A;
  for (uint32_t Heap = 1; Heap <= Heaps; ++Heap)
    A.addHeap(Heap, memkit::Heap());
  A.beginProcess(1, 0);
  // All (heap, stack) pairs in a scattered order: 7 and the number of pairs
  // have no common factor. Stack numbers above 2^22 take three digits of 11
  // bits.
  std::vector<IntervalRow> Expected;
  uint64_t AllocationId = 0;
  for (uint32_t N = 0; N < Heaps * Stacks; ++N) {
    uint32_t At = N * 7 % (Heaps * Stacks), Heap = 1 + At % Heaps,
             Stack = 1 + At / Heaps * 300'000;
    A.allocate({AllocationId++, A.stackRow(1, Heap, Stack), 0}, At + 1, 100, 1);
    Expected.push_back({Heap, Stack, 1, At + 1, 1, At + 1});
  }
  std::sort(Expected.begin(), Expected.end(),
            [](const IntervalRow &X, const IntervalRow &Y) {
              return std::tie(X.Heap, X.Stack) < std::tie(Y.Heap, Y.Stack);
            });
  Interval All;
  A.cutInterval(1, 1'000, AllocationId, IntervalDetail::Whole, All);
  EXPECT_EQ(All.Rows, Expected);
}

TEST(LiveStatsIntervals, AIntervalIsCutWhileEventsGoOn) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  constexpr uint32_t Stacks = 10;
  uint64_t AllocationId = 0;
  auto Add = [&](uint32_t Stack, uint64_t TimeNs) {
    A.allocate({AllocationId++, A.stackRow(1, 1, Stack), 0}, 100 * Stack,
               TimeNs, 1);
  };
  for (uint32_t Stack = 1; Stack <= Stacks; ++Stack)
    Add(Stack, 1);
  A.free({4, A.stackRow(1, 1, 5), 0}, 500, 2, 1);
  A.beginCut(1, 1'000, AllocationId, IntervalDetail::Changed);
  std::vector<IntervalRow> Rows;
  unsigned Parts = 0;
  while (A.isCutting(1)) {
    // Meanwhile rows change: some that a part has already returned, and some
    // that no part has.
    Add(1, 2'000 + Parts);
    Add(Stacks, 2'000 + Parts);
    Interval Part;
    EXPECT_TRUE(A.cutPart(1, 3, Part));
    EXPECT_EQ(Part.Index, 0u);
    EXPECT_EQ(Part.EndNs, 1'000u);
    Rows.insert(Rows.end(), Part.Rows.begin(), Part.Rows.end());
    ++Parts;
  }
  EXPECT_EQ(Parts, 4u);
  std::vector<IntervalRow> Expected;
  for (uint32_t Stack = 1; Stack <= Stacks; ++Stack)
    if (Stack != 5)
      Expected.push_back({1, Stack, 1, 100 * Stack, 1, 100 * Stack});
  EXPECT_EQ(Rows, Expected) << "as it was at the cut";
  Interval Next;
  A.cutInterval(1, 3'000, AllocationId, IntervalDetail::Changed, Next);
  EXPECT_EQ(Next.Index, 1u);
  EXPECT_EQ(Next.BeginNs, 1'000u);
  EXPECT_EQ(Next.Rows,
            (std::vector<IntervalRow>{{1, 1, 5, 500, 4, 400},
                                      {1, Stacks, 5, 5000, 4, 4000}}));
  // An interval without rows has one part; otherwise no part is empty.
  Interval Part;
  A.beginCut(1, 4'000, AllocationId, IntervalDetail::Changed);
  EXPECT_TRUE(A.cutPart(1, 3, Part));
  EXPECT_TRUE(Part.Rows.empty());
  EXPECT_FALSE(A.isCutting(1));
  Add(1, 5'000);
  A.free({AllocationId - 1, A.stackRow(1, 1, 1), 0}, 100, 5'001, 1);
  Add(2, 5'002);
  A.beginCut(1, 6'000, AllocationId, IntervalDetail::Changed);
  EXPECT_FALSE(A.cutPart(1, 1, Part)) << "as it was before";
  EXPECT_TRUE(A.cutPart(1, 1, Part));
  EXPECT_FALSE(A.isCutting(1));
}

TEST(LiveStatsIntervals, WhatRowsAllocateWaitsForAWholeInterval) {
  for (bool AtOnce : {true, false}) {
    LiveStats A;
    A.addHeap(1, Heap());
    A.beginProcess(1, 0);
    uint64_t AllocationId = 0, Time = 0;
    auto Churn = [&](uint32_t Stack, uint64_t Size, bool Temporary) {
      uint32_t Row = A.stackRow(1, 1, Stack);
      A.allocate({AllocationId, Row, 0}, Size, ++Time, 1);
      A.free({AllocationId, Row, 0}, Size, ++Time, Temporary ? 1 : 2);
      ++AllocationId;
    };
    auto Cut = [&](IntervalDetail Detail, unsigned ChurnsMeanwhile = 0) {
      Time += 1'000;
      std::vector<IntervalRow> Rows;
      Interval S;
      if (AtOnce) {
        A.cutInterval(1, Time, AllocationId, Detail, S);
        Rows = S.Rows;
      } else {
        A.beginCut(1, Time, AllocationId, Detail);
      }
      while (ChurnsMeanwhile--)
        Churn(3, 5, true);
      while (A.isCutting(1))
        if (A.cutPart(1, 1, S))
          Rows.insert(Rows.end(), S.Rows.begin(), S.Rows.end());
      std::sort(Rows.begin(), Rows.end(),
                [](auto &X, auto &Y) { return X.Stack < Y.Stack; });
      return Rows;
    };
    using Rows = std::vector<IntervalRow>;
    for (uint32_t Stack = 1; Stack <= 3; ++Stack)
      Churn(Stack, 10 * Stack, Stack != 2);
    EXPECT_EQ(Cut(IntervalDetail::Changed), Rows());
    Churn(1, 7, true);
    uint32_t Row = A.stackRow(1, 1, 2);
    A.allocate({AllocationId++, Row, 0}, 100, ++Time, 1);
    EXPECT_EQ(Cut(IntervalDetail::Changed, 2),
              (Rows{{1, 2, 1, 100, 2, 120, 0}}))
        << "with what waited";
    // Stack 3 changes during the cut before this one, stack 1 does not.
    EXPECT_EQ(Cut(IntervalDetail::Whole, 1),
              (Rows{{1, 1, 0, 0, 2, 17, 2}, {1, 3, 0, 0, 3, 40, 3}}));
    EXPECT_EQ(Cut(IntervalDetail::Whole), (Rows{{1, 3, 0, 0, 1, 5, 1}}));
    EXPECT_EQ(Cut(IntervalDetail::Whole), Rows());
    // Values too large for the room of waiting allocations are written at once.
    Churn(1, 3'000'000'000, true);
    EXPECT_EQ(Cut(IntervalDetail::Changed), Rows());
    Churn(1, 3'000'000'000, true);
    EXPECT_EQ(Cut(IntervalDetail::Changed),
              (Rows{{1, 1, 0, 0, 2, 6'000'000'000, 2}}));
  }
}

TEST(LiveStatsIntervals, IntervalsAreWholeWhileThatIsCheap) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  constexpr uint32_t Stacks = 2'000;
  uint64_t AllocationId = 0, Time = 0, Sum = 0;
  unsigned Whole = 0, Intervals = 0;
  size_t Written = 0;
  for (; Intervals != 200; ++Intervals) {
    for (uint32_t Stack = 1; Stack <= Stacks; ++Stack, ++AllocationId) {
      uint32_t Row = A.stackRow(1, 1, Stack);
      A.allocate({AllocationId, Row, 0}, 8, ++Time, 1);
      A.free({AllocationId, Row, 0}, 8, ++Time, 1);
    }
    Interval S;
    IntervalDetail Detail =
        Intervals == 199 ? IntervalDetail::Whole : A.dueDetail(1);
    A.cutInterval(1, Time += 100, AllocationId, Detail, S);
    Whole += Detail == IntervalDetail::Whole;
    Written += S.Rows.size();
    for (const IntervalRow &R : S.Rows)
      Sum += R.AllocatedBytes;
  }
  EXPECT_EQ(Sum, uint64_t(Intervals) * Stacks * 8) << "nothing is lost";
  EXPECT_GE(Whole, 8u);
  EXPECT_LE(Written, AllocationId * 2 / 64 + (1 << 14) + Stacks);
}

TEST(LiveStatsIntervals, IntervalsOfStepsAndTime) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  uint32_t Row = A.stackRow(1, 1, 5);
  EXPECT_FALSE(A.timeIntervalDue(1, 1'000'000)) << "before the first interval";
  EXPECT_FALSE(A.timeIntervalDue(1, 250'000'000)) << "nothing changed";
  EXPECT_EQ(A.nextIntervalNs(1), 300'000'000u);
  A.allocate({0, Row, 0}, 10, 260'000'000, 1);
  EXPECT_TRUE(A.timeIntervalDue(1, 300'000'000));
  Interval S;
  A.cutInterval(1, 300'000'000, 1, IntervalDetail::Changed, S);
  EXPECT_EQ(S.Rows, (std::vector<IntervalRow>{{1, 5, 1, 10, 1, 10}}));
  A.beginStep(1, 7, 310'000'000);
  EXPECT_TRUE(A.stepIntervalDue(1)) << "what was before the first step";
  A.cutInterval(1, 310'000'000, 1, IntervalDetail::Changed, S);
  EXPECT_EQ(S.FirstStep, 0u);
  EXPECT_EQ(S.LastStep, 0u);
  EXPECT_TRUE(S.Rows.empty());
  EXPECT_FALSE(A.stepIntervalDue(1));
  A.free({0, Row, 0}, 10, 320'000'000, 1);
  A.beginStep(1, 8, 330'000'000);
  EXPECT_TRUE(A.stepIntervalDue(1));
  A.cutInterval(1, 330'000'000, 1, IntervalDetail::Changed, S);
  EXPECT_EQ(S.FirstStep, 7u);
  EXPECT_EQ(S.LastStep, 7u);
  EXPECT_EQ(S.BeginNs, 310'000'000u);
  EXPECT_EQ(S.Rows, (std::vector<IntervalRow>{{1, 5, 0, 0, 0, 0, 1}}));
  // Steps replace time, but for a step longer than all before.
  EXPECT_EQ(A.nextIntervalNs(1), 2'330'000'000u);
  A.allocate({1, Row, 0}, 20, 2'400'000'000, 1);
  EXPECT_TRUE(A.timeIntervalDue(1, 2'500'000'000));
  A.cutInterval(1, 2'500'000'000, 2, IntervalDetail::Changed, S);
  EXPECT_EQ(S.FirstStep, 8u);
  EXPECT_EQ(S.LastStep, 8u);
  EXPECT_EQ(A.nextIntervalNs(1), 2'530'000'000u);
  A.free({1, Row, 0}, 20, 2'510'000'000, 1);
  A.beginStep(1, 9, 10'310'000'000);
  EXPECT_TRUE(A.stepIntervalDue(1));
  EXPECT_EQ(A.nextIntervalNs(1), 20'310'000'000u);
}

} // namespace
