// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the heaps and regions that a program reports by NVTX.
//
// In NVTX's memory extension, a program with an allocator of its own reports
// the allocator's heaps, and registers the allocator's blocks as regions.
//
// A heap's handle is the address of a Pool. Children of fork inherit the pools;
// a process reports a pool's name to its recorder at the first use. A region's
// handle is its address, with the number of its heap in the top byte.

#include "Nvtx/Memory.h"

#include "Nvtx/Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::nvtx;

namespace {
struct NvtxPool {
  const RegisteredName *Called;
  std::atomic<uint64_t> Epoch; ///< of the process that has reported the pool
};
} // namespace

/// The pools of the process, inherited ones included. The first is the
/// process's memory as a whole; the last is for all heaps beyond the table. A
/// pool's number is its index + 1.
static constexpr uint32_t MaxPools = wire::MaxPools;
static constinit NvtxPool Pools[MaxPools]{};
static std::atomic<uint32_t> NumPools{1};

static uint32_t numberOf(const NvtxPool &P) { return uint32_t(&P - Pools) + 1; }

/// Null: not a handle from this file.
static NvtxPool *poolOf(const void *Handle) {
  if (!Handle)
    return &Pools[0];
  uintptr_t Offset = uintptr_t(Handle) - uintptr_t(Pools);
  bool Is = Offset < sizeof(Pools) && Offset % sizeof(NvtxPool) == 0;
  return Is ? &Pools[Offset / sizeof(NvtxPool)] : nullptr;
}

template <class R> static void write(ThreadState &T, const R &What) {
  if (hasRoom(T))
    T.Ring.write(What);
}

/// Reports the pool to the process's recorder, once. \p Bytes: of the pool's
/// range; 0 for an inherited pool, whose range is the parent's.
static void introduce(ThreadState &T, NvtxPool &P, uint64_t Bytes = 0) {
  uint64_t Known = P.Epoch.load(std::memory_order_relaxed);
  if (__builtin_expect(Known == T.Epoch, 1) ||
      !P.Epoch.compare_exchange_strong(Known, T.Epoch))
    return;
  uint32_t Text = P.Called ? textOf(*P.Called) : 0;
  write(T, wire::PoolBeginRecord{Bytes, numberOf(P), Text});
}

//===----------------------------------------------------------------------===//
// Heaps
//===----------------------------------------------------------------------===//

static const void *heapRegister(const void *Domain, const HeapDescription *D) {
  ThreadState *T = recordingThread();
  if (!T || !D || D->StructSize < sizeof(*D))
    return nullptr;
  Words W(D->MessageType, D->Message);
  if (D->MessageType != MessageRegistered)
    W.putInto(nameOf(Domain));
  uint32_t At = NumPools.load(std::memory_order_relaxed);
  while (At < MaxPools - 1 && !NumPools.compare_exchange_weak(At, At + 1))
    ;
  NvtxPool &P = Pools[At];
  uint64_t Bytes = 0;
  if (At < MaxPools - 1) {
    P.Called = registered(W);
    if (D->Type == MemoryVirtual && D->Specific &&
        D->SpecificSize >= sizeof(VirtualRange))
      Bytes = static_cast<const VirtualRange *>(D->Specific)->Size;
  }
  introduce(*T, P, Bytes);
  return &P;
}

/// Ends all regions of the heap, and the heap if \p Gone.
static void endRegions(const void *Heap, bool Gone) {
  ThreadState *T = recordingThread();
  NvtxPool *P = poolOf(Heap);
  if (!T || !P)
    return;
  introduce(*T, *P);
  write(*T, wire::PoolEndRecord{Gone, numberOf(*P)});
}

static void heapUnregister(const void *, const void *Heap) {
  if (Heap)
    endRegions(Heap, true);
}
static void heapReset(const void *, const void *Heap) {
  endRegions(Heap, false);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Calls \p See with each element of a batch. An element may be longer than
/// Element.
template <typename Element, typename Fn>
static void each(const void *Elements, size_t Bytes, size_t Count, Fn See) {
  auto *At = static_cast<const char *>(Elements);
  if (!At || Bytes < sizeof(Element))
    return;
  for (size_t I = 0; I != Count; ++I, At += Bytes)
    See(*reinterpret_cast<const Element *>(At), I);
}

static constexpr unsigned NumberShift = 56;

/// The address of a region. heapOf() has its heap's number; 0: unknown heap.
static uint64_t addressOf(const void *Reference) {
  return uintptr_t(Reference) & ((uint64_t(1) << NumberShift) - 1);
}
static uint32_t heapOf(const void *Reference, uint32_t RefType) {
  return RefType == RegionHandle ? uint32_t(uintptr_t(Reference) >> NumberShift)
                                 : 0;
}

static void regionsRegister(const void *, const RegisterBatch *B) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThreadState *T = recordingThread();
  constexpr size_t Min = offsetof(RegisterBatch, HandlesOut);
  if (!T || !B || B->StructSize < Min || B->Type != MemoryVirtual)
    return;
  NvtxPool *P = poolOf(B->Heap);
  if (!P)
    return;
  introduce(*T, *P);
  uint32_t Stack = isRecording() ? stackNode(*T, Caller) : 0;
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  const void **Out = B->StructSize >= sizeof(*B) ? B->HandlesOut : nullptr;
  uint64_t Top = uint64_t(numberOf(*P)) << NumberShift;
  each<VirtualRange>(
      B->Elements, B->ElementSize, B->Count,
      [&](const VirtualRange &R, size_t I) {
        if (Out)
          Out[I] = reinterpret_cast<const void *>(addressOf(R.Begin) | Top);
        if (isRecording())
          write(*T, wire::PoolAllocateRecord{addressOf(R.Begin), R.Size, Stack,
                                             numberOf(*P)});
      });
}

static void regionsResize(const void *, const ResizeBatch *B) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThreadState *T = recordingThread();
  if (!T || !B || B->StructSize < sizeof(*B) || B->Type != MemoryVirtual)
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  each<VirtualRange>(
      B->Elements, B->ElementSize, B->Count,
      [&](const VirtualRange &R, size_t) {
        write(*T, wire::PoolResizeRecord{addressOf(R.Begin), R.Size, Stack, 0});
      });
}

static void regionsUnregister(const void *, const UnregisterBatch *B) {
  ThreadState *T = recordingThread();
  if (!T || !B || B->StructSize < sizeof(*B))
    return;
  each<const void *>(
      B->Elements, B->ElementSize, B->Count, [&](const void *Region, size_t) {
        write(*T, wire::PoolFreeRecord{addressOf(Region),
                                       heapOf(Region, B->RefType)});
      });
}

static void regionsName(const void *, const NameBatch *B) {
  ThreadState *T = recordingThread();
  if (!T || !B || B->StructSize < offsetof(NameBatch, Reserved1))
    return;
  each<RegionName>(
      B->Elements, B->ElementSize, B->Count, [&](const RegionName &R, size_t) {
        uint32_t Text = nvtx::textOf(nullptr, R.MessageType, R.Message);
        write(*T, wire::PoolNameRecord{addressOf(R.Region), Text,
                                       heapOf(R.Region, R.RefType)});
      });
}

void nvtx::fillMemory(ExtensionSegment &S) {
  auto Set = [&S](size_t At, auto *Fn) {
    if (At < S.SlotCount)
      S.Slots[At] = reinterpret_cast<intptr_t>(Fn);
  };
  Set(HeapRegister, heapRegister);
  Set(HeapUnregister, heapUnregister);
  Set(HeapReset, heapReset);
  Set(RegionsRegister, regionsRegister);
  Set(RegionsResize, regionsResize);
  Set(RegionsUnregister, regionsUnregister);
  Set(RegionsName, regionsName);
}
