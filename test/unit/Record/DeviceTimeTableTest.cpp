// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums and spans of device work.

#include "Output/DeviceTimeTable.h"
#include "Output/DeviceSpanLog.h"
#include "gtest/gtest.h"

using namespace memkit;

static DeviceTimeStats work(uint32_t Name, uint32_t Stack, uint64_t BeginNs,
                            uint64_t DurationNs) {
  DeviceTimeStats One;
  One.Process = One.Device = 1;
  One.Stream = 7;
  One.Name = Name;
  One.Stack = Stack;
  One.Calls = 1;
  One.DurationNs = DurationNs;
  One.BeginNs = BeginNs;
  One.EndNs = BeginNs + DurationNs;
  return One;
}

TEST(DeviceTimeTable, AddsWorkOfEqualNames) {
  DeviceTimeTable T;
  T.add(work(1, 2, 500, 30));
  T.add(work(1, 3, 100, 10));
  T.add(work(1, 2, 100, 70));
  ASSERT_EQ(2u, T.rows().size());
  const DeviceTimeStats &First = T.rows().front();
  EXPECT_EQ(2u, First.Calls);
  EXPECT_EQ(100u, First.DurationNs);
  EXPECT_EQ(70u, First.LongestNs);
  EXPECT_EQ(100u, First.BeginNs);
  EXPECT_EQ(530u, First.EndNs);
}

TEST(DeviceTimeTable, GivesChangedRowsOnce) {
  DeviceTimeTable T;
  T.add(work(1, 2, 0, 1));
  T.add(work(2, 2, 0, 1));
  EXPECT_EQ(2u, T.takeChanged().size());
  EXPECT_TRUE(T.takeChanged().empty());
  T.add(work(2, 2, 5, 1));
  std::vector<DeviceTimeStats> Changed = T.takeChanged();
  ASSERT_EQ(1u, Changed.size());
  EXPECT_EQ(2u, Changed.front().Calls);
}

TEST(DeviceTimeTable, IsBoundedAndLosesNoTime) {
  DeviceTimeTable T;
  constexpr uint32_t Added = 4 * DeviceTimeTable::MaxRows;
  // Each piece of work has a name and a stack of its own, as a hostile program
  // may write them.
  for (uint32_t I = 1; I <= Added; ++I)
    T.add(work(I, I, I, 3));
  EXPECT_LE(T.rows().size(), 2 * DeviceTimeTable::MaxRows + 1);
  uint64_t Calls = 0, DurationNs = 0;
  for (const DeviceTimeStats &R : T.rows()) {
    Calls += R.Calls;
    DurationNs += R.DurationNs;
  }
  EXPECT_EQ(Added, Calls);
  EXPECT_EQ(3u * Added, DurationNs);
}

TEST(DeviceSpanLog, CountsWhatItLeavesOut) {
  DeviceSpanLog Log;
  uint64_t Taken = 0;
  for (uint64_t I = 0; I != DeviceSpanLog::MaxSpans + 5; ++I) {
    Log.add({});
    if (Log.isFull())
      Taken += Log.take(1).Rows.size();
  }
  EXPECT_EQ(DeviceSpanLog::MaxSpans, Taken + Log.take(1).Rows.size());
  EXPECT_EQ(5u, Log.takeCut());
  EXPECT_EQ(0u, Log.takeCut());
}

TEST(DeviceSpanLog, TakesNothingAfterItsEnd) {
  DeviceSpanLog Log;
  Log.end();
  Log.add({});
  EXPECT_TRUE(Log.take(1).Rows.empty());
  EXPECT_EQ(0u, Log.takeCut());
}
