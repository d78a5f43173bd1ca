// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's CUDA allocator tells.
//
// The caching allocator of CUDA devices (libc10_cuda.so) tells a trace tracker
// of each request, of each free twice (asked for; no stream uses it any more),
// and of the segments that it takes from the device. Ours is attached with the
// first tensor of such a device.
//
// There is no symbol for that: it is a virtual function of the allocator
// object, which another version may have elsewhere. So it is called only where
// the version is one that is known, the object is of the class that it should
// be, and that has as many virtual functions as the version's; and what the
// tracker is given is used once it has been seen to say what libc10 reports
// right after (Checked).
//
// The tracker runs below the allocator's lock: it writes records, no more.

#ifndef MEMKIT_CAPTURE_TORCH_CUDATRACKER_H
#define MEMKIT_CAPTURE_TORCH_CUDATRACKER_H

#include "Wire/Layout.h"

namespace memkit::capture {

struct Frame;
struct Thread;

/// One in a process, children of fork included. Any thread.
class CudaTracker {
public:
  /// As libc10 reports an allocation of a device of CUDA.
  struct Report {
    uintptr_t Address;
    uint64_t Size;
    uint64_t Allocated, Reserved; ///< of the device, this one included
    uint32_t Slot;                ///< of the device, in TensorDevices
  };

  /// Before the record of an allocation: writes what belongs in front of it.
  void beforeAllocation(Thread &T, const Report &R, const Frame &Caller);
  /// Do streams still use the block that the thread frees?
  bool isInUse(uintptr_t Address);
  /// Before the record of a device's having no more.
  void beforeOom(Thread &T, uint64_t Size, uint32_t Slot);

  struct Entry; ///< c10's TraceEntry
  void track(const Entry &E, const Frame &Caller);

private:
  /// Unchecked: attached; what it was given is held back.
  enum : uint32_t { New, Attaching, Unchecked, Checked, Off };
  struct Segment {
    uintptr_t Address;
    uint64_t Size;
    uint64_t Stream, Pool[2];
    wire::SegmentChange Change;
    uint32_t Stack, Slot;
    std::atomic<bool> IsThere;
  };

  bool attach();
  void turnOff(wire::CudaState Why);
  static void writeSegment(Thread &T, const Segment &S);
  void check(Thread &T, const Report &R);
  void onSegment(Thread &T, const Entry &E, wire::SegmentChange Change,
                 const Frame &Caller);

  std::atomic<uint32_t> State{New};
  bool HasPools = false; ///< entries say which
  /// Before the check: as many as its threads take until the next allocation.
  static constexpr uint32_t MaxEarly = 16;
  Segment Early[MaxEarly];
  std::atomic<uint32_t> NumEarly{0};
};

extern CudaTracker Cuda;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_CUDATRACKER_H
