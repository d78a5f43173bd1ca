// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: tensors, a heap for each framework and device.
//
// Takes the blocks that the allocators of PyTorch and TensorFlow report:
// torch.cpu, torch.cuda:0, torch.pinned, tf.cpu. A thread records a tensor
// after the allocation and before the free of the block around the tensor, so
// the tensor's address leads to this block. TensorFlow divides large blocks of
// malloc among tensors.

#ifndef MEMKIT_LIB_RECORD_TENSORS_H
#define MEMKIT_LIB_RECORD_TENSORS_H

#include "Sources/EventSink.h"
#include "Sources/TensorOrigins.h"
#include "Wire/TensorRecords.h"

namespace memkit {

class BlockSnapshots;
class CudaDriver;
class HostHeap;
class Mappings;
class OperatorTable;
class OutOfMemory;
class Segments;
class TensorDevices;

/// Belongs to the recorder's thread.
class Tensors {
public:
  /// The sources in whose blocks tensors lie.
  struct OuterSources {
    Mappings &Maps;
    HostHeap &Host;
    CudaDriver &Driver;
    Segments &Segs;
  };
  Tensors(EventSink &Sink, BlockSnapshots &Snapshots, ProcessScopes &Scopes,
          TensorDevices &Devices, OutOfMemory &Failures,
          const OuterSources &Outers);

  void take(const wire::TensorAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::TensorFreeRecord &Rec, RecordOrigin From);
  void take(const wire::TensorReservedRecord &Rec, RecordOrigin From);
  void take(const wire::TensorOomRecord &Rec, RecordOrigin From);
  void take(const wire::TensorReusableRecord &Rec, RecordOrigin From);
  void take(const wire::TensorHeldRecord &Rec, RecordOrigin From);
  void take(const wire::TensorDtypeRecord &Rec, RecordOrigin From);

  /// Call before the end of the process or of the recording.
  void finish() { Origins.finish(); }
  /// As TensorOrigins::addLive().
  void addLiveCategories() { Origins.addLive(); }
  /// As TensorOrigins::addTo().
  void addCategories(CategoryTable &To) { Origins.addTo(To); }

  /// Whether a block lives at Address; copies the block to Out.
  bool findLive(uint64_t Address, LiveEntry &Out) const {
    return Live.get(Address, &Out);
  }

private:
  /// Flag in the ScopeRow of a tensor that no block of the host encloses.
  static constexpr uint32_t OnDeviceBit = ScopeRowFlag;
  /// The smallest block of malloc that TensorFlow divides; its first has 1 MiB.
  static constexpr uint64_t MinRegion = 1 << 18;

  bool findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out);
  bool findPinnedOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out);
  bool remove(uint64_t Address, LiveEntry &E);
  void emitFree(uint64_t Address, LiveEntry E, RecordOrigin From,
                uint32_t Heap);

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  ProcessScopes &Scopes;
  OperatorTable &Operators;
  TensorDevices &Devices;
  OutOfMemory &Failures;
  OuterSources Outers;
  LiveTable Live; ///< ScopeRow may have OnDeviceBit
  unsigned Table; ///< Live's number in Snapshots
  /// Tensor's id to outer block's id + 1.
  llvm::DenseMap<uint64_t, uint64_t> OuterOf;
  TensorOrigins Origins;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORS_H
