// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of sampled blocks, and errors of the estimates.
//
// In a heap with Heap::SampleBytes, each byte is sampled with the probability 1
// / SampleBytes, and a block is sampled when any of its bytes is: a block of s
// bytes with P = 1 - exp(-s / SampleBytes). A sampled block stands for 1 / P
// blocks of its size. The weight of a block is 1 / P, rounded up or down at
// random so that the mean is exact. So all stats of the heap (blocks times
// weight, bytes times weight) are unbiased estimates. docs/TraceFormat.md
// derives the formulas.

#ifndef MEMKIT_TRACE_SAMPLING_H
#define MEMKIT_TRACE_SAMPLING_H

#include "memkit/Trace/Sections.h"
#include <cstdint>

namespace memkit {

/// The maximum of SampleBytes, so that weights fit 32 bits.
inline constexpr uint64_t MaxSampleBytes = uint64_t(1) << 30;

/// The probability that a block is sampled; 1 when SampleBytes is 0.
double sampleChance(uint64_t Size, uint64_t SampleBytes);

/// The number of blocks that a sampled block of Size bytes stands for, from 1
/// to SampleBytes + 1. Equal arguments give equal results; AllocationId (of the
/// block) decides the rounding. Size 0: 1.
uint32_t sampleWeight(uint64_t Size, uint64_t SampleBytes,
                      uint64_t AllocationId);

/// The variance, in bytes squared, of an estimate of Bytes in Blocks. Exact for
/// blocks of one size of at most twice SampleBytes; otherwise too large, never
/// too small. Variances of different stacks add up. 0 when SampleBytes is 0.
double sampleVariance(uint64_t Bytes, uint64_t Blocks, uint64_t SampleBytes);

/// The variance for an unknown number of blocks with the mean size of
/// OtherBytes in OtherBlocks.
double sampleVariance(uint64_t Bytes, uint64_t OtherBytes, uint64_t OtherBlocks,
                      uint64_t SampleBytes);

/// The standard error, in bytes, for a sum of variances.
uint64_t standardError(double Variance);

/// The variances of sums of rows of stacks.
struct SampleVariances {
  double Allocated = 0;
  double Live = 0;
  double LiveExclusive = 0;
  double HeapPeak = 0;
  double SpacePeak = 0;
  double Allocations = 0; ///< of the number of blocks; set only by refine()

  void add(const StackStats &R, uint64_t SampleBytes);
  void add(const SampleVariances &Other);
  /// Lowers the variances of a whole heap with the known sizes of its
  /// allocations. Rows have only mean sizes, and stacks with blocks of mixed
  /// sizes have less error than the mean suggests.
  void refine(const HeapStats &H, uint64_t SampleBytes);
};

} // namespace memkit

#endif // MEMKIT_TRACE_SAMPLING_H
