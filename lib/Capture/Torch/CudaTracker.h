// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the trace entries of PyTorch's CUDA allocator.
//
// The caching allocator of CUDA devices (libc10_cuda.so) reports to a trace
// tracker each request, two entries for each free (requested; no stream uses
// the block any more), and the segments taken from the device. memkit's tracker
// is attached at the first tensor of a CUDA device.
//
// No symbol exports the function that attaches a tracker: it is a virtual
// function of the allocator object, at an index that depends on the version. It
// is called only if the version is known, the object has the expected class,
// and the class has the version's number of virtual functions. Entries of the
// tracker are used only after the first one has agreed with the report of
// libc10 that follows (Checked).
//
// The tracker runs below the allocator's lock: it writes records and does
// nothing else.

#ifndef MEMKIT_CAPTURE_TORCH_CUDATRACKER_H
#define MEMKIT_CAPTURE_TORCH_CUDATRACKER_H

#include "Wire/Layout.h"

namespace memkit::capture {

struct CallerFrame;
struct ThreadState;

/// One in a process, children of fork included. Any thread.
class CudaTracker {
public:
  /// libc10's report of an allocation on a CUDA device.
  struct Report {
    uintptr_t Address;
    uint64_t Size;
    uint64_t Allocated, Reserved; ///< of the device, this allocation included
    uint32_t Slot;                ///< of the device, in TensorDevices
  };

  /// Writes the records that precede the record of an allocation.
  void beforeAllocation(ThreadState &T, const Report &R,
                        const CallerFrame &Caller);
  /// Do streams still use the block that the thread frees?
  bool isInUse(uintptr_t Address);
  /// Writes the record that precedes the record of an out-of-memory event.
  void beforeOom(ThreadState &T, uint64_t Size, uint32_t Slot);

  struct Entry; ///< c10's TraceEntry
  void track(const Entry &E, const CallerFrame &Caller);

private:
  /// Unchecked: the tracker is attached, and its entries are held back.
  enum : uint32_t { New, Attaching, Unchecked, Checked, Off };
  struct TrackedSegment {
    uintptr_t Address;
    uint64_t Size;
    uint64_t Stream, Pool[2];
    wire::SegmentChange Change;
    uint32_t Stack, Slot;
    std::atomic<bool> IsThere;
  };

  bool attach();
  void turnOff(wire::CudaState Why);
  static void writeSegment(ThreadState &T, const TrackedSegment &S);
  void check(ThreadState &T, const Report &R);
  void onSegment(ThreadState &T, const Entry &E, wire::SegmentChange Change,
                 const CallerFrame &Caller);

  std::atomic<uint32_t> State{New};
  bool HasPools = false; ///< entries name their pool
  /// Segments held back until the check: as many as the threads take before the
  /// next allocation.
  static constexpr uint32_t MaxEarly = 16;
  TrackedSegment Early[MaxEarly];
  std::atomic<uint32_t> NumEarly{0};
};

extern CudaTracker Cuda;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_CUDATRACKER_H
