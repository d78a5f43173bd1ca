// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events in memory before encoding.

#include "Trace/EventLog.h"
#include "SampleTrace.h"
#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;
using namespace llvm;

namespace {

/// Random events, each appended to a log and kept as a row.
struct Both {
  EventLog Log;
  std::vector<Event> Rows;
  std::mt19937_64 Random{5};
  uint64_t Tick = 1000;
  unsigned NumThreads = 1, NumHeaps = 1, NumScopePaths = 1;
  bool Wide = false;

  uint64_t value(uint64_t Max) {
    return Wide && Random() % 50 == 0 ? Random() >> 2 : Random() % Max;
  }
  void add(EventKind Kind) {
    Event E;
    Tick += Wide && Random() % 500 == 0 ? uint64_t(1) << 33 : Random() % 3;
    E.TimeNs = Tick * TimeUnitNs;
    uint32_t Lane = uint32_t(Random() % NumThreads);
    E.Thread = 10 + Lane;
    E.Kind = Kind;
    if (Kind != EventKind::Free)
      E.Size = value(5000);
    E.Block = Log.nextAllocationId();
    if (Kind == EventKind::Allocate) {
      E.Stack = 1 + uint32_t(Random() % 300);
      E.Heap = uint16_t(1 + Random() % NumHeaps);
      E.ScopePath = uint32_t(Random() % NumScopePaths);
      Log.allocate(Lane, Tick, E.Size, E.Stack, E.ScopePath, E.Heap);
    } else {
      // A block near the newest, or any block.
      uint64_t Back = Random() % 3 ? Random() % 200 : Random();
      E.Block = Log.nextAllocationId() - 1 - Back % Log.nextAllocationId();
      if (Kind == EventKind::Free)
        Log.free(Lane, Tick, E.Block);
      else if (Kind == EventKind::Resize)
        Log.resize(Lane, Tick, E.Block, E.Size);
      else
        Log.split(Lane, Tick, E.Block, E.Size);
    }
    Rows.push_back(E);
  }
  void fill(uint64_t FirstAllocationId, size_t Count, bool AllKinds) {
    Log.start(FirstAllocationId);
    Rows.clear();
    for (unsigned T = 0; T != NumThreads; ++T)
      EXPECT_EQ(T, Log.addThread(10 + T));
    add(EventKind::Allocate);
    while (Rows.size() != Count)
      add(EventKind(Random() % (AllKinds ? 4 : 2)));
  }
  /// Writes the log and reads the same rows back from the trace.
  void check() {
    EXPECT_TRUE(Log.rows() == Rows);
    EXPECT_EQ(Log.size(), Rows.size());
    EXPECT_EQ(Log.beginNs(), Rows.front().TimeNs);
    EXPECT_EQ(Log.endNs(), Rows.back().TimeNs);
    std::string Bytes;
    StringSink Out(Bytes);
    auto W = cantFail(TraceWriter::create(Out, sampleHeader()));
    cantFail(W->write(sampleDictionary(NumThreads, NumHeaps, NumScopePaths)));
    Log.Process = 1;
    cantFail(W->write(Log));
    cantFail(W->finish());
    auto R = cantFail(
        TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t.fb", false)));
    Events Got;
    const SectionInfo &Info = R->sections()[2];
    EXPECT_EQ(Info.BeginNs, Log.beginNs());
    EXPECT_EQ(Info.EndNs, Log.endNs());
    EXPECT_EQ(Info.Events, Rows.size());
    Error E = R->read(Info, Got);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
    EXPECT_TRUE(Got.Rows == Rows);
  }
  /// Defines everything that the events name.
  static Dictionary sampleDictionary(unsigned Threads, unsigned Heaps,
                                     unsigned ScopePaths) {
    Dictionary D;
    D.Strings = {"x"};
    D.Frames.resize(1);
    D.Frames[0].Kind = FrameKind::Unknown;
    for (unsigned I = 0; I != 300; ++I) {
      D.Stacks.push_back({0, 1});
      D.NodeFrames.push_back(1);
    }
    D.Processes.resize(1);
    D.Threads.resize(10 + Threads);
    for (Thread &T : D.Threads)
      T.Process = 1;
    D.Heaps.resize(Heaps);
    for (Heap &H : D.Heaps)
      H.Name = 1;
    if (ScopePaths > 1) {
      D.Scopes.push_back({ScopeKind::User, 1, 0});
      for (unsigned I = 1; I != ScopePaths; ++I)
        D.ScopePaths.push_back({0, 1, I});
    }
    return D;
  }
};

/// Appending many events at once equals appending them one by one, whatever the
/// log holds.
TEST(EventLog, TakesTheMemoryOfALogInUseBefore) {
  Both Small, Large;
  Small.fill(0, 1000, true);
  Large.fill(7, 20000, true);
  Small.Log.start(0);
  Large.Log.start(0);
  Small.Log.takeLarger(Large.Log);
  Large.Log.takeLarger(Small.Log);
  Small.Log.takeLarger(Large.Log);
  for (Both *B : {&Small, &Large}) {
    B->fill(3, 30000, true);
    B->check();
  }
}

TEST(EventLog, Append) {
  for (unsigned Mode = 0; Mode != 6; ++Mode) {
    Both B;
    B.NumThreads = Mode % 2 ? 1 : 7;
    B.Wide = Mode == 4;
    B.NumHeaps = Mode == 5 ? 2 : 1;
    B.NumScopePaths = Mode == 3 ? 2 : 1;
    B.fill(Mode == 2 ? (uint64_t(1) << 32) - 5000 : 0, 3000, true);
    std::vector<Event> Rows = B.Rows;
    std::vector<EventLog::FastEvent> Many;
    for (unsigned Part = 0; Part != 40; ++Part) {
      Many.clear();
      uint64_t Next = B.Log.nextAllocationId();
      for (uint64_t N = B.Random() % 300; N; --N) {
        Event E;
        B.Tick += B.Random() % 3;
        E.TimeNs = B.Tick * TimeUnitNs;
        uint32_t Lane = uint32_t(B.Random() % B.NumThreads);
        E.Thread = 10 + Lane;
        bool IsFree = B.Random() % 2;
        if (IsFree) {
          E.Kind = EventKind::Free;
          E.Block = Next - 1 - B.Random() % std::min<uint64_t>(Next, 2000);
        } else {
          E.Block = Next++;
          E.Size = B.value(5000);
          E.Stack = 1 + uint32_t(B.Random() % 300);
          E.Heap = 1;
        }
        Many.push_back({B.Tick, IsFree ? E.Block : E.Size, E.Stack,
                        uint16_t(Lane), IsFree});
        Rows.push_back(E);
      }
      B.Log.append(Many, 1);
    }
    B.Rows = Rows;
    B.check();
  }
}

TEST(EventLog, OneThread) {
  Both B;
  B.fill(0, 5000, false);
  B.check();
  // A cleared log reuses its memory.
  B.fill(700, 9000, true);
  B.check();
}

TEST(EventLog, ManyThreads) {
  Both B;
  B.NumThreads = MaxSectionThreads;
  B.fill(0, MaxSectionRows, false);
  EXPECT_TRUE(B.Log.full());
  B.check();
  B.NumThreads = 3;
  B.fill(100000, 20000, true);
  B.check();
}

TEST(EventLog, WideValues) {
  for (unsigned Threads : {1, 5}) {
    Both B;
    B.Wide = true;
    B.NumThreads = Threads;
    B.fill(uint64_t(1) << 35, 20000, true);
    B.check();
  }
}

/// As many sizes above 32 bits as in the previous section, and other sizes.
TEST(EventLog, WideValuesInTwoSections) {
  std::string Bytes;
  StringSink Out(Bytes);
  auto W = cantFail(TraceWriter::create(Out, sampleHeader()));
  cantFail(W->write(Both::sampleDictionary(1, 1, 1)));
  for (uint64_t Block : {0, 1}) {
    EventLog Log;
    Log.start(Block);
    Log.Process = 1;
    Log.allocate(Log.addThread(10), 100 + Block, (Block + 5) << 32, 1, 0, 1);
    cantFail(W->write(Log));
  }
  cantFail(W->finish());
  auto R = cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t.fb", false)));
  for (uint64_t Block : {0, 1}) {
    Events Got;
    cantFail(R->read(R->sections()[2 + Block], Got));
    ASSERT_EQ(1u, Got.Rows.size());
    EXPECT_EQ((Block + 5) << 32, Got.Rows[0].Size);
  }
}

TEST(EventLog, HeapsAndScopePaths) {
  for (unsigned Heaps : {1, 2, 300})
    for (unsigned ScopePaths : {1, 40}) {
      Both B;
      B.NumThreads = Heaps == 2 ? 4 : 1;
      B.NumHeaps = Heaps;
      B.NumScopePaths = ScopePaths;
      B.fill(0, 10000, true);
      B.check();
    }
}

} // namespace
