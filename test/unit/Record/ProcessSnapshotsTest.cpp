// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents of snapshots.

#include "OneProcess.h"
#include <map>
#include <random>

using namespace memkit;

namespace {

/// Each object lies in the mapping of its allocation, although the mapping is
/// cut, cut again, mapped over, or shrinks below the object.
TEST_F(OneProcess, AMappingIsCutUnderObjects) {
  for (bool SnapshotRuns : {false, true}) {
    begin();
    put(0, RecordKind::Map, 0x10000, 0x10000);
    auto Object = [&](uint64_t Address) {
      I->process(
          wire::encodeAt(Tsc += 1000,
                         wire::ObjectAllocateRecord{
                             Address, 100, AllocFunction::PyObjectMalloc, 0,
                             /*InMalloc=*/false}),
          0);
    };
    for (uint64_t Address : {0x11000, 0x18000, 0x1c000, 0x1e000, 0x1f900})
      Object(Address);
    I->snapshots().start();
    if (!SnapshotRuns)
      I->snapshots().finish();
    put(0, RecordKind::Map, 0x14000, 0x1000);
    Object(0x14100);
    Object(0x1d000);
    put(0, RecordKind::Map, 0x18000, 0x1000);
    put(0, RecordKind::Unmap, 0x1e000, 0x1000);
    put(0, RecordKind::RemapBegin, 0x1f000, 0x1000);
    put(0, RecordKind::RemapEnd, 0x1f000, 0x800);
    if (!I->snapshots().active())
      I->snapshots().start();
    I->snapshots().finish();
    for (uint64_t Address : {0x11000, 0x1c000, 0x1d000, 0x1e000, 0x18000})
      put(0, RecordKind::ObjectFree, Address);
    pass();
    I->snapshots().start();
    I->snapshots().finish();
    EXPECT_EQ(std::vector<std::string>(), differences());
    EXPECT_EQ(0u, R->losses());
  }
}

/// An object outlives its malloc block, and the malloc block its mapping; or
/// the malloc block is being reallocated.
TEST_F(OneProcess, ABlockEndsUnderItsObject) {
  auto Object = [&](uint64_t Address) {
    I->process(wire::encodeAt(Tsc += 1000,
                              wire::ObjectAllocateRecord{
                                  Address, 100, AllocFunction::PyObjectMalloc,
                                  0, /*InMalloc=*/true}),
               0);
  };
  put(0, RecordKind::Map, 0x10000, 0x10000);
  // Two blocks that may enclose the object.
  put(0, RecordKind::Allocate, 0x12000 - 16, 200);
  put(0, RecordKind::Allocate, 0x12000, 100);
  Object(0x12000);
  put(0, RecordKind::Allocate, 0x14000, 100);
  Object(0x14000);
  put(0, RecordKind::Free, 0x12000);
  put(1, RecordKind::ReallocBegin, 0x14000);
  I->snapshots().start();
  I->snapshots().finish();
  put(0, RecordKind::ObjectFree, 0x12000);
  put(0, RecordKind::ObjectFree, 0x14000);
  put(1, RecordKind::ReallocEnd, 0x15000, 200);
  I->snapshots().start();
  I->snapshots().finish();
  EXPECT_EQ(std::vector<std::string>(), differences());
  EXPECT_EQ(0u, R->losses());
}

/// Snapshots hold exactly the blocks live after their first events, although
/// the table changes meanwhile.
TEST_F(OneProcess, Snapshots) {
  // A slow clock, so each step of a snapshot ends as soon as possible.
  begin(false, 1000000);
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
      I->snapshots().advance();
    }
  }
  I->snapshots().finish();
  R->finish();
  ASSERT_FALSE(R->failed());
  ASSERT_EQ(0u, R->losses());

  auto Reader = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  // The live blocks after each number of events, by allocation id.
  std::map<uint64_t, uint64_t> Replayed;
  std::vector<Snapshot> Frames;
  std::vector<Event> All;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind == SectionKind::Events) {
      Events E;
      llvm::cantFail(Reader->read(B, E));
      All.insert(All.end(), E.Rows.begin(), E.Rows.end());
    } else if (B.Kind == SectionKind::Snapshot) {
      Snapshot K;
      llvm::cantFail(Reader->read(B, K));
      Frames.push_back(std::move(K));
    }
  }
  size_t At = 0, Whole = 0;
  std::map<uint64_t, uint64_t> Seen;
  for (const Snapshot &K : Frames) {
    for (; At != K.Events; ++At) {
      if (All[At].Kind == EventKind::Allocate)
        Replayed[All[At].Block] = All[At].Size;
      else
        Replayed.erase(All[At].Block);
    }
    if (K.Part == 0)
      Seen.clear();
    for (const LiveBlock &B : K.Blocks) {
      ASSERT_TRUE(Seen.empty() || Seen.rbegin()->first < B.AllocationId);
      Seen[B.AllocationId] = B.Size;
    }
    if (K.Last) {
      ++Whole;
      ASSERT_EQ(Replayed, Seen);
    }
  }
  EXPECT_GE(Whole, 2u);
}

/// A large snapshot, in several groups of parts.
TEST_F(OneProcess, SnapshotOfManyBlocks) {
  begin(false, 1000000);
  uint32_t Row = R->stats().stackRow(1, R->heaps().malloc(), 0);
  LiveTable Table;
  std::map<uint64_t, uint64_t> Want; // allocation id -> size
  std::vector<uint64_t> Addresses;
  uint64_t AllocationId = 0;
  for (; AllocationId != 300000; ++AllocationId) {
    uint64_t Address = (AllocationId + 1) * 48;
    Table.insert(Address,
                 {AllocationId, AllocationId % 77, AllocationId / 9, Row, 0});
    Want[AllocationId] = AllocationId % 77;
    Addresses.push_back(Address);
  }
  // One of the blocks is detached by a realloc, and returns in between.
  LiveEntry Detached;
  ASSERT_TRUE(Table.take(Addresses[5], Detached));
  SnapshotWriter K;
  Enclosers Enclosing;
  Enclosing[7] = 3; // block 7 lies in block 2
  K.start(AllocationId, AllocationId, 10000000, Table.size(), Detached,
          Enclosing);
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
      E.AllocationId = AllocationId++;
      Table.insert(Addresses[At], E);
    }
  }
  R->finish();
  auto Reader = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  std::map<uint64_t, uint64_t> Got;
  uint32_t Parts = 0;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind != SectionKind::Snapshot)
      continue;
    Snapshot Part;
    llvm::cantFail(Reader->read(B, Part));
    EXPECT_EQ(Parts++, Part.Part);
    EXPECT_EQ(300000u, Part.NextAllocationId);
    for (const LiveBlock &L : Part.Blocks) {
      ASSERT_TRUE(Got.empty() || Got.rbegin()->first < L.AllocationId);
      ASSERT_EQ(L.AllocationId / 9 * TimeUnitNs, L.AllocatedNs);
      ASSERT_EQ(L.AllocationId == 7 ? 3u : 0u, L.Enclosing);
      Got[L.AllocationId] = L.Size;
    }
  }
  EXPECT_GT(Parts, 30u);
  EXPECT_EQ(Want, Got);
}

} // namespace
