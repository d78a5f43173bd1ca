// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding live blocks.

#include "memkit/Model/LiveSet.h"
#include "gtest/gtest.h"

using namespace memkit;

/// Whether findNext() finds what find() finds, through all allocation ids and
/// through each Step-th.
static void compareFinds(LiveSet &Live, uint64_t Step) {
  LiveSet::Cursor Last;
  for (uint64_t AllocationId = 0; AllocationId < Live.next() + Step;
       AllocationId += Step) {
    LiveSet::Cursor One = Live.find(AllocationId),
                    Next = Live.findNext(AllocationId, Last);
    ASSERT_EQ(bool(One), bool(Next)) << AllocationId;
    if (!One)
      continue;
    ASSERT_EQ(&One.entry(), &Next.entry()) << AllocationId;
    ASSERT_EQ(Next.entry().Size, AllocationId);
    Last = Next;
  }
}

TEST(LiveSet, FindsTheNext) {
  // Three chunks: of the first few blocks live on, of the second more, of the
  // third all. So they are packed to a list, packed to bits, and not packed.
  constexpr uint64_t Chunk = 1 << 16;
  LiveSet Live;
  for (uint64_t AllocationId = 0; AllocationId != 2 * Chunk + 1000;
       ++AllocationId)
    Live.add({1, 0, AllocationId}, 0, 0);
  for (uint64_t AllocationId = 0; AllocationId != 2 * Chunk; ++AllocationId)
    if (AllocationId < Chunk ? AllocationId % 1000 : AllocationId % 10)
      Live.erase(Live.find(AllocationId));
  // Dead ones in lists.
  for (uint64_t AllocationId = Chunk + 4; AllocationId < 2 * Chunk;
       AllocationId += 50)
    if (LiveSet::Cursor At = Live.find(AllocationId))
      Live.erase(At);
  for (uint64_t Step : {1, 2, 10, 100, 1000})
    compareFinds(Live, Step);
  // What comes before the last one is found as well.
  LiveSet::Cursor Late = Live.find(10'000);
  ASSERT_TRUE(Late);
  EXPECT_EQ(Live.findNext(1000, Late).entry().Size, 1000u);
}
