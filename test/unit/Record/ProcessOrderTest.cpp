// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of records of one address.

#include "OneProcess.h"

using namespace memkit;

namespace {

TEST_F(OneProcess, InOrder) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::Allocate, 0x2000, 20);
  put(1, RecordKind::Free, 0x1000);
  put(1, RecordKind::Allocate, 0x1000, 30);
  EXPECT_EQ("a0 a1 f0 a2 ", events());
  EXPECT_EQ(50u, R->stats().spaceStats(0).LiveBytes);
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneProcess, AnAllocationWaitsForTheFreeBeforeIt) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::Allocate, 0x1000, 20); // the clock was read a little early
  EXPECT_EQ("a0 ", events());
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ("a0 f0 a1 ", events());
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
  EXPECT_EQ(20u, R->stats().spaceStats(0).LiveBytes);
  EXPECT_EQ(20u, R->stats().spaceStats(0).PeakBytes);
}

TEST_F(OneProcess, AFreeWaitsForItsAllocation) {
  put(1, RecordKind::Free, 0x1000);
  pass();
  EXPECT_EQ("", events());
  put(0, RecordKind::Allocate, 0x1000, 10);
  EXPECT_EQ("a0 f0 ", events());
  pass();
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneProcess, ALongerStoryAtOneAddress) {
  put(0, RecordKind::Allocate, 0x1000, 1);
  // Thread 1 allocates, frees and allocates the address before thread 0's free
  // arrives.
  put(1, RecordKind::Allocate, 0x1000, 2);
  put(1, RecordKind::Free, 0x1000);
  put(1, RecordKind::Allocate, 0x1000, 3);
  EXPECT_EQ("a0 ", events());
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ("a0 f0 a1 f1 a2 ", events());
  EXPECT_EQ(0u, R->losses());
}

/// Thread 1 waits to receive a block, but the processor reads the clock of its
/// free before the wait ends. Then no record of thread 1 follows for a while.
TEST_F(OneProcess, AFreeBeforeTheBlockWasHandedOver) {
  MergedRecord Records[] = {
      {rawRecord(1000, RecordKind::Allocate, 0x1000, 16), 1},
      {rawRecord(1010, RecordKind::Free, 0x1000, 0), 1},
      {rawRecord(1200, RecordKind::Free, 0x1000, 0), 0},
      {rawRecord(1300, RecordKind::Allocate, 0x1000, 16), 0}};
  RingOfProcess Of[] = {{I.get(), 0, I->id()}, {I.get(), 1, I->id()}};
  for (size_t Cut : {0, 2, 3, 4}) { // in one batch or two
    begin();
    Of[0].Process = Of[1].Process = I.get();
    for (llvm::ArrayRef Part : {llvm::ArrayRef(Records).take_front(Cut),
                                llvm::ArrayRef(Records).drop_front(Cut)}) {
      Shared->Recent.begin(Part, Of);
      for (const MergedRecord &M : Part)
        I->process(M.R, M.Source);
      Shared->Recent.end();
    }
    pass();
    pass();
    EXPECT_EQ("a0 f0 a1 f1 ", events());
    EXPECT_EQ(0u, R->losses());
  }
}

/// The later of two frees waits: the block was handed to another thread in
/// between.
TEST_F(OneProcess, ALaterFreeWaitsForTheOtherRing) {
  MergedRecord Records[] = {
      {rawRecord(1000, RecordKind::Allocate, 0x1000, 16), 1},
      {rawRecord(1100, RecordKind::Free, 0x1000, 0), 0},
      {rawRecord(1150, RecordKind::Free, 0x1000, 0), 1},
      {rawRecord(1200, RecordKind::Allocate, 0x1000, 16), 0}};
  RingOfProcess Of[] = {{I.get(), 0, I->id()}, {I.get(), 1, I->id()}};
  Shared->Recent.begin(Records, Of);
  for (const MergedRecord &M : Records)
    I->process(M.R, M.Source);
  Shared->Recent.end();
  pass();
  pass();
  EXPECT_EQ("a0 f0 a1 f1 ", events());
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneProcess, WhatNeverComesIsALoss) {
  put(0, RecordKind::Free, 0x1000);
  put(0, RecordKind::Allocate, 0x2000, 5);
  put(1, RecordKind::Allocate, 0x2000, 7);
  pass();
  EXPECT_EQ(0u, R->losses());
  pass();
  EXPECT_EQ(1u, lost(LossKind::UnknownFree));
  EXPECT_EQ(1u, lost(LossKind::DoubleAllocate));
  // The old block counts as freed.
  EXPECT_EQ("a0 f0 a1 ", events());
  EXPECT_EQ(7u, R->stats().spaceStats(0).LiveBytes);
}

TEST_F(OneProcess, AChildFreesWhatItInherited) {
  begin(/*Forked=*/true);
  put(0, RecordKind::Free, 0x1000);
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocEnd, 0x3000, 50);
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
  EXPECT_EQ(2u, R->stats().processStats(1, 0).InheritedFrees);
  EXPECT_EQ("a0 ", events());
}

TEST_F(OneProcess, Realloc) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::ReallocBegin, 0x1000);
  // Another thread gets the address before realloc returns.
  put(1, RecordKind::Allocate, 0x1000, 20);
  EXPECT_EQ(30u, R->stats().spaceStats(0).LiveBytes);
  put(0, RecordKind::ReallocEnd, 0x2000, 40);
  EXPECT_EQ("a0 a1 f0 a2 ", events());
  EXPECT_EQ(60u, R->stats().spaceStats(0).LiveBytes);
  // A failed realloc changes nothing.
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocEnd, 0, 0);
  put(1, RecordKind::Free, 0x2000);
  EXPECT_EQ("a0 a1 f0 a2 f2 ", events());
  EXPECT_EQ(0u, R->losses());
}

/// The thread never reports the end of its realloc: the block stays live.
TEST_F(OneProcess, AThreadEndsInRealloc) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::ReallocBegin, 0x1000);
  I->releaseRing(1);
  I->snapshots().start();
  I->snapshots().finish();
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ(0u, lost(LossKind::UnknownFree));
  uint64_t Snapshots = 0;
  EXPECT_EQ(std::vector<std::string>(), differences(&Snapshots));
  EXPECT_EQ(1u, Snapshots);
}

/// A thread in two reallocs at once, one of them of an unknown block.
TEST_F(OneProcess, AReallocThatNeverBeganInAnother) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocBegin, 0x1000);
  pass();
  pass();
  I->snapshots().start();
  I->snapshots().finish();
  EXPECT_EQ(std::vector<std::string>(), differences());
}

TEST_F(OneProcess, ReallocOfABlockThatComesLate) {
  put(1, RecordKind::ReallocBegin, 0x1000);
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::ReallocEnd, 0x2000, 20);
  EXPECT_EQ("a0 f0 a1 ", events());
  put(2, RecordKind::ReallocBegin, 0x3000);
  put(2, RecordKind::ReallocEnd, 0x4000, 30);
  put(0, RecordKind::Allocate, 0x3000, 40);
  EXPECT_EQ("a0 f0 a1 a2 a3 f3 ", events());
  // A failed realloc of a block whose allocation arrives late.
  put(2, RecordKind::ReallocBegin, 0x5000);
  put(2, RecordKind::ReallocEnd, 0);
  put(0, RecordKind::Allocate, 0x5000, 50);
  EXPECT_EQ("a0 f0 a1 a2 a3 f3 a4 ", events());
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
}

} // namespace
