// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The set of sampled addresses.

#include "Host/SampleSet.h"

#include "gtest/gtest.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace memkit::capture;

namespace {

void *address(uint64_t Number) {
  return reinterpret_cast<void *>(0x7f0000000000 + Number * 16);
}

std::unique_ptr<SampleSet> makeSet() {
  auto S = std::make_unique<SampleSet>();
  EXPECT_TRUE(S->begin());
  return S;
}

TEST(SampleSet, HoldsWhatWasPutIn) {
  auto S = makeSet();
  EXPECT_FALSE(S->mayHold(address(1)));
  EXPECT_FALSE(S->remove(address(1)));
  EXPECT_TRUE(S->insert(address(1)));
  EXPECT_TRUE(S->mayHold(address(1)));
  EXPECT_FALSE(S->insert(address(1))) << "it is there already";
  EXPECT_TRUE(S->remove(address(1)));
  EXPECT_FALSE(S->mayHold(address(1)));
  EXPECT_FALSE(S->remove(address(1)));
}

TEST(SampleSet, AgreesWithAnOrdinarySet) {
  auto S = makeSet();
  std::set<uint64_t> Is;
  std::mt19937_64 Random(1);
  // The set grows to a few levels, shrinks and grows again, with near and far
  // addresses.
  for (unsigned Round = 0; Round < 6; ++Round)
    for (unsigned I = 0; I < 60'000; ++I) {
      uint64_t N = Random() % 50'000 * (Round % 2 ? 256 : 1);
      bool Put = Random() % 8 < (Round % 3 == 2 ? 2 : 6);
      if (Put)
        ASSERT_EQ(S->insert(address(N)), Is.insert(N).second);
      else
        ASSERT_EQ(S->remove(address(N)), Is.erase(N) == 1);
    }
  for (uint64_t N : Is) {
    ASSERT_TRUE(S->mayHold(address(N)));
    ASSERT_TRUE(S->remove(address(N)));
  }
  for (uint64_t N : Is)
    ASSERT_FALSE(S->remove(address(N)));
}

TEST(SampleSet, IsCleanWhenAllIsTakenOut) {
  auto S = makeSet();
  // Counters of the filter must not overflow.
  for (unsigned Round = 0; Round < 3; ++Round) {
    for (uint64_t N = 0; N < 200'000; ++N)
      ASSERT_TRUE(S->insert(address(N)));
    for (uint64_t N = 0; N < 200'000; ++N)
      ASSERT_TRUE(S->remove(address(N)));
  }
  for (uint64_t N = 0; N < 200'000; ++N)
    ASSERT_FALSE(S->mayHold(address(N)));
}

TEST(SampleSet, ForgetsNothingWhenTheFilterOverflows) {
  auto S = makeSet();
  // The filter uses 18 bits of the address above the lowest four, twice: all
  // these addresses are in one of the filter's groups.
  std::vector<void *> Same;
  for (uint64_t N = 0; N < 600; ++N)
    Same.push_back(address(N << 14 | (N & 0x3fff)));
  for (void *P : Same)
    S->insert(P);
  for (void *P : Same)
    EXPECT_TRUE(S->mayHold(P));
  for (void *P : Same)
    EXPECT_TRUE(S->remove(P));
}

TEST(SampleSet, ThreadsHandOverBlocks) {
  auto S = makeSet();
  constexpr unsigned Threads = 4, Blocks = 20'000;
  std::mutex Lock;
  std::vector<uint64_t> Shared;
  std::atomic<unsigned> Wrong{0};
  auto Work = [&](unsigned T) {
    std::mt19937_64 Random(T);
    for (unsigned I = 0; I < Blocks; ++I) {
      uint64_t Mine = I * Threads + T;
      Wrong += !S->insert(address(Mine));
      // Any thread may free the block, as with a queue.
      uint64_t Other;
      {
        std::lock_guard<std::mutex> Guard(Lock);
        Shared.push_back(Mine);
        std::swap(Shared[Random() % Shared.size()], Shared.back());
        if (Shared.size() < 1000)
          continue;
        Other = Shared.back();
        Shared.pop_back();
      }
      Wrong += !S->mayHold(address(Other));
      Wrong += !S->remove(address(Other));
      Wrong += S->remove(address(Other));
    }
  };
  std::vector<std::thread> All;
  for (unsigned T = 0; T < Threads; ++T)
    All.emplace_back(Work, T);
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(Wrong, 0u);
  for (uint64_t N : Shared)
    EXPECT_TRUE(S->remove(address(N)));
}

} // namespace
