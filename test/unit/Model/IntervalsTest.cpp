// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time.

#include "memkit/Model/Intervals.h"
#include "Support/Failure.h"
#include "TextTrace.h"

using namespace llvm;
using namespace memkit;

static constexpr char Names[] = R"(
header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  process 2 pid=2 exe="/bin/b" parent=1 origin=fork
  thread 1 process=1 tid=1
  thread 2 process=2 tid=2
  heap 1 name="host.malloc"
  heap 2 name="host.mmap"
  stack 1 main > f > malloc
  stack 2 main > g > malloc
)";

/// Step 1 begins at 1000 ns, step 2 at 2000, step 3 at 3000. Live bytes at the
/// ends of the intervals (before step 1, of steps 1, 2, 3):
///   heap 1, stack 1: 10, 10 + 100 = 110, 100, 100
///   heap 1, stack 2:  0,              0, 200, 200
///   heap 2, stack 1:  0,              7,   0,   0
static constexpr char Steps[] = R"(
events process=1
  0 th1 alloc #0 heap=1 stack=1 size=10
  1100 th1 alloc #1 heap=1 stack=1 size=100
  1200 th1 alloc #2 heap=2 stack=1 size=7
  2100 th1 free #0
  2200 th1 alloc #3 heap=1 stack=2 size=200
  2300 th1 free #2
marks
  1000 step process=1 id=1
  2000 step process=1 id=2
  3000 step process=1 id=3
)";

namespace {
struct Read {
  std::unique_ptr<Trace> T;
  std::unique_ptr<SelectedStats> S;
  std::unique_ptr<IntervalSeries> Series;
};
} // namespace

static Read open(StringRef Text, SelectionSpec Spec = {}) {
  Read R;
  R.T = textTrace(Text);
  R.S = std::make_unique<SelectedStats>(cantFail(
      SelectedStats::create(*R.T, cantFail(Selection::create(*R.T, Spec)))));
  R.Series = cantFail(IntervalSeries::create(*R.S));
  return R;
}

/// `interval: heap/stack before>after ...` for each interval that forEach()
/// passes.
static std::string listed(IntervalSeries &S) {
  std::string Out;
  cantFail(S.forEach(
      [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
        Out += std::to_string(S.processes()[Process].Process) + "." +
               std::to_string(Interval) + ":";
        for (const IntervalChange &R : Rows)
          Out += " " + std::to_string(R.Heap) + "/" + std::to_string(R.Stack) +
                 " " + std::to_string(R.BytesBefore) + ">" +
                 std::to_string(R.Bytes);
        Out += "\n";
        return Error::success();
      }));
  return Out;
}

TEST(Intervals, MadeFromEvents) {
  Read R = open(std::string(Names) + Steps);
  ASSERT_EQ(R.Series->processes().size(), 1u);
  const ProcessIntervals &I = R.Series->processes()[0];
  ASSERT_EQ(I.Heads.size(), 4u);
  EXPECT_TRUE(R.Series->hasSteps());
  EXPECT_EQ(I.Heads[0].LastStep, 0u);
  EXPECT_EQ(I.Heads[0].EndNs, 1000u);
  EXPECT_EQ(I.Heads[2].FirstStep, 2u);
  EXPECT_EQ(I.Heads[2].LastStep, 2u);
  EXPECT_EQ(I.Heads[3].LastStep, 3u);
  const char *Text = "1.0: 1/1 0>10\n"
                     "1.1: 1/1 10>110 2/1 0>7\n"
                     "1.2: 1/1 110>100 1/2 0>200 2/1 7>0\n";
  EXPECT_EQ(listed(*R.Series), Text);
  EXPECT_EQ(R.Series->numRows(), 3u);
  // A second read gives the same.
  EXPECT_EQ(listed(*R.Series), Text);
  EXPECT_EQ(R.Series->numRows(), 3u);
}

TEST(Intervals, SayWhatWasAllocated) {
  Read R = open(std::string(Names) + Steps);
  for (const IntervalHead &H : R.Series->processes()[0].Heads)
    EXPECT_EQ(H.Detail, IntervalDetail::Whole);
  std::string Out;
  cantFail(R.Series->forEach([&](size_t, size_t Interval,
                                 ArrayRef<IntervalChange> Rows) {
    for (const IntervalChange &C : Rows)
      Out += std::to_string(Interval) + ": " + std::to_string(C.Heap) + "/" +
             std::to_string(C.Stack) + " " + std::to_string(C.Allocations) +
             " " + std::to_string(C.AllocatedBytes) + " " +
             std::to_string(C.Temporaries) + "\n";
    return Error::success();
  }));
  EXPECT_EQ(Out, "0: 1/1 1 10 0\n"
                 "1: 1/1 1 100 0\n"
                 "1: 2/1 1 7 0\n"
                 "2: 1/1 0 0 0\n"
                 "2: 1/2 1 200 0\n"
                 "2: 2/1 0 0 0\n");
}

TEST(Intervals, OfASelection) {
  SelectionSpec Heap;
  Heap.Heaps = {"host.mmap"};
  Read R = open(std::string(Names) + Steps, Heap);
  EXPECT_EQ(listed(*R.Series), "1.1: 2/1 0>7\n1.2: 2/1 7>0\n");
  // A selection by size is replayed. Heap 2 has no block of 100 bytes.
  SelectionSpec Large;
  Large.MinSize = 100;
  Read L = open(std::string(Names) + Steps, Large);
  EXPECT_EQ(listed(*L.Series), "1.1: 1/1 0>100\n1.2: 1/2 0>200\n");
}

TEST(Intervals, OfAWindow) {
  SelectionSpec Spec;
  Spec.Since = cantFail(parseTimePoint("step:1"));
  Spec.Until = cantFail(parseTimePoint("step:2"));
  // The block of step 0 was allocated before the window.
  Read R = open(std::string(Names) + Steps, Spec);
  EXPECT_EQ(listed(*R.Series), "1.1: 1/1 0>100 2/1 0>7\n");
}

/// Intervals from a recorder, of two processes in mixed order, with one
/// interval in parts, and no events.
static constexpr char Written[] = R"(
intervals process=1
  interval 0 begin=0 end=100
    row heap=1 stack=1 blocks=1 bytes=10
  interval 1 begin=100 end=200
    row heap=1 stack=1 blocks=2 bytes=30
intervals process=2
  interval 0 begin=50 end=150
    row heap=1 stack=1 blocks=1 bytes=5
intervals process=1
  interval 1 begin=100 end=200
    row heap=1 stack=2 blocks=1 bytes=8
  interval 2 begin=200 end=300
    row heap=1 stack=1 blocks=0 bytes=0
)";
static constexpr char Ended[] = R"(
summary number=1 end=300
)";

TEST(Intervals, AsTheyAreWritten) {
  Read R = open(std::string(Names) + Written + Ended);
  ASSERT_EQ(R.Series->processes().size(), 2u);
  EXPECT_EQ(R.Series->processes()[0].Heads.size(), 3u);
  EXPECT_EQ(R.Series->processes()[1].Heads.size(), 1u);
  EXPECT_EQ(R.Series->processes()[1].Heads[0].BeginNs, 50u);
  EXPECT_FALSE(R.Series->hasSteps());
  EXPECT_EQ(listed(*R.Series), "1.0: 1/1 0>10\n"
                               "1.1: 1/1 10>30\n"
                               "2.0: 1/1 0>5\n"
                               "1.1: 1/2 0>8\n"
                               "1.2: 1/1 30>0\n");
  SelectionSpec Second;
  Second.Processes = {"#2"};
  Read P = open(std::string(Names) + Written + Ended, Second);
  EXPECT_EQ(listed(*P.Series), "2.0: 1/1 0>5\n");
}

TEST(Intervals, None) {
  Read R = open(std::string(Names) + Ended);
  EXPECT_TRUE(R.Series->processes().empty());
  EXPECT_FALSE(R.Series->hasSteps());
  EXPECT_EQ(listed(*R.Series), "");
}

static std::string problemOf(StringRef Intervals) {
  auto T = textTrace((Twine(Names) + Intervals + Ended).str());
  SelectedStats S =
      cantFail(SelectedStats::create(*T, cantFail(Selection::create(*T, {}))));
  auto Series = IntervalSeries::create(S);
  Error E = Series
                ? (*Series)->forEach([](auto...) { return Error::success(); })
                : Series.takeError();
  return toString(std::move(E));
}

TEST(Intervals, OutOfOrder) {
  // Out of order by time, and by number.
  EXPECT_NE(problemOf(R"(
intervals process=1
  interval 0 begin=0 end=100
  interval 1 begin=0 end=50
)")
                .find("interval 1 of process 1 is out of order"),
            std::string::npos);
  EXPECT_NE(problemOf(R"(
intervals process=1
  interval 1 begin=0 end=100
  interval 0 begin=100 end=150
)")
                .find("interval 0 of process 1 is out of order"),
            std::string::npos);
}
