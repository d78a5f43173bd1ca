// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs that one thread adds and several threads run.

#include "Support/JobQueue.h"
#include "gtest/gtest.h"
#include <atomic>
#include <stdexcept>
#include <thread>

using namespace memkit;

namespace {

TEST(JobQueue, RunsAllJobsOnce) {
  for (size_t Helpers : {0, 1, 5}) {
    JobQueue Q(2 * Helpers);
    std::vector<std::thread> Threads;
    for (size_t At = 0; At != Helpers; ++At)
      Threads.emplace_back([&] { Q.help(); });
    std::vector<std::atomic<int>> Runs(1000);
    for (std::atomic<int> &Of : Runs)
      Q.add([&Of] { ++Of; });
    Q.end();
    for (std::thread &T : Threads)
      T.join();
    for (std::atomic<int> &Of : Runs)
      EXPECT_EQ(1, Of);
    Q.help(); // returns
  }
}

TEST(JobQueue, StartsJobsInOrderAndKeepsFew) {
  JobQueue Q(3);
  std::vector<int> Order;
  for (int At = 0; At != 10; ++At) {
    Q.add([&Order, At] { Order.push_back(At); });
    EXPECT_EQ(size_t(std::max(0, At - 2)), Order.size());
  }
  Q.end();
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), Order);
}

TEST(JobQueue, StopDropsWhatWaits) {
  JobQueue Q(3);
  int Runs = 0;
  for (int At = 0; At != 5; ++At)
    Q.add([&Runs] { ++Runs; });
  Q.stop();
  Q.help();
  EXPECT_EQ(2, Runs);
}

TEST(JobQueue, AJobThatThrowsLosesItselfOnly) {
  JobQueue Q(0);
  EXPECT_THROW(Q.add([] { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  int Runs = 0;
  Q.add([&Runs] { ++Runs; });
  Q.end();
  EXPECT_EQ(1, Runs);
}

} // namespace
