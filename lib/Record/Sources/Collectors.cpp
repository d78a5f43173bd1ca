// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: what the collectors of a program say of devices.

#include "Sources/Collectors.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

/// The device of a text, which memkit does not measure itself; null: none.
/// Counts a bad record.
Collectors::CollectedDevice *Collectors::deviceOf(uint32_t Text) {
  std::string Name;
  auto It = Devices.find(Text);
  if (It == Devices.end() && Text && Devices.size() != MaxNames &&
      Sink.shared().text(Text, Name))
    It = Devices.try_emplace(Text, CollectedDevice{Numbers.spaceNamed(Name)})
             .first;
  if (It == Devices.end() || !It->second.Space) {
    Sink.bad();
    return nullptr;
  }
  return Sink.heaps().isMeasured(It->second.Space) ? nullptr : &It->second;
}

void Collectors::take(const wire::CollectedUseRecord &Rec, RecordOrigin From) {
  CollectedDevice *Of = deviceOf(Rec.Device);
  if (!Of)
    return;
  if ((Rec.Total && Rec.Used > Rec.Total) || Rec.Used > wire::Record::MaxSize)
    return Sink.bad();
  uint64_t Accounted = Sink.stats().spaceLiveBytes(Of->Space);
  if (Of->Heap)
    Accounted =
        std::max(Accounted, Sink.stats().heapReserved(Of->Heap).value_or(0));
  Mark M = Sink.markOf(MarkKind::DeviceUsed, From);
  M.Id = Of->Space;
  M.Values = {Rec.Used,     Rec.Total,    Accounted,   UnknownBytes,
              UnknownBytes, UnknownBytes, UnknownBytes};
  Sink.add(std::move(M));
}

void Collectors::take(const wire::CollectedReserveRecord &Rec,
                      RecordOrigin From) {
  CollectedDevice *Of = deviceOf(Rec.Device);
  if (!Of)
    return;
  if (Rec.Allocated > Rec.Reserved || Rec.Reserved > wire::Record::MaxSize)
    return Sink.bad();
  Of->Heap = Sink.heaps().deviceHeap(Of->Space, "device");
  Mark M = Sink.reservedMark(From, Of->Heap, Rec.Reserved, 0);
  M.Values = {Rec.Reserved, Rec.Allocated};
  Scopes.noteReserved(Of->Heap, Rec.Reserved, Rec.Allocated);
  Sink.add(std::move(M));
}
