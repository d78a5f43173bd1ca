// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of scopes, as they are stored.

#include "memkit/Trace/Sections.h"
#include <gtest/gtest.h>
#include <random>

using namespace memkit;

namespace {

TEST(ScopeTimes, GapsAreExactOrWithinASixteenth) {
  for (unsigned Code = 0; Code != 256; ++Code)
    EXPECT_EQ(Code, ScopeGap::encode(ScopeGap::decode(uint8_t(Code))));
  std::mt19937_64 Random(3);
  for (unsigned N = 0; N != 100000; ++N) {
    uint64_t Units = N < 4000 ? N : Random() >> (30 + Random() % 34);
    uint64_t Is = ScopeGap::decode(ScopeGap::encode(Units));
    uint64_t Off = Is > Units ? Is - Units : Units - Is;
    EXPECT_LE(Off * 16, Units) << Units;
    if (Units < 16) {
      EXPECT_EQ(Units, Is);
    }
  }
  EXPECT_EQ(255, ScopeGap::encode(UINT64_MAX));
}

TEST(ScopeTimes, ErrorsDoNotAddUp) {
  std::mt19937_64 Random(4);
  ThreadScopes Of;
  ScopeTimesAdder Adder;
  std::vector<uint64_t> TimesNs;
  uint64_t NowNs = 12345;
  for (unsigned N = 0; N != 5000; ++N) {
    NowNs += Random() >> (40 + Random() % 24);
    TimesNs.push_back(NowNs);
    Adder.add(Of, NowNs, N % 7);
  }
  std::vector<ScopeChange> Is = changesOf(Of);
  ASSERT_EQ(TimesNs.size(), Is.size());
  EXPECT_EQ(TimesNs[0] / TimeUnitNs * TimeUnitNs, Of.FirstNs);
  for (size_t I = 1; I != Is.size(); ++I) {
    uint64_t GapNs = TimesNs[I] - Is[I - 1].TimeNs;
    uint64_t OffNs = Is[I].TimeNs > TimesNs[I] ? Is[I].TimeNs - TimesNs[I]
                                               : TimesNs[I] - Is[I].TimeNs;
    if (Is[I - 1].TimeNs <= TimesNs[I]) {
      EXPECT_LE(OffNs, GapNs / 16 + TimeUnitNs);
    }
    EXPECT_LE(Is[I - 1].TimeNs, Is[I].TimeNs);
    EXPECT_EQ(I % 7, Is[I].ScopePath);
  }
}

TEST(ScopeTimes, ChangesOfThreadsInOrderOfTime) {
  ScopeTimes S;
  S.Threads = {{1, 1000, {0, 5, 5}, {1, 2, 0}}, {2, 1200, {0, 3}, {9, 0}}};
  using C = ScopeChange;
  EXPECT_EQ((std::vector<C>{{1000, 1, 1},
                            {1200, 2, 9},
                            {1500, 1, 2},
                            {1500, 2, 0},
                            {2000, 1, 0}}),
            changesOf(S));
  EXPECT_EQ(5u, S.numChanges());
}

} // namespace
