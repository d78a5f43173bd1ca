// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace's numbers for CUDA's handles.

#ifndef MEMKIT_LIB_RECORD_CUDANUMBERS_H
#define MEMKIT_LIB_RECORD_CUDANUMBERS_H

#include "Wire/Cuda.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <optional>

namespace memkit {

class EventSink;

/// The devices, streams and pools of a process. Belongs to the recorder's
/// thread.
class CudaNumbers {
public:
  explicit CudaNumbers(EventSink &Sink) : Sink(Sink) {}

  /// The recording's number of the device that the process numbers Ordinal.
  uint16_t device(uint32_t Ordinal);
  /// The recording's number of a device of c10 (TensorHeaps).
  uint16_t torchDevice(uint16_t Word);
  /// The memory space of the device that the process calls Name: `cuda:1`,
  /// `npu:0`. 0: the host's name, or none.
  uint32_t spaceNamed(llvm::StringRef Name);
  /// 0 for the default stream; others by order of appearance.
  uint32_t stream(uint64_t Handle);
  /// As stream(), for a pool with an id of two numbers; 0 for the allocator's
  /// own pool.
  uint32_t pool(uint64_t First, uint64_t Second);
  /// The number if pool() has seen the pool, else 0.
  uint32_t knownPool(uint64_t First, uint64_t Second) const;

private:
  /// Bounds the memory for handles that a program may make up.
  static constexpr size_t MaxHandles = 1 << 16;

  EventSink &Sink;
  uint16_t Devices[wire::MaxCudaDevices] = {}; ///< 0: not known yet
  llvm::DenseMap<uint64_t, uint32_t> Streams;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> Pools;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CUDANUMBERS_H
