//===- LiveSetTest.cpp - Finding live blocks --------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/LiveSet.h"
#include "gtest/gtest.h"

using namespace memkit;

/// Whether findNext() finds what find() finds, through all ordinals and through
/// each Step-th.
static void compareFinds(LiveSet &Live, uint64_t Step) {
  LiveSet::Cursor Last;
  for (uint64_t Ordinal = 0; Ordinal < Live.next() + Step; Ordinal += Step) {
    LiveSet::Cursor One = Live.find(Ordinal),
                    Next = Live.findNext(Ordinal, Last);
    ASSERT_EQ(bool(One), bool(Next)) << Ordinal;
    if (!One)
      continue;
    ASSERT_EQ(&One.entry(), &Next.entry()) << Ordinal;
    ASSERT_EQ(Next.entry().Size, Ordinal);
    Last = Next;
  }
}

TEST(LiveSet, FindsTheNext) {
  // Three chunks: of the first few blocks live on, of the second more, of the
  // third all. So they are packed to a list, packed to bits, and not packed.
  constexpr uint64_t Chunk = 1 << 16;
  LiveSet Live;
  for (uint64_t Ordinal = 0; Ordinal != 2 * Chunk + 1000; ++Ordinal)
    Live.add({1, 0, Ordinal}, 0, 0);
  for (uint64_t Ordinal = 0; Ordinal != 2 * Chunk; ++Ordinal)
    if (Ordinal < Chunk ? Ordinal % 1000 : Ordinal % 10)
      Live.erase(Live.find(Ordinal));
  // Dead ones in lists.
  for (uint64_t Ordinal = Chunk + 4; Ordinal < 2 * Chunk; Ordinal += 50)
    if (LiveSet::Cursor At = Live.find(Ordinal))
      Live.erase(At);
  for (uint64_t Step : {1, 2, 10, 100, 1000})
    compareFinds(Live, Step);
  // What comes before the last one is found as well.
  LiveSet::Cursor Late = Live.find(10'000);
  ASSERT_TRUE(Late);
  EXPECT_EQ(Live.findNext(1000, Late).entry().Size, 1000u);
}
