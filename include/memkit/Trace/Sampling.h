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
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

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

/// What is known of a heap's blocks when some of them were sampled: the errors
/// of its estimates.
class SampledHeap {
public:
  SampledHeap() = default; ///< all blocks were recorded
  /// Sizes: as HeapStats::Sizes; may be empty.
  explicit SampledHeap(uint64_t SampleBytes,
                       llvm::ArrayRef<uint64_t> Sizes = {});
  /// Whether values are estimates.
  explicit operator bool() const { return SampleBytes != 0; }
  uint64_t sampleBytes() const { return SampleBytes; }

  /// The variance, in bytes squared, of an estimate of Bytes in Blocks. Exact
  /// for blocks of one size of at most twice SampleBytes; otherwise too large,
  /// never too small, the less the fewer blocks the heap has of the sizes with
  /// the largest errors. Variances of different stacks add up.
  double variance(uint64_t Bytes, uint64_t Blocks) const;
  /// The variance for an unknown number of blocks with the mean size of
  /// OtherBytes in OtherBlocks.
  double variance(uint64_t Bytes, uint64_t OtherBytes,
                  uint64_t OtherBlocks) const;

  /// The variance of Blocks if they are the heap's blocks with the largest
  /// errors; infinite where their sizes are not known.
  double largestVariance(uint64_t Blocks) const;

private:
  /// Of the largest errors: the blocks up to here, and the sum of their
  /// variances.
  struct ErrorSum {
    uint64_t Blocks = 0;
    double Variance = 0;
  };
  uint64_t SampleBytes = 0;
  std::vector<ErrorSum> Largest; ///< rising; empty: sizes are not known
};

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

  void add(const StackStats &R, const SampledHeap &H);
  void add(const SampleVariances &Other);
  /// Lowers the variances of a whole heap with the known sizes of its
  /// allocations. Rows have only mean sizes, and stacks with blocks of mixed
  /// sizes have less error than the mean suggests.
  void refine(const HeapStats &Stats, const SampledHeap &H);
};

} // namespace memkit

#endif // MEMKIT_TRACE_SAMPLING_H
