// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: tensors, a heap for each framework and device.

#include "Sources/Tensors.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/CudaDriver.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/OutOfMemory.h"
#include "Sources/Segments.h"
#include "Sources/TensorDevices.h"

using namespace llvm;
using namespace memkit;

Tensors::Tensors(EventSink &Sink, BlockSnapshots &Snapshots,
                 ProcessScopes &Scopes, TensorDevices &Devices,
                 OutOfMemory &Failures, const OuterSources &Outers)
    : Sink(Sink), Snapshots(Snapshots), Scopes(Scopes),
      Operators(Scopes.operators()), Devices(Devices), Failures(Failures),
      Outers(Outers),
      Table(Snapshots.add(Live, OnDeviceBit - 1,
                          [this](const LiveEntry &E, uint64_t) {
                            return OuterOf.lookup(E.AllocationId);
                          })),
      Origins(Sink, Scopes, Live) {
  Failures.listTensorsBy(
      [this](OomLog::OomTimePoint &M) { Origins.listAt(M); });
}

/// Finds the block around a tensor. A tensor of a device lies in a segment or
/// in a driver's block, not in a block of the host. The malloc block of a
/// tensor is unknown while malloc is sampled. The caller keeps the outer block,
/// because it may end before the tensor.
bool Tensors::findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out) {
  if (E.ScopeRow & OnDeviceBit)
    return Outers.Segs.findOuter(Address, E, Out) ||
           Outers.Driver.findOuter(Address, E, Out);
  if (Sink.wanted().SampleBytes)
    return false;
  return Outers.Host.findOuter(Address, E, Out) ||
         Outers.Maps.findOuter(Address, E, Out);
}

/// Pinned memory lies in a block of the driver. With
/// pinned_use_cuda_host_register PyTorch takes the memory from malloc or mmap.
bool Tensors::findPinnedOuter(uint64_t Address, const LiveEntry &E,
                              BlockRef &Out) {
  if (Outers.Driver.findOuter(Address, E, Out))
    return true;
  LiveEntry OnHost = E;
  OnHost.ScopeRow &= OnDeviceBit - 1;
  return findOuter(Address, OnHost, Out);
}

void Tensors::take(const wire::TensorAllocateRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  uint32_t Heap = Devices.heap(Rec.Device);
  uint64_t Address = Rec.Address;
  if (!Heap || !isAddress(Address))
    return Sink.bad();
  // The free of the old tensor was not reported.
  if (LiveEntry Old; LLVM_UNLIKELY(Live.contains(Address))) {
    remove(Address, Old);
    Sink.doubleAllocate();
    emitFree(Address, Old, From, Heap);
  }
  TensorDevices::TensorDevice &Of = Devices.of(Rec.Device);
  bool IsTorch = Of.Of == wire::TensorFramework::Torch && !Of.IsPinned;
  if (Of.IsHost && !IsTorch)
    Outers.Host.indexChunks(MinRegion);
  uint32_t Stack = Sink.stacks().stack(Rec.Stack, 0);
  CompiledLayers::CompiledPlace In{Sink.ring(From.Ring).ScopePath,
                                   Scopes.layers().layer(From.Ring)};
  if (uint32_t Layers = Sink.stacks().layersAt(Rec.Stack); IsTorch && Layers)
    In = Scopes.compiled().place(From.Ring, Layers);
  LiveEntry E = Sink.newBlockIn(From, Heap, Stack, Rec.Size, In.ScopePath);
  if (E.ScopeRow >= OnDeviceBit)
    E.ScopeRow = 0;
  LiveEntry Kept = E;
  if (!Of.IsHost)
    Kept.ScopeRow |= OnDeviceBit;
  Live.insert(Address, Kept);
  Devices.endInUse(Address);
  Devices.noteRequest(Address, From.Ring, /*HasSize=*/true);
  BlockRef Outer;
  if (Of.IsPinned ? findPinnedOuter(Address, Kept, Outer)
                  : findOuter(Address, Kept, Outer))
    OuterOf[E.AllocationId] = Outer.AllocationId + 1;
  if (!Of.IsHost)
    Sink.noteAddress(Address);
  Sink.allocate(From, E, Outer);
  if (IsTorch)
    Origins.made(Address, E.AllocationId, Heap, Rec.Stack, From.Ring, In.Layer);
  else if (Of.Of == wire::TensorFramework::TensorFlow)
    if (uint32_t Dtype = Scopes.tensorFlow().resultDtype(From.Ring))
      Sink.noteCategory(E.AllocationId, TensorCategory::None, Dtype);
  Of.Live += E.Size;
  if (Of.IsPinned)
    return;
  Operators.allocated(From.Ring, Sink.heaps().spaceOfTensors(Heap) - 1, E.Size,
                      Of.Live);
  if (Devices.HasReserved && !Of.IsHost)
    Devices.noteLive(E.AllocatedTick * TimeUnitNs);
}

void Tensors::take(const wire::TensorFreeRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  if (!Devices.heap(Rec.Device))
    return Sink.bad();
  LiveEntry E;
  if (!remove(Rec.Address, E))
    return Sink.unknownFree();
  if (Rec.IsInUse)
    Devices.beginInUse(Rec.Device, Rec.Address, E.Size);
  emitFree(Rec.Address, E, From, Devices.heap(Rec.Device));
  TensorDevices::TensorDevice &Of = Devices.of(Rec.Device);
  Of.Live -= std::min(Of.Live, E.Size);
  if (Devices.HasReserved && E.ScopeRow & OnDeviceBit)
    Devices.noteLive(Sink.lastNs());
}

void Tensors::take(const wire::TensorReservedRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  if (!Devices.heap(Rec.Device))
    return Sink.bad();
  // The device's segments may have changed it already.
  TensorDevices::TensorDevice &Of = Devices.of(Rec.Device);
  if (Devices.HasReserved && Of.Reserved == Rec.Reserved)
    return;
  Of.Reserved = Rec.Reserved;
  Of.Allocated = Rec.Allocated;
  Devices.markReserved(Rec.Device, From);
}

void Tensors::take(const wire::TensorReusableRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  if (!Devices.heap(Rec.Device) || !isAddress(Rec.Address))
    return Sink.bad();
  Sink.threadOf(From.Ring);
  Devices.endInUse(Rec.Address);
}

void Tensors::take(const wire::TensorHeldRecord &Rec, RecordOrigin) {
  Origins.held(Rec);
}

void Tensors::take(const wire::TensorDtypeRecord &Rec, RecordOrigin) {
  Origins.typed(Rec);
}

/// The mark's values: requested, live, reserved and, where known, free bytes of
/// the device.
void Tensors::take(const wire::TensorOomRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  uint32_t Heap = Devices.heap(Rec.Device);
  if (!Heap)
    return Sink.bad();
  Mark M = Sink.markOf(MarkKind::Oom, From);
  M.Heap = Heap;
  M.Stack = Sink.stacks().stack(Rec.Stack, 0);
  M.ScopePath = Sink.ring(From.Ring).ScopePath;
  M.Values = {Rec.Requested, Sink.stats().heapLiveBytes(Heap), Rec.Reserved};
  if (TensorDevices::TensorRequest Q = Devices.takeRequest(From.Ring);
      Q.IsThere)
    M.Values.push_back(Q.Address);
  Failures.failed(OutOfMemory::Allocator::Tensors, std::move(M), From.Ring);
}

bool Tensors::remove(uint64_t Address, LiveEntry &E) {
  if (!Live.take(Address, E))
    return false;
  Snapshots.taken(Table, Address, E, OuterOf.lookup(E.AllocationId));
  return true;
}

/// Heap: of E's device.
void Tensors::emitFree(uint64_t Address, LiveEntry E, RecordOrigin From,
                       uint32_t Heap) {
  uint64_t Outer = OuterOf.lookup(E.AllocationId);
  OuterOf.erase(E.AllocationId);
  E.ScopeRow &= OnDeviceBit - 1;
  Sink.free(From, E, Outer);
  if (uint32_t Space = Sink.heaps().spaceOfTensors(Heap))
    Operators.freed(From.Ring, Space - 1, E.Size);
  Origins.freed(Address, E.Size, From.Ring);
}
