// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows unpack to the same rows.

#include "memkit/Model/PackedRows.h"
#include "gtest/gtest.h"

using namespace memkit;

/// A row with values of at most Bits bits.
static StackStats makeRow(uint64_t Seed, unsigned Bits) {
  uint64_t State = Seed;
  auto Next = [&] {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return Bits ? State >> (64 - Bits) : 0;
  };
  StackStats R;
  R.Key = uint32_t(Next());
  R.Heap = uint32_t(Next());
  for (uint64_t *V : {&R.Allocations, &R.AllocatedBytes, &R.Splits,
                      &R.Temporaries, &R.LiveBlocks, &R.LiveBytes,
                      &R.LiveExclusive, &R.PeakBytes, &R.HeapPeakBlocks,
                      &R.HeapPeakBytes, &R.SpacePeakBlocks, &R.SpacePeakBytes})
    *V = Next();
  return R;
}

TEST(PackedRows, KeepsAllValues) {
  for (unsigned Bits : {0, 1, 8, 9, 31, 32, 33, 63, 64}) {
    std::vector<StackStats> Rows;
    for (uint64_t I = 0; I != 100; ++I)
      Rows.push_back(makeRow(I, Bits));
    PackedRows P(7, Rows);
    ASSERT_EQ(P.size(), Rows.size());
    EXPECT_EQ(P.process(), 7u);
    for (size_t I = 0; I != Rows.size(); ++I) {
      EXPECT_EQ(P[I], Rows[I]) << Bits;
      EXPECT_EQ(P.key(I), Rows[I].Key);
      EXPECT_EQ(P.heap(I), Rows[I].Heap);
    }
    EXPECT_EQ(P.unpack().Rows, Rows);
  }
}

TEST(PackedRows, KnowsItsIds) {
  std::vector<StackStats> Rows(3);
  for (uint32_t I = 0; I != 3; ++I) {
    Rows[I].Key = 10 + I;
    Rows[I].Heap = 5 - I;
  }
  PackedRows P(1, Rows);
  EXPECT_EQ(P.maxKey(), 12u);
  EXPECT_EQ(P.maxHeap(), 5u);
  EXPECT_EQ(P.minHeap(), 3u);
}

TEST(PackedRows, PacksInPieces) {
  StackStatsRows Rows;
  Rows.Process = 3;
  for (uint64_t I = 0; I != 40'000; ++I)
    Rows.Rows.push_back(makeRow(I, 20));
  std::vector<PackedRows> Out;
  PackedRows::pack(Rows, Out);
  EXPECT_GT(Out.size(), 1u);
  std::vector<StackStats> All;
  for (const PackedRows &P : Out) {
    EXPECT_EQ(P.process(), 3u);
    std::vector<StackStats> Part = P.unpack().Rows;
    All.insert(All.end(), Part.begin(), Part.end());
  }
  EXPECT_EQ(All, Rows.Rows);
  // No rows give one empty piece, which still names the process.
  Rows.Rows.clear();
  Out.clear();
  PackedRows::pack(Rows, Out);
  ASSERT_EQ(Out.size(), 1u);
  EXPECT_EQ(Out[0].size(), 0u);
}
