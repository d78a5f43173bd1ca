// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a process's tensors, shared by Tensors and Segments.

#ifndef MEMKIT_LIB_RECORD_TENSORDEVICES_H
#define MEMKIT_LIB_RECORD_TENSORDEVICES_H

#include "Shared/RecordOrigin.h"
#include "Wire/Layout.h"
#include "Wire/TensorRecords.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
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
    uint32_t Heap = 0;             ///< 0: not known yet
    std::optional<bool> IsLeftOut; ///< see isLeftOut()
    bool IsHost = false;
    bool IsPinned = false; ///< host memory of PyTorch's allocator, for CUDA
    wire::TensorFramework Of{};
    uint32_t SegmentHeap = 0;             ///< 0: not known yet
    uint64_t Reserved = 0, Allocated = 0; ///< as the allocator last reported
    uint64_t Live = 0;                    ///< bytes of recorded tensors
    /// Bytes freed by the program, in memory that streams still use.
    uint64_t InUse = 0;
  };
  /// Whether the user's choice of heaps leaves out the device: neither the heap
  /// of its tensors nor that of its segments is chosen.
  bool isLeftOut(uint8_t Device);
  /// The device must be known to heap() or segmentHeap().
  TensorDevice &of(uint8_t Device) { return Devices[Device]; }
  /// The heap of the device's tensors or segments; 0: no such device.
  uint32_t heap(uint8_t Device);
  uint32_t segmentHeap(uint8_t Device);
  /// Makes both heaps known. The heap of segments comes first, as the parent of
  /// the tensors' heap.
  bool knows(uint8_t Device) { return segmentHeap(Device) && heap(Device); }

  //===--------------------------------------------------------------------===//
  // Memory that an allocator reserves
  //===--------------------------------------------------------------------===//

  /// Whether the allocator of any device has reported its reserved bytes.
  bool HasReserved = false;
  /// Adds a mark with the bytes that the device's allocator reserves now.
  void markReserved(uint8_t Device, RecordOrigin From);
  /// The device's segments grew or shrank by Bytes. libc10 reports the change,
  /// too, but only with the device's next block.
  void changeReserved(uint8_t Device, int64_t Bytes, RecordOrigin From);
  /// Reports the live and reserved bytes of all devices to the scopes.
  void noteLive(uint64_t TimeNs);
  /// The tensor of Bytes at Address was freed while streams use its memory.
  void beginInUse(uint8_t Device, uint64_t Address, uint64_t Bytes);
  /// No stream uses the memory at Address any more, or another tensor lies
  /// there.
  void endInUse(uint64_t Address);

  //===--------------------------------------------------------------------===//
  // Requests: a ring's announcement of the next tensor, segment or failure
  //===--------------------------------------------------------------------===//

  struct TensorRequest {
    uint64_t Address = 0, Size = 0, Stream = 0;
    uint64_t First = 0, Second = 0; ///< id of the pool
    bool IsThere = false, HasPool = false;
  };
  void take(const wire::TensorRequestRecord &Rec, RecordOrigin From);
  void take(const wire::TensorPoolRecord &Rec, RecordOrigin From);
  /// Removes and returns the ring's request.
  TensorRequest takeRequest(uint32_t Ring);
  /// Sets the columns of the next event of the log, that of the block at
  /// Address: stream and pool of the ring's request; with HasSize, also the
  /// requested size.
  void noteRequest(uint64_t Address, uint32_t Ring, bool HasSize);

private:
  TensorRequest &request(uint32_t Ring) {
    if (Requests.size() <= Ring)
      Requests.resize(Ring + 1);
    return Requests[Ring];
  }
  uint32_t wordOf(uint8_t Device) const;

  /// Bounds the memory for what a program may make up.
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
