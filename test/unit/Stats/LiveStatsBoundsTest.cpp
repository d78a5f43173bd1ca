// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of live bytes, compared with a look at each event.

#include "memkit/Stats/LiveStats.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;

namespace {
std::string print(bool IsSpace, uint32_t Id, uint64_t Bound, uint64_t Live,
                  uint64_t TimeNs, uint32_t Process, uint32_t Heap) {
  std::string S = IsSpace ? "space " : "heap ";
  for (uint64_t V :
       {uint64_t(Id), Bound, Live, TimeNs, uint64_t(Process), uint64_t(Heap)})
    S += std::to_string(V) + " ";
  return S;
}

/// Two processes, two heaps of the host, one of a device.
class BoundsRun {
public:
  BoundsRun(unsigned Seed, bool Together) : Rng(Seed), Together(Together) {
    Heap Device;
    Device.Space = 1;
    A.addHeap(1, Heap());
    A.addHeap(2, Heap());
    A.addHeap(3, Device);
    A.beginProcess(1, 0);
    A.beginProcess(2, 0);
  }

  void go() {
    for (unsigned Part = 0; Part != 40; ++Part) {
      setBounds();
      for (unsigned Batch = 0; Batch != 3; ++Batch) {
        auto Process = uint32_t(1 + Rng() % 2);
        for (unsigned N = Rng() % 60; N != 0; --N)
          event(Process);
        A.apply(Process, Changes, Times.data());
        Changes.clear();
        Times.clear();
      }
      std::vector<std::string> Got;
      for (const LiveStats::Crossing &C : A.takeCrossings())
        Got.push_back(print(C.IsSpace, C.Id, C.Bound, C.LiveBytes, C.TimeNs,
                            C.Process, C.Heap));
      EXPECT_EQ(Got, Expected);
      Crossed += Got.size();
      Expected.clear();
      EXPECT_FALSE(A.hasCrossings());
    }
    EXPECT_GT(Crossed, 40u);
  }

private:
  struct Watch {
    bool IsSpace;
    uint32_t Id;
    std::vector<uint64_t> Bounds = {};
  };
  void setBounds() {
    for (Watch &W : Watches) {
      W.Bounds.clear();
      uint64_t Bound = Rng() % 4000;
      for (size_t N = Rng() % 4; N != 0; --N)
        W.Bounds.push_back(Bound += 1 + Rng() % 3000);
      A.setBounds(W.IsSpace, W.Id, W.Bounds);
    }
  }
  uint64_t live(bool IsSpace, uint32_t Id) const {
    if (!IsSpace)
      return Live[Id];
    return Id ? Live[3] : Live[1] + Live[2];
  }
  void event(uint32_t Process) {
    Time += 10;
    auto Heap = uint32_t(1 + Rng() % 3);
    std::vector<uint64_t> &Of = Blocks[Process][Heap];
    uint32_t Row = A.stackRow(Process, Heap, 1);
    bool IsFree = !Of.empty() && Rng() % 100 < 48;
    uint64_t Size = IsFree ? Of.back() : 1 + Rng() % 500;
    if (IsFree)
      Of.pop_back();
    else
      Of.push_back(Size);
    Live[Heap] += IsFree ? 0 - Size : Size;
    // Together: of one process, in one call.
    if (Together) {
      Changes.push_back(
          {Size, Row, 0, IsFree ? Change::Free : Change::Allocate});
      Times.push_back(Time);
    } else if (IsFree) {
      A.free({Id, Row, 0}, Size, Time, 0, 0);
    } else {
      A.allocate({++Id, Row, 0}, Size, Time, 0);
    }
    if (!IsFree)
      expect(Process, Heap);
  }
  void expect(uint32_t Process, uint32_t Heap) {
    // The heap first, then its memory space.
    for (Watch &W : Watches) {
      if (W.IsSpace ? W.Id != (Heap == 3) : W.Id != Heap)
        continue;
      while (!W.Bounds.empty() && live(W.IsSpace, W.Id) > W.Bounds.front()) {
        Expected.push_back(print(W.IsSpace, W.Id, W.Bounds.front(),
                                 live(W.IsSpace, W.Id), Time, Process, Heap));
        W.Bounds.erase(W.Bounds.begin());
      }
    }
  }

  std::mt19937_64 Rng;
  bool Together;
  LiveStats A;
  uint64_t Time = 0, Id = 0, Crossed = 0;
  std::vector<Watch> Watches = {{false, 1}, {false, 3}, {true, 0}, {true, 1}};
  uint64_t Live[4] = {};
  std::vector<uint64_t> Blocks[3][4];
  std::vector<Change> Changes;
  std::vector<uint64_t> Times;
  std::vector<std::string> Expected;
};
} // namespace

TEST(LiveStatsBounds, TellsOfEachCrossing) {
  for (unsigned Seed = 0; Seed != 30; ++Seed)
    BoundsRun(Seed, /*Together=*/false).go();
}

TEST(LiveStatsBounds, TellsOfEachCrossingInBulk) {
  for (unsigned Seed = 0; Seed != 30; ++Seed)
    BoundsRun(Seed, /*Together=*/true).go();
}

TEST(LiveStatsBounds, ABoundBelowIsCrossedByTheNextRise) {
  LiveStats A;
  A.addHeap(1, Heap());
  A.beginProcess(1, 0);
  uint32_t Row = A.stackRow(1, 1, 1);
  A.allocate({1, Row, 0}, 100, 10, 0);
  A.setBounds(true, 0, {50});
  EXPECT_FALSE(A.hasCrossings());
  A.free({1, Row, 0}, 100, 20, 0, 0);
  A.allocate({2, Row, 0}, 60, 30, 0);
  std::vector<LiveStats::Crossing> Got = A.takeCrossings();
  ASSERT_EQ(Got.size(), 1u);
  EXPECT_EQ(Got[0].TimeNs, 30u);
  EXPECT_EQ(A.liveBytes(true, 0), 60u);
}
