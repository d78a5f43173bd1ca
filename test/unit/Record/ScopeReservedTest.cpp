// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserved memory of scopes.

#include "Scopes/ScopeReserved.h"
#include <gtest/gtest.h>

using namespace memkit;

namespace {

TEST(ScopeReserved, SharesByTime) {
  ScopeReserved R;
  R.begin(1, 100);
  R.set(200, 0, 1000); // all free
  R.set(300, 750, 1000);
  R.begin(2, 400);
  R.set(500, 1000, 4000);
  ScopeReserved::ReservedRange Two = R.end(2, 700);
  EXPECT_EQ(Two.Peak, 4000u);
  EXPECT_DOUBLE_EQ(Two.KnownNs, 300);
  EXPECT_DOUBLE_EQ(Two.WastedNs, 100 * 0.25 + 200 * 0.75);
  R.set(800, 500, 500);
  // Before 200 the reserved memory is unknown.
  ScopeReserved::ReservedRange One = R.end(1, 900);
  EXPECT_EQ(One.Peak, 4000u);
  EXPECT_DOUBLE_EQ(One.KnownNs, 700);
  EXPECT_DOUBLE_EQ(One.WastedNs, 100 + 200 * 0.25 + 300 * 0.75);
}

TEST(ScopeReserved, ScopesThatOverlap) {
  ScopeReserved R;
  R.set(0, 0, 100);
  R.begin(1, 10);
  R.set(20, 0, 300);
  R.begin(2, 30);
  R.set(40, 0, 200);
  EXPECT_EQ(R.end(1, 50).Peak, 300u);
  // The second scope does not include changes before its start.
  EXPECT_EQ(R.end(2, 60).Peak, 300u);
  R.begin(3, 70);
  EXPECT_EQ(R.end(3, 80).Peak, 200u);
  EXPECT_EQ(R.end(3, 90).Peak, 0u);
}

TEST(ScopeReserved, NothingIsReserved) {
  ScopeReserved R;
  R.begin(1, 10);
  ScopeReserved::ReservedRange S = R.end(1, 20);
  EXPECT_EQ(S.Peak, 0u);
  EXPECT_EQ(S.KnownNs, 0);
}

TEST(ScopeReserved, ManyThatNeverEnd) {
  ScopeReserved R;
  R.set(0, 1, 2);
  for (uint64_t N = 1; N <= ScopeReserved::MaxOpen + 10; ++N)
    R.begin(N, N);
  EXPECT_EQ(R.end(1, 10000).Peak, 0u);
  EXPECT_EQ(R.end(11, 10000).Peak, 2u);
}

} // namespace
