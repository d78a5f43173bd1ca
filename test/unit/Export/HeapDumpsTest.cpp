// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps of heaps, and the paths of their stacks.

#include "Export/HeapDumps.h"
#include "../Model/TextTrace.h"
#include "Export/PerfettoHeaps.h"
#include "llvm/ADT/StringExtras.h"

using namespace memkit;
using namespace llvm;

namespace {

/// Steps of 100 us. In each, stack 1 holds 10 bytes more, and stack 2 allocates
/// and frees 1000 bytes. Stack 3 has 50 bytes in the middle of step 4 alone,
/// where the peak is. Stack 4 is never used.
std::string steps(unsigned Steps) {
  std::string Text = "header\ndictionary\n process 1 pid=7\n"
                     " thread 1 process=1 tid=7\n heap 1 name=\"host.malloc\"\n"
                     " stack 1 main > a\n stack 2 main > b\n"
                     " stack 3 main > c > d\n stack 4 main > e > f\n"
                     "events process=1\n";
  raw_string_ostream OS(Text);
  unsigned Block = 0;
  std::string Marks = "marks\n";
  for (unsigned Step = 1; Step <= Steps; ++Step) {
    unsigned Ns = Step * 100'000;
    Marks += " " + utostr(Ns) + " step id=" + utostr(Step) + " process=1\n";
    OS << ' ' << Ns + 100 << " th1 alloc #" << Block
       << " heap=1 stack=1 size=10\n";
    ++Block;
    OS << ' ' << Ns + 200 << " th1 alloc #" << Block
       << " heap=1 stack=2 size=1000\n"
       << ' ' << Ns + 300 << " th1 free #" << Block << '\n';
    ++Block;
    if (Step == 4) {
      OS << ' ' << Ns + 400 << " th1 alloc #" << Block
         << " heap=1 stack=3 size=5000\n"
         << ' ' << Ns + 500 << " th1 free #" << Block << '\n';
      ++Block;
    }
  }
  Marks += " " + utostr(Steps * 100'000 + 50'000) +
           " process-end process=1 values=[0 0]\n";
  return Text + Marks + "complete\n";
}

struct Dumped {
  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> S;
  std::vector<HeapDump> Dumps;
};

Dumped dump(unsigned Steps, size_t Max) {
  Dumped Out;
  Out.T = textTrace(steps(Steps));
  Out.S.emplace(orDie(SelectedStats::create(
      *Out.T, orDie(Selection::create(*Out.T, SelectionSpec())))));
  auto Series = orDie(IntervalSeries::create(*Out.S));
  std::vector<uint32_t> PathOf;
  for (uint32_t Stack = 0; Stack <= Out.T->numStacks(); ++Stack)
    PathOf.push_back(Stack);
  HeapDumps D(*Out.S, *Series, PathOf, Max);
  cantFail(Series->forEach(
      [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
        D.take(Process, Interval, Rows);
        return Error::success();
      }));
  Out.Dumps = D.finish();
  return Out;
}

/// The totals of a path in a dump; zeros if the path did not change.
HeapTotals of(const HeapDump &D, uint32_t Path) {
  for (const HeapDumpRow &R : D.Rows)
    if (R.Path == Path)
      return R.Totals;
  return {};
}

TEST(HeapDumps, EachIntervalAndThePeak) {
  Dumped Of = dump(6, SIZE_MAX);
  ASSERT_EQ(Of.Dumps.size(), 7u);
  const HeapDump &First = Of.Dumps[0], &Peak = Of.Dumps[3], &Last = Of.Dumps[6];
  EXPECT_EQ(First.TimeNs, 200'000u);
  EXPECT_EQ(of(First, 1), (HeapTotals{10, 0, 1, 0}));
  EXPECT_EQ(of(First, 2), (HeapTotals{1000, 1000, 1, 1}));
  EXPECT_EQ(Peak.TimeNs, 400'400u);
  EXPECT_EQ(of(Peak, 1), (HeapTotals{40, 0, 4, 0}));
  // What stack 2 has allocated since the last interval is not known here.
  EXPECT_EQ(of(Peak, 2), HeapTotals());
  EXPECT_EQ(of(Peak, 3), (HeapTotals{5000, 0, 1, 0}));
  EXPECT_EQ(of(Of.Dumps[4], 2), (HeapTotals{4000, 4000, 4, 4}));
  EXPECT_EQ(of(Of.Dumps[4], 3), (HeapTotals{5000, 5000, 1, 1}));
  EXPECT_EQ(Last.TimeNs, 650'000u);
  EXPECT_EQ(of(Last, 1), (HeapTotals{60, 0, 6, 0}));
  EXPECT_EQ(of(Last, 2), (HeapTotals{6000, 6000, 6, 6}));
}

TEST(HeapDumps, TheLimitKeepsTheLast) {
  Dumped Of = dump(300, 30);
  ASSERT_EQ(Of.Dumps.size(), 11u);
  EXPECT_EQ(of(Of.Dumps.back(), 1), (HeapTotals{3000, 0, 300, 0}));
  EXPECT_EQ(of(Of.Dumps.back(), 2), (HeapTotals{300'000, 300'000, 300, 300}));
  EXPECT_EQ(dump(300, 1).Dumps.size(), 2u);
  EXPECT_EQ(dump(300, SIZE_MAX).Dumps.size(), 101u);
}

TEST(HeapPaths, StacksWithTheLowestPeaksAreFolded) {
  Dumped Of = dump(6, 1);
  auto Names = [&](const HeapPaths &Paths, uint32_t Stack) {
    SmallVector<uint32_t, 8> Numbers;
    Paths.names(Paths.byStack()[Stack], Numbers);
    std::string Text;
    for (uint32_t Number : Numbers)
      Text += (Text.empty() ? "" : ";") + Paths.name(Number).Function.str();
    return Text;
  };
  HeapPaths All(*Of.T, *Of.S, 0), Fit(*Of.T, *Of.S, 10), Few(*Of.T, *Of.S, 7);
  for (const HeapPaths *Paths : {&All, &Fit}) {
    EXPECT_EQ(Names(*Paths, 0), "(no stack)");
    EXPECT_EQ(Names(*Paths, 1), "main;a");
    EXPECT_EQ(Names(*Paths, 3), "main;c;d");
  }
  // A path of n frames counts as n + 1: 3, 3 and 4 of the used stacks.
  EXPECT_EQ(Names(Few, 3), "main;c;d");
  EXPECT_EQ(Names(Few, 2), "main;b");
  EXPECT_EQ(Names(Few, 1), "(smaller)");
}

} // namespace
