// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The TSC clock, and the merge of rings by time.

#include "Record/Shared/RingMerge.h"
#include "Record/Shared/TscClock.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace memkit;

TEST(TscClock, StartsAtZeroAndRuns) {
  TscClock C({1000, 5000000, 0}, 2000000000);
  EXPECT_EQ(0u, C.toNs(0));
  EXPECT_EQ(0u, C.toNs(1000));
  EXPECT_NEAR(500000000.0, double(C.toNs(1000 + 1000000000)), 1.0);
}

TEST(TscClock, FollowsMonotonicWithoutFallingBack) {
  // The first measured rate is 100 ppm too fast and then drifts.
  TscClock C({0, 0, 0}, 2000200000);
  std::mt19937 Random(2);
  uint64_t Tsc = 0, Last = 0;
  double True = 0;
  for (int Second = 1; Second != 200; ++Second) {
    double Hz = 2e9 * (1 + (int(Random() % 21) - 10) * 1e-7);
    for (int Part = 0; Part != 100; ++Part) {
      Tsc += uint64_t(Hz / 100);
      True += 1e7;
      uint64_t Ns = C.toNs(Tsc);
      ASSERT_GE(Ns, Last);
      Last = Ns;
      if (Second > 4) {
        ASSERT_NEAR(True, double(Ns), 5000.0);
      }
    }
    C.adjust({Tsc, uint64_t(True), 0});
    ASSERT_GE(C.toNs(Tsc), Last);
    // A late time stamp, from before the reading.
    ASSERT_LE(C.toNs(Tsc - 1000000), C.toNs(Tsc));
  }
}

TEST(TscClock, RealClocksAgree) {
  TscClock C = TscClock::calibrated();
  ClockTriple Now = readClocks();
  double Ns = double(Now.MonotonicNs - C.start().MonotonicNs);
  EXPECT_NEAR(Ns, double(C.toNs(Now.Tsc)), 1e6);
}

namespace {
struct Rings {
  std::vector<std::vector<wire::Record>> Memory;
  RingMerge Merge;
};
} // namespace

TEST(RingMerge, OrdersByClockAndKeepsEachRingsOrder) {
  std::mt19937_64 Random(3);
  for (unsigned NumRings : {1u, 2u, 3u, 9u, 64u}) {
    std::vector<std::vector<wire::Record>> Rings(
        NumRings, std::vector<wire::Record>(wire::RingRecords));
    RingMerge Merge;
    uint64_t Limit = 100000;
    Merge.start(Limit);
    size_t Want = 0;
    for (unsigned I = 0; I != NumRings; ++I) {
      // Positions wrap around in the ring.
      uint64_t Tail = Random() % 100000, Head = Tail + Random() % 1000;
      uint64_t Clock = Random() % 1000;
      for (uint64_t P = Tail; P != Head; ++P) {
        Rings[I][P % wire::RingRecords] = {Clock, P, 0, I, 0};
        Want += Clock <= Limit;
        Clock += Random() % 300;
      }
      Merge.add(Rings[I].data(), Tail, Head, I);
    }
    std::vector<MergedRecord> Out(Want + 37);
    size_t Count = 0;
    while (size_t N = Merge.next(Out.data() + Count, 37))
      ASSERT_LE(Count += N, Want);
    ASSERT_EQ(Want, Count);
    Out.resize(Count);
    std::vector<uint64_t> Next(NumRings);
    for (size_t I = 0; I != Out.size(); ++I) {
      ASSERT_EQ(Out[I].Source, Out[I].R.Stack);
      if (I) {
        ASSERT_LE(Out[I - 1].R.Tsc, Out[I].R.Tsc);
      }
      uint64_t &N = Next[Out[I].Source];
      if (N) {
        ASSERT_EQ(N, Out[I].R.Address);
      }
      N = Out[I].R.Address + 1;
    }
    for (const RingMerge::RingCursor &C : Merge.cursors())
      if (C.Tail != C.Head) {
        EXPECT_GT(C.Clock, Limit);
      }
  }
}

TEST(RingMerge, ClocksThatRunBackInARing) {
  std::vector<wire::Record> A(wire::RingRecords), B(wire::RingRecords);
  A[0] = {50, 1, 0, 0, 0};
  A[1] = {10, 2, 0, 0, 0};
  A[2] = {60, 3, 0, 0, 0};
  B[0] = {20, 4, 0, 0, 0};
  B[1] = {55, 5, 0, 0, 0};
  RingMerge Merge;
  Merge.start(~0ull);
  Merge.add(A.data(), 0, 3, 0);
  Merge.add(B.data(), 0, 2, 1);
  std::vector<MergedRecord> Out(100);
  Out.resize(Merge.next(Out.data(), Out.size()));
  std::vector<uint64_t> Order;
  for (MergedRecord &M : Out)
    Order.push_back(M.R.Address);
  EXPECT_EQ((std::vector<uint64_t>{4, 1, 2, 5, 3}), Order);
}
