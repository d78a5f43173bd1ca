// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes batches of requests from the blocks of one target.

#ifndef MEMKIT_LIB_SIMULATE_REQUESTWRITER_H
#define MEMKIT_LIB_SIMULATE_REQUESTWRITER_H

#include "Simulate/DeviceRequests.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <utility>

namespace memkit {

/// A tensor or segment of a target, while it lives.
struct TrackedBlock {
  uint64_t Size = 0; ///< allocated
  uint32_t Target = 0;
  uint32_t Tensor = 0; ///< of a segment: the pool
  uint32_t Stack = 0;
  uint16_t Stream = 0;
  bool IsSegment = false;
};

/// The requests of one target.
class RequestWriter {
public:
  /// Streams of pools are numbered up to here.
  static constexpr uint32_t MaxStreams = 4096;

  /// Stream 0 is the default stream of the allocator's own pool.
  explicit RequestWriter(DeviceTarget &To) : To(&To) { (void)stream(0, 0); }

  RequestBatch &batch() { return Batch; }
  bool isFull() const { return Batch.Requests.size() >= MaxRequests; }
  /// Makes room for a next batch.
  void clear();

  /// The number of a stream of a pool; nothing: there are MaxStreams already.
  std::optional<uint16_t> stream(uint32_t Stream, uint32_t Pool);
  /// Size: the allocated bytes of the recorded run.
  uint32_t allocate(uint64_t TimeNs, uint64_t Bytes, uint64_t Size,
                    uint16_t Stream, uint32_t Stack);
  void free(uint64_t TimeNs, uint32_t Tensor, uint64_t Size);
  void refuse(uint64_t TimeNs, uint64_t Bytes, uint32_t Stack);
  /// Of a segment that is new or has grown, that is gone or has shrunk by Size.
  void takeSegment(uint64_t TimeNs, uint64_t Size);
  void returnSegment(uint64_t TimeNs, uint64_t Size, uint32_t Pool);
  /// Remember which stack used which stream: requests that fail have a stack
  /// alone.
  void rememberStreams() { RemembersStreams = true; }

private:
  static constexpr size_t MaxRequests = 1 << 16;
  void add(const DeviceRequest &R, uint64_t TimeNs, uint32_t Stack);
  void endReturns();
  bool wasFull(uint64_t Size) const;

  DeviceTarget *To;
  RequestBatch Batch;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint16_t> Streams;
  std::vector<uint32_t> Unused; ///< numbers of tensors
  uint32_t NumTensors = 0;
  llvm::DenseMap<uint32_t, uint16_t> StreamOfStack;
  bool RemembersStreams = false;
  bool HasReturned = false; ///< segments, and nothing came since
  uint64_t ReturnedNs = 0, ReservedBefore = 0;
  uint64_t Reserved = 0, Live = 0; ///< bytes
  bool IsNewPeak = false;          ///< the last event took a segment
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_REQUESTWRITER_H
