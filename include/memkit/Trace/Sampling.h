// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sampled blocks stand for.
//
// In a heap with Heap::SampleBytes a byte is sampled with the chance
// 1 / SampleBytes, and a block when one of its bytes is: one of s bytes with
// P = 1 - exp(-s / SampleBytes). It stands for 1 / P blocks of its size; its
// weight is that, rounded up or down at random so that it is right on average.
// All sums of such a heap (blocks times weight, bytes times weight) are then
// unbiased estimates. docs/TraceFormat.md derives what is here.

#ifndef MEMKIT_TRACE_SAMPLING_H
#define MEMKIT_TRACE_SAMPLING_H

#include "memkit/Trace/Sections.h"
#include <cstdint>

namespace memkit {

/// The most bytes a sample may stand for, so that weights fit 32 bits.
inline constexpr uint64_t MaxSampleBytes = uint64_t(1) << 30;

/// The chance that a block is sampled; 1 when SampleBytes is 0.
double sampleChance(uint64_t Size, uint64_t SampleBytes);

/// How many blocks a sampled one of Size bytes stands for, from 1 to
/// SampleBytes + 1. The same for the same arguments; AllocationId (of the
/// block) is what decides how it is rounded. Size 0: 1.
uint32_t sampleWeight(uint64_t Size, uint64_t SampleBytes,
                      uint64_t AllocationId);

/// The variance, in bytes squared, of an estimate that says so many Bytes in so
/// many Blocks. Right when the blocks are of one size of at most twice
/// SampleBytes; too large otherwise, never too small. Add those of different
/// stacks. 0 when SampleBytes is 0.
double sampleVariance(uint64_t Bytes, uint64_t Blocks, uint64_t SampleBytes);

/// The same when the number of blocks is not known, but that they are as large
/// as those of OtherBytes in OtherBlocks.
double sampleVariance(uint64_t Bytes, uint64_t OtherBytes, uint64_t OtherBlocks,
                      uint64_t SampleBytes);

/// The standard error, in bytes, for a sum of variances.
uint64_t standardError(double Variance);

/// The variances of what rows of stacks sum to.
struct SampleVariances {
  double Allocated = 0;
  double Live = 0;
  double LiveExclusive = 0;
  double HeapPeak = 0;
  double SpacePeak = 0;
  double Allocations = 0; ///< of the number of blocks; known by refine() alone

  void add(const StackStats &R, uint64_t SampleBytes);
  void add(const SampleVariances &Other);
  /// Of a whole heap the sizes of its allocations are known, where rows know
  /// their mean alone: stacks with blocks of mixed sizes have less error than
  /// their mean says.
  void refine(const HeapStats &H, uint64_t SampleBytes);
};

} // namespace memkit

#endif // MEMKIT_TRACE_SAMPLING_H
