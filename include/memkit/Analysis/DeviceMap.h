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

#include "memkit/Analysis/MappedMemory.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Selection.h"
#include <map>

namespace memkit {

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
