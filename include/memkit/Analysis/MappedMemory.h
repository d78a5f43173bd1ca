// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a device at one moment: segments, blocks, holes.

#ifndef MEMKIT_ANALYSIS_MAPPEDMEMORY_H
#define MEMKIT_ANALYSIS_MAPPEDMEMORY_H

#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Selection.h"
#include <map>

namespace memkit {

/// A live block. Sizes in bytes.
struct MappedBlock {
  uint64_t Address = 0; ///< in its process; 0: not recorded
  uint64_t Size = 0;
  uint64_t AllocatedSize = 0; ///< Size, if not recorded
  uint64_t Requested = 0;     ///< 0: not recorded
  uint64_t AllocationId = 0;
  uint64_t Outer = 0; ///< allocation id + 1 of the block around it; 0: none
  uint64_t AllocatedNs = 0;
  uint32_t Process = 0, Heap = 0, Stack = 0, ScopePath = 0, Thread = 0;
  uint32_t Stream = 0, Pool = 0; ///< 0: the default, or not recorded
  bool IsChosen = false;         ///< by the selection
};

struct MappedHole {
  uint64_t Address = 0;
  uint64_t Size = 0;
};

/// Memory that an allocator received from the driver to give out.
struct MappedSegment {
  MappedBlock Self;
  std::vector<MappedBlock> Blocks; ///< by address
  std::vector<MappedHole> Holes;   ///< by address
  uint64_t FreeBytes = 0;
  uint64_t LargestHole = 0;
  /// FreeBytes is known, but Holes is not: some address was not recorded.
  bool HasNoAddresses = false;
  /// Holes may be free or not mapped: the trace does not distinguish the two.
  bool IsInParts = false;
  bool IsExpandable = false; ///< parts are mapped on demand
};

/// An allocator that reports the size of its reserved memory but not the
/// addresses.
struct ReservedHeap {
  uint32_t Heap = 0;
  uint64_t Reserved = 0;
  uint64_t Live = 0;
};

struct DeviceMap {
  uint32_t Device = 0; ///< id
  TimePoint At;
  std::vector<MappedSegment> Segments; ///< by process and address
  std::vector<MappedBlock> Blocks;     ///< outside segments, likewise
  std::vector<ReservedHeap> Reserved;
  uint64_t TotalBytes = 0;                ///< of the device; 0: not known
  std::map<uint32_t, uint64_t> HeapBytes; ///< live bytes, by heap
  uint64_t HeldBytes = 0;                 ///< all bytes from the driver
  uint64_t SegmentBytes = 0;
  uint64_t LiveBytes = 0; ///< in segments and outside
  uint64_t FreeBytes = 0; ///< in segments
  uint64_t NumHoles = 0;
  uint64_t LargestHole = 0;
  std::optional<UsedPoint>
      Used;                   ///< the last sample at or before the time point
  std::optional<Mark> Oom;    ///< of MapTimePoint::Oom
  bool IsOomOfDriver = false; ///< not of an allocator that has segments
};

/// A pool that an allocator keeps apart from the device's own: PyTorch has one
/// for each CUDA graph. Sums are over the pool's segments.
struct MappedPool {
  uint32_t Process = 0, Heap = 0;
  uint32_t Number = 0; ///< MappedBlock::Pool
  uint64_t Segments = 0, Bytes = 0, FreeBytes = 0;
  /// Of the pool's oldest segment: the code for which the pool was made.
  uint64_t MadeNs = 0;
  uint32_t Stack = 0, ScopePath = 0;
};
/// The pools of M's segments, by process, heap and number.
std::vector<MappedPool> findPools(const DeviceMap &M);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_MAPPEDMEMORY_H
