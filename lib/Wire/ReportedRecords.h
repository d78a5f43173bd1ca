// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of blocks that a program reports itself (memkit.h).

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

using ReportedRecords = RecordList<ReportedAllocateRecord, ReportedFreeRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_REPORTEDRECORDS_H
