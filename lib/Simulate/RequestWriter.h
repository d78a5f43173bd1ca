// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes batches of requests from the blocks of one target.

#ifndef MEMKIT_LIB_SIMULATE_REQUESTWRITER_H
#define MEMKIT_LIB_SIMULATE_REQUESTWRITER_H

#include "Simulate/DeviceRequests.h"
#include "llvm/ADT/DenseMap.h"
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
  uint32_t allocate(uint64_t TimeNs, uint64_t Bytes, uint16_t Stream,
                    uint32_t Stack);
  void free(uint64_t TimeNs, uint32_t Tensor);
  void refuse(uint64_t TimeNs, uint64_t Bytes, uint32_t Stack);
  void takeSegment();
  void returnSegment(uint64_t TimeNs, uint32_t Pool);

private:
  static constexpr size_t MaxRequests = 1 << 16;
  void add(const DeviceRequest &R, uint64_t TimeNs, uint32_t Stack);
  void endReturns();

  DeviceTarget *To;
  RequestBatch Batch;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint16_t> Streams;
  std::vector<uint32_t> Unused; ///< numbers of tensors
  uint32_t NumTensors = 0;
  bool HasReturned = false; ///< segments, and nothing came since
  uint64_t ReturnedNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_REQUESTWRITER_H
