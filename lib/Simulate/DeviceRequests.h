// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a recorded program to PyTorch's allocators of devices.
//
// A target is one allocator: of one process and one device, known by the heap
// of its tensors (`torch.cuda:0`). Each tensor of the trace is a request, with
// its requested bytes where they are recorded, else its allocated bytes.
//
// What the trace does not have and the reader concludes:
//  - `empty_cache()`: segments went back to the device, and no failure came
//    next, and no new segment for which the device was too full;
//  - the end of a graph's pool: a segment of the pool went back;
//  - tensors that other streams use (`record_stream`) are free from the
//    program's free on.

#ifndef MEMKIT_LIB_SIMULATE_DEVICEREQUESTS_H
#define MEMKIT_LIB_SIMULATE_DEVICEREQUESTS_H

#include "memkit/Model/Selection.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <vector>

namespace memkit {

enum class DeviceRequestKind : uint8_t {
  Allocate,
  Free,
  EmptyCache,
  Refused,     ///< a request that failed in the recorded run
  ReleasePool, ///< no graph uses the pool any more
};

struct DeviceRequest {
  uint64_t Bytes = 0;  ///< Allocate, Refused; of ReleasePool the pool
  uint32_t Tensor = 0; ///< Allocate, Free: a number, used again after the free
  uint16_t Stream = 0; ///< Allocate, Refused; of RequestBatch::Pools
  DeviceRequestKind Kind = DeviceRequestKind::Allocate;
};

/// Requests of one target that follow each other.
struct RequestBatch {
  std::vector<DeviceRequest> Requests;
  std::vector<uint64_t> TimeNs; ///< of each request
  std::vector<uint32_t> Stack;  ///< of each request; 0: none
  /// The pool of each stream of a pool that the target has used so far; 0: the
  /// allocator's own.
  std::vector<uint32_t> Pools;
};

/// What the recorder measured of a target: by its segments, else by marks.
struct RecordedUse {
  bool HasReserved = false; ///< whether the next three are known
  uint64_t Reserved = 0;    ///< the peak
  uint64_t Active = 0;      ///< then; with the tensor that the segment was for
  uint64_t TimeNs = 0;      ///< then
  uint64_t NumMallocs = 0;  ///< segments taken, or parts mapped
  uint64_t NumFrees = 0;    ///< segments given back, or parts unmapped
  uint64_t NumRequests = 0; ///< that were served
  uint64_t NumRefused = 0;
  uint64_t RefusedNs = 0;   ///< the first refused request
  bool HasExpanded = false; ///< a segment changed its size
};

struct DeviceTarget {
  uint32_t Process = 0, Heap = 0;
  /// What the allocator could have; 0: not known.
  uint64_t DeviceBytes = 0;
  /// DeviceBytes is what the allocator had and what was free when a request
  /// failed; otherwise the device's bytes, and others may have a part.
  bool IsMeasured = false;
  RecordedUse Recorded;
};

/// Which tensors are the requests. Cpu: those of `torch.cpu`, as if the program
/// had run on one device.
enum class TensorSource { Devices, Cpu };

/// Whether the heap has such tensors.
bool hasTensors(const Trace &T, uint32_t Heap, TensorSource Of);

/// Reads the requests of all selected targets, in order for each target.
/// OnBatch gets the place of the target in the result; the target's DeviceBytes
/// is final with the first batch, its Recorded after the end. Needs the trace's
/// events and TP_Names. Errors: TraceError.
llvm::Expected<std::vector<DeviceTarget>> readDeviceRequests(
    const Trace &T, const Selection &Sel, TensorSource Which,
    uint64_t DeviceBytes,
    llvm::function_ref<void(size_t Target, const DeviceTarget &Of,
                            const RequestBatch &Batch)>
        OnBatch);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_DEVICEREQUESTS_H
