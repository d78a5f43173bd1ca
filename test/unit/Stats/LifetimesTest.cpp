// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes compared with brute force.

#include "memkit/Stats/LiveStats.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace memkit;

namespace {

constexpr uint64_t IntervalNs = 20'000'000;

/// The lifetimes of a row, as text.
std::string print(const LifetimeRow &R) {
  std::string S = "stack " + std::to_string(R.Stack) + ":";
  for (const Cohort &C : R.Cohorts)
    S += " " + std::to_string(C.Interval) + "-" + std::to_string(C.Last) + "=" +
         std::to_string(C.Blocks) + "/" + std::to_string(C.Bytes);
  for (const LateFrees &F : R.Frees)
    S += " freed " + std::to_string(F.Age.Steps) + "," +
         std::to_string(F.Age.Time) + "=" + std::to_string(F.Intervals) + "/" +
         std::to_string(F.Blocks) + "/" + std::to_string(F.Bytes);
  return S;
}

std::vector<std::string> lifetimesOf(const LiveStats &A, uint32_t &Cut) {
  std::vector<std::string> Out;
  Cut = 0;
  llvm::cantFail(A.lifetimes([&](const Lifetimes &L) {
    for (const LifetimeRow &R : L.Rows)
      Out.push_back(print(R));
    for (LifetimeCut C : L.Cuts)
      if (C.Space == 1)
        Cut = C.Intervals;
    return llvm::Error::success();
  }));
  return Out;
}

/// Random blocks of a few stacks, and expected lifetimes counted block by
/// block.
class RandomLives {
public:
  explicit RandomLives(unsigned Seed) : Rng(Seed) {
    A.addHeap(1, Heap());
    A.beginProcess(1, 0);
  }
  void go(unsigned Intervals, bool Together, bool InParts) {
    for (unsigned I = 0; I != Intervals; ++I) {
      for (unsigned N = 0; N != 40; ++N)
        event(Together);
      tell();
      cut(InParts);
    }
    // Frees of the last interval do not count: see ShutdownCut.
    uint32_t Cut;
    std::vector<std::string> Got = lifetimesOf(A, Cut);
    EXPECT_EQ(Got, expected(Cut));
    EXPECT_GT(Cut, 0u);
  }

private:
  struct Made {
    uint32_t Stack, AllocatedIn, FreedIn = UINT32_MAX;
    uint64_t Size;
  };
  uint64_t pick(uint64_t Below) { return Rng() % Below; }
  void tell() {
    if (!Changes.empty())
      A.apply(1, Changes, Times.data());
    Changes.clear();
    Times.clear();
  }
  void event(bool Together) {
    Time += 100;
    if (pick(100) < 55 || Live.empty()) {
      uint64_t Size = 1 + pick(1000);
      auto Stack = static_cast<uint32_t>(1 + pick(5));
      uint32_t Row = A.stackRow(1, 1, Stack);
      if (Together) {
        Changes.push_back({Size, Row, 0, Change::Allocate});
        Times.push_back(Time);
        A.noteAllocation(1, Blocks.size(), Size);
      } else {
        A.allocate({Blocks.size(), Row, 0}, Size, Time, 1);
      }
      Live.push_back(Blocks.size());
      Blocks.push_back({Stack, Interval, UINT32_MAX, Size});
      return;
    }
    // The youngest block most often, as in programs.
    size_t At = pick(2) ? Live.size() - 1 : pick(Live.size());
    uint64_t AllocationId = Live[At];
    Live.erase(Live.begin() + At);
    Made &M = Blocks[AllocationId];
    M.FreedIn = Interval;
    uint32_t Row = A.stackRow(1, 1, M.Stack);
    if (Together) {
      Changes.push_back({M.Size, Row, 0, Change::Free});
      Times.push_back(Time);
      if (AllocationId < A.lateBefore(1))
        A.noteLateFree(1, Row, AllocationId, M.Size);
    } else {
      A.free({AllocationId, Row, 0}, M.Size, Time, 0);
    }
  }
  void cut(bool InParts) {
    Time = (Interval + 1) * IntervalNs;
    if (!InParts) {
      memkit::Interval S;
      A.cutInterval(1, Time, Blocks.size(), IntervalDetail::Changed, S);
      ++Interval;
      return;
    }
    A.beginCut(1, Time, Blocks.size(), IntervalDetail::Changed);
    ++Interval;
    while (A.isCutting(1)) {
      event(/*Together=*/false); // events go on during the cut
      memkit::Interval Part;
      A.cutPart(1, 2, Part);
    }
  }
  std::vector<std::string> expected(uint32_t Cut) const {
    std::vector<std::string> Out;
    for (uint32_t Stack = 1; Stack <= 5; ++Stack) {
      std::map<uint32_t, Cohort> Cohorts;
      std::map<uint8_t, LateFrees> Frees;
      std::map<uint8_t, std::map<uint32_t, bool>> In;
      for (const Made &M : Blocks) {
        if (M.Stack != Stack || M.AllocatedIn >= Cut)
          continue;
        if (M.FreedIn >= Cut) {
          Cohort &C = Cohorts[M.AllocatedIn];
          C.Interval = C.Last = M.AllocatedIn;
          C.Blocks += 1;
          C.Bytes += M.Size;
        } else if (M.FreedIn != M.AllocatedIn) {
          uint64_t Units = (M.FreedIn - M.AllocatedIn) * IntervalNs / AgeUnitNs;
          auto Class = static_cast<uint8_t>(std::bit_width(Units) - 1);
          LateFrees &F = Frees[Class];
          F.Age.Time = Class;
          F.Blocks += 1;
          F.Bytes += M.Size;
          In[Class][M.FreedIn] = true;
          F.Intervals = static_cast<uint32_t>(In[Class].size());
        }
      }
      LifetimeRow R;
      R.Stack = Stack;
      for (auto &[Interval, C] : Cohorts)
        R.Cohorts.push_back(C);
      for (auto &[Class, F] : Frees)
        R.Frees.push_back(F);
      if (!R.Cohorts.empty())
        Out.push_back(print(R));
    }
    return Out;
  }

  std::mt19937_64 Rng;
  LiveStats A;
  uint64_t Time = 0;
  uint32_t Interval = 0;
  std::vector<Made> Blocks; ///< by allocation id
  std::vector<uint64_t> Live;
  std::vector<Change> Changes;
  std::vector<uint64_t> Times;
};

TEST(Lifetimes, RandomBlocks) {
  for (unsigned Seed = 0; Seed != 20; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomLives(Seed).go(3 + Seed * 2, /*Together=*/Seed % 2,
                         /*InParts=*/false);
  }
}

TEST(Lifetimes, CutWhileEventsGoOn) {
  for (unsigned Seed = 50; Seed != 70; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomLives(Seed).go(20, /*Together=*/false, /*InParts=*/true);
  }
}

/// A program with one stack, and a block of Size in each interval.
class Program {
public:
  Program() {
    A.addHeap(1, Heap());
    A.beginProcess(1, 0);
    Row = A.stackRow(1, 1, 1);
  }
  void allocate() {
    A.allocate({Next++, Row, 0}, Size, Time += 100, 1);
    Sizes[Next - 1] = Size;
  }
  void free(uint64_t AllocationId) {
    A.free({AllocationId, Row, 0}, Sizes[AllocationId], Time += 100, 0);
  }
  memkit::Interval endInterval() {
    Time = ++Interval * IntervalNs;
    memkit::Interval S;
    A.cutInterval(1, Time, Next, IntervalDetail::Changed, S);
    return S;
  }
  /// Allocates a block in each of Intervals.
  void grow(unsigned Intervals) {
    for (unsigned I = 0; I != Intervals; ++I) {
      allocate();
      endInterval();
    }
  }
  void beQuiet(uint64_t Intervals) {
    Interval += Intervals;
    Time = Interval * IntervalNs;
  }
  void endLife() {
    A.expectLastCut(1);
    endInterval();
  }
  uint32_t cut() const {
    uint32_t Cut;
    lifetimesOf(A, Cut);
    return Cut;
  }
  /// The lifetimes of the stack.
  std::string row() const {
    uint32_t Cut;
    std::vector<std::string> Rows = lifetimesOf(A, Cut);
    return Rows.size() == 1 ? Rows[0] : std::to_string(Rows.size()) + " rows";
  }
  LiveStats A;
  uint64_t Time = 0, Next = 0, Interval = 0, Size = 1000;
  std::map<uint64_t, uint64_t> Sizes; ///< by allocation id
  uint32_t Row;
};

TEST(Lifetimes, WhatIsFreedInTheEndIsBehindTheCut) {
  Program P;
  for (unsigned I = 0; I != 20; ++I) {
    P.allocate();
    P.endInterval();
  }
  // Four intervals free all but one block, the youngest first.
  for (uint64_t Block = 20; --Block;) {
    P.free(Block);
    if (Block % 5 == 0)
      P.endInterval();
  }
  P.endLife();
  EXPECT_EQ(P.cut(), 20u);
  std::string Expected = "stack 1:";
  for (int I = 0; I != 20; ++I)
    Expected += " " + std::to_string(I) + "-" + std::to_string(I) + "=1/1000";
  EXPECT_EQ(P.row(), Expected);
}

// The process goes on: nothing tells that it ends.
TEST(Lifetimes, ALookAtARunningProcessHasNoCut) {
  Program P;
  P.grow(20);
  for (uint64_t Block = 20; --Block > 5;) {
    P.free(Block);
    P.endInterval();
  }
  EXPECT_EQ(P.cut(), P.Interval);
}

TEST(Lifetimes, AFallBeforeARestIsNoShutdown) {
  Program P;
  P.grow(20);
  for (uint64_t Block = 20; --Block;)
    P.free(Block);
  P.endInterval();
  P.beQuiet(100); // two seconds
  P.allocate();
  P.endLife();
  EXPECT_EQ(P.cut(), 21u);
  EXPECT_TRUE(llvm::StringRef(P.row()).starts_with("stack 1: 0-0=1/1000 freed"))
      << P.row();
}

// A queue that drains for a third of the life is work, if the program goes on
// to allocate. A slow exit only frees.
TEST(Lifetimes, ALongFallWithWorkIsNoShutdown) {
  constexpr uint64_t Grown = 400;
  struct {
    unsigned Fall, EachWorks; ///< intervals
    bool IsWork;
  } constexpr Cases[] = {
      {120, 1, false}, {190, 1000, false}, {190, 8, true}, {190, 15, false}};
  for (auto [Fall, EachWorks, IsWork] : Cases) {
    Program P;
    P.grow(Grown);
    uint64_t Block = Grown;
    for (unsigned I = 1; I <= Fall; ++I) {
      for (uint64_t Left = Grown - I * Grown / Fall; Block > Left + 1;)
        P.free(--Block);
      if (I % EachWorks == 0) {
        P.allocate();
        P.free(P.Next - 1);
      }
      P.endInterval();
    }
    uint32_t Ended = P.Interval;
    P.endLife();
    EXPECT_EQ(P.cut(), IsWork ? Ended : Grown) << Fall << " " << EachWorks;
  }
}

TEST(Lifetimes, AFallAmongOthersIsNoShutdown) {
  Program P;
  for (unsigned Round = 0; Round != 6; ++Round) {
    uint64_t First = P.Next;
    P.grow(8);
    for (uint64_t Block = P.Next; --Block > First;) {
      P.free(Block);
      if (Block % 2 == 0)
        P.endInterval();
    }
  }
  uint32_t Ended = P.Interval;
  P.endLife();
  EXPECT_EQ(P.cut(), Ended);
}

TEST(Lifetimes, WhatIsKeptWhileOtherMemoryFallsIsNoShutdown) {
  Program P;
  P.grow(20);
  uint64_t Block = 20;
  for (unsigned I = 0; I != 6; ++I) {
    P.allocate();
    for (unsigned N = 0; N != 3; ++N)
      P.free(--Block);
    P.endInterval();
  }
  uint32_t Ended = P.Interval;
  P.endLife();
  EXPECT_EQ(P.cut(), Ended);
}

// The arenas come after all their objects, or stay.
TEST(Lifetimes, AShutdownBeginsWithTheInnerBlocks) {
  Program P;
  Heap Objects;
  Objects.Parent = 1;
  P.A.addHeap(2, Objects);
  uint32_t Row = P.A.stackRow(1, 2, 1);
  P.Size = 100'000;
  P.allocate();
  for (unsigned I = 0; I != 20; ++I) {
    P.A.allocateIn({P.Next++, Row, 0}, BlockRef{0, P.Row, 0}, 1000,
                   P.Time += 100, 1);
    P.endInterval();
  }
  for (uint64_t Object = 20; Object; --Object) {
    P.A.free({Object, Row, 0}, 1000, P.Time += 100, 0, /*Enclosing=*/1);
    if (Object % 10 == 1)
      P.endInterval();
  }
  P.endLife();
  EXPECT_EQ(P.cut(), 20u);
}

// An interpreter that ends may need a new arena for a few small objects.
TEST(Lifetimes, AShutdownMayKeepAnArenaOfPython) {
  for (uint64_t Bytes : {1u << 20, 1u << 20 | 16}) {
    Program P;
    P.Size = 400'000;
    P.grow(20);
    P.Size = Bytes;
    for (uint64_t Block = 20; --Block;) {
      P.free(Block);
      if (Block == 12)
        P.allocate();
      if (Block % 5 == 0)
        P.endInterval();
    }
    P.endLife();
    EXPECT_EQ(P.cut() == 20, Bytes == 1 << 20) << Bytes << " " << P.cut();
  }
}

// A replay knows of a step only after the cut at the step's begin.
TEST(Lifetimes, QuietTimeBeforeTheFirstStep) {
  uint64_t BeginNs[2];
  for (bool StepFirst : {false, true}) {
    Program P;
    P.beQuiet(100);
    P.allocate();
    uint64_t AtNs = (P.Interval + 1) * IntervalNs;
    if (StepFirst)
      P.A.beginStep(1, 1, AtNs);
    BeginNs[StepFirst] = P.endInterval().BeginNs;
    EXPECT_EQ(P.Time, AtNs);
  }
  EXPECT_GT(BeginNs[0], 0u);
  EXPECT_EQ(BeginNs[0], BeginNs[1]);
}

TEST(Lifetimes, QuietTimeIsOfNoInterval) {
  Program P;
  P.allocate();
  P.endInterval();
  P.beQuiet(500); // ten seconds
  P.allocate();
  uint64_t AllocatedNs = P.Time;
  memkit::Interval S = P.endInterval();
  EXPECT_EQ(S.BeginNs, AllocatedNs);
  P.free(0);
  P.endInterval();
  // The block's age is the active time: of the class of 20 to 40 ms.
  EXPECT_EQ(P.row(), "stack 1: 1-1=1/1000 freed 0,1=1/1/1000");
}

TEST(Lifetimes, ManyCohortsBecomeFew) {
  Program P;
  for (unsigned I = 0; I != 500; ++I) {
    P.allocate();
    P.endInterval();
  }
  P.endInterval();
  uint64_t Blocks = 0, Next = 0;
  size_t Cohorts = 0;
  llvm::cantFail(P.A.lifetimes([&](const Lifetimes &L) {
    for (const LifetimeRow &R : L.Rows)
      for (const Cohort &C : R.Cohorts) {
        EXPECT_EQ(C.Interval, Next);
        Next = uint64_t(C.Last) + 1;
        EXPECT_EQ(C.Blocks, Next - C.Interval);
        Blocks += C.Blocks;
        ++Cohorts;
      }
    return llvm::Error::success();
  }));
  EXPECT_EQ(Blocks, 500u);
  EXPECT_LE(Cohorts, Lifetime::MaxCohorts);
  EXPECT_GE(Cohorts, Lifetime::MaxCohorts / 4);
}

/// Step numbers come from the program or a file, and may be any number.
TEST(Lifetimes, StepsMayHaveAnyNumbers) {
  Program P;
  P.A.allocate({P.Next++, P.A.stackRow(1, 1, 2), 0}, 1000000, P.Time += 100, 1);
  for (uint64_t N : {UINT64_MAX, uint64_t(3), UINT64_MAX - 1, uint64_t(1)}) {
    P.Time = P.A.boundary(P.Time + 1);
    P.A.beginStep(1, N, P.Time);
    memkit::Interval S;
    P.A.cutInterval(1, P.Time, P.Next, IntervalDetail::Changed, S);
    P.allocate();
    if (P.Next > 3)
      P.free(P.Next - 2);
  }
  P.endInterval();
  P.endInterval();
  P.endInterval();
  llvm::cantFail(P.A.lifetimes([&](const Lifetimes &L) {
    for (const LifetimeRow &R : L.Rows)
      for (const LateFrees &F : R.Frees)
        EXPECT_LT(F.Age.Steps, NumAgeClasses);
    return llvm::Error::success();
  }));
}

TEST(Lifetimes, StepsAreTheClockOnceThereAreSome) {
  Program P;
  P.allocate(); // 0: before the first step
  P.allocate(); // 1
  // Further live memory, so that two frees do not look like the end of the
  // process.
  P.A.allocate({P.Next++, P.A.stackRow(1, 1, 2), 0}, 1000000, P.Time += 100, 1);
  auto Step = [&](uint64_t N) {
    P.Time = P.A.boundary(P.Time + 1);
    P.A.beginStep(1, N, P.Time);
    memkit::Interval S;
    P.A.cutInterval(1, P.Time, P.Next, IntervalDetail::Changed, S);
  };
  Step(1);
  P.allocate(); // 3
  Step(2);
  P.free(0);
  Step(3);
  Step(4);
  P.free(3);
  Step(5);
  Step(6);
  uint32_t Cut;
  std::vector<std::string> Rows = lifetimesOf(P.A, Cut);
  ASSERT_EQ(Rows.size(), 1u);
  // Block 3 was allocated in step 1 and freed in step 4, at the age of 2 to 3
  // steps.
  EXPECT_EQ(Rows[0],
            "stack 1: 0-0=1/1000 freed 0,0=1/1/1000 freed 2,0=1/1/1000");
}

} // namespace
