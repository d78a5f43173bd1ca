// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: segments of devices' allocators, a heap for each framework and
// device: of PyTorch's caching allocator, and the regions of TensorFlow's.

#ifndef MEMKIT_LIB_RECORD_SEGMENTS_H
#define MEMKIT_LIB_RECORD_SEGMENTS_H

#include "Shared/RecordOrigin.h"
#include "Sources/SegmentTable.h"
#include "Wire/TensorRecords.h"
#include "memkit/Stats/LiveStats.h"

namespace memkit {

class BlockSnapshots;
class CudaDriver;
class EventSink;
class TensorDevices;

/// The memory that an allocator has taken from a device; tensors lie in it.
/// Belongs to the recorder's thread.
class Segments {
public:
  Segments(EventSink &Sink, BlockSnapshots &Snapshots, CudaDriver &Driver,
           TensorDevices &Devices);

  void take(const wire::TensorSegmentRecord &Rec, RecordOrigin From);

  /// Finds the segment Out around the live block E at Address. False: none.
  bool findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;

private:
  void put(const wire::TensorSegmentRecord &Rec, SegmentTable::SegmentKind Kind,
           RecordOrigin From);
  void resize(Segment &S, uint64_t Mapped, RecordOrigin From);
  void shrink(SegmentTable::SegmentMap::iterator It, uint64_t Bytes,
              RecordOrigin From);
  void end(const LiveEntry &E, RecordOrigin From);
  void endAll(RecordOrigin From);
  void map(const wire::TensorSegmentRecord &Rec, RecordOrigin From);
  void unmap(const wire::TensorSegmentRecord &Rec, RecordOrigin From);
  void free(const wire::TensorSegmentRecord &Rec, RecordOrigin From);
  void driverUnmaps(uint64_t Address, uint64_t Bytes, RecordOrigin From);
  void driverFrees(uint64_t Address, uint64_t Bytes, RecordOrigin From);

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  CudaDriver &Driver;
  TensorDevices &Devices;
  SegmentTable Table;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SEGMENTS_H
