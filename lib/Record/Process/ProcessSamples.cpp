// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that stand for several.
//
// Sampled blocks. What one stands for follows from its size and allocation id,
// so that nothing need be kept for it.

#include "Process/ProcessState.h"
#include "memkit/Trace/Sampling.h"

using namespace memkit;

uint32_t memkit::weightOf(const Recording &R, const LiveEntry &Block) {
  if (R.Stats.heapOf(Block.Row) != R.MallocHeap)
    return 0;
  return sampleWeight(Block.Size, R.Wanted.SampleBytes, Block.AllocationId);
}

/// Counts a sampled block, In a mapping or none (null, or not recorded). Its
/// event comes next in the log.
void ProcessState::countSampled(const LiveEntry &Block,
                                const MapTable::Block *In, uint64_t TimeNs,
                                uint32_t Thread) {
  uint32_t Weight = weightOf(R, Block);
  BlockRef B{Block.AllocationId, Block.Row, Block.ScopeRow}, Outer;
  if (In && In->Entry.Row)
    Outer = {In->Entry.AllocationId, In->Entry.Row, In->Entry.ScopeRow};
  R.Stats.allocateSampled(B, Outer, Block.Size, Weight, TimeNs, Thread);
  if (Outer.Row) {
    Enclosing[Block.AllocationId] = Outer.AllocationId + 1;
    noteEnclosing(Outer.AllocationId);
  }
  std::vector<uint64_t> &Column = Log.Columns.Weight;
  Column.resize(Log.size());
  Column.push_back(Weight);
}
