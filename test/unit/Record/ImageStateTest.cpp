//===- ImageStateTest.cpp - Records to events -------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image/ImageState.h"
#include "memkit/Model/Check.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <unistd.h>

using namespace memkit;
using wire::AllocFunction;
using wire::RecordKind;

namespace {

/// An image whose records are given by hand; the trace goes to a string.
struct OneImage : testing::Test {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R;
  std::unique_ptr<ImageState> I;
  uint64_t Tsc = 0;

  void begin(bool Forked = false, uint64_t Hz = 1000000000) {
    Bytes.clear();
    TscClock Clock({0, 0, 0}, Hz);
    R = llvm::cantFail(Recording::create(Out, Header(), Clock));
    Image Row;
    R->Names.addImage(Row);
    R->Sums.beginImage(1, 0);
    auto Shared =
        llvm::cantFail(SharedImage::create(1, ImageSettings(), "test"));
    I = std::make_unique<ImageState>(1, getpid(), Forked, std::move(Shared),
                                     *R);
    R->addImage(*I);
    for (uint32_t Ring = 0; Ring != 4; ++Ring) {
      I->ring(Ring);
      I->shared().ringHeader(Ring).Tid = 100 + Ring;
    }
    R->Pass = 1;
  }
  void SetUp() override { begin(); }

  void put(uint32_t Ring, RecordKind K, uint64_t Address, uint64_t Size = 0,
           uint64_t At = 0) {
    wire::Record Rec{At ? At : Tsc += 1000, Address,
                     wire::Record::pack(Size, K, AllocFunction::Malloc), 0, 0};
    I->process(Rec, Ring);
  }
  void pass() {
    I->settleHeld();
    ++R->Pass;
  }
  uint64_t lost(LossKind Kind) {
    uint64_t Sum = 0;
    for (const Loss &L : R->Sums.summary(1, 0).Losses)
      if (L.Kind == Kind)
        Sum += L.Count;
    return Sum;
  }
  /// The events so far: `a0` allocates block 0, `f0` frees it.
  std::string events() {
    std::string Text;
    for (const Event &E : I->log().rows())
      Text += (E.Kind == EventKind::Allocate ? "a" : "f") +
              std::to_string(E.Block) + " ";
    return Text;
  }
};

std::vector<Event> eventsOf(llvm::StringRef Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  std::vector<Event> Out;
  for (const BlockInfo &B : T->blocks())
    if (B.Kind == BlockKind::Events) {
      Events E;
      llvm::cantFail(T->read(B, E));
      Out.insert(Out.end(), E.Rows.begin(), E.Rows.end());
    }
  return Out;
}

/// The heaps, rows and layers of the trace's summary.
std::tuple<std::vector<HeapTotals>, std::vector<SumRows>, std::vector<SumRows>,
           std::vector<LayerTotals>>
sumsOf(llvm::StringRef Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  Summary S;
  for (const BlockInfo &B : T->blocks())
    if (B.Kind == BlockKind::Summary)
      llvm::cantFail(T->read(B, S));
  return {S.Heaps, S.Stacks, S.Contexts, S.Layers};
}

TEST_F(OneImage, InOrder) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::Allocate, 0x2000, 20);
  put(1, RecordKind::Free, 0x1000);
  put(1, RecordKind::Allocate, 0x1000, 30);
  EXPECT_EQ("a0 a1 f0 a2 ", events());
  EXPECT_EQ(50u, R->Sums.domainTotals(0).LiveBytes);
  EXPECT_EQ(0u, R->losses());
}

/// Each is told to lie in the mapping in which it was made, though that is cut,
/// and cut again, or mapped over, or shrinks below it.
TEST_F(OneImage, AMappingIsCutUnderObjects) {
  for (bool KeyframeRuns : {false, true}) {
    begin();
    put(0, RecordKind::Map, 0x10000, 0x10000);
    auto Object = [&](uint64_t Address) {
      I->process({Tsc += 1000, Address,
                  wire::Record::pack(100, RecordKind::ObjectAllocate,
                                     AllocFunction::PyObjectMalloc),
                  0, 0},
                 0);
    };
    for (uint64_t Address : {0x11000, 0x18000, 0x1c000, 0x1e000, 0x1f900})
      Object(Address);
    I->startKeyframe();
    if (!KeyframeRuns)
      I->finishKeyframe();
    put(0, RecordKind::Map, 0x14000, 0x1000);
    Object(0x14100);
    Object(0x1d000);
    put(0, RecordKind::Map, 0x18000, 0x1000);
    put(0, RecordKind::Unmap, 0x1e000, 0x1000);
    put(0, RecordKind::RemapBegin, 0x1f000, 0x1000);
    put(0, RecordKind::RemapEnd, 0x1f000, 0x800);
    if (!I->inKeyframe())
      I->startKeyframe();
    I->finishKeyframe();
    for (uint64_t Address : {0x11000, 0x1c000, 0x1d000, 0x1e000, 0x18000})
      put(0, RecordKind::ObjectFree, Address);
    pass();
    I->startKeyframe();
    I->finishKeyframe();
    R->finish();
    EXPECT_EQ(0u, R->losses());
    auto T = llvm::cantFail(TraceReader::create(
        llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
    CheckResult Checked = llvm::cantFail(checkTrace(*T));
    EXPECT_TRUE(Checked.Differences.empty()) << Checked.Differences.front();
  }
}

/// An object outlives the block of malloc in which it lies, and that the
/// mapping in which it lies; or the block is being reallocated.
TEST_F(OneImage, ABlockEndsUnderItsObject) {
  auto Object = [&](uint64_t Address) {
    I->process({Tsc += 1000, Address,
                wire::Record::pack(100, RecordKind::ObjectAllocate,
                                   AllocFunction::PyObjectMalloc),
                0, 1},
               0);
  };
  put(0, RecordKind::Map, 0x10000, 0x10000);
  // Two in which it might lie.
  put(0, RecordKind::Allocate, 0x12000 - 16, 200);
  put(0, RecordKind::Allocate, 0x12000, 100);
  Object(0x12000);
  put(0, RecordKind::Allocate, 0x14000, 100);
  Object(0x14000);
  put(0, RecordKind::Free, 0x12000);
  put(1, RecordKind::ReallocBegin, 0x14000);
  I->startKeyframe();
  I->finishKeyframe();
  put(0, RecordKind::ObjectFree, 0x12000);
  put(0, RecordKind::ObjectFree, 0x14000);
  put(1, RecordKind::ReallocEnd, 0x15000, 200);
  I->startKeyframe();
  I->finishKeyframe();
  R->finish();
  EXPECT_EQ(0u, R->losses());
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  CheckResult Checked = llvm::cantFail(checkTrace(*T));
  EXPECT_TRUE(Checked.agrees()) << Checked.Differences.front();
}

TEST_F(OneImage, AnAllocationWaitsForTheFreeBeforeIt) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::Allocate, 0x1000, 20); // its clock was a little early
  EXPECT_EQ("a0 ", events());
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ("a0 f0 a1 ", events());
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
  EXPECT_EQ(20u, R->Sums.domainTotals(0).LiveBytes);
  EXPECT_EQ(20u, R->Sums.domainTotals(0).PeakBytes);
}

TEST_F(OneImage, AFreeWaitsForItsAllocation) {
  put(1, RecordKind::Free, 0x1000);
  pass();
  EXPECT_EQ("", events());
  put(0, RecordKind::Allocate, 0x1000, 10);
  EXPECT_EQ("a0 f0 ", events());
  pass();
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneImage, ALongerStoryAtOneAddress) {
  put(0, RecordKind::Allocate, 0x1000, 1);
  // All of thread 1's life of the address comes before thread 0's free.
  put(1, RecordKind::Allocate, 0x1000, 2);
  put(1, RecordKind::Free, 0x1000);
  put(1, RecordKind::Allocate, 0x1000, 3);
  EXPECT_EQ("a0 ", events());
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ("a0 f0 a1 f1 a2 ", events());
  EXPECT_EQ(0u, R->losses());
}

/// Thread 1 waits for a block, and the processor reads its clock before it has
/// it; then the thread is not heard of for a while.
TEST_F(OneImage, AFreeBeforeTheBlockWasHandedOver) {
  MergedRecord Records[] = {
      {{1000, 0x1000, wire::Record::pack(16, RecordKind::Allocate), 0, 0}, 1},
      {{1010, 0x1000, wire::Record::pack(0, RecordKind::Free), 0, 0}, 1},
      {{1200, 0x1000, wire::Record::pack(0, RecordKind::Free), 0, 0}, 0},
      {{1300, 0x1000, wire::Record::pack(16, RecordKind::Allocate), 0, 0}, 0}};
  RingOfImage Of[] = {{I.get(), 0}, {I.get(), 1}};
  for (size_t Cut : {0, 2, 3, 4}) { // in one batch or two
    begin();
    Of[0].Image = Of[1].Image = I.get();
    for (llvm::ArrayRef Part : {llvm::ArrayRef(Records).take_front(Cut),
                                llvm::ArrayRef(Records).drop_front(Cut)}) {
      R->Recent.begin(Part, Of);
      for (const MergedRecord &M : Part)
        I->process(M.R, M.Source);
      R->Recent.end();
    }
    pass();
    pass();
    EXPECT_EQ("a0 f0 a1 f1 ", events());
    EXPECT_EQ(0u, R->losses());
  }
}

/// Of two frees the later one waits: its block has been given away in between.
TEST_F(OneImage, ALaterFreeWaitsForTheOtherRing) {
  MergedRecord Records[] = {
      {{1000, 0x1000, wire::Record::pack(16, RecordKind::Allocate), 0, 0}, 1},
      {{1100, 0x1000, wire::Record::pack(0, RecordKind::Free), 0, 0}, 0},
      {{1150, 0x1000, wire::Record::pack(0, RecordKind::Free), 0, 0}, 1},
      {{1200, 0x1000, wire::Record::pack(16, RecordKind::Allocate), 0, 0}, 0}};
  RingOfImage Of[] = {{I.get(), 0}, {I.get(), 1}};
  R->Recent.begin(Records, Of);
  for (const MergedRecord &M : Records)
    I->process(M.R, M.Source);
  R->Recent.end();
  pass();
  pass();
  EXPECT_EQ("a0 f0 a1 f1 ", events());
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneImage, WhatNeverComesIsALoss) {
  put(0, RecordKind::Free, 0x1000);
  put(0, RecordKind::Allocate, 0x2000, 5);
  put(1, RecordKind::Allocate, 0x2000, 7);
  pass();
  EXPECT_EQ(0u, R->losses());
  pass();
  EXPECT_EQ(1u, lost(LossKind::UnknownFree));
  EXPECT_EQ(1u, lost(LossKind::DoubleAllocate));
  // The old block is taken to be gone.
  EXPECT_EQ("a0 f0 a1 ", events());
  EXPECT_EQ(7u, R->Sums.domainTotals(0).LiveBytes);
}

TEST_F(OneImage, AChildFreesWhatItInherited) {
  begin(/*Forked=*/true);
  put(0, RecordKind::Free, 0x1000);
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocEnd, 0x3000, 50);
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
  EXPECT_EQ(2u, R->Sums.imageTotals(1, 0).InheritedFrees);
  EXPECT_EQ("a0 ", events());
}

TEST_F(OneImage, Realloc) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::ReallocBegin, 0x1000);
  // The address is given out again before the realloc has returned.
  put(1, RecordKind::Allocate, 0x1000, 20);
  EXPECT_EQ(30u, R->Sums.domainTotals(0).LiveBytes);
  put(0, RecordKind::ReallocEnd, 0x2000, 40);
  EXPECT_EQ("a0 a1 f0 a2 ", events());
  EXPECT_EQ(60u, R->Sums.domainTotals(0).LiveBytes);
  // One that fails changes nothing.
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocEnd, 0, 0);
  put(1, RecordKind::Free, 0x2000);
  EXPECT_EQ("a0 a1 f0 a2 f2 ", events());
  EXPECT_EQ(0u, R->losses());
}

/// Its thread never says how it went: the block lives where it was.
TEST_F(OneImage, AThreadEndsInRealloc) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::ReallocBegin, 0x1000);
  I->releaseRing(1);
  I->startKeyframe();
  I->finishKeyframe();
  put(0, RecordKind::Free, 0x1000);
  EXPECT_EQ(0u, lost(LossKind::UnknownFree));
  R->finish();
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  CheckResult Checked = llvm::cantFail(checkTrace(*T));
  EXPECT_EQ(1u, Checked.Keyframes);
  EXPECT_TRUE(Checked.agrees());
}

/// A thread in two at once, of which one is of no block.
TEST_F(OneImage, AReallocThatNeverBeganInAnother) {
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(0, RecordKind::ReallocBegin, 0x2000);
  put(0, RecordKind::ReallocBegin, 0x1000);
  pass();
  pass();
  I->startKeyframe();
  I->finishKeyframe();
  R->finish();
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  EXPECT_TRUE(llvm::cantFail(checkTrace(*T)).agrees());
}

TEST_F(OneImage, ReallocOfABlockThatComesLate) {
  put(1, RecordKind::ReallocBegin, 0x1000);
  put(0, RecordKind::Allocate, 0x1000, 10);
  put(1, RecordKind::ReallocEnd, 0x2000, 20);
  EXPECT_EQ("a0 f0 a1 ", events());
  put(2, RecordKind::ReallocBegin, 0x3000);
  put(2, RecordKind::ReallocEnd, 0x4000, 30);
  put(0, RecordKind::Allocate, 0x3000, 40);
  EXPECT_EQ("a0 f0 a1 a2 a3 f3 ", events());
  // One that fails on a block that comes late.
  put(2, RecordKind::ReallocBegin, 0x5000);
  put(2, RecordKind::ReallocEnd, 0);
  put(0, RecordKind::Allocate, 0x5000, 50);
  EXPECT_EQ("a0 f0 a1 a2 a3 f3 a4 ", events());
  pass();
  pass();
  EXPECT_EQ(0u, R->losses());
}

TEST_F(OneImage, NonsenseIsCountedAndDoesNoHarm) {
  std::mt19937_64 Random(5);
  for (int N = 0; N != 100000; ++N) {
    wire::Record Rec{Random() % 100000, Random() % 64 * 8, Random() | 0xff,
                     uint32_t(Random() % 100), uint32_t(Random())};
    Rec.SizeKindFunction = wire::Record::pack(
        N % 7 ? Random() % 1000 : Random() >> 20, RecordKind(Random() % 20),
        AllocFunction(Random() % 30));
    if (N % 3 == 0)
      Rec.Stack = uint32_t(Random());
    // Addresses at the end of what 64 bits give, and anywhere.
    if (N % 11 == 0)
      Rec.Address = N % 2 ? ~uint64_t(0) - Random() % 3 : Random();
    I->process(Rec, Random() % 4);
    if (N % 100 == 0)
      pass();
  }
  I->settleHeld(true);
  EXPECT_GT(lost(LossKind::BadRecord), 0u);
  R->finish();
  EXPECT_FALSE(R->failed());
}

/// A program's life as any records: most fit, some come too early or never fit,
/// threads come and go.
std::vector<MergedRecord> someRecords(unsigned Seed) {
  std::mt19937_64 Random(Seed);
  std::vector<MergedRecord> Out;
  std::map<uint64_t, bool> Live;
  uint64_t Tsc = 1000;
  for (unsigned N = 0; N != 150000; ++N) {
    uint64_t Address = (1 + Random() % 3000) * 16;
    RecordKind Kind = Live[Address] ? RecordKind::Free : RecordKind::Allocate;
    if (Random() % 200 == 0)
      Kind = RecordKind(Random() % 7);
    else
      Live[Address] = !Live[Address];
    Tsc += Random() % 300;
    uint64_t Size = Random() % 50 ? Random() % 5000 : Random() >> 20;
    MergedRecord M;
    M.R = {Random() % 100 ? Tsc : Tsc - 100, Random() % 300 ? Address : 0,
           wire::Record::pack(Size, Kind, AllocFunction::Malloc), 0, 0};
    M.Source = uint32_t(Random() % 4);
    Out.push_back(M);
  }
  return Out;
}

/// The same with tensors in some of the blocks, and with operators and layers
/// that begin and end.
std::vector<MergedRecord> someTorchRecords(unsigned Seed) {
  std::mt19937_64 Random(Seed);
  std::vector<MergedRecord> Out;
  std::map<uint64_t, bool> HasTensor;
  std::vector<uint64_t> Open[4];
  uint64_t Number = 0;
  for (const MergedRecord &M : someRecords(Seed)) {
    auto Add = [&](RecordKind K, uint64_t Address, uint64_t Size) {
      MergedRecord New = M;
      New.R.Address = Address;
      New.R.SizeKindFunction = wire::Record::pack(Size, K, AllocFunction(0));
      Out.push_back(New);
    };
    bool IsFree = M.R.kind() == uint8_t(RecordKind::Free);
    // Now and then the malloc block goes first.
    bool Late = Random() % 50 == 0, &Tensor = HasTensor[M.R.Address];
    if (IsFree && Tensor && !Late)
      Add(RecordKind::TensorFree, M.R.Address, 0);
    Out.push_back(M);
    if (IsFree && Tensor && Late)
      Add(RecordKind::TensorFree, M.R.Address, 0);
    if (IsFree)
      Tensor = false;
    if (M.R.kind() == uint8_t(RecordKind::Allocate) && M.R.Address &&
        Random() % 10 == 0) {
      Add(RecordKind::TensorAllocate, M.R.Address, M.R.size() / 2);
      Tensor = true;
    }
    std::vector<uint64_t> &Mine = Open[M.Source];
    if (Random() % 4 == 0 && Mine.size() < 8) {
      Mine.push_back(++Number);
      Add(RecordKind::ScopeBegin,
          (1 + Random() % 5) |
              (Random() % 5 ? wire::SF_Operator : wire::SF_Layer),
          Number);
    } else if (Random() % 4 == 0 && !Mine.empty()) {
      size_t At = Random() % 20 ? Mine.size() - 1 : 0;
      Add(RecordKind::ScopeEnd, 0, Mine[At]);
      Mine.resize(At);
    }
  }
  return Out;
}

TEST_F(OneImage, ManyAtOnceAreAsOneByOne) {
  for (unsigned Seed = 1; Seed != 7; ++Seed) {
    bool IsTorch = Seed > 3;
    std::vector<MergedRecord> Records =
        IsTorch ? someTorchRecords(Seed) : someRecords(Seed);
    std::string Traces[2];
    size_t Usual = 0;
    for (bool Many : {false, true}) {
      begin();
      I->shared().control().TensorDevices[0] = 1u << 16 | 0xff00;
      RingOfImage Of[4];
      for (uint32_t Ring = 0; Ring != 4; ++Ring)
        Of[Ring] = {I.get(), Ring};
      llvm::ArrayRef<MergedRecord> Left = Records;
      while (!Left.empty()) {
        // A pass ends, and a second, whatever was taken.
        llvm::ArrayRef<MergedRecord> Part = Left.take_front(700);
        Left = Left.drop_front(Part.size());
        while (!Part.empty()) {
          size_t Taken = Many ? I->takeUsual(Part, Of) : 0;
          Usual += Taken;
          if (!Taken)
            I->process(Part[0].R, Part[0].Source);
          Part = Part.drop_front(Taken ? Taken : 1);
        }
        pass();
        if (R->Pass % 40 == 0)
          R->flush();
      }
      I->settleHeld(true);
      R->finish();
      Traces[Many] = Bytes;
    }
    EXPECT_GT(Usual, Records.size() / (IsTorch ? 4 : 2));
    EXPECT_TRUE(eventsOf(Traces[0]) == eventsOf(Traces[1]));
    EXPECT_TRUE(sumsOf(Traces[0]) == sumsOf(Traces[1]));
  }
}

TEST_F(OneImage, FunctionsThatAreNone) {
  // An object is one whatever the program says that it called; else its event
  // and its sum would be of two heaps.
  static constexpr uint8_t Functions[] = {0x77, 0xfe, 0xff};
  for (uint8_t Function : Functions)
    for (RecordKind Kind : {RecordKind::ObjectAllocate, RecordKind::Allocate})
      I->process({Tsc += 1000, 0x1000u + Function * 16u,
                  wire::Record::pack(8, Kind, AllocFunction(Function)), 0, 0},
                 0);
  EXPECT_EQ(6u, lost(LossKind::BadRecord));
  uint32_t Objects = R->hostHeap(HostHeap::PythonObject);
  std::vector<Event> Rows = I->log().rows();
  ASSERT_EQ(6u, Rows.size());
  for (size_t At = 0; At != Rows.size(); ++At)
    EXPECT_EQ(At % 2 ? R->MallocHeap : Objects, Rows[At].Heap);
  EXPECT_EQ(3u, R->Sums.heapTotals(Objects).Allocations);
  EXPECT_EQ(3u, R->Sums.heapTotals(R->MallocHeap).Allocations);
}

TEST_F(OneImage, TimesRiseWhateverTheClocksSay) {
  put(0, RecordKind::Allocate, 0x1000, 1, 50000);
  put(1, RecordKind::Allocate, 0x2000, 1, 20000);
  put(0, RecordKind::Allocate, 0x3000, 1, 70000);
  std::vector<Event> Rows = I->log().rows();
  EXPECT_EQ(50000u, Rows[0].TimeNs);
  EXPECT_EQ(50000u, Rows[1].TimeNs);
  EXPECT_EQ(70000u, Rows[2].TimeNs);
}

/// Keyframes hold exactly what lives after their first events, while the table
/// changes under them.
TEST_F(OneImage, Keyframes) {
  begin(false, 1000000); // A step works for no longer than it must.
  std::mt19937_64 Random(7);
  std::map<uint64_t, uint64_t> Live; // address -> size
  for (uint64_t N = 0; N != 1500000; ++N) {
    uint64_t Address = (1 + Random() % 8000) * 16;
    if (Live.erase(Address)) {
      if (N % 16) {
        put(0, RecordKind::Free, Address);
      } else {
        put(0, RecordKind::ReallocBegin, Address);
        put(0, RecordKind::ReallocEnd, N % 32 ? Address : 0, 1);
        Live[Address] = 1;
      }
    } else {
      put(0, RecordKind::Allocate, Address, 1 + N % 100000);
      Live[Address] = 1;
    }
    if (N % 500 == 0) {
      pass();
      I->keyframe();
    }
  }
  I->finishKeyframe();
  R->finish();
  ASSERT_FALSE(R->failed());
  ASSERT_EQ(0u, R->losses());

  auto Reader = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  // The live blocks after each number of events, by ordinal.
  std::map<uint64_t, uint64_t> Replayed;
  std::vector<Keyframe> Frames;
  std::vector<Event> All;
  for (const BlockInfo &B : Reader->blocks()) {
    if (B.Kind == BlockKind::Events) {
      Events E;
      llvm::cantFail(Reader->read(B, E));
      All.insert(All.end(), E.Rows.begin(), E.Rows.end());
    } else if (B.Kind == BlockKind::Keyframe) {
      Keyframe K;
      llvm::cantFail(Reader->read(B, K));
      Frames.push_back(std::move(K));
    }
  }
  size_t At = 0, Whole = 0;
  std::map<uint64_t, uint64_t> Seen;
  for (const Keyframe &K : Frames) {
    for (; At != K.Events; ++At) {
      if (All[At].Kind == EventKind::Allocate)
        Replayed[All[At].Block] = All[At].Size;
      else
        Replayed.erase(All[At].Block);
    }
    if (K.Part == 0)
      Seen.clear();
    for (const LiveBlock &B : K.Blocks) {
      ASSERT_TRUE(Seen.empty() || Seen.rbegin()->first < B.Ordinal);
      Seen[B.Ordinal] = B.Size;
    }
    if (K.Last) {
      ++Whole;
      ASSERT_EQ(Replayed, Seen);
    }
  }
  EXPECT_GE(Whole, 2u);
}

/// A large one, in several groups of parts.
TEST_F(OneImage, KeyframeOfManyBlocks) {
  begin(false, 1000000);
  uint32_t Row = R->Sums.stackRow(1, R->MallocHeap, 0);
  LiveTable Table;
  std::map<uint64_t, uint64_t> Want; // ordinal -> size
  std::vector<uint64_t> Addresses;
  uint64_t Ordinal = 0;
  for (; Ordinal != 300000; ++Ordinal) {
    uint64_t Address = (Ordinal + 1) * 48;
    Table.insert(Address, {Ordinal, Ordinal % 77, Ordinal / 9, Row, 0});
    Want[Ordinal] = Ordinal % 77;
    Addresses.push_back(Address);
  }
  // One of them is in the hands of a realloc, and comes back in between.
  LiveEntry Detached;
  ASSERT_TRUE(Table.take(Addresses[5], Detached));
  Keyframer K;
  Enclosers Enclosing;
  Enclosing[7] = 3; // block 7 lies in block 2
  K.start(Ordinal, Ordinal, 10000000, Table.size(), Detached, Enclosing);
  std::mt19937_64 Random(8);
  for (int Step = 0; K.active(); ++Step) {
    K.step(LiveSource{Table}, *R, 1);
    if (Step == 100)
      Table.insert(Addresses[5], Detached);
    for (int I = 0; I != 100; ++I) {
      size_t At = Random() % Addresses.size();
      LiveEntry E;
      if (!Table.take(Addresses[At], E))
        continue;
      K.onTake(E, LiveTable::shardOf(Addresses[At]));
      E.Ordinal = Ordinal++;
      Table.insert(Addresses[At], E);
    }
  }
  R->finish();
  auto Reader = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  std::map<uint64_t, uint64_t> Got;
  uint32_t Parts = 0;
  for (const BlockInfo &B : Reader->blocks()) {
    if (B.Kind != BlockKind::Keyframe)
      continue;
    Keyframe Part;
    llvm::cantFail(Reader->read(B, Part));
    EXPECT_EQ(Parts++, Part.Part);
    EXPECT_EQ(300000u, Part.NextOrdinal);
    for (const LiveBlock &L : Part.Blocks) {
      ASSERT_TRUE(Got.empty() || Got.rbegin()->first < L.Ordinal);
      ASSERT_EQ(L.Ordinal / 9 * TimeUnitNs, L.BirthNs);
      ASSERT_EQ(L.Ordinal == 7 ? 3u : 0u, L.Enclosing);
      Got[L.Ordinal] = L.Size;
    }
  }
  EXPECT_GT(Parts, 30u);
  EXPECT_EQ(Want, Got);
}

} // namespace
