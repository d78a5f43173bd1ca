// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of any moment agree with the curves, and with the summary.

#include "../Model/TraceMaker.h"
#include "Watch/RowTree.h"
#include "Watch/WatchState.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;
using namespace memkit::test;
using namespace llvm;

namespace {
/// Random nested blocks of three processes, with steps, intervals and a
/// summary.
std::unique_ptr<WatchedTrace> randomTrace(unsigned Seed) {
  MadeTrace Made = completed(makeEvents(Seed, 1500, 3));
  auto Opened = cantFail(Trace::create(Made.open(), TP_All));
  return cantFail(WatchedTrace::create(std::move(Opened), SelectionSpec()));
}

double sumOf(const WatchedRows &Rows) {
  double Sum = 0;
  for (const WatchedRow &R : Rows.Rows)
    Sum += R.V.Live;
  return Sum;
}
} // namespace

TEST(WatchedRows, SumToTheCurve) {
  for (unsigned Seed = 0; Seed != 8; ++Seed) {
    std::unique_ptr<WatchedTrace> W = randomTrace(Seed);
    ASSERT_FALSE(W->heaps().empty());
    for (const WatchedHeap &H : W->heaps())
      for (const SeriesPoint &P : H.Curve) {
        // The value right after the peak is that of the interval before.
        if (P.TimeNs == H.PeakNs + 1)
          continue;
        auto Rows = cantFail(W->rowsAt(H, {P.TimeNs, 1'000'000'000, {}}));
        EXPECT_NEAR(sumOf(Rows), double(P.Value), 1)
            << H.Name << " at " << P.TimeNs << " of " << W->endNs();
      }
  }
}

TEST(WatchedRows, GroupsHaveTheSameSum) {
  std::unique_ptr<WatchedTrace> W = randomTrace(99);
  const WatchedHeap &Host = W->heaps().front();
  auto Rows = cantFail(W->rowsAt(Host, {Host.PeakNs, 1'000'000, {}}));
  EXPECT_NEAR(sumOf(Rows), double(Host.PeakBytes), 1);
  RowTree Tree(*W);
  for (GroupBy G : WatchedGroups) {
    TreeSpec Spec;
    Spec.By = G;
    if (isOfNow(Spec.By))
      continue;
    double Top = 0;
    for (const TreeRow &R : Tree.rows(Rows, Spec))
      Top += R.V.Live;
    EXPECT_NEAR(Top, double(Host.PeakBytes), 1) << groupWord(Spec.By).str();
  }
}

TEST(WatchState, AnyKeysLeaveAValidState) {
  std::mt19937 Rng(5);
  WatchState S;
  Pictured P;
  P.Heaps = {"host", "host.malloc"};
  P.Rows = {{1, true}, {2, false}, {3, true}};
  P.NowNs = 1'000'000'000;
  P.ChartColumns = 70;
  P.TableRows = 10;
  for (unsigned I = 0; I != 20000; ++I) {
    Key K;
    K.Kind = KeyKind(Rng() % (unsigned(KeyKind::Unknown) + 1));
    K.CodePoint = K.Kind == KeyKind::Text ? Rng() % 200 : 0;
    takeKey(S, P, K);
    if (S.CursorNs) {
      EXPECT_LE(*S.CursorNs, P.NowNs);
    }
    EXPECT_TRUE(is_contained(WatchedGroups, S.Tree.By));
    EXPECT_LT(unsigned(S.Tree.First), NumSortColumns);
    EXPECT_LT(unsigned(S.Tree.Second), NumSortColumns);
    EXPECT_TRUE(S.HeapName.empty() || is_contained(P.Heaps, S.HeapName));
  }
}
