// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls, times and tensors of operators.

#include "Scopes/OperatorTable.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace memkit;

namespace {

TEST(OperatorTable, SelfTimeLeavesOutInnerOperators) {
  OperatorTable T;
  uint32_t Outer = T.add(), Inner = T.add();
  T.begin(0, Outer, 100);
  T.begin(0, Inner, 110);
  T.end(0, 130);
  T.begin(0, Inner, 140);
  T.end(0, 145);
  T.end(0, 200);
  EXPECT_EQ(1u, T.stats(Outer).Calls);
  EXPECT_EQ(100u, T.stats(Outer).DurationNs);
  EXPECT_EQ(75u, T.stats(Outer).SelfNs);
  EXPECT_EQ(2u, T.stats(Inner).Calls);
  EXPECT_EQ(25u, T.stats(Inner).DurationNs);
  EXPECT_EQ(25u, T.stats(Inner).SelfNs);
}

TEST(OperatorTable, ACallTellsItsOperations) {
  OperatorTable T;
  uint32_t Outer = T.add(), Inner = T.add(0, 5);
  T.work(0, 7); // of no operator
  T.begin(0, Outer, 0);
  T.begin(0, Inner, 10);
  T.work(0, 100); // in the place of its formula
  T.end(0, 20);
  T.begin(0, Inner, 30);
  T.end(0, 40);
  T.work(0, 1);
  T.end(0, 50);
  EXPECT_EQ(105u, T.stats(Inner).Flops);
  EXPECT_EQ(1u, T.stats(Outer).Flops);
  EXPECT_EQ(106u, T.flops(0));
  // An operator outside counts already.
  T.begin(0, Inner, 60);
  T.begin(0, Outer, 70);
  T.work(0, 50);
  T.end(0, 80);
  T.end(0, 90);
  EXPECT_EQ(1u, T.stats(Outer).Flops);
  EXPECT_EQ(110u, T.stats(Inner).Flops);
}

TEST(OperatorTable, RecursionCountsTotalsOnce) {
  OperatorTable T;
  uint32_t To = T.add(), Copy = T.add();
  T.begin(0, To, 0);
  T.begin(0, Copy, 10);
  T.begin(0, To, 20);
  T.allocated(0, 0, 64, 64);
  T.end(0, 50);
  T.end(0, 60);
  T.end(0, 100);
  LayerStats S = T.stats(To);
  EXPECT_EQ(2u, S.Calls);
  EXPECT_EQ(100u, S.DurationNs);
  EXPECT_EQ(80u, S.SelfNs); // 50 of the outer call, 30 of the inner one
  EXPECT_EQ(1u, S.Allocations);
  EXPECT_EQ(64u, S.AllocatedBytes);
  EXPECT_EQ(20u, T.stats(Copy).SelfNs);
}

TEST(OperatorTable, ShapesOfOneNameCountTotalsOnce) {
  OperatorTable T;
  uint32_t Of = T.add(), Small = T.add(Of), Large = T.add(Of);
  T.begin(0, Large, 0);
  T.begin(0, Small, 10);
  T.end(0, 30);
  T.end(0, 100);
  EXPECT_EQ(100u, T.stats(Large).DurationNs);
  EXPECT_EQ(80u, T.stats(Large).SelfNs);
  EXPECT_EQ(0u, T.stats(Small).DurationNs);
  EXPECT_EQ(20u, T.stats(Small).SelfNs);
  EXPECT_EQ(1u, T.stats(Small).Calls);
}

TEST(OperatorTable, OuterFormulaCounts) {
  OperatorTable T;
  uint32_t Linear = T.add(), Conv = T.add(0, 100), Inner = T.add(0, 7);
  T.begin(0, Linear, 0);
  T.begin(0, Conv, 0);
  T.begin(0, Inner, 0);
  T.end(0, 1);
  EXPECT_EQ(0u, T.flops(0));
  T.end(0, 2);
  EXPECT_EQ(100u, T.flops(0));
  T.begin(0, Inner, 3);
  T.end(0, 4);
  T.end(0, 5);
  EXPECT_EQ(107u, T.flops(0));
  EXPECT_EQ(0u, T.stats(Linear).Flops);
  EXPECT_EQ(100u, T.stats(Conv).Flops);
  EXPECT_EQ(7u, T.stats(Inner).Flops);
  T.begin(1, Inner, 3);
  T.end(1, 4);
  EXPECT_EQ(107u, T.flops(0));
  EXPECT_EQ(7u, T.flops(1));
}

TEST(OperatorTable, ThreadsAreApart) {
  OperatorTable T;
  uint32_t Mm = T.add();
  T.begin(0, Mm, 0);
  T.begin(3, Mm, 10);
  T.allocated(3, 0, 8, 8);
  T.end(0, 20);
  T.end(3, 30);
  EXPECT_EQ(40u, T.stats(Mm).DurationNs);
  EXPECT_EQ(40u, T.stats(Mm).SelfNs);
  EXPECT_EQ(1u, T.stats(Mm).Allocations);
  // A thread without operators.
  T.allocated(7, 0, 8, 8);
  T.freed(1, 0, 8);
  EXPECT_EQ(1u, T.stats(Mm).Allocations);
}

TEST(OperatorTable, TensorsCountForAllOperatorsAround) {
  OperatorTable T;
  uint32_t Outer = T.add(), Inner = T.add(), Other = T.add();
  T.begin(0, Outer, 0);
  T.freed(0, 0, 30);
  T.begin(0, Inner, 0);
  T.allocated(0, 0, 100, 170);
  T.freed(0, 0, 100);
  T.allocated(0, 2, 7, 1007);
  T.end(0, 0);
  T.begin(0, Other, 0);
  T.end(0, 0);
  T.allocated(0, 0, 50, 120);
  T.end(0, 0);
  LayerStats I = T.stats(Inner), O = T.stats(Outer);
  EXPECT_TRUE(T.stats(Other).Shares.empty());
  ASSERT_EQ(2u, I.Shares.size());
  EXPECT_EQ(100u, I.Shares[0].RiseBytes);
  EXPECT_EQ(170u, I.Shares[0].PeakBytes);
  EXPECT_EQ(2u, I.Shares[1].Space);
  EXPECT_EQ(1007u, I.PeakBytes);
  EXPECT_EQ(2u, I.Allocations);
  EXPECT_EQ(1u, I.Frees);
  ASSERT_EQ(2u, O.Shares.size());
  EXPECT_EQ(2u, O.Shares[0].Allocations);
  EXPECT_EQ(130u, O.Shares[0].FreedBytes);
  EXPECT_EQ(150u, O.Shares[0].AllocatedBytes);
  EXPECT_EQ(70u, O.Shares[0].RiseBytes); // 100 above, after a free of 30
  EXPECT_EQ(7u, O.Shares[1].RiseBytes);
  EXPECT_EQ(3u, O.Allocations);
}

TEST(OperatorTable, ClocksThatFall) {
  OperatorTable T;
  uint32_t A = T.add(), B = T.add();
  T.begin(0, A, 100);
  T.begin(0, B, 90);
  T.end(0, 130);
  T.end(0, 95);
  EXPECT_EQ(0u, T.stats(A).DurationNs);
  EXPECT_EQ(0u, T.stats(A).SelfNs);
  EXPECT_EQ(40u, T.stats(B).SelfNs);
}

TEST(OperatorTable, AFullTableCountsTheTimesOfOperatorsAround) {
  OperatorTable T;
  uint32_t A = T.add();
  while (T.add())
    ;
  EXPECT_EQ(OperatorTable::MaxRows, T.numRows());
  T.begin(0, A, 0);
  T.begin(0, 0, 10);
  T.allocated(0, 0, 8, 8);
  T.end(0, 20);
  T.end(0, 30);
  EXPECT_EQ(20u, T.stats(A).SelfNs);
  EXPECT_EQ(1u, T.stats(A).Allocations);
}

TEST(OperatorTable, OnlyChangedRows) {
  OperatorTable T;
  uint32_t A = T.add();
  EXPECT_FALSE(T.takeChanged(A));
  T.begin(0, A, 0);
  EXPECT_FALSE(T.takeChanged(A));
  T.end(0, 5);
  EXPECT_TRUE(T.takeChanged(A));
  EXPECT_FALSE(T.takeChanged(A));
}

/// The same by counting everything for each open operator at each event.
struct Simple {
  struct Open {
    uint32_t Row;
    uint64_t BeginNs, InnerNs = 0, Allocations = 0, Bytes = 0;
    int64_t Net = 0, Rise = 0;
  };
  struct Row {
    uint64_t Calls = 0, TotalNs = 0, SelfNs = 0, Allocations = 0, Bytes = 0;
    uint64_t Rise = 0;
  };
  std::vector<Open> Opens;
  std::map<uint32_t, Row> Rows;

  void end(uint64_t NowNs) {
    Open O = Opens.back();
    Opens.pop_back();
    Row &R = Rows[O.Row];
    R.Calls += 1;
    R.SelfNs += NowNs - O.BeginNs - O.InnerNs;
    bool IsOuter = true;
    for (const Open &Of : Opens)
      IsOuter &= Of.Row != O.Row;
    if (IsOuter) {
      R.TotalNs += NowNs - O.BeginNs;
      R.Allocations += O.Allocations;
      R.Bytes += O.Bytes;
      R.Rise = std::max(R.Rise, uint64_t(O.Rise));
    }
    if (!Opens.empty())
      Opens.back().InnerNs += NowNs - O.BeginNs;
  }
  void tensor(int64_t Bytes) {
    for (Open &O : Opens) {
      O.Allocations += Bytes > 0;
      O.Bytes += Bytes > 0 ? uint64_t(Bytes) : 0;
      O.Net += Bytes;
      O.Rise = std::max(O.Rise, O.Net);
    }
  }
};

TEST(OperatorTable, RandomNesting) {
  std::mt19937 Random(7);
  OperatorTable T;
  for (int I = 0; I != 5; ++I)
    T.add();
  Simple Want;
  uint64_t NowNs = 0;
  for (int N = 0; N != 20000; ++N) {
    NowNs += Random() % 100;
    switch (Random() % 4) {
    case 0:
      if (Want.Opens.size() < 12) {
        uint32_t Row = 1 + Random() % 5;
        T.begin(1, Row, NowNs);
        Want.Opens.push_back({Row, NowNs});
      }
      break;
    case 1:
      if (!Want.Opens.empty()) {
        T.end(1, NowNs);
        Want.end(NowNs);
      }
      break;
    case 2: {
      uint64_t Bytes = 1 + Random() % 500;
      T.allocated(1, 0, Bytes, 0);
      Want.tensor(int64_t(Bytes));
      break;
    }
    default: {
      uint64_t Bytes = 1 + Random() % 500;
      T.freed(1, 0, Bytes);
      Want.tensor(-int64_t(Bytes));
    }
    }
  }
  for (uint32_t Row = 1; Row != 6; ++Row) {
    LayerStats Is = T.stats(Row);
    const Simple::Row &Of = Want.Rows[Row];
    EXPECT_EQ(Of.Calls, Is.Calls);
    EXPECT_EQ(Of.TotalNs, Is.DurationNs);
    EXPECT_EQ(Of.SelfNs, Is.SelfNs);
    EXPECT_EQ(Of.Allocations, Is.Allocations);
    EXPECT_EQ(Of.Bytes, Is.AllocatedBytes);
    EXPECT_EQ(Of.Rise, Is.RiseBytes);
  }
}

} // namespace
