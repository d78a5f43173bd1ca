// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles: sums of live blocks by stack, at one moment.

#ifndef MEMKIT_LIB_IMPORT_SUMHEAP_H
#define MEMKIT_LIB_IMPORT_SUMHEAP_H

#include "TraceBuilder.h"

namespace memkit {

/// Puts the sums of a profile into a trace: blocks of time 0 that are never
/// freed. The sums of a sampling profiler are scaled up to estimates of all
/// blocks. Belongs to one thread.
class SumHeap {
public:
  /// What the sums of a sampling profiler are.
  enum SumsOf { SampledBlocks, AllBlocks };
  /// Adds the process of the profile. SampleBytes: the profiler samples each
  /// allocated byte with the chance 1 / SampleBytes; up to 1: every block. The
  /// profile has the sums of sampled blocks, or estimates of all blocks.
  SumHeap(TraceBuilder &To, uint64_t SampleBytes, SumsOf Of = SampledBlocks);

  uint32_t process() const { return Process; }
  /// A heap of Space, made at its first use.
  uint32_t heap(llvm::StringRef Name, llvm::StringRef Space = "");

  /// The largest sum of a stack, in blocks and in bytes; also of all.
  static constexpr uint64_t MaxSum = uint64_t(1) << 56;
  /// Adds Count blocks of together Bytes bytes. False: a sum above MaxSum.
  bool add(uint32_t Heap, uint32_t Stack, uint64_t Count, uint64_t Bytes);

private:
  TraceBuilder &To;
  uint64_t SampleBytes;
  SumsOf Of;
  uint32_t Process, Thread;
  uint64_t TotalBlocks = 0, TotalBytes = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_SUMHEAP_H
