// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of calls to CUDA's driver.
//
// Place: a CudaPlace. Sizes in bytes; Stack: a node, 0 for none.

#ifndef MEMKIT_LIB_WIRE_DEVICERECORDS_H
#define MEMKIT_LIB_WIRE_DEVICERECORDS_H

#include "Cuda.h"
#include "Record.h"

namespace memkit::wire {

struct DeviceAllocateRecord {
  using Layout = RecordLayout<RecordKind::DeviceAllocate, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address; ///< or a handle
  uint64_t Size;
  CudaFunction Function;
  uint32_t Stack;
  uint32_t Place;
};

/// Published before the real free.
struct DeviceFreeRecord {
  using Layout = RecordLayout<RecordKind::DeviceFree, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Place;
};

/// An out-of-memory event: the driver could not allocate Requested bytes.
struct DeviceOomRecord {
  using Layout = RecordLayout<RecordKind::DeviceOom, InAddress, InFunction,
                              InStack, InExtra>;
  uint64_t Requested;
  CudaFunction Function;
  uint32_t Stack;
  uint32_t Place;
};

/// Detail of the ring's next record of CUDA. Of a DeviceAllocateRecord: the
/// stream and the pool. Of a DeviceMapRecord: the handle of the physical memory
/// and the offset in it. Of a DeviceReservedRecord: the pool's handle, or the
/// device's graphs.
struct DeviceDetailRecord {
  using Layout =
      RecordLayout<RecordKind::DeviceDetail, InAddress, InSize, InExtra>;
  uint64_t Handle;
  uint64_t Second;
  uint32_t Place;
};

/// The context of the place is gone, and its allocations with it.
struct DeviceContextEndRecord {
  using Layout = RecordLayout<RecordKind::DeviceContextEnd, InExtra>;
  uint32_t Place;
};

/// A part of a reservation was mapped to memory.
struct DeviceMapRecord {
  using Layout = RecordLayout<RecordKind::DeviceMap, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  CudaFunction Function;
  uint32_t Stack;
  uint32_t Place;
};

/// Published before the call.
struct DeviceUnmapRecord {
  using Layout =
      RecordLayout<RecordKind::DeviceUnmap, InAddress, InSize, InExtra>;
  uint64_t Address;
  uint64_t Size;
  uint32_t Place;
};

/// The memory of a device used by all processes.
struct DeviceUsedRecord {
  using Layout = RecordLayout<RecordKind::DeviceUsed, InAddress, InSize,
                              InFunction, InExtra>;
  uint64_t Used;
  uint64_t Total;
  DeviceTimePoint At;
  uint32_t Place;
};

/// The allocated and reserved bytes of a pool; with heap Graph: those of the
/// device's graphs.
struct DeviceReservedRecord {
  using Layout = RecordLayout<RecordKind::DeviceReserved, InAddress, InSize,
                              InFunction, InExtra>;
  uint64_t Used;
  uint64_t Reserved;
  PoolTimePoint At;
  uint32_t Place;
};

/// As AskRecord: the program waits until the recorder has measured the used
/// memory of the device.
struct DeviceAskRecord {
  using Layout = RecordLayout<RecordKind::DeviceAsk, InAddress, SizeBits<0, 8>,
                              SizeBits<8, 32>, InExtra>;
  DeviceTimePoint At; ///< of a context
  uint32_t Slot;
  uint32_t Ticket;
  uint32_t Place;
};

using DeviceRecords =
    RecordList<DeviceAllocateRecord, DeviceFreeRecord, DeviceOomRecord,
               DeviceDetailRecord, DeviceContextEndRecord, DeviceMapRecord,
               DeviceUnmapRecord, DeviceUsedRecord, DeviceReservedRecord,
               DeviceAskRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_DEVICERECORDS_H
