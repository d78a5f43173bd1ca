// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: memory that a program requests from CUDA's driver.
//
// Takes the blocks of CUDA's driver: heaps of each device, and of host memory
// that the driver allocates or pins. Segments of PyTorch's allocators lie in
// these blocks.
//
// Physical memory counts once. While mapped at no address, physical memory is a
// block of its own, with the stack that created it; then it is a part of the
// address range where it was mapped first. The mapped part of a range is one
// block, and encloses the blocks of other allocators there.

#ifndef MEMKIT_LIB_RECORD_CUDADRIVER_H
#define MEMKIT_LIB_RECORD_CUDADRIVER_H

#include "Devices/DeviceUses.h"
#include "Shared/RecordOrigin.h"
#include "Sources/DeviceTable.h"
#include "Wire/DeviceRecords.h"
#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/BitVector.h"
#include <functional>

namespace memkit {

class BlockSnapshots;
class CudaNumbers;
class EventSink;
class Mappings;
class OutOfMemory;
class ProcessScopes;

/// Belongs to the recorder's thread.
class CudaDriver {
public:
  /// The parts that hear of more than blocks.
  struct DriverListeners {
    ProcessScopes &Scopes;
    CudaNumbers &Numbers;
    DeviceUses &Uses;
    OutOfMemory &Failures;
  };
  CudaDriver(EventSink &Sink, BlockSnapshots &Snapshots, Mappings &Maps,
             const DriverListeners &To);

  void take(const wire::DeviceAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceFreeRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceOomRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceDetailRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceContextEndRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceMapRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceUnmapRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceUsedRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceReservedRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceAskRecord &Rec, RecordOrigin From);

  const DeviceTable &blocks() const { return Blocks; }
  /// Finds the driver's block Out around the live block E at Address. False:
  /// none.
  bool findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;
  /// Do is called before Bytes at Address lose their memory.
  using ShrinkFunction =
      std::function<void(uint64_t Address, uint64_t Bytes, RecordOrigin From)>;
  void onShrink(ShrinkFunction Do) { OnShrink = std::move(Do); }
  /// Do is called before a block of device memory, of Bytes at Address, ends.
  void onFree(ShrinkFunction Do) { OnFree = std::move(Do); }

private:
  /// A ring's announcement of its next CUDA record.
  struct RingDetail {
    uint64_t Handle = 0, Second = 0;
  };
  struct PoolBytes {
    uint64_t Used = 0, Reserved = 0;
  };
  /// A new block: fields of its record, and its heap in the trace.
  struct NewDeviceBlock {
    uint64_t Address, Size;
    wire::CudaFunction Function;
    uint32_t Node, Place, Heap;
    bool IsMapped; ///< by a DeviceMapRecord
  };

  // CudaDriver.cpp
  bool isValid(uint32_t Place, wire::CudaFunction Function) const;
  DeviceUses::Look lookAt(uint32_t Place, RecordOrigin From) const;
  void noteChange(uint32_t Place, RecordOrigin From, bool Ends = false);
  void noteContext(const DeviceUses::Look &L);
  uint16_t deviceOf(uint32_t Place) const;
  RingDetail takeDetail(uint32_t Ring);
  LiveEntry begin(const NewDeviceBlock &New, RecordOrigin From);
  void emitFree(LiveEntry &E, RecordOrigin From);
  void end(DeviceBlock &B, RecordOrigin From);
  void endContext(uint32_t Context, RecordOrigin From);
  // CudaMemoryMap.cpp
  void putPhysical(const wire::DeviceAllocateRecord &Rec, RecordOrigin From);
  void releasePhysical(DeviceTable::DeviceBlockMap::iterator It,
                       RecordOrigin From);
  void countUnmapped(DeviceBlock &B, RecordOrigin From);
  void unmap(uint64_t Address, uint64_t Size, RecordOrigin From);
  void shrinkRange(uint64_t Address, uint64_t Bytes, RecordOrigin From);
  void resize(LiveEntry &E, uint64_t Size, RecordOrigin From);

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  Mappings &Maps;
  ProcessScopes &Scopes;
  CudaNumbers &Numbers;
  DeviceUses &Uses;
  OutOfMemory &Failures;
  DeviceTable Blocks;
  llvm::BitVector Contexts;        ///< known to live, by number
  std::vector<RingDetail> Details; ///< by ring
  /// By heap and handle.
  std::map<uint32_t, std::map<uint64_t, PoolBytes>> Pools;
  ShrinkFunction OnShrink, OnFree;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CUDADRIVER_H
