// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays in pieces have the rows of one replay.

#include "Model/Trace/ReplayPieces.h"
#include "TraceMaker.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace memkit;
using namespace memkit::test;

namespace {

/// What a request asks for.
enum class Asked { Stacks, Threads, Sizes, OneThread, Large };

PieceRequest requestOf(Asked What, std::map<uint64_t, uint32_t> &Keys) {
  PieceRequest Out;
  Out.KeyOf = [&](uint64_t Group) {
    return Keys.try_emplace(Group, Keys.size() + 1).first->second;
  };
  switch (What) {
  case Asked::Stacks:
    break;
  case Asked::Threads:
    Out.GroupOf = [](const Allocation &B) {
      return uint64_t(B.Thread) << 32 | B.Stack;
    };
    break;
  case Asked::Sizes:
    Out.GroupOf = [](const Allocation &B) { return B.Size / 100; };
    break;
  case Asked::OneThread:
    Out.Select = [](const Allocation &B) { return B.Thread == 1; };
    break;
  case Asked::Large:
    Out.Select = [](const Allocation &B) { return B.Size > 700; };
    break;
  }
  return Out;
}

/// The rows of one replay.
PieceRows replayWhole(TraceReader &R, const PieceRequest &Wanted) {
  ReplayOptions Options;
  Options.Select = Wanted.Select;
  if (Wanted.GroupOf)
    Options.KeyOf = [&](const Allocation &B) {
      return Wanted.KeyOf(Wanted.GroupOf(B));
    };
  auto Run = llvm::cantFail(Replay::create(R, Options));
  llvm::cantFail(Run->run());
  Summary All = Run->stats().summary(1, Run->endNs());
  return {All.Stacks, All.ScopePaths};
}

/// Sorts rows by heap and key, and leaves out processes without rows.
std::vector<StackStatsRows> sorted(std::vector<StackStatsRows> Rows) {
  for (StackStatsRows &Of : Rows)
    std::sort(Of.Rows.begin(), Of.Rows.end(),
              [](const StackStats &A, const StackStats &B) {
                return std::tie(A.Heap, A.Key) < std::tie(B.Heap, B.Key);
              });
  return Rows;
}

/// Blocks in blocks that live until the end.
void nest(MadeTrace &T, unsigned Seed) {
  std::mt19937_64 Rng(Seed);
  std::map<uint32_t, std::set<uint64_t>> Changed; // by process
  for (Events *E : T.all<Events>())
    for (const Event &Row : E->Rows)
      if (Row.Kind != EventKind::Allocate)
        Changed[E->Process].insert(Row.Block);
  std::map<uint32_t, std::vector<uint64_t>> Steady;
  for (Events *E : T.all<Events>()) {
    std::vector<uint64_t> &Of = Steady[E->Process];
    for (const Event &Row : E->Rows) {
      bool IsInner = Row.Kind == EventKind::Allocate && Rng() % 4 == 0;
      E->Columns.Enclosing.push_back(
          IsInner && !Of.empty() ? Of[Rng() % Of.size()] + 1 : 0);
      if (Row.Kind == EventKind::Allocate && Row.Heap == 1 &&
          !Changed[E->Process].count(Row.Block))
        Of.push_back(Row.Block);
    }
  }
}

TEST(ReplayPieces, RowsAreThoseOfOneReplay) {
  for (unsigned Seed = 0; Seed != 6; ++Seed) {
    uint32_t Processes = 1 + Seed % 3;
    MadeTrace Plain = makeEvents(Seed, 400000, Processes, /*Places=*/false);
    if (Seed >= 3)
      nest(Plain, Seed);
    MadeTrace T = completed(Plain);
    std::unique_ptr<TraceReader> R = T.open();
    for (Asked What : {Asked::Stacks, Asked::Threads, Asked::Sizes,
                       Asked::OneThread, Asked::Large}) {
      std::map<uint64_t, uint32_t> WholeKeys, Keys;
      PieceRows Whole = replayWhole(*R, requestOf(What, WholeKeys));
      std::optional<PieceRows> Rows =
          replayPieces(*R, requestOf(What, Keys), 4, {});
      ASSERT_TRUE(Rows) << Seed << " " << int(What);
      EXPECT_EQ(sorted(Rows->Stacks), sorted(Whole.Stacks))
          << Seed << " " << int(What);
      EXPECT_EQ(sorted(Rows->ScopePaths), sorted(Whole.ScopePaths))
          << Seed << " " << int(What);
      EXPECT_EQ(Keys, WholeKeys);
    }
  }
}

/// A snapshot does not have the block around a block whose enclosing block is
/// gone, and a trace without snapshots cannot be cut.
TEST(ReplayPieces, RefusesWhatSnapshotsDoNotTell) {
  std::map<uint64_t, uint32_t> Keys;
  PieceRequest Wanted = requestOf(Asked::Stacks, Keys);
  MadeTrace Freed = completed(makeEvents(1, 200000, 1, /*Places=*/true));
  EXPECT_FALSE(replayPieces(*Freed.open(), Wanted, 4, {}));
  MadeTrace Short = completed(makeEvents(1, 20000, 1, /*Places=*/false));
  EXPECT_FALSE(replayPieces(*Short.open(), Wanted, 4, {}));
}

} // namespace
