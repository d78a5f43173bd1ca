// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for CUDA's handles, as the trace has them.

#ifndef MEMKIT_LIB_RECORD_CUDANUMBERS_H
#define MEMKIT_LIB_RECORD_CUDANUMBERS_H

#include "Wire/Cuda.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>

namespace memkit {

class EventSink;

/// The devices, streams and pools of a process. Belongs to the recorder's
/// thread.
class CudaNumbers {
public:
  explicit CudaNumbers(EventSink &Sink) : Sink(Sink) {}

  /// The recording's device of a device that the process knows by Ordinal.
  uint16_t device(uint32_t Ordinal);
  /// A device of c10's (TensorHeaps) as the recording has it.
  uint16_t torchDevice(uint16_t Word);
  /// 0 for the default stream, others in the order in which they are seen.
  uint32_t stream(uint64_t Handle);
  /// The same of pools, of an id of two numbers; 0 for the allocator's own.
  uint32_t pool(uint64_t First, uint64_t Second);
  /// Of a pool that pool() has seen, else 0.
  uint32_t knownPool(uint64_t First, uint64_t Second) const;

private:
  /// What a program makes up must not fill our memory.
  static constexpr size_t MaxHandles = 1 << 16;

  EventSink &Sink;
  uint16_t Devices[wire::MaxCudaDevices] = {}; ///< 0: not known yet
  llvm::DenseMap<uint64_t, uint32_t> Streams;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> Pools;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CUDANUMBERS_H
