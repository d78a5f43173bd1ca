// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a process's tensors, shared by Tensors and Segments.

#include "Sources/TensorDevices.h"
#include "Output/TensorHeaps.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

/// The program's description of the device; 0: none.
uint32_t TensorDevices::wordOf(uint8_t Device) const {
  return Device < wire::MaxTensorDevices
             ? Sink.shared().control().TensorDevices[Device].load(
                   std::memory_order_acquire)
             : 0;
}

bool TensorDevices::isLeftOut(uint8_t Device) {
  const HeapChoice &Wanted = Sink.wanted();
  uint32_t Word = wordOf(Device), Of = wire::TensorDeviceWord::framework(Word);
  if (Wanted.Globs.empty() || !Word || Of >= wire::NumTensorFrameworks)
    return false;
  std::optional<bool> &Is = Devices[Device].IsLeftOut;
  if (!Is) {
    std::string Name = TensorHeaps::prefix(wire::TensorFramework(Of)) +
                       TensorHeaps::deviceName(Numbers.torchDevice(
                           wire::TensorDeviceWord::device(Word)));
    Is = !Wanted.wantsNamed(Name) && !Wanted.wantsNamed(Name + ".segments");
  }
  return *Is;
}

uint32_t TensorDevices::heap(uint8_t Device) {
  uint32_t Word = wordOf(Device);
  uint32_t Of = wire::TensorDeviceWord::framework(Word);
  if (!Word || Of >= wire::NumTensorFrameworks)
    return 0;
  TensorDevice &D = Devices[Device];
  if (!D.Heap) {
    D.Of = wire::TensorFramework(Of);
    D.Heap = Sink.heaps().tensors(
        Numbers.torchDevice(wire::TensorDeviceWord::device(Word)), D.Of);
    D.IsHost = uint8_t(Word) == TensorHeaps::Cpu;
    D.IsPinned = uint8_t(Word) == wire::TensorDeviceWord::Pinned;
  }
  return D.Heap;
}

uint32_t TensorDevices::segmentHeap(uint8_t Device) {
  uint32_t Word = wordOf(Device);
  uint32_t Of = wire::TensorDeviceWord::framework(Word);
  if (!Word || Of >= wire::NumTensorFrameworks)
    return 0;
  TensorDevice &D = Devices[Device];
  if (!D.SegmentHeap)
    D.SegmentHeap = Sink.heaps().segments(Numbers.torchDevice(uint16_t(Word)),
                                          wire::TensorFramework(Of));
  return D.SegmentHeap;
}

//===----------------------------------------------------------------------===//
// Memory that an allocator reserves
//===----------------------------------------------------------------------===//

void TensorDevices::markReserved(uint8_t Device, RecordOrigin From) {
  const TensorDevice &D = Devices[Device];
  Mark M =
      Sink.reservedMark(From, D.Heap, D.Reserved, Sink.threadOf(From.Ring));
  M.Values = {D.Reserved, D.Allocated + D.InUse};
  Scopes.noteReserved(M.Heap, M.Values[0], M.Values[1]);
  HasReserved = true;
  noteLive(M.TimeNs);
  Sink.add(std::move(M));
}

void TensorDevices::changeReserved(uint8_t Device, int64_t Bytes,
                                   RecordOrigin From) {
  TensorDevice &D = Devices[Device];
  D.Reserved += uint64_t(std::max(Bytes, -int64_t(D.Reserved)));
  D.Allocated = D.Live;
  markReserved(Device, From);
}

void TensorDevices::noteLive(uint64_t TimeNs) {
  uint64_t Live = 0, Reserved = 0;
  for (const TensorDevice &D : Devices) {
    if (!D.Reserved)
      continue;
    Live += D.Live;
    Reserved += D.Reserved;
  }
  Scopes.layers().reserved().set(TimeNs, Live, Reserved);
}

void TensorDevices::beginInUse(uint8_t Device, uint64_t Address,
                               uint64_t Bytes) {
  if (InUse.size() == MaxInUse)
    return;
  if (InUse.try_emplace(Address, UsedMemory{Bytes, Device}).second)
    Devices[Device].InUse += Bytes;
}

void TensorDevices::endInUse(uint64_t Address) {
  auto It = InUse.find(Address);
  if (It == InUse.end())
    return;
  Devices[It->second.Device].InUse -= It->second.Bytes;
  InUse.erase(It);
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void TensorDevices::take(const wire::TensorRequestRecord &Rec,
                         RecordOrigin From) {
  if (isLeftOut(Rec.Device))
    return;
  if (!heap(Rec.Device))
    return Sink.bad();
  Sink.threadOf(From.Ring);
  TensorRequest &Q = request(From.Ring);
  Q.Address = Rec.Address;
  Q.Size = Rec.Size;
  Q.Stream = Rec.Stream;
  Q.IsThere = true;
}

void TensorDevices::take(const wire::TensorPoolRecord &Rec, RecordOrigin From) {
  if (isLeftOut(Rec.Device))
    return;
  if (!heap(Rec.Device))
    return Sink.bad();
  Sink.threadOf(From.Ring);
  TensorRequest &Q = request(From.Ring);
  Q = {};
  Q.First = Rec.First;
  Q.Second = Rec.Second;
  Q.HasPool = true;
}

TensorDevices::TensorRequest TensorDevices::takeRequest(uint32_t Ring) {
  return Ring < Requests.size() ? std::exchange(Requests[Ring], {})
                                : TensorRequest();
}

void TensorDevices::noteRequest(uint64_t Address, uint32_t Ring, bool HasSize) {
  TensorRequest Q = takeRequest(Ring);
  if (!Q.IsThere || Q.Address != Address)
    return;
  if (HasSize)
    Sink.noteRequested(Q.Size);
  Sink.noteStream(Numbers.stream(Q.Stream));
  if (Q.HasPool)
    Sink.notePool(Numbers.pool(Q.First, Q.Second));
}
