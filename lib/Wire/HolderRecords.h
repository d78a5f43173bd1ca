// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the names of Python that hold blocks.

#ifndef MEMKIT_LIB_WIRE_HOLDERRECORDS_H
#define MEMKIT_LIB_WIRE_HOLDERRECORDS_H

#include "Record.h"

namespace memkit::wire {

enum HeldFlags : uint8_t {
  HF_Cycle = 1,   ///< only a cycle holds the block
  HF_NoName = 2,  ///< no name of Python leads to the block
  HF_Stopped = 4, ///< the walk ended before it had seen all objects
  HF_AtEnd = 8,   ///< the walk is that at the interpreter's exit
};

/// The data or the object at Address is held by the path Text.
struct BlockHeldRecord {
  using Layout = RecordLayout<RecordKind::BlockHeld, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address;      ///< 0: the record of the walk itself, at its end
  uint64_t Objects;      ///< of a walk: the objects seen
  uint8_t Flags;         ///< HeldFlags
  uint32_t Microseconds; ///< of a walk: its time
  uint32_t Text;
};

using HolderRecords = RecordList<BlockHeldRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_HOLDERRECORDS_H
