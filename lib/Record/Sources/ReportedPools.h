// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: blocks that a program reports itself; each pool is a heap
// `pool.NAME`, or of a device `DEVICE.NAME`. Also blocks of allocators that are
// built into a binary; each is a heap `private.ALLOCATOR@BINARY`.
//
// The blocks lie in memory of other heaps, of malloc, of a mapping or of CUDA's
// driver, so a byte counts once in the stats of the memory space. Of other
// devices no outer block is known. A pool may lie in a block of
// another pool, so the key of a block is its address and its pool's number.

#ifndef MEMKIT_LIB_RECORD_REPORTEDPOOLS_H
#define MEMKIT_LIB_RECORD_REPORTEDPOOLS_H

#include "Shared/RecordOrigin.h"
#include "Sources/AdoptedBlocks.h"
#include "Sources/EventSink.h"
#include "Sources/LiveTable.h"
#include "Wire/PrivateRecords.h"
#include "Wire/ReportedRecords.h"
#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace memkit {

class BlockSnapshots;
class CudaDriver;
class CudaNumbers;
class EventSink;
class HostHeap;
class Mappings;

/// Belongs to the recorder's thread.
class ReportedPools {
public:
  /// Where blocks of pools may lie; must outlive the pools.
  struct OuterMemory {
    Mappings &Maps;
    HostHeap &Host;
    CudaDriver &Driver;
  };
  ReportedPools(EventSink &Sink, BlockSnapshots &Snapshots,
                CudaNumbers &Numbers, OuterMemory In);

  void take(const wire::ReportedAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::ReportedFreeRecord &Rec, RecordOrigin From);
  void take(const wire::DevicePoolAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::DevicePoolFreeRecord &Rec, RecordOrigin From);
  void take(const wire::PrivateAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::PrivateFreeRecord &Rec, RecordOrigin From);
  void take(const wire::PrivateResizeBeginRecord &Rec, RecordOrigin From);
  void take(const wire::PrivateResizeEndRecord &Rec, RecordOrigin From);

  /// As of HostHeap.
  void expectAdopted() { Adopted.expect(); }
  void endAdopting() { Adopted.end(); }
  /// The frees of a private allocator are recorded from now on.
  void expectFreesOf(llvm::StringRef Name) { Recorded.insert(Name); }
  bool recordsFreesOf(llvm::StringRef Name) const {
    return Recorded.contains(Name);
  }
  /// A block of a private allocator that lives already when the recording
  /// begins. Stack: of the trace.
  void adopt(llvm::StringRef Name, uint64_t Address, uint64_t Bytes,
             uint32_t Stack, RecordOrigin From);

  /// Calls Do(Address, Bytes) for each live block of a LiveTable's shard.
  template <class Fn> void forEachInShard(unsigned Shard, Fn Do) const {
    Live.forEachInShard(Shard, [&](const LiveEntry &E, uint64_t Key) {
      Do(Key & (MaxAddress - 1), E.Size);
    });
  }

private:
  /// Bounds the memory for names that a program makes up: all further pools
  /// share the last number, and those of devices are not recorded.
  static constexpr uint32_t MaxNumber = 255;

  enum class PoolKind : uint8_t { Own, Private, Device };
  /// A pool as a record names it.
  struct PoolName {
    uint32_t Text;
    PoolKind Kind = PoolKind::Own;
    bool isPrivate() const { return Kind == PoolKind::Private; }
    uint64_t key() const { return Text | uint64_t(Kind) << 32; }
  };
  /// A block that a thread resizes, taken from its address; Key 0: none.
  struct RunningResize {
    uint64_t Key = 0;
    LiveEntry Block;
  };

  uint32_t heapOf(PoolName Pool, llvm::StringRef Name);
  uint32_t numberOf(PoolName Pool);
  uint32_t numberOf(PoolName Pool, llvm::StringRef Name);
  uint64_t keyOf(PoolName Pool, uint64_t Address);
  void allocate(PoolName Pool, uint64_t Address, uint64_t Size, uint32_t Stack,
                RecordOrigin From);
  void free(PoolName Pool, uint64_t Address, RecordOrigin From);
  void end(uint64_t Key, const LiveEntry &E, RecordOrigin From);
  bool findOuter(PoolName Pool, uint64_t Address, const LiveEntry &E,
                 BlockRef &Out);
  void add(uint64_t Key, const LiveEntry &E, PoolName Pool, RecordOrigin From);

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  CudaNumbers &Devices;
  OuterMemory In;
  LiveTable Live; ///< by address and, in the top byte, the pool's number
  unsigned Table; ///< Live's number in Snapshots
  llvm::DenseMap<uint64_t, uint32_t> Numbers; ///< by PoolName::key(), from 1
  llvm::StringMap<uint32_t> PrivateNumbers;   ///< by name
  std::vector<uint32_t> Heaps;                ///< by number - 1
  /// Block's id to outer block's id + 1.
  llvm::DenseMap<uint64_t, uint64_t> OuterOf;
  std::vector<RunningResize> Resizes; ///< by ring
  AdoptedBlocks Adopted;              ///< of private allocators
  llvm::StringSet<> Recorded;         ///< private allocators
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_REPORTEDPOOLS_H
