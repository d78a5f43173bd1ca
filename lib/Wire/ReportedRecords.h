// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of blocks that a program reports itself, and of what its collectors
// say of devices (memkit.h).

#ifndef MEMKIT_LIB_WIRE_REPORTEDRECORDS_H
#define MEMKIT_LIB_WIRE_REPORTEDRECORDS_H

#include "Record.h"

namespace memkit::wire {

/// The program's allocator has allocated a block.
struct ReportedAllocateRecord {
  using Layout = RecordLayout<RecordKind::ReportedAllocate, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;  ///< bytes
  uint32_t Stack; ///< node; 0: none
  uint32_t Pool;  ///< text of the pool's name
};

/// The block is about to be freed in the program's allocator.
struct ReportedFreeRecord {
  using Layout = RecordLayout<RecordKind::ReportedFree, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Pool; ///< text of the pool's name
};

/// The program's allocator has allocated a block in the memory of a device.
struct DevicePoolAllocateRecord {
  using Layout = RecordLayout<RecordKind::DevicePoolAllocate, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Address; ///< of the device
  uint64_t Size;    ///< bytes
  uint32_t Stack;   ///< node; 0: none
  uint32_t Heap;    ///< text: the device, a dot, the pool's name
};

struct DevicePoolFreeRecord {
  using Layout = RecordLayout<RecordKind::DevicePoolFree, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Heap; ///< text, as above
};

/// What a collector says of a device's memory, in bytes.
struct CollectedUseRecord {
  using Layout =
      RecordLayout<RecordKind::CollectedUse, InAddress, InSize, InExtra>;
  uint64_t Used;
  uint64_t Total;  ///< 0: not known
  uint32_t Device; ///< text of the device's name
};

/// What a collector says of a device's allocator, in bytes.
struct CollectedReserveRecord {
  using Layout =
      RecordLayout<RecordKind::CollectedReserve, InAddress, InSize, InExtra>;
  uint64_t Reserved;
  uint64_t Allocated; ///< of the reserved bytes
  uint32_t Device;    ///< text of the device's name
};

using ReportedRecords =
    RecordList<ReportedAllocateRecord, ReportedFreeRecord,
               DevicePoolAllocateRecord, DevicePoolFreeRecord,
               CollectedUseRecord, CollectedReserveRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_REPORTEDRECORDS_H
