// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Tensors and Segments share: the devices of a process's tensors.

#ifndef MEMKIT_LIB_RECORD_TENSORDEVICES_H
#define MEMKIT_LIB_RECORD_TENSORDEVICES_H

#include "Shared/RecordOrigin.h"
#include "Wire/Layout.h"
#include "Wire/TensorRecords.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace memkit {

class CudaNumbers;
class EventSink;
class ProcessScopes;

/// Belongs to the recorder's thread. Device: an index of TensorDevices in the
/// shared memory.
class TensorDevices {
public:
  TensorDevices(EventSink &Sink, ProcessScopes &Scopes, CudaNumbers &Numbers)
      : Sink(Sink), Scopes(Scopes), Numbers(Numbers) {}

  struct TensorDevice {
    uint32_t Heap = 0; ///< 0: not known yet
    bool IsHost = false;
    uint32_t SegmentHeap = 0;             ///< 0: not known yet
    uint64_t Reserved = 0, Allocated = 0; ///< as the allocator said last
    uint64_t Live = 0;                    ///< of tensors that are recorded
    uint64_t InUse = 0; ///< freed, while streams still use the memory
  };
  /// Of a device that heap() or segmentHeap() knows.
  TensorDevice &of(uint8_t Device) { return Devices[Device]; }
  /// The heap of the device's tensors or segments; 0: there is no such device.
  uint32_t heap(uint8_t Device);
  uint32_t segmentHeap(uint8_t Device);
  /// Sees to both heaps, the segments' first: it is the tensors' parent.
  bool knows(uint8_t Device) { return segmentHeap(Device) && heap(Device); }

  //===--------------------------------------------------------------------===//
  // What an allocator reserves
  //===--------------------------------------------------------------------===//

  /// Any device's allocator has said what it reserves.
  bool HasReserved = false;
  /// Adds a mark of what the device's allocator reserves now.
  void markReserved(uint8_t Device, RecordOrigin From);
  /// Segments of the device got or lost Bytes. libc10 says so, too, but only
  /// with the device's next block.
  void changeReserved(uint8_t Device, int64_t Bytes, RecordOrigin From);
  /// Scopes are measured by what devices have reserved, and what of it is live.
  void noteLive(uint64_t TimeNs);
  /// The tensor of Bytes at Address was freed while streams use its memory.
  void beginInUse(uint8_t Device, uint64_t Address, uint64_t Bytes);
  /// No stream uses what was at Address, or another tensor is there by now.
  void endInUse(uint64_t Address);

  //===--------------------------------------------------------------------===//
  // Requests: what a ring says of the tensor, segment or failure that comes
  // next
  //===--------------------------------------------------------------------===//

  struct TensorRequest {
    uint64_t Address = 0, Size = 0, Stream = 0;
    uint64_t First = 0, Second = 0; ///< the pool's id
    bool IsThere = false, HasPool = false;
  };
  void take(const wire::TensorRequestRecord &Rec, RecordOrigin From);
  void take(const wire::TensorPoolRecord &Rec, RecordOrigin From);
  /// The ring's request, which is used up.
  TensorRequest takeRequest(uint32_t Ring);
  /// The event of the block at Address comes next in the log: stream and pool
  /// of the ring's request go into the columns. HasSize: the requested size,
  /// too.
  void noteRequest(uint64_t Address, uint32_t Ring, bool HasSize);

private:
  TensorRequest &request(uint32_t Ring) {
    if (Requests.size() <= Ring)
      Requests.resize(Ring + 1);
    return Requests[Ring];
  }
  uint32_t wordOf(uint8_t Device) const;

  /// What a program makes up must not fill our memory.
  static constexpr size_t MaxInUse = 1 << 20;
  EventSink &Sink;
  ProcessScopes &Scopes;
  CudaNumbers &Numbers;
  TensorDevice Devices[wire::MaxTensorDevices];
  std::vector<TensorRequest> Requests; ///< by ring
  /// Freed memory that streams still use, by address.
  struct UsedMemory {
    uint64_t Bytes;
    uint8_t Device;
  };
  llvm::DenseMap<uint64_t, UsedMemory> InUse;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORDEVICES_H
