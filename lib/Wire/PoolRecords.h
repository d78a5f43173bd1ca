// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of pools that a program registers with NVTX.
//
// Number: of a pool, 1 to MaxPools; in records of a region 0: not known. Sizes
// in bytes; Stack: a node, 0 for none.

#ifndef MEMKIT_LIB_WIRE_POOLRECORDS_H
#define MEMKIT_LIB_WIRE_POOLRECORDS_H

#include "Record.h"

namespace memkit::wire {

inline constexpr uint32_t MaxPools = 255;

struct PoolBeginRecord {
  using Layout = RecordLayout<RecordKind::PoolBegin, InSize, InStack, InExtra>;
  uint64_t Size; ///< of the pool's range
  uint32_t Number;
  uint32_t Name; ///< text
};

/// The pool's regions end.
struct PoolEndRecord {
  using Layout = RecordLayout<RecordKind::PoolEnd, InAddress, InStack>;
  bool EndsPool; ///< the pool ends, too
  uint32_t Number;
};

struct PoolAllocateRecord {
  using Layout = RecordLayout<RecordKind::PoolAllocate, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  uint32_t Stack;
  uint32_t Number;
};

struct PoolFreeRecord {
  using Layout = RecordLayout<RecordKind::PoolFree, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Number;
};

struct PoolResizeRecord {
  using Layout =
      RecordLayout<RecordKind::PoolResize, InAddress, InSize, InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  uint32_t Stack;
  uint32_t Number;
};

struct PoolNameRecord {
  using Layout =
      RecordLayout<RecordKind::PoolName, InAddress, InStack, InExtra>;
  uint64_t Address;
  uint32_t Name; ///< text
  uint32_t Number;
};

using PoolRecords =
    RecordList<PoolBeginRecord, PoolEndRecord, PoolAllocateRecord,
               PoolFreeRecord, PoolResizeRecord, PoolNameRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_POOLRECORDS_H
