// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies where on a device.
//
// The memory of a device at a moment: the segments that a caching allocator
// holds, the blocks in them and what is free between; and the blocks of those
// who asked the driver themselves. Between the latter nothing is free: the
// driver puts the device's pages behind any addresses.

#ifndef MEMKIT_ANALYSIS_DEVICEMAP_H
#define MEMKIT_ANALYSIS_DEVICEMAP_H

#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Selection.h"
#include <map>

namespace memkit {

/// A block that lives. Sizes in bytes.
struct MappedBlock {
  uint64_t Address = 0; ///< in its process; 0: not recorded
  uint64_t Size = 0;
  uint64_t AllocatedSize = 0; ///< Size, where that is not known
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

/// What an allocator has from the driver to give out.
struct MappedSegment {
  MappedBlock Self;
  std::vector<MappedBlock> Blocks; ///< by address
  std::vector<MappedHole> Holes;   ///< by address
  uint64_t FreeBytes = 0;
  uint64_t LargestHole = 0;
  /// Free is known; which parts are not: an address was not recorded.
  bool HasNoAddresses = false;
  /// Holes are free, or not mapped: the two cannot be told apart.
  bool IsInParts = false;
  bool IsExpandable = false; ///< parts are mapped when they are wanted
};

/// An allocator that says how much it reserves, and not where.
struct ReservedHeap {
  uint32_t Heap = 0;
  uint64_t Reserved = 0;
  uint64_t Live = 0;
};

struct DeviceMap {
  uint32_t Device = 0; ///< id
  Moment At;
  std::vector<MappedSegment> Segments; ///< by process and address
  std::vector<MappedBlock> Blocks;     ///< in no segment, likewise
  std::vector<ReservedHeap> Reserved;
  uint64_t TotalBytes = 0;                ///< of the device; 0: not known
  std::map<uint32_t, uint64_t> HeapBytes; ///< that live, by heap
  uint64_t HeldBytes = 0;                 ///< all that the driver gave
  uint64_t SegmentBytes = 0;
  uint64_t LiveBytes = 0; ///< in segments and outside
  uint64_t FreeBytes = 0; ///< in segments
  uint64_t NumHoles = 0;
  uint64_t LargestHole = 0;
  std::optional<UsedPoint> Used; ///< the last sample at or before the moment
  std::optional<Mark> Oom;       ///< of MapMoment::Oom
  bool IsOomOfDriver = false;    ///< not of an allocator that has segments
};

enum class MapMoment {
  /// That of the chosen heaps; else of the tensors on the device where there
  /// are some, else of all that was allocated on it.
  Peak,
  Oom, ///< the last time that memory of the device could not be had
  At,  ///< the selection's
};

/// The maps of the devices that have heaps of the selection, in the order of
/// their ids. The blocks of all chosen processes are in them, chosen or not;
/// IsChosen says which were. Memory is that of what lives.
llvm::Expected<std::vector<DeviceMap>>
mapDevices(const Trace &T, const Selection &Sel, MapMoment When);

/// Why an allocator could not give Oom's bytes.
struct OomCause {
  enum Kind {
    Unknown,   ///< it is not known what was free on the device
    Full,      ///< not so much was free
    Scattered, ///< it was, in pieces
    OtherHole, ///< there was such a hole, of another stream or pool
    HasRoom,   ///< so much was free on the device, as far as is known
  };
  Kind Why = Unknown;
  uint64_t Requested = 0;
  /// In the segments of the process that asked.
  uint64_t FreeBytes = 0, NumHoles = 0, LargestHole = 0;
  std::optional<uint64_t> DeviceFree;
  uint64_t SampleAgeNs = 0; ///< of DeviceFree; 0: it is none
  bool IsAtMost = false;    ///< DeviceFree is what blocks leave of the device
};
/// M.Oom must be there.
OomCause findCause(const DeviceMap &M);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DEVICEMAP_H
