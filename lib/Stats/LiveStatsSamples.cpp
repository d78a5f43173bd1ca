// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampled blocks, which stand for several blocks.
//
// Sampled blocks are few, so the code for all other blocks ignores weights.

#include "memkit/Stats/LiveStats.h"

using namespace memkit;

/// Adds Weight to the counts of blocks and allocations of a target; not to
/// bytes.
void LiveStats::countSampled(Target &T, uint32_t Weight) {
  for (StatsRow *R : {&T.R, T.X})
    if (R) {
      R->Allocations += Weight;
      R->LiveBlocks += Weight;
    }
  T.C.Allocations += Weight;
}

void LiveStats::allocateSampled(BlockRef B, BlockRef In, uint64_t Size,
                                uint32_t Weight, uint64_t TimeNs,
                                uint32_t Thread) {
  uint64_t Bytes = Size * Weight;
  Target T = beginEvent(B, TimeNs);
  // A sampled block is never a temporary, so the thread's last allocation
  // stays.
  noteAllocations(Thread, lastAllocation(Thread) - 1, Weight, Bytes);
  T.C.H->Sizes.add(Size, Weight);
  countSampled(T, Weight);
  growRows(T, Bytes);
  rise(T.C.H->C, T.C, Bytes, Weight, TimeNs);
  if (In.Row && nests(T.C.D, In.Row)) {
    // The outer block includes these bytes, and its size is exact.
    T.C.I->Covered.insert(B.AllocationId);
    noteUncounted(Thread, Bytes);
    for (StatsRow *R : {&T.R, T.X})
      if (R)
        R->LiveExclusive -= Bytes;
    return;
  }
  if (T.C.D == &Outside)
    noteUncounted(Thread, Bytes);
  T.C.S->Allocations += Weight;
  spaceRise(T.C, Bytes, Weight, TimeNs);
}

void LiveStats::freeSampled(BlockRef B, uint64_t Size, uint32_t Weight,
                            uint64_t TimeNs) {
  uint64_t Bytes = Size * Weight;
  Target T = beginEvent(B, TimeNs);
  bool Covered = T.C.I->Covered.erase(B.AllocationId);
  for (StatsRow *R : {&T.R, T.X})
    if (R) {
      R->LiveBlocks -= Weight;
      R->LiveBytes -= Bytes;
      R->LiveExclusive -= Covered ? 0 : Bytes;
    }
  if (B.AllocationId < T.C.I->LateBefore)
    noteLateFree(*T.C.I, B.Row, B.AllocationId, Bytes, Weight);
  T.C.Frees += Weight;
  T.C.LiveBytes -= Bytes;
  T.C.H->C.fall(Bytes, Weight);
  if (Covered)
    return;
  T.C.S->Frees += Weight;
  spaceFall(T.C, Bytes, Weight);
}
