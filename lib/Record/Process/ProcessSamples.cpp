//===- ProcessSamples.cpp - Blocks that stand for several ---------*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sampled blocks. What one stands for follows from its size and ordinal, so
// that nothing need be kept for it.
//
//===----------------------------------------------------------------------===//

#include "Process/ProcessState.h"
#include "memkit/Trace/Sampling.h"

using namespace memkit;

uint32_t memkit::weightOf(const Recording &R, const LiveEntry &Block) {
  if (R.Sums.heapOf(Block.Row) != R.MallocHeap)
    return 0;
  return sampleWeight(Block.Size, R.Wanted.SampleBytes, Block.Ordinal);
}

/// Counts a sampled block, In a mapping or none (null, or not recorded). Its
/// event comes next in the log.
void ProcessState::countSampled(const LiveEntry &Block,
                                const MapTable::Block *In, uint64_t TimeNs,
                                uint32_t Thread) {
  uint32_t Weight = weightOf(R, Block);
  BlockRef B{Block.Ordinal, Block.Row, Block.Context}, Outer;
  if (In && In->Entry.Row)
    Outer = {In->Entry.Ordinal, In->Entry.Row, In->Entry.Context};
  R.Sums.allocateSampled(B, Outer, Block.Size, Weight, TimeNs, Thread);
  if (Outer.Row) {
    Enclosing[Block.Ordinal] = Outer.Ordinal + 1;
    noteEnclosing(Outer.Ordinal);
  }
  std::vector<uint64_t> &Column = Log.Columns.Weight;
  Column.resize(Log.size());
  Column.push_back(Weight);
}
