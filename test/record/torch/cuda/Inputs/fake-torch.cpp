// A libc10.so and a libc10_cuda.so that call and are called as those of PyTorch 2.13.
//
// LIBC10: what reports memory to a profiler. LIBC10_CUDA: the caching allocator's object
// and its trace tracker; EXTRA: with one virtual function more; ODD: what the tracker is
// told is laid out in another way; NAME: of its class.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace c10 {
struct Device {
  int8_t Type, Index;
};
bool memoryProfilingEnabled();
void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device);
void reportOutOfMemoryToProfiler(int64_t, size_t, size_t, Device);
} // namespace c10

#ifdef LIBC10
bool c10::memoryProfilingEnabled() { return false; }
void c10::reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device) {
}
void c10::reportOutOfMemoryToProfiler(int64_t, size_t, size_t, Device) {}
#else
#ifndef NAME
#define NAME NativeCachingAllocator
#endif
enum Actions {
  Alloc,
  FreeRequested,
  FreeCompleted,
  SegmentAlloc,
  SegmentFree,
  SegmentMap,
  SegmentUnmap,
  Snapshot,
  Oom
};
struct TraceEntry {
#ifdef ODD
  int64_t More = 0;
#endif
  Actions Action;
  int8_t Device;
  uintptr_t Address;
  std::shared_ptr<void> Context;
  uintptr_t Stream;
  size_t Size;
  std::pair<uint64_t, uint64_t> Pool;
  int64_t Time = 0;
};
using Tracker = std::function<void(const TraceEntry &)>;

namespace c10::cuda::CUDACachingAllocator {
namespace Native {
#define VIRTUAL4(A)                                                            \
  virtual void A##0() {}                                                       \
  virtual void A##1() {}                                                       \
  virtual void A##2() {}                                                       \
  virtual void A##3() {}
#define VIRTUAL16(A)                                                           \
  VIRTUAL4(A##a) VIRTUAL4(A##b) VIRTUAL4(A##c) VIRTUAL4(A##d)
class NAME {
public:
  VIRTUAL16(A)
  VIRTUAL16(B)
  VIRTUAL16(C)
  virtual void attachAllocatorTraceTracker(Tracker T) {
    Trackers.emplace_back(std::move(T));
  }
  VIRTUAL4(D)
  virtual void last() {}
  virtual void veryLast() {}
#ifdef EXTRA
  virtual void another() {}
#endif
  std::vector<Tracker> Trackers;
};
} // namespace Native
static Native::NAME Object;
std::atomic<Native::NAME *> allocator{&Object};
} // namespace c10::cuda::CUDACachingAllocator

static uint64_t Reserved, Allocated;

static void tell(Actions A, uintptr_t Address, size_t Size,
                 uintptr_t Stream = 0, uint64_t Pool = 0) {
  TraceEntry E;
  E.Action = A;
  E.Device = 1;
  E.Address = Address;
  E.Stream = Stream;
  E.Size = Size;
  E.Pool = {0, Pool};
  for (auto &T : c10::cuda::CUDACachingAllocator::Object.Trackers)
    T(E);
}

// Sizes are rounded up to 512 bytes.
static size_t roundUp(size_t Size) { return (Size + 511) / 512 * 512; }
static const c10::Device Cuda1 = {1, 1};

extern "C" {
void segment(int Action, uintptr_t Address, size_t Size, uintptr_t Stream) {
  bool Takes = Action == SegmentAlloc || Action == SegmentMap;
  Reserved += Takes ? Size : -Size;
  // One of a stream is of a pool of its own.
  tell(Actions(Action), Address, Size, Stream, Stream ? 1 : 0);
}
void allocate(uintptr_t Address, size_t Size, uintptr_t Stream, uint64_t Pool) {
  Allocated += roundUp(Size);
  tell(Alloc, Address, Size, Stream, Pool);
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void *>(Address),
                                   int64_t(roundUp(Size)), Allocated, Reserved,
                                   Cuda1);
}
void release(uintptr_t Address, size_t Size, bool InUse) {
  Allocated -= roundUp(Size);
  tell(FreeRequested, Address, Size);
  if (!InUse)
    tell(FreeCompleted, Address, Size);
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void *>(Address),
                                   -int64_t(roundUp(Size)), Allocated, Reserved,
                                   Cuda1);
}
void completed(uintptr_t Address, size_t Size) {
  tell(FreeCompleted, Address, Size);
}
void outOfMemory(size_t Size, uint64_t Free) {
  tell(Oom, Free, Size);
  c10::reportOutOfMemoryToProfiler(int64_t(Size), Allocated, Reserved, Cuda1);
}
void snapshot() {
  tell(Snapshot, 0, 0);
  tell(Snapshot, 0, 0);
}
}
#endif
