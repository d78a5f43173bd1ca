// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps of a device's memory by address.
//
// A map shows the memory of a device at one time point: the segments that a
// caching allocator holds, with their blocks and the free holes between the
// blocks; and the blocks that others requested from the driver directly. Blocks
// from the driver have no free holes between them, because the driver can put
// the device's pages behind any address.

#ifndef MEMKIT_ANALYSIS_DEVICEMAP_H
#define MEMKIT_ANALYSIS_DEVICEMAP_H

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

enum class MapTimePoint {
  /// The peak of the chosen heaps; without chosen heaps the peak of the tensors
  /// on the device; without tensors the peak of all memory of the device.
  Peak,
  Oom, ///< the device's last out-of-memory event
  At,  ///< the selection's time point
};

/// The maps of the devices with selected heaps, by device id. A map has the
/// blocks of all chosen processes; IsChosen marks the selected blocks. Memory
/// use is proportional to the live blocks. Only: the id of a device, which may
/// have no map; 0: of all, at least one.
llvm::Expected<std::vector<DeviceMap>> mapDevices(const Trace &T,
                                                  const Selection &Sel,
                                                  MapTimePoint When,
                                                  uint32_t Only = 0);

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

/// Why an allocator could not give Oom's bytes.
struct OomCause {
  enum OomCauseKind {
    Unknown,   ///< the free memory of the device is unknown
    Full,      ///< less memory was free
    Scattered, ///< enough was free, but in pieces
    OtherHole, ///< a large enough hole was in another stream or pool
    HasRoom,   ///< the device had enough free memory, as far as known
  };
  OomCauseKind Why = Unknown;
  uint64_t Requested = 0;
  /// In the segments of the process that asked.
  uint64_t FreeBytes = 0, NumHoles = 0, LargestHole = 0;
  std::optional<uint64_t> DeviceFree;
  /// Of DeviceFree; 0: DeviceFree is not from a sample.
  uint64_t SampleAgeNs = 0;
  bool IsAtMost = false; ///< an upper bound: the device less its blocks
  /// The part of FreeBytes in segments of the stream and pool that the asking
  /// thread used last, without segments that are expandable.
  uint64_t OwnFreeBytes = 0;
  /// The part of FreeBytes in whole segments outside private pools.
  uint64_t WholeFreeBytes = 0;
};
/// M.Oom must have a value.
OomCause findCause(const DeviceMap &M);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DEVICEMAP_H
