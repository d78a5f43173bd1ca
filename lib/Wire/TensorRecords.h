// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of tensors and of the allocator that holds their memory.
//
// Device: an index of Layout.h's TensorDevices. Sizes in bytes; Stack: a node,
// 0 for none.

#ifndef MEMKIT_LIB_WIRE_TENSORRECORDS_H
#define MEMKIT_LIB_WIRE_TENSORRECORDS_H

#include "Record.h"

namespace memkit::wire {

struct TensorAllocateRecord {
  using Layout = RecordLayout<RecordKind::TensorAllocate, InAddress, InSize,
                              InFunction, InStack>;
  uint64_t Address;
  uint64_t Size;
  uint8_t Device;
  uint32_t Stack;
};

/// Published before the real free.
struct TensorFreeRecord {
  using Layout =
      RecordLayout<RecordKind::TensorFree, InAddress, InSize, InFunction>;
  uint64_t Address;
  /// Streams still use the memory: a TensorReusableRecord follows.
  bool IsInUse;
  uint8_t Device;
};

/// The bytes now allocated and reserved in the device's allocator.
struct TensorReservedRecord {
  using Layout =
      RecordLayout<RecordKind::TensorReserved, InAddress, InSize, InFunction>;
  uint64_t Allocated;
  uint64_t Reserved;
  uint8_t Device;
};

/// An out-of-memory event: the allocator could not allocate Requested bytes.
struct TensorOomRecord {
  using Layout = RecordLayout<RecordKind::TensorOom, InAddress, InSizeAndExtra,
                              InFunction, InStack>;
  uint64_t Reserved;
  uint64_t Requested;
  uint8_t Device;
  uint32_t Stack;
};

/// Detail of the ring's next TensorAllocateRecord or TensorSegmentRecord with
/// the same address, or of its next TensorOomRecord.
struct TensorRequestRecord {
  using Layout = RecordLayout<RecordKind::TensorRequest, InAddress, InSize,
                              InFunction, InStackAndExtra>;
  uint64_t Address; ///< before a TensorOomRecord: the free bytes of the device
  uint64_t Size;    ///< as requested
  uint8_t Device;
  uint64_t Stream; ///< handle; 0: the default stream
};

/// The TensorRequestRecord that follows is of a private pool.
struct TensorPoolRecord {
  using Layout =
      RecordLayout<RecordKind::TensorPool, InAddress, InSize, InFunction>;
  uint64_t First, Second; ///< the numbers of the pool's id
  uint8_t Device;
};

/// A change of a segment of a device's allocator. An expandable segment is a
/// range of addresses with parts mapped.
enum class SegmentChange : uint32_t {
  Allocate = 0,
  Free = 1, ///< address 0: no more records of any segment follow
  Map = 2,
  Unmap = 3,
  First = 4, ///< a segment from before the recording, of either kind
  /// A region of TensorFlow's allocator: ends with the driver's block around
  /// it.
  Region = 5,
};

/// Precedes the records of the tensors in the segment.
struct TensorSegmentRecord {
  using Layout = RecordLayout<RecordKind::TensorSegment, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  uint8_t Device;
  uint32_t Stack;
  SegmentChange Change;
};

/// No stream uses the freed memory at Address any more.
struct TensorReusableRecord {
  using Layout =
      RecordLayout<RecordKind::TensorReusable, InAddress, InFunction>;
  uint64_t Address;
  uint8_t Device;
};

/// The holder of a tensor. A module holds a parameter or buffer. An optimizer
/// holds a parameter that it trains, or the state for a parameter.
enum class HeldBy : uint8_t {
  Module = 0,
  OptimizerGroup = 1,
  OptimizerState = 2
};

struct TensorHeldRecord {
  using Layout =
      RecordLayout<RecordKind::TensorHeld, InAddress, InSize, InFunction>;
  uint64_t Address;
  uint64_t Layer; ///< text of the module's name, 0 for an optimizer
  HeldBy By;
};

/// The tensor in the block at Address has a dtype, as wire::dtypeName() takes
/// it.
struct TensorDtypeRecord {
  using Layout = RecordLayout<RecordKind::TensorDtype, InAddress, InSize>;
  uint64_t Address;
  uint64_t Dtype;
};

using TensorRecords =
    RecordList<TensorAllocateRecord, TensorFreeRecord, TensorReservedRecord,
               TensorOomRecord, TensorRequestRecord, TensorPoolRecord,
               TensorSegmentRecord, TensorReusableRecord, TensorHeldRecord,
               TensorDtypeRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_TENSORRECORDS_H
