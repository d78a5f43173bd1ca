// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces have the events of one replay.

#include "Model/EventPieces.h"
#include "TraceMaker.h"
#include "gtest/gtest.h"
#include <tuple>

using namespace memkit;
using namespace memkit::test;

namespace {

/// Time, process, thread, kind, block, size, heap, stack, live bytes.
using SeenEvent = std::tuple<uint64_t, uint32_t, uint32_t, EventKind, uint64_t,
                             uint64_t, uint32_t, uint32_t, uint64_t>;

SeenEvent seen(const LiveStats &A, const ReplayedEvent &E) {
  return {E.TimeNs, E.Process, E.Thread,
          E.Kind,   E.Block,   E.Size,
          E.Heap,   E.Stack,   A.heapLiveBytes(E.Heap)};
}

std::vector<SeenEvent> eventsOfWhole(TraceReader &R) {
  std::vector<SeenEvent> Out;
  const LiveStats *A = nullptr;
  ReplayOptions Options;
  Options.OnEvent = [&](const ReplayedEvent &E) {
    Out.push_back(seen(*A, E));
    return true;
  };
  auto Run = llvm::cantFail(Replay::create(R, Options));
  A = &Run->stats();
  llvm::cantFail(Run->run());
  return Out;
}

TEST(EventPieces, EventsAreThoseOfOneReplay) {
  for (unsigned Seed = 0; Seed != 3; ++Seed) {
    MadeTrace T =
        completed(makeEvents(Seed, 400000, 1 + Seed, /*Places=*/false));
    std::unique_ptr<TraceReader> R = T.open();
    std::optional<EventPieces> Pieces = EventPieces::divide(*R, 4);
    ASSERT_TRUE(Pieces) << Seed;
    EXPECT_GE(Pieces->size(), 2u);
    std::vector<SeenEvent> Events;
    for (size_t At = 0; At != Pieces->size(); ++At) {
      size_t Before = Events.size();
      llvm::cantFail(Pieces->replay(
          At, nullptr, [&](const LiveStats &A, const ReplayedEvent &E) {
            Events.push_back(seen(A, E));
            return true;
          }));
      EXPECT_GT(Events.size(), Before);
    }
    EXPECT_TRUE(Events == eventsOfWhole(*R)) << Seed;
  }
}

TEST(EventPieces, OneRunEndsWhenOnEventSaysSo) {
  MadeTrace T = completed(makeEvents(1, 400000, 1, /*Places=*/false));
  std::unique_ptr<TraceReader> R = T.open();
  std::optional<EventPieces> Pieces = EventPieces::divide(*R, 4);
  ASSERT_TRUE(Pieces);
  size_t Count = 0;
  llvm::cantFail(
      Pieces->replay(1, nullptr, [&](const LiveStats &, const ReplayedEvent &) {
        return ++Count != 10;
      }));
  EXPECT_EQ(Count, 10u);
}

TEST(EventPieces, RefusesWhatSnapshotsDoNotTell) {
  MadeTrace Freed = completed(makeEvents(1, 200000, 1, /*Places=*/true));
  EXPECT_FALSE(EventPieces::divide(*Freed.open(), 4));
  MadeTrace Short = completed(makeEvents(1, 20000, 1, /*Places=*/false));
  EXPECT_FALSE(EventPieces::divide(*Short.open(), 4));
}

} // namespace
