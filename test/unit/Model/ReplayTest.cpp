// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays of a trace's events.

#include "memkit/Model/Replay.h"
#include "TraceMaker.h"
#include "memkit/Model/Complete.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace memkit::test;

namespace {

std::vector<LiveBlock> liveAt(TraceReader &R, uint32_t Process, uint64_t AtNs,
                              bool FromSnapshot, uint64_t &HostBytes) {
  auto Run = llvm::cantFail(Replay::create(R));
  if (FromSnapshot)
    llvm::cantFail(Run->startNear(AtNs));
  llvm::cantFail(Run->run(AtNs));
  std::vector<LiveBlock> Out;
  Run->forEachLive(Process,
                   [&](const LiveBlock &B, uint32_t) { Out.push_back(B); });
  EXPECT_EQ(Out.size(), Run->liveBlocks(Process));
  HostBytes = 0;
  for (const LiveBlock &B : Out)
    HostBytes += B.Size;
  return Out;
}

/// The message of a failed replay; empty if the replay succeeds.
std::string failure(const MadeTrace &T) {
  std::unique_ptr<TraceReader> R = T.open();
  auto Run = Replay::create(*R);
  if (!Run)
    return llvm::toString(Run.takeError());
  return llvm::toString((*Run)->run());
}

TEST(Replay, ManyAtOnceAreAsOneByOne) {
  for (unsigned Seed = 0; Seed < 4; ++Seed) {
    uint32_t Processes = 1 + Seed / 2;
    MadeTrace T = makeEvents(Seed, 150000, Processes, /*Places=*/false);
    std::unique_ptr<TraceReader> R = T.open();
    auto Many = llvm::cantFail(Replay::create(*R)),
         Single = llvm::cantFail(Replay::create(*R));
    llvm::cantFail(Many->run());
    // runUntil() replays one event at a time.
    uint64_t Asked = 0;
    llvm::cantFail(Single->runUntil(0, [&] { return ++Asked == 0; }));
    EXPECT_EQ(Asked, Single->stats().events());
    EXPECT_TRUE(Many->stats().summary(1, 0) == Single->stats().summary(1, 0));
    for (uint32_t Process = 1; Process <= Processes; ++Process) {
      std::vector<LiveBlock> Live[2];
      Many->forEachLive(
          Process, [&](const LiveBlock &B, uint32_t) { Live[0].push_back(B); });
      Single->forEachLive(
          Process, [&](const LiveBlock &B, uint32_t) { Live[1].push_back(B); });
      EXPECT_EQ(Live[0], Live[1]);
    }
  }
}

TEST(Replay, SnapshotsGiveTheSameLiveBlocks) {
  // One process gets all events, which are enough for a snapshot.
  for (uint32_t Processes : {1u, 2u}) {
    bool Places = Processes == 2;
    MadeTrace T = completed(makeEvents(Processes, 300000, Processes, Places));
    ASSERT_FALSE(T.all<Snapshot>().empty());
    std::unique_ptr<TraceReader> R = T.open();
    uint64_t End = llvm::cantFail(Replay::create(*R))->endNs();
    std::mt19937_64 Rng(5);
    for (unsigned I = 0; I < 12; ++I) {
      uint64_t At = Rng() % (End + 1000), Bytes, Wanted;
      for (uint32_t Process = 1; Process <= Processes; ++Process) {
        std::vector<LiveBlock> Want = liveAt(*R, Process, At, false, Wanted);
        EXPECT_EQ(liveAt(*R, Process, At, true, Bytes), Want) << At;
        EXPECT_EQ(Bytes, Wanted);
      }
    }
  }
}

/// The live blocks at a time are the same if the replay counts no stats: of
/// one and of two processes, with and without places, from the start and from
/// a snapshot.
TEST(Replay, BlocksAloneAreTheSameBlocks) {
  for (unsigned Seed = 0; Seed < 4; ++Seed) {
    uint32_t Processes = 1 + Seed % 2;
    MadeTrace T = completed(makeEvents(Seed, 200000, Processes, Seed / 2));
    std::unique_ptr<TraceReader> R = T.open();
    uint64_t End = llvm::cantFail(Replay::create(*R))->endNs();
    for (uint64_t At : {End / 7, End / 2, End})
      for (bool FromSnapshot : {false, true}) {
        std::vector<LiveBlock> Of[2];
        for (bool BlocksOnly : {false, true}) {
          ReplayOptions Options;
          Options.BlocksOnly = BlocksOnly;
          auto Run = llvm::cantFail(Replay::create(*R, Options));
          if (FromSnapshot)
            llvm::cantFail(Run->startNear(At));
          llvm::cantFail(Run->run(At));
          for (uint32_t Process = 1; Process <= Processes; ++Process)
            Run->forEachLive(Process, [&](const LiveBlock &B, uint32_t) {
              Of[BlocksOnly].push_back(B);
            });
          EXPECT_EQ(Run->stats().events() == 0, BlocksOnly);
        }
        EXPECT_FALSE(Of[0].empty());
        EXPECT_EQ(Of[0], Of[1]) << Seed << " " << At << " " << FromSnapshot;
      }
  }
}

TEST(Replay, StopsWhenAsked) {
  MadeTrace T = makeEvents(3, 5000, 2);
  std::unique_ptr<TraceReader> R = T.open();
  uint64_t Peak, PeakNs;
  {
    auto Run = llvm::cantFail(Replay::create(*R));
    llvm::cantFail(Run->run());
    Peak = Run->stats().spaceStats(0).PeakBytes;
    PeakNs = Run->stats().spaceStats(0).PeakTimeNs;
  }
  auto Run = llvm::cantFail(Replay::create(*R));
  llvm::cantFail(Run->runUntil(
      PeakNs, [&] { return Run->stats().spaceLiveBytes(0) == Peak; }));
  EXPECT_EQ(Run->stats().spaceLiveBytes(0), Peak);
  EXPECT_EQ(Run->stats().lastEventNs(), PeakNs);
}

TEST(Replay, SelectsBlocks) {
  MadeTrace T = makeEvents(4, 20000, 2);
  uint64_t Count = 0, Bytes = 0;
  for (Events *E : T.all<Events>())
    for (const Event &Ev : E->Rows)
      if (Ev.Kind == EventKind::Allocate && Ev.Size >= 500 && Ev.Heap == 2) {
        Count += 1;
        Bytes += Ev.Size;
      }
  ASSERT_GT(Count, 0u);
  ReplayOptions Options;
  Options.Select = [](const Allocation &B) {
    return B.Size >= 500 && B.Heap == 2;
  };
  std::unique_ptr<TraceReader> R = T.open();
  Summary S = llvm::cantFail(summarize(*R, Options));
  uint64_t Got = 0;
  for (const StackStatsRows &Rows : S.Stacks)
    for (const StackStats &Row : Rows.Rows) {
      EXPECT_EQ(Row.Heap, 2u);
      Got += Row.Allocations;
    }
  EXPECT_EQ(Got, Count);
  EXPECT_GE(S.Heaps[1].AllocatedBytes, Bytes) << "and what resizes added";
  EXPECT_EQ(S.Heaps[0].Allocations, 0u);
}

TEST(Replay, KeepsThreadsOnRequest) {
  MadeTrace T = makeEvents(5, 2000, 1);
  ReplayOptions Options;
  Options.KeepThreads = true;
  std::unique_ptr<TraceReader> R = T.open();
  auto Run = llvm::cantFail(Replay::create(*R, Options));
  llvm::cantFail(Run->run());
  uint64_t Seen = 0;
  Run->forEachLive(1, [&](const LiveBlock &, uint32_t Thread) {
    EXPECT_TRUE(Thread == 1 || Thread == 2);
    Seen += Thread;
  });
  EXPECT_GT(Seen, 0u);
}

/// A trace of one process with the given rows.
MadeTrace rows(std::vector<Event> Rows) {
  MadeTrace T;
  T.Blocks.push_back(someDictionary(1));
  Events E;
  E.Process = 1;
  E.Rows = std::move(Rows);
  T.Blocks.push_back(E);
  return T;
}

Event event(EventKind Kind, uint64_t TimeNs, uint64_t Block, uint64_t Size) {
  Event E;
  E.Kind = Kind;
  E.TimeNs = TimeNs;
  E.Block = Block;
  E.Size = Size;
  E.Thread = 1;
  if (Kind == EventKind::Allocate) {
    E.Stack = 1;
    E.Heap = 1;
  }
  return E;
}

TEST(Replay, RefusesReferencesToDeadBlocks) {
  EXPECT_EQ(failure(rows({event(EventKind::Allocate, 0, 0, 8),
                          event(EventKind::Free, 100, 0, 0)})),
            "");
  std::string Twice = failure(rows({event(EventKind::Allocate, 0, 0, 8),
                                    event(EventKind::Free, 100, 0, 0),
                                    event(EventKind::Free, 200, 0, 0)}));
  EXPECT_NE(Twice.find("made.fb: offset "), std::string::npos) << Twice;
  EXPECT_NE(Twice.find("an event at 200 ns names block 0, which is not live"),
            std::string::npos)
      << Twice;
  std::string Split = failure(rows({event(EventKind::Allocate, 0, 0, 8),
                                    event(EventKind::Split, 100, 0, 9)}));
  EXPECT_NE(Split.find("block 0 of 8 bytes is split at 9"), std::string::npos)
      << Split;
}

TEST(Replay, RefusesWhatIsOutOfOrder) {
  MadeTrace T = rows({event(EventKind::Allocate, 500, 0, 8)});
  Events Second = *T.all<Events>()[0];
  Second.FirstAllocationId = 1;
  Second.Rows[0].Block = 1;
  Second.Epoch = 1;
  Second.Rows[0].TimeNs = 400;
  T.Blocks.push_back(Second);
  EXPECT_NE(
      failure(T).find("events out of order: from 400 ns on, after 500 ns"),
      std::string::npos)
      << failure(T);
  T.all<Events>()[1]->Rows[0].TimeNs = 600;
  EXPECT_EQ(failure(T), "");
  T.all<Events>()[0]->Epoch = 2;
  EXPECT_NE(failure(T).find("epoch 1 after epoch 2"), std::string::npos);
  T.all<Events>()[0]->Epoch = 0;
  T.all<Events>()[1]->FirstAllocationId = 7;
  T.all<Events>()[1]->Rows[0].Block = 7;
  EXPECT_NE(failure(T).find("events from block 7 on, but block 1 is the next"),
            std::string::npos);
}

TEST(Replay, RefusesEventsAfterTheEnd) {
  MadeTrace T = rows({event(EventKind::Allocate, 500, 0, 8)});
  Marks M;
  M.Rows.resize(1);
  M.Rows[0].Kind = MarkKind::ProcessEnd;
  M.Rows[0].Process = 1;
  M.Rows[0].TimeNs = 600;
  T.Blocks.push_back(M);
  EXPECT_EQ(failure(T), "");
  // Marks precede the events of the same time.
  T.all<Marks>()[0]->Rows[0].TimeNs = 500;
  EXPECT_NE(failure(T).find("of process 1, which has ended"), std::string::npos)
      << failure(T);
}

TEST(Replay, RefusesWhatIsNotDefined) {
  MadeTrace T = rows({event(EventKind::Allocate, 0, 0, 8)});
  T.all<Events>()[0]->Rows[0].Stack = 21;
  EXPECT_NE(failure(T).find("stack 21, there are 20"), std::string::npos)
      << failure(T);
  // Defined, but later in the file.
  T.all<Events>()[0]->Rows[0].Stack = 20;
  EXPECT_EQ(failure(T), "");
  std::swap(T.Blocks[0], T.Blocks[1]);
  EXPECT_NE(failure(T), "");
}

} // namespace
