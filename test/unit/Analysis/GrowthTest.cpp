// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for growth.

#include "memkit/Analysis/Growth.h"
#include "../Model/TextTrace.h"

using namespace memkit;
using namespace llvm;

/// A trace of 40 steps. Stack 1 keeps a block of each step and frees another of
/// each second step; stack 2 keeps its blocks for one step.
static std::string growingTrace() {
  std::string Events = "events process=1\n", Marks = "marks\n";
  raw_string_ostream E(Events), M(Marks);
  for (unsigned Step = 1; Step <= 40; ++Step) {
    unsigned Ns = Step * 1000, Id = (Step - 1) * 3;
    M << "  " << Ns << " step process=1 id=" << Step << "\n";
    E << "  " << Ns + 100 << " th1 alloc #" << Id
      << " heap=1 stack=1 size=4096\n";
    E << "  " << Ns + 200 << " th1 alloc #" << Id + 1
      << " heap=1 stack=1 size=100\n";
    E << "  " << Ns + 300 << " th1 alloc #" << Id + 2
      << " heap=1 stack=2 size=5000\n";
    if (Step > 1)
      E << "  " << Ns + 400 << " th1 free #" << Id - 1 << "\n";
    if (Step % 2 == 0)
      E << "  " << Ns + 500 << " th1 free #" << Id + 1 << "\n";
  }
  return R"(
header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main > f > malloc
  stack 2 main > g > malloc
)" + Events +
         Marks;
}

/// The findings, with changes of at most MaxChanges kept in memory.
static std::string growthWith(size_t MaxChanges) {
  std::unique_ptr<Trace> T = textTrace(growingTrace());
  SelectedStats S =
      orDie(SelectedStats::create(*T, orDie(Selection::create(*T, {}))));
  auto Intervals = orDie(IntervalSeries::create(S));
  GrowthOptions Options;
  Options.MaxChanges = MaxChanges;
  GrowthReport R = orDie(findGrowth(*Intervals, S, Options));
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Growth &G : R.Found)
    OS << "stack " << G.Stack << " bytes " << G.Bytes << " blocks " << G.Blocks
       << " since " << G.SinceStep << " heap " << G.HeapBegin << ".."
       << G.HeapEnd << " rate " << format("%.3f", G.Rate) << " age "
       << format("%.1f", G.Age) << "\n";
  return Text;
}

TEST(Growth, ManyChanges) {
  std::string Kept = growthWith(GrowthOptions().MaxChanges);
  EXPECT_TRUE(StringRef(Kept).starts_with("stack 1 ")) << Kept;
  EXPECT_EQ(growthWith(0), Kept);
  EXPECT_EQ(growthWith(5), Kept);
}

/// 30 stacks of host.malloc that keep a block each in step 4, and a stack of
/// host.mmap that keeps a block in each of 20 steps.
static std::string crowdedTrace() {
  std::string Stacks, Events = "events process=1\n", Marks = "marks\n";
  raw_string_ostream E(Events), M(Marks), N(Stacks);
  for (unsigned Stack = 1; Stack <= 30; ++Stack)
    N << "  stack " << Stack << " main > f" << Stack << " > malloc\n";
  N << "  stack 31 main > leak > mmap\n";
  unsigned Id = 0;
  for (unsigned Step = 1; Step <= 20; ++Step) {
    unsigned Ns = Step * 100000;
    M << "  " << Ns << " step process=1 id=" << Step << "\n";
    for (unsigned Stack = 1; Step == 4 && Stack <= 30; ++Stack)
      E << "  " << Ns + 100 * Stack << " th1 alloc #" << Id++
        << " heap=1 stack=" << Stack << " size=2000\n";
    E << "  " << Ns + 9000 << " th1 alloc #" << Id++
      << " heap=2 stack=31 size=65536\n";
  }
  return R"(
header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.mmap"
)" + Stacks +
         Events + Marks;
}

// The limit of places must not cut off the last heaps.
TEST(Growth, TheLimitOfPlacesIsOfAllHeaps) {
  std::unique_ptr<Trace> T = textTrace(crowdedTrace());
  SelectedStats S =
      orDie(SelectedStats::create(*T, orDie(Selection::create(*T, {}))));
  auto Intervals = orDie(IntervalSeries::create(S));
  GrowthOptions Options;
  Options.MaxSeries = 8;
  GrowthReport R = orDie(findGrowth(*Intervals, S, Options));
  ASSERT_EQ(R.Found.size(), 1u);
  EXPECT_EQ(R.Found[0].Heap, 2u);
  EXPECT_EQ(R.Found[0].Word, GrowthWord::Leak);
  EXPECT_EQ(R.Found[0].Evidence, GrowthEvidence::Steps);
  EXPECT_EQ(R.Series, 8u);
  EXPECT_EQ(R.LeftOut, 23u + 1);
  EXPECT_EQ(R.LeftOutBytes, 2000u);
}
