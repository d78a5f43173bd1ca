// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring protocol.
//
// Writers and one reader at full speed, a ring that changes owners, a full
// ring.

#include "Runtime/RingWriter.h"
#include "SharedMemory.h"

#include "gtest/gtest.h"
#include <csignal>
#include <memory>
#include <sys/time.h>
#include <thread>
#include <vector>

using namespace memkit;
using capture::RingWriter;

namespace {

constexpr wire::AllocateRecord allocate(uint64_t Address, uint64_t Size) {
  return {Address, Size, wire::AllocFunction::None, 0};
}

/// Reads all published records, checks that the addresses count up from \p
/// Expected, and frees the room.
uint64_t drain(wire::RingHeader &H, wire::Record *R, uint64_t &Expected) {
  uint64_t Head = H.Head.load(std::memory_order_acquire);
  uint64_t Tail = H.Tail.load(std::memory_order_relaxed), Got = Head - Tail;
  EXPECT_LE(Got, wire::RingRecords);
  for (; Tail < Head; ++Tail) {
    wire::Record &Rec = R[Tail % wire::RingRecords];
    if (Rec.Address != Expected || Rec.size() != Expected % 1000) {
      ADD_FAILURE() << "record " << Expected << " has " << Rec.Address;
      return Got;
    }
    ++Expected;
  }
  H.Tail.store(Tail, std::memory_order_release);
  return Got;
}

TEST(Ring, EveryRecordComesOnceInOrderFromEveryWriter) {
  constexpr uint32_t Writers = 6;
  constexpr uint64_t Each = 200000;
  SharedMemory M(Writers, 1024, 1024);
  auto *Headers = M.at<wire::RingHeader>(M.R.RingHeaders);
  auto *Records = M.at<wire::Record>(M.R.Rings);
  std::vector<std::thread> Running;
  for (uint32_t W = 0; W < Writers; ++W)
    Running.emplace_back([&, W] {
      auto Ring = std::make_unique<RingWriter>();
      Ring->attach(&Headers[W], Records + W * wire::RingRecords);
      for (uint64_t I = 0; I < Each; ++I) {
        while (!Ring->hasRoom()) {
          std::this_thread::yield();
          Ring->refresh();
        }
        Ring->write(allocate(I, I % 1000));
      }
    });
  std::vector<uint64_t> Expected(Writers);
  uint64_t Total = 0;
  while (Total < Writers * Each) {
    for (uint32_t W = 0; W < Writers; ++W)
      Total += drain(Headers[W], Records + W * wire::RingRecords, Expected[W]);
    ASSERT_FALSE(HasFailure());
  }
  for (auto &R : Running)
    R.join();
  for (uint32_t W = 0; W < Writers; ++W)
    EXPECT_EQ(Expected[W], Each);
}

TEST(Ring, OneAfterTheOtherOwnsIt) {
  SharedMemory M(1, 1024, 1024);
  auto *Header = M.at<wire::RingHeader>(M.R.RingHeaders);
  auto *Records = M.at<wire::Record>(M.R.Rings);
  constexpr uint32_t Owners = 40, Each = 500;
  auto To = [&](wire::RingState From, wire::RingState New) {
    uint32_t Is = uint32_t(From);
    return Header->State.compare_exchange_strong(Is, uint32_t(New));
  };
  std::atomic<uint32_t> Turn{0};
  std::vector<std::thread> Running;
  for (uint32_t W = 0; W < 4; ++W)
    Running.emplace_back([&] {
      for (;;) {
        if (Turn.load() >= Owners)
          return;
        if (!To(wire::RingState::Free, wire::RingState::Owned)) {
          std::this_thread::yield();
          continue;
        }
        uint32_t Mine = Turn.fetch_add(1);
        auto Ring = std::make_unique<RingWriter>();
        Ring->attach(Header, Records);
        for (uint64_t I = 0; Mine < Owners && I < Each; ++I) {
          uint64_t N = uint64_t(Mine) * Each + I;
          Ring->write(allocate(N, N % 1000));
        }
        Header->State.store(uint32_t(wire::RingState::Released),
                            std::memory_order_release);
      }
    });
  uint64_t Expected = 0;
  while (Expected < uint64_t(Owners) * Each) {
    bool Released = Header->State.load(std::memory_order_acquire) ==
                    uint32_t(wire::RingState::Released);
    drain(*Header, Records, Expected);
    ASSERT_FALSE(HasFailure());
    if (Released)
      To(wire::RingState::Released, wire::RingState::Free);
  }
  To(wire::RingState::Released, wire::RingState::Free);
  for (auto &R : Running)
    R.join();
}

TEST(Ring, FullKeepsTheMarginAndOverwritesNothing) {
  SharedMemory M(1, 1024, 1024);
  auto *Header = M.at<wire::RingHeader>(M.R.RingHeaders);
  auto *Records = M.at<wire::Record>(M.R.Rings);
  auto Ring = std::make_unique<RingWriter>();
  Ring->attach(Header, Records);
  uint64_t N = 0;
  for (; Ring->hasRoom(); ++N)
    Ring->write(allocate(N, N % 1000));
  EXPECT_EQ(N, wire::RingRecords - RingWriter::Margin);
  for (; Ring->hasMargin(0); ++N)
    Ring->write(allocate(N, N % 1000));
  EXPECT_EQ(N, wire::RingRecords);
  Ring->drop();
  Ring->drop();
  EXPECT_EQ(Header->Lost.load(), 2u);
  uint64_t Expected = 0;
  EXPECT_EQ(drain(*Header, Records, Expected), wire::RingRecords);
  EXPECT_FALSE(Ring->hasRoom());
  Ring->refresh();
  EXPECT_TRUE(Ring->hasRoom());
}

TEST(Ring, AReaderThatLiesDoesNotMakeRoom) {
  SharedMemory M(1, 1024, 1024);
  auto *Header = M.at<wire::RingHeader>(M.R.RingHeaders);
  auto Ring = std::make_unique<RingWriter>();
  Ring->attach(Header, M.at<wire::Record>(M.R.Rings));
  Header->Tail.store(~0ull - 5);
  Ring->refresh();
  uint64_t N = 0;
  for (; Ring->hasRoom() && N < 100000; ++N)
    Ring->write(allocate(N, 0));
  EXPECT_EQ(N, wire::RingRecords - RingWriter::Margin);
}

//===----------------------------------------------------------------------===//
// A signal handler that writes to the ring of the thread that it interrupts
//===----------------------------------------------------------------------===//

struct Interrupted {
  RingWriter Ring;
  std::atomic<uint64_t> Inner; ///< records of the handler
};
Interrupted *Target;

void whenSignalled(int) {
  for (int I = 0; I < 3; ++I)
    if (Target->Ring.hasRoom() || Target->Ring.hasMargin(32)) {
      uint64_t N = Target->Inner.load(std::memory_order_relaxed);
      Target->Ring.write(
          wire::AllocateRecord{N, 7, wire::AllocFunction::None, /*Stack=*/1});
      Target->Inner.store(N + 1, std::memory_order_relaxed);
    }
}

TEST(Ring, HandlersRecordsComeOnceAndAreNotHeldBack) {
  SharedMemory M(1, 1024, 1024);
  auto *Header = M.at<wire::RingHeader>(M.R.RingHeaders);
  auto *Records = M.at<wire::Record>(M.R.Rings);
  auto Mine = std::make_unique<Interrupted>();
  Target = Mine.get();
  Target->Ring.attach(Header, Records);
  struct sigaction Action = {};
  Action.sa_handler = whenSignalled;
  sigaction(SIGALRM, &Action, nullptr);
  itimerval Often = {{0, 20}, {0, 20}};
  setitimer(ITIMER_REAL, &Often, nullptr);
  uint64_t Outer = 0, Inner = 0, Written = 0, Tail = 0;
  while (Inner < 3000) {
    // The records of an interrupting handler must be published when write()
    // returns.
    Target->Ring.write(allocate(Written++, 5));
    uint64_t Head = Header->Head.load(std::memory_order_acquire);
    ASSERT_GT(Head, Tail);
    for (; Tail < Head; ++Tail) {
      const wire::Record &R = Records[Tail % wire::RingRecords];
      uint64_t &Expected = R.Stack ? Inner : Outer;
      ASSERT_EQ(R.Address, Expected);
      ASSERT_EQ(R.size(), R.Stack ? 7u : 5u);
      ++Expected;
    }
    ASSERT_EQ(Outer, Written);
    Header->Tail.store(Tail, std::memory_order_release);
    Target->Ring.refresh();
  }
  itimerval Never = {};
  setitimer(ITIMER_REAL, &Never, nullptr);
  EXPECT_LE(Inner, Target->Inner.load());
  EXPECT_EQ(Header->Head.load(), Outer + Target->Inner.load());
}

} // namespace
