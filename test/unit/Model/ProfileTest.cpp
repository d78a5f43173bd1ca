// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles that sum to the totals.

#include "memkit/Model/Profile.h"
#include "TextTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace memkit;
using namespace llvm;

/// A random run of two processes and two host heaps; blocks of the second heap
/// lie in blocks of the first. Half of the allocations have a scope path.
static std::string randomText(unsigned Seed) {
  std::mt19937 Random(Seed);
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "header\ndictionary\n process 1 pid=1\n process 2 pid=2 parent=1\n"
        " thread 1 process=1 tid=1\n thread 2 process=2 tid=2\n"
        " heap 1 name=\"host.malloc\"\n heap 2 name=\"torch.cpu\" parent=1\n"
        " heap 3 name=\"host.file\" flags=1\n";
  for (int S = 1; S <= 6; ++S)
    OS << " stack " << S << " main > f" << S % 3 << " > g" << S % 2 << '\n';
  OS << " scope-path 2 layer:Net@1 > layer:a.b@2\n"
        " scope-path 4 phase:backward@1 > layer:a.b@1\n"
        " scope-path 5 user:load@1\n";
  uint64_t Time = 0;
  for (int Process = 1; Process <= 2; ++Process) {
    OS << "events process=" << Process << " epoch=" << Process << '\n';
    struct Live {
      uint64_t AllocationId, Size;
      bool Encloses;
    };
    std::vector<Live> Lives;
    for (uint64_t AllocationId = 0, I = 0; I != 60; ++I) {
      OS << ' ' << (Time += 100) << " th" << Process;
      if (!Lives.empty() && Random() % 3 == 0) {
        size_t At = Random() % Lives.size();
        OS << " free #" << Lives[At].AllocationId << '\n';
        Lives.erase(Lives.begin() + At);
        continue;
      }
      uint64_t Size = Random() % 1000;
      unsigned Heap = Random() % 3 + 1;
      OS << " alloc heap=" << Heap << " stack=" << Random() % 6 + 1;
      if (unsigned ScopePath = Random() % 10; ScopePath <= 5)
        OS << " scope-path=" << ScopePath;
      Live *Outer = nullptr;
      for (Live &L : Lives)
        if (Heap == 2 && L.Encloses && L.Size)
          Outer = &L;
      if (Outer) {
        Size = std::min(Size, Outer->Size);
        OS << " in=#" << Outer->AllocationId;
        Outer->Encloses = false;
      }
      OS << " size=" << Size << '\n';
      Lives.push_back({AllocationId++, Size, Heap == 1});
    }
  }
  OS << "complete\n";
  return Text;
}

static SelectedStats sumsOf(const Trace &T, const SelectionSpec &Spec = {},
                            StatsBy By = StatsBy::Stacks) {
  return cantFail(
      SelectedStats::create(T, cantFail(Selection::create(T, Spec)), By));
}

static constexpr Metric AllMetrics[] = {Metric::Peak,      Metric::Live,
                                        Metric::Allocated, Metric::Count,
                                        Metric::Temporary, Metric::Leaked};

TEST(Profile, SumsToTotals) {
  for (unsigned Seed = 0; Seed != 50; ++Seed) {
    auto T = textTrace(randomText(Seed));
    SelectedStats S = sumsOf(*T);
    EXPECT_EQ(makeProfile(S, Metric::Peak).Total, T->hostStats().PeakBytes);
    EXPECT_EQ(makeProfile(S, Metric::Live).Total, T->hostStats().LiveBytes);
    for (const char *Name : {"host.malloc", "torch.cpu", "host.file"}) {
      SelectionSpec Spec;
      Spec.Heaps = {Name};
      SelectedStats Outer = sumsOf(*T, Spec);
      uint32_t Heap = Spec.Heaps[0] == "host.malloc" ? 1
                      : Spec.Heaps[0] == "torch.cpu" ? 2
                                                     : 3;
      const HeapStats &H = T->heapStats(Heap);
      EXPECT_EQ(makeProfile(Outer, Metric::Peak).Total, H.PeakBytes);
      EXPECT_EQ(makeProfile(Outer, Metric::Live).Total, H.LiveBytes);
      EXPECT_EQ(makeProfile(Outer, Metric::Allocated).Total, H.AllocatedBytes);
      EXPECT_EQ(makeProfile(Outer, Metric::Count).Total, H.Allocations);
      EXPECT_EQ(makeProfile(Outer, Metric::Temporary).Total, H.Temporaries);
    }
  }
}

TEST(Profile, OfEachHeap) {
  auto T = textTrace(randomText(1));
  std::vector<Profile> All =
      makeHeapProfiles(sumsOf(*T), {Metric::Peak, Metric::Allocated});
  std::vector<std::string> Names;
  for (const Profile &P : All)
    Names.push_back(P.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{
                       "host: peak", "host: allocated", "host.malloc: peak",
                       "host.malloc: allocated", "torch.cpu: peak",
                       "torch.cpu: allocated"}));
  EXPECT_EQ(All[0].Total, T->hostStats().PeakBytes);
  EXPECT_EQ(All[2].Total, T->heapStats(1).PeakBytes);
  EXPECT_EQ(All[4].Total, T->heapStats(2).PeakBytes);
}

/// A replayed selection of everything agrees with the summary.
TEST(Profile, ReplayedSelectionAgrees) {
  for (unsigned Seed = 0; Seed != 20; ++Seed) {
    auto T = textTrace(randomText(Seed));
    SelectionSpec Spec;
    Spec.Threads = {"1", "2"};
    SelectedStats Replayed = sumsOf(*T, Spec), Summed = sumsOf(*T);
    for (Metric M : {Metric::Live, Metric::Allocated, Metric::Count})
      EXPECT_EQ(makeProfile(Replayed, M).Total, makeProfile(Summed, M).Total);
  }
}

/// Profiles by scope path have the totals of those by stack.
TEST(Profile, OfScopePaths) {
  for (unsigned Seed = 0; Seed != 50; ++Seed) {
    auto T = textTrace(randomText(Seed));
    std::vector<SelectionSpec> Specs(4);
    Specs[1].Heaps = {"torch.cpu"};
    Specs[2].Processes = {"#2"};
    Specs[3].Threads = {"1", "2"}; // replays both
    for (const SelectionSpec &Spec : Specs) {
      SelectedStats Stacks = sumsOf(*T, Spec),
                    ScopePaths = sumsOf(*T, Spec, StatsBy::ScopePaths);
      for (Metric M : AllMetrics)
        EXPECT_EQ(makeProfile(Stacks, M).Total,
                  makeProfile(ScopePaths, M).Total);
      auto OfStacks = makeHeapProfiles(Stacks, AllMetrics);
      auto OfScopePaths = makeHeapProfiles(ScopePaths, AllMetrics);
      ASSERT_EQ(OfStacks.size(), OfScopePaths.size());
      for (size_t I = 0; I != OfStacks.size(); ++I) {
        EXPECT_EQ(OfStacks[I].Name, OfScopePaths[I].Name);
        EXPECT_EQ(OfStacks[I].Total, OfScopePaths[I].Total);
      }
    }
  }
}

/// A replay of a part agrees with the summary of the part, except for exclusive
/// bytes: a replay knows only the chosen blocks.
TEST(Profile, SelectedScopePathsAgree) {
  for (unsigned Seed = 0; Seed != 20; ++Seed) {
    auto T = textTrace(randomText(Seed));
    std::vector<SelectionSpec> Specs(3);
    Specs[0].Layers = {"a"}; // layer a.b is below a
    Specs[1].ScopePaths = {"Net", "load"};
    Specs[2].Stacks = {"g1"};
    for (SelectionSpec &Spec : Specs) {
      Spec.Heaps = {"*"};
      // One of the two replays the events.
      SelectedStats Stacks = sumsOf(*T, Spec),
                    ScopePaths = sumsOf(*T, Spec, StatsBy::ScopePaths);
      for (Metric M : {Metric::Live, Metric::Allocated, Metric::Count}) {
        uint64_t Total = makeProfile(Stacks, M).Total;
        EXPECT_EQ(Total, makeProfile(ScopePaths, M).Total);
        SelectionSpec All;
        All.Heaps = {"*"};
        EXPECT_LT(Total, makeProfile(sumsOf(*T, All), M).Total);
      }
    }
  }
}
