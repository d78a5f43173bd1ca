// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the trace entries of PyTorch's CUDA allocator.

#include "CudaTracker.h"

#include "CudaAllocator.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"

using namespace memkit;
using namespace memkit::capture;
using wire::SegmentChange;

CudaTracker capture::Cuda;

/// c10's TraceEntry, of 2.2 to 2.15. Pool exists since 2.8; later members are
/// not read.
struct CudaTracker::Entry {
  enum Actions : int32_t {
    Allocate = 0,
    FreeRequested = 1,
    FreeCompleted = 2,
    SegmentAllocate = 3,
    SegmentFree = 4,
    SegmentMap = 5,
    SegmentUnmap = 6,
    Snapshot = 7,
    Oom = 8, ///< Address: the free bytes of the device
  };
  int32_t Action;
  int8_t Device;
  uintptr_t Address;
  void *Context[2];
  uint64_t Stream;
  uint64_t Size; ///< as requested
  uint64_t Pool[2];
};

namespace {
/// The last entries of the tracker in a thread; libc10's report comes next.
struct TrackedEvents {
  uintptr_t Allocated; ///< 0: no allocation
  uint64_t Requested, Stream, Pool[2];
  uintptr_t Freeing; ///< 0: no free
  bool IsDone;       ///< the free is completed
  bool IsOut;        ///< out of memory
  bool InSnapshot;   ///< the last entry was a snapshot
  uint64_t DeviceFree;
};
} // namespace
static __thread TrackedEvents Last;

static constexpr uint16_t CudaType = 1; ///< c10::DeviceType

static uint32_t slotOf(const CudaTracker::Entry &E);

template <class R> static void write(ThreadState &T, const R &What) {
  if (hasRoom(T))
    T.Ring.write(What);
}

static void writeChange(ThreadState &T, uintptr_t Address, uint64_t Size,
                        SegmentChange Change, uint32_t Slot, uint32_t Stack) {
  write(T,
        wire::TensorSegmentRecord{Address, Size, uint8_t(Slot), Stack, Change});
}

/// Writes the segment's pool and stream first, then the segment.
void CudaTracker::writeSegment(ThreadState &T, const TrackedSegment &S) {
  if (S.Pool[0] | S.Pool[1])
    write(T, wire::TensorPoolRecord{S.Pool[0], S.Pool[1], uint8_t(S.Slot)});
  if (S.Stream | S.Pool[0] | S.Pool[1])
    write(T, wire::TensorRequestRecord{S.Address, S.Size, uint8_t(S.Slot),
                                       S.Stream});
  writeChange(T, S.Address, S.Size, S.Change, S.Slot, S.Stack);
}

//===----------------------------------------------------------------------===//
// Attaching
//===----------------------------------------------------------------------===//

namespace {
/// The layout of libstdc++'s std::function.
struct StdFunction {
  uint64_t Any[2];
  bool (*Manage)(void *, const void *, int);
  void (*Invoke)(const void *, const CudaTracker::Entry &);
};
} // namespace

/// The function has no state: a copy is the two pointers, and the destructor
/// has no work.
static bool manageTracker(void *, const void *, int) { return false; }

static void invokeTracker(const void *, const CudaTracker::Entry &E) {
  CallerFrame Caller = MEMKIT_CALLER;
  Cuda.track(E, Caller);
}

void CudaTracker::turnOff(wire::CudaState Why) {
  State.store(Off, std::memory_order_release);
  Proc.Ctl->Findings[wire::FS_TorchCuda].Code.store(uint32_t(Why),
                                                    std::memory_order_release);
}

/// The caller holds the lock of the allocator of the thread's device; the lock
/// is recursive.
bool CudaTracker::attach() {
  CudaAllocator A = findCudaAllocator();
  if (A.Is != wire::CudaState::Tracked) {
    turnOff(A.Is);
    return false;
  }
  HasPools = A.HasPools;
  StdFunction F = {{}, manageTracker, invokeTracker};
  A.AttachTracker(A.Object, &F);
  State.store(Unchecked, std::memory_order_release);
  return true;
}

//===----------------------------------------------------------------------===//
// The tracker
//===----------------------------------------------------------------------===//

static uint32_t slotOf(const CudaTracker::Entry &E) {
  return Torch.slotOf(uint16_t(CudaType | uint8_t(E.Device) << 8));
}

void CudaTracker::onSegment(ThreadState &T, const Entry &E,
                            SegmentChange Change, const CallerFrame &Caller) {
  uint32_t Slot = slotOf(E);
  if (Slot == NoTensorSlot)
    return;
  bool Takes =
      Change == SegmentChange::Allocate || Change == SegmentChange::Map;
  if (Takes && !isRecording())
    return;
  uint32_t Stack = Takes ? stackNode(T, Caller) : 0;
  auto Fill = [&](TrackedSegment &S) {
    S.Address = E.Address;
    S.Size = E.Size;
    S.Stream = Takes ? E.Stream : 0;
    S.Pool[0] = Takes && HasPools ? E.Pool[0] : 0;
    S.Pool[1] = Takes && HasPools ? E.Pool[1] : 0;
    S.Change = Change;
    S.Stack = Stack;
    S.Slot = Slot;
  };
  if (State.load(std::memory_order_acquire) == Checked) {
    TrackedSegment S;
    Fill(S);
    return writeSegment(T, S);
  }
  uint32_t At = NumEarly.fetch_add(1, std::memory_order_relaxed);
  if (At >= MaxEarly)
    return;
  Fill(Early[At]);
  Early[At].IsThere.store(true, std::memory_order_release);
}

static void noteSnapshot(ThreadState &T) {
  static constexpr char Name[] = "PyTorch memory snapshot";
  uint32_t Text = Proc.Names.intern(Name, sizeof(Name) - 1);
  if (Text && hasRoom(T))
    T.Ring.write(wire::MarkRecord{Text, wire::MarkWhat::User, 0});
}

void CudaTracker::track(const Entry &E, const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  uint32_t Is = State.load(std::memory_order_acquire);
  if (!T || Is == Off || !Torch.wantsTensors())
    return;
  bool InSnapshot = Last.InSnapshot;
  Last.InSnapshot = E.Action == Entry::Snapshot;
  switch (E.Action) {
  case Entry::Allocate:
    Last.Allocated = E.Address;
    Last.Requested = E.Size;
    Last.Stream = E.Stream;
    Last.Pool[0] = HasPools ? E.Pool[0] : 0;
    Last.Pool[1] = HasPools ? E.Pool[1] : 0;
    return;
  case Entry::FreeRequested:
    Last.Freeing = E.Address;
    Last.IsDone = false;
    return;
  case Entry::FreeCompleted:
    if (Last.Freeing == E.Address)
      Last.IsDone = true;
    else if (Is == Checked)
      write(*T, wire::TensorReusableRecord{E.Address, uint8_t(slotOf(E))});
    return;
  case Entry::SegmentAllocate:
    return onSegment(*T, E, SegmentChange::Allocate, Caller);
  case Entry::SegmentFree:
    return onSegment(*T, E, SegmentChange::Free, Caller);
  case Entry::SegmentMap:
    return onSegment(*T, E, SegmentChange::Map, Caller);
  case Entry::SegmentUnmap:
    return onSegment(*T, E, SegmentChange::Unmap, Caller);
  case Entry::Snapshot:
    // Each device has an entry for the snapshot: mark the first alone.
    return Is == Checked && !InSnapshot ? noteSnapshot(*T) : void();
  case Entry::Oom:
    Last.IsOut = Is == Checked;
    Last.DeviceFree = E.Address;
    return;
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Do the tracker's last entry and the report agree?
void CudaTracker::check(ThreadState &T, const Report &R) {
  bool Agrees =
      Last.Allocated == R.Address && Last.Requested <= R.Size && Last.Requested;
  uint32_t Is = Unchecked;
  if (!Agrees) {
    // An empty segment: the recorder gets no more segments.
    writeChange(T, 0, 0, SegmentChange::Free, R.Slot, 0);
    return turnOff(wire::CudaState::OtherLayout);
  }
  if (!State.compare_exchange_strong(Is, Checked, std::memory_order_acq_rel))
    return;
  Proc.Ctl->Findings[wire::FS_TorchCuda].Code.store(
      uint32_t(wire::CudaState::Tracked), std::memory_order_release);
  for (TrackedSegment &S : Early)
    if (S.IsThere.load(std::memory_order_acquire))
      writeSegment(T, S);
}

void CudaTracker::beforeAllocation(ThreadState &T, const Report &R,
                                   const CallerFrame &Caller) {
  uint32_t Is = State.load(std::memory_order_acquire);
  if (__builtin_expect(Is == New, 0)) {
    if (!State.compare_exchange_strong(Is, Attaching) || !attach())
      return;
    // The tracker was attached after the first segment was made. This block is
    // the only one in the segment.
    if (R.Allocated == R.Size && R.Reserved >= R.Size && isRecording())
      writeChange(T, R.Address, R.Reserved, SegmentChange::First, R.Slot,
                  stackNode(T, Caller));
    return;
  }
  if (__builtin_expect(Is == Unchecked, 0)) {
    check(T, R);
    Is = State.load(std::memory_order_acquire);
  }
  uintptr_t Reported = Last.Allocated;
  Last.Allocated = 0;
  if (Is != Checked || Reported != R.Address)
    return;
  if (Last.Pool[0] | Last.Pool[1])
    write(T,
          wire::TensorPoolRecord{Last.Pool[0], Last.Pool[1], uint8_t(R.Slot)});
  write(T, wire::TensorRequestRecord{R.Address, Last.Requested, uint8_t(R.Slot),
                                     Last.Stream});
}

bool CudaTracker::isInUse(uintptr_t Address) {
  bool Is = State.load(std::memory_order_relaxed) == Checked &&
            Last.Freeing == Address && !Last.IsDone;
  Last.Freeing = 0;
  return Is;
}

void CudaTracker::beforeOom(ThreadState &T, uint64_t Size, uint32_t Slot) {
  if (Last.IsOut)
    write(T,
          wire::TensorRequestRecord{Last.DeviceFree, Size, uint8_t(Slot), 0});
  Last.IsOut = false;
}
