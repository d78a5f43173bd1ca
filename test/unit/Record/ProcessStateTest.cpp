// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From records to events.

#include "OneProcess.h"
#include <random>

using namespace memkit;

namespace {

std::vector<Event> eventsOf(llvm::StringRef Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  std::vector<Event> Out;
  for (const SectionInfo &B : T->sections())
    if (B.Kind == SectionKind::Events) {
      Events E;
      llvm::cantFail(T->read(B, E));
      Out.insert(Out.end(), E.Rows.begin(), E.Rows.end());
    }
  return Out;
}

/// The heaps, rows and layers of the trace's summary.
std::tuple<std::vector<HeapStats>, std::vector<StackStatsRows>,
           std::vector<StackStatsRows>, std::vector<LayerStats>>
sumsOf(llvm::StringRef Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  Summary S;
  for (const SectionInfo &B : T->sections())
    if (B.Kind == SectionKind::Summary)
      llvm::cantFail(T->read(B, S));
  return {S.Heaps, S.Stacks, S.ScopePaths, S.Layers};
}

TEST_F(OneProcess, NonsenseIsCountedAndDoesNoHarm) {
  std::mt19937_64 Random(5);
  for (int N = 0; N != 100000; ++N) {
    wire::Record Rec = rawRecord(
        Random() % 100000, RecordKind(Random() % 20), Random() % 64 * 8,
        N % 7 ? Random() % 1000 : Random() >> 20, uint8_t(Random() % 30),
        uint32_t(Random() % 100), uint32_t(Random()));
    if (N % 3 == 0)
      Rec.Stack = uint32_t(Random());
    // Addresses at the end of the 64-bit range, and random ones.
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

TEST_F(OneProcess, ALostRecordHoldsNoneBackForLong) {
  // The allocation before the free is lost; all others fit.
  I->process(rawRecord(1000, RecordKind::Free, 0x1000, 0), 0);
  for (uint64_t N = 0; N != 100'000; ++N) {
    uint64_t Tsc = 1'000'000 + N * 100'000;
    I->process(rawRecord(Tsc, RecordKind::Allocate, 0x1000, 64), 0);
    I->process(rawRecord(Tsc + 50'000, RecordKind::Free, 0x1000, 0), 0);
  }
  pass();
  I->settleHeld(true);
  EXPECT_EQ(lost(LossKind::UnknownFree), 1u);
  EXPECT_EQ(lost(LossKind::DoubleAllocate), 0u);
  R->finish();
  EXPECT_FALSE(R->failed());
}

/// Random records of a program: most fit, some arrive too early or never fit,
/// and threads start and end.
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
    uint64_t At = Random() % 100 ? Tsc : Tsc - 100;
    M.R = rawRecord(At, Kind, Random() % 300 ? Address : 0, Size,
                    uint8_t(AllocFunction::Malloc));
    M.Source = uint32_t(Random() % 4);
    Out.push_back(M);
  }
  return Out;
}

/// As someRecords(), with tensors in some of the blocks, and with operators and
/// layers that begin and end.
std::vector<MergedRecord> someTorchRecords(unsigned Seed) {
  std::mt19937_64 Random(Seed);
  std::vector<MergedRecord> Out;
  std::map<uint64_t, bool> HasTensor;
  std::vector<uint64_t> Open[4];
  uint64_t Number = 0;
  for (const MergedRecord &M : someRecords(Seed)) {
    auto Add = [&](RecordKind K, uint64_t Address, uint64_t Size) {
      MergedRecord New = M;
      New.R = rawRecord(M.R.Tsc, K, Address, Size);
      Out.push_back(New);
    };
    bool IsFree = M.R.kind() == uint8_t(RecordKind::Free);
    // Sometimes the malloc block is freed first.
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

/// Objects of an interpreter: most in arenas that come and go, some in blocks
/// of malloc, some in neither, with records that never fit, and layers.
std::vector<MergedRecord> someObjectRecords(unsigned Seed) {
  constexpr uint64_t Arenas = 0x7f0000000000, ArenaBytes = 1 << 16;
  std::mt19937_64 Random(Seed);
  std::vector<MergedRecord> Out;
  std::map<uint64_t, bool> Live;
  std::vector<uint64_t> Layers;
  uint64_t Tsc = 1000, Number = 0;
  auto Add = [&](auto Rec) {
    MergedRecord M;
    M.R = wire::encodeAt(Tsc += Random() % 300, Rec);
    M.Source = 0;
    Out.push_back(M);
  };
  for (unsigned N = 0; N != 100000; ++N) {
    uint64_t Dice = Random() % 1000,
             Arena = Arenas + Random() % 12 * ArenaBytes;
    if (Dice < 4) {
      Add(wire::MapRecord{Arena, wire::MapClass::Used, ArenaBytes,
                          AllocFunction::Mmap, 0});
      continue;
    }
    if (Dice < 6) {
      Add(wire::UnmapRecord{Arena + (Dice == 5 ? 4096 * 3 : 0),
                            Dice == 5 ? 4096 * 2 : ArenaBytes});
      continue;
    }
    if (Dice < 12) {
      if (Layers.size() < 5) {
        Layers.push_back(++Number);
        MergedRecord M;
        M.R = rawRecord(Tsc, RecordKind::ScopeBegin,
                        (1 + Random() % 3) | wire::SF_Layer, Number);
        Out.push_back(M);
      } else {
        MergedRecord M;
        M.R = rawRecord(Tsc, RecordKind::ScopeEnd, 0, Layers.back());
        Layers.pop_back();
        Out.push_back(M);
      }
      continue;
    }
    uint64_t Place = Random() % 128, Address = Arena + 512 * Place;
    bool InMalloc = Dice < 100;
    if (Dice < 200)
      Address = 0x100000 + 4096 * Place;
    bool &Lives = Live[Address];
    if (Random() % 300 == 0)
      Lives = !Lives;
    if (Lives) {
      Add(wire::ObjectFreeRecord{Address});
      if (InMalloc)
        Add(wire::FreeRecord{Address - 16});
    } else {
      if (InMalloc)
        Add(wire::AllocateRecord{Address - 16, 3000, AllocFunction::Malloc, 0});
      Add(wire::ObjectAllocateRecord{
          Address, Random() % 500, AllocFunction::PyObjectMalloc, 0, InMalloc});
    }
    Lives = !Lives;
  }
  return Out;
}

TEST_F(OneProcess, ManyAtOnceAreAsOneByOne) {
  for (unsigned Seed = 1; Seed != 10; ++Seed) {
    bool IsTorch = Seed > 3 && Seed < 7;
    std::vector<MergedRecord> Records = Seed > 6  ? someObjectRecords(Seed)
                                        : IsTorch ? someTorchRecords(Seed)
                                                  : someRecords(Seed);
    std::string Traces[2];
    size_t Usual = 0;
    for (bool Many : {false, true}) {
      begin();
      I->shared().control().TensorDevices[0] = 1u << 16 | 0xff00;
      RingOfProcess Of[4];
      for (uint32_t Ring = 0; Ring != 4; ++Ring)
        Of[Ring] = {I.get(), Ring, I->id()};
      llvm::ArrayRef<MergedRecord> Left = Records;
      while (!Left.empty()) {
        // A pass ends and a second elapses, regardless of the records taken.
        llvm::ArrayRef<MergedRecord> Part = Left.take_front(700);
        Left = Left.drop_front(Part.size());
        while (!Part.empty()) {
          size_t Taken = Many ? I->takeFast(Part, Of) : 0;
          Usual += Taken;
          if (!Taken)
            I->process(Part[0].R, Part[0].Source);
          Part = Part.drop_front(Taken ? Taken : 1);
        }
        pass();
        if (Shared->Pass % 40 == 0)
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

/// Scope numbers are the process's own. A wrong program uses one number for a
/// layer in one thread and for a plain scope in another.
TEST_F(OneProcess, AScopeAndALayerOfOneNumber) {
  for (bool LayerFirst : {false, true}) {
    begin();
    for (bool IsLayer : {LayerFirst, !LayerFirst})
      put(IsLayer, RecordKind::ScopeBegin,
          IsLayer ? wire::SF_Layer | 0x80b000 : 7, 179);
    for (uint32_t Ring : {0, 1})
      put(Ring, RecordKind::ScopeEnd, 0, 179);
    I->endScopes(R->lastNs());
    for (const LayerStats &T : R->scopeTotals())
      EXPECT_EQ(R->names().Names.string("(no name)"), T.Name);
    EXPECT_EQ(std::vector<std::string>(), differences());
  }
}

TEST_F(OneProcess, FunctionsThatAreNone) {
  // An object stays an object for any function number; otherwise its event and
  // its stats would be in two heaps.
  static constexpr uint8_t Functions[] = {0x77, 0xfe, 0xff};
  for (uint8_t Function : Functions)
    for (RecordKind Kind : {RecordKind::ObjectAllocate, RecordKind::Allocate})
      I->process(
          rawRecord(Tsc += 1000, Kind, 0x1000u + Function * 16u, 8, Function),
          0);
  EXPECT_EQ(6u, lost(LossKind::BadRecord));
  uint32_t Objects = R->heaps().host(HostHeapKind::PythonObject);
  std::vector<Event> Rows = I->log().Now.rows();
  ASSERT_EQ(6u, Rows.size());
  for (size_t At = 0; At != Rows.size(); ++At)
    EXPECT_EQ(At % 2 ? R->heaps().malloc() : Objects, Rows[At].Heap);
  EXPECT_EQ(3u, R->stats().heapStats(Objects).Allocations);
  EXPECT_EQ(3u, R->stats().heapStats(R->heaps().malloc()).Allocations);
}

TEST_F(OneProcess, TimesRiseWhateverTheClocksSay) {
  put(0, RecordKind::Allocate, 0x1000, 1, 50000);
  put(1, RecordKind::Allocate, 0x2000, 1, 20000);
  put(0, RecordKind::Allocate, 0x3000, 1, 70000);
  std::vector<Event> Rows = I->log().Now.rows();
  EXPECT_EQ(50000u, Rows[0].TimeNs);
  EXPECT_EQ(50000u, Rows[1].TimeNs);
  EXPECT_EQ(70000u, Rows[2].TimeNs);
}

/// Blocks from before the recording: freed later, known by then, or gone by
/// then.
TEST_F(OneProcess, AdoptedBlocks) {
  I->hostHeap().expectAdopted();
  put(0, RecordKind::Allocate, 0x1000, 10); // block 0
  put(0, RecordKind::Free, 0x2000);         // from before, and gone
  put(0, RecordKind::Allocate, 0x3000, 30); // block 1
  put(0, RecordKind::Free, 0x3000);
  pass();
  I->expectUnknown();
  Census C;
  C.Names = {{}, {0, "cache", "main.py"}, {1, "dict", ""}};
  for (uint64_t At : {0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000})
    C.Blocks.push_back({At, 100, 2, false});
  EXPECT_EQ(I->adopt(C, 0, 4, Tsc += 1000), 4u);
  put(0, RecordKind::Free, 0x4000);
  // The fifth ends before it is taken.
  put(0, RecordKind::Free, 0x5000);
  EXPECT_EQ(I->adopt(C, 4, 100, Tsc += 1000), 6u);
  I->endAdopting();
  // It was free already when it was read: no loss.
  put(0, RecordKind::Allocate, 0x6000, 60);
  pass();
  pass();
  EXPECT_EQ(events(), "a0 a1 f1 a2 f2 a3 f3 a4 ");
  EXPECT_EQ(lost(LossKind::DoubleAllocate), 0u);
  EXPECT_EQ(lost(LossKind::UnknownFree), 0u);
  EXPECT_TRUE(differences().empty());
}

} // namespace
