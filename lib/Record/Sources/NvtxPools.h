// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: pools that a program registers with NVTX.
//
// Takes the regions of NVTX's memory extension: blocks of the heap `nvtx.NAME`.
// Regions lie in memory of other heaps, of the host or of a device, and do not
// count in the stats of memory spaces. A pool may lie in a region of another
// pool, so the key of a region is its address and its pool's number.

#ifndef MEMKIT_LIB_RECORD_NVTXPOOLS_H
#define MEMKIT_LIB_RECORD_NVTXPOOLS_H

#include "Shared/RecordOrigin.h"
#include "Sources/LiveTable.h"
#include "Wire/PoolRecords.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class BlockSnapshots;
class EventSink;
class ProcessScopes;

/// Belongs to the recorder's thread.
class NvtxPools {
public:
  NvtxPools(EventSink &Sink, BlockSnapshots &Snapshots, ProcessScopes &Scopes);

  void take(const wire::PoolBeginRecord &Rec, RecordOrigin From);
  void take(const wire::PoolEndRecord &Rec, RecordOrigin From);
  void take(const wire::PoolAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::PoolFreeRecord &Rec, RecordOrigin From);
  void take(const wire::PoolResizeRecord &Rec, RecordOrigin From);
  void take(const wire::PoolNameRecord &Rec, RecordOrigin From);

private:
  struct RegisteredPool {
    uint32_t Heap = 0;  ///< 0: not registered
    uint64_t Bytes = 0; ///< of the pool's range; 0: unknown
  };

  bool isWanted(RecordOrigin From);
  bool isRegion(uint64_t Address, uint32_t Number);
  uint64_t find(uint64_t Address, uint32_t Number) const;
  void reserve(const RegisteredPool &P, int64_t Bytes, RecordOrigin From);
  void put(uint64_t Key, uint64_t Size, uint32_t Node, RecordOrigin From);
  void free(uint64_t Key, RecordOrigin From);
  const RegisteredPool &poolOf(uint64_t Key) const;

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  ProcessScopes &Scopes;
  LiveTable Regions; ///< by address and, in the top byte, number of the pool
  unsigned Table;    ///< of Regions in Snapshots
  RegisteredPool Pools[wire::MaxPools];        ///< by number - 1
  llvm::DenseMap<uint32_t, uint64_t> Reserved; ///< by heap
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NVTXPOOLS_H
