// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the blocks of an interpreter's allocators: heap python.object.
//
// The interpreter's lock orders these records. Stack: a node, 0 for none.

#ifndef MEMKIT_LIB_WIRE_OBJECTRECORDS_H
#define MEMKIT_LIB_WIRE_OBJECTRECORDS_H

#include "HostRecords.h"

namespace memkit::wire {

struct ObjectAllocateRecord {
  using Layout = RecordLayout<RecordKind::ObjectAllocate, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
  bool InMalloc; ///< malloc was called meanwhile: the object may lie in a block
                 ///< of malloc
};

struct ObjectFreeRecord {
  using Layout = RecordLayout<RecordKind::ObjectFree, InAddress>;
  uint64_t Address;
};

struct ObjectReallocBeginRecord {
  using Layout = RecordLayout<RecordKind::ObjectReallocBegin, InAddress>;
  uint64_t Address;
};

/// Address: as ReallocEndRecord's; the rest as ObjectAllocateRecord's.
struct ObjectReallocEndRecord {
  using Layout = RecordLayout<RecordKind::ObjectReallocEnd, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
  bool InMalloc;
};

using ObjectRecords =
    RecordList<ObjectAllocateRecord, ObjectFreeRecord, ObjectReallocBeginRecord,
               ObjectReallocEndRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_OBJECTRECORDS_H
