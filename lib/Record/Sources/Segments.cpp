// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: segments of devices' allocators, a heap for each framework and
// device.

#include "Sources/Segments.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/CudaDriver.h"
#include "Sources/EventSink.h"
#include "Sources/TensorDevices.h"

using namespace llvm;
using namespace memkit;
using wire::SegmentChange;

Segments::Segments(EventSink &Sink, BlockSnapshots &Snapshots,
                   CudaDriver &Driver, TensorDevices &Devices)
    : Sink(Sink), Snapshots(Snapshots), Driver(Driver), Devices(Devices) {
  Snapshots.addOthers([this] { return Table.size(); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        for (const auto &[Begin, S] : Table.all())
                          To.push_back(S.Entry);
                      });
  Driver.onShrink([this](uint64_t Address, uint64_t Bytes, RecordOrigin From) {
    driverUnmaps(Address, Bytes, From);
  });
  Driver.onFree([this](uint64_t Address, uint64_t Bytes, RecordOrigin From) {
    driverFrees(Address, Bytes, From);
  });
}

bool Segments::findOuter(uint64_t Address, const LiveEntry &E,
                         BlockRef &Out) const {
  const Segment *S = Table.size() ? Table.find(Address) : nullptr;
  // A segment newer than E does not contain E.
  if (!S || S->Entry.AllocationId > E.AllocationId)
    return false;
  Out = {S->Entry.AllocationId, S->Entry.Row, S->Entry.ScopeRow};
  return true;
}

void Segments::take(const wire::TensorSegmentRecord &Rec, RecordOrigin From) {
  if (Devices.isLeftOut(Rec.Device))
    return;
  if (!Devices.knows(Rec.Device))
    return Sink.bad();
  Sink.threadOf(From.Ring);
  switch (Rec.Change) {
  case SegmentChange::Allocate:
    return put(Rec, Segment::Fixed, From);
  case SegmentChange::Region:
    return put(Rec, Segment::WithDriver, From);
  case SegmentChange::First:
    return put(Rec, Segment::Unknown, From);
  case SegmentChange::Free:
    return Rec.Address ? free(Rec, From) : endAll(From);
  case SegmentChange::Map:
    return map(Rec, From);
  case SegmentChange::Unmap:
    return unmap(Rec, From);
  }
  Sink.bad();
}

void Segments::put(const wire::TensorSegmentRecord &Rec,
                   SegmentTable::SegmentKind Kind, RecordOrigin From) {
  uint64_t Begin = Rec.Address, End = Begin + Rec.Size;
  if (!isAddress(Begin) || !Rec.Size)
    return Sink.bad();
  for (auto It = Table.overlapping(Begin, End); It != Table.end();
       It = Table.overlapping(Begin, End)) {
    Sink.doubleAllocate();
    end(It->second.Entry, From);
    Devices.changeReserved(Rec.Device, -int64_t(It->second.Entry.Size), From);
    Table.erase(It);
  }
  uint32_t Stack = Sink.stacks().stack(Rec.Stack, CodeFrames::SegmentFunction);
  Segment S;
  S.End = End;
  S.Slot = Rec.Device;
  S.Kind = Kind;
  S.Entry =
      Sink.newBlock(From, Devices.of(Rec.Device).SegmentHeap, Stack, Rec.Size);
  BlockRef Outer;
  // The segment lies in a block of the driver.
  if (Driver.findOuter(Begin, S.Entry, Outer))
    Snapshots.setOuter(S.Entry.AllocationId, Outer.AllocationId);
  // A segment is not requested, so its event has no requested size.
  Devices.noteRequest(Begin, From.Ring, /*HasSize=*/false);
  Sink.noteAddress(Begin);
  Sink.allocate(From, S.Entry, Outer);
  Table.add(Begin, S);
  Devices.changeReserved(Rec.Device, int64_t(S.Entry.Size), From);
}

/// Sets the mapped bytes of a segment that expands.
void Segments::resize(Segment &S, uint64_t Mapped, RecordOrigin From) {
  Sink.resize(From, S.Entry, Mapped, Snapshots.outerOf(S.Entry.AllocationId));
  S.Kind = Segment::Expands;
}

/// Takes Bytes out of a segment that expands, at most its size.
void Segments::shrink(SegmentTable::SegmentMap::iterator It, uint64_t Bytes,
                      RecordOrigin From) {
  Segment &S = It->second;
  if (Bytes && Bytes != S.Entry.Size) {
    resize(S, S.Entry.Size - Bytes, From);
  } else if (Bytes) {
    end(S.Entry, From);
    Table.erase(It);
  }
}

void Segments::end(const LiveEntry &E, RecordOrigin From) {
  Sink.free(From, E, Snapshots.takeOuter(E.AllocationId));
}

void Segments::endAll(RecordOrigin From) {
  for (; Table.size(); Table.erase(Table.first()))
    end(Table.first()->second.Entry, From);
}

void Segments::free(const wire::TensorSegmentRecord &Rec, RecordOrigin From) {
  auto It = Table.at(Rec.Address);
  // An unknown segment, from while nothing was recorded, counts as reserved,
  // too.
  if (It == Table.end())
    return Devices.changeReserved(Rec.Device, -int64_t(Rec.Size), From);
  uint64_t Size = It->second.Entry.Size;
  end(It->second.Entry, From);
  Table.erase(It);
  Devices.changeReserved(Rec.Device, -int64_t(Size), From);
}

void Segments::map(const wire::TensorSegmentRecord &Rec, RecordOrigin From) {
  auto It = Table.expanding(Rec.Address);
  auto Next = Table.overlapping(Rec.Address, Rec.Address + Rec.Size);
  if (It == Table.end() || (Next != Table.end() && Next != It))
    return put(Rec, Segment::Expands, From);
  Devices.takeRequest(From.Ring);
  It->second.End = std::max(It->second.End, Rec.Address + Rec.Size);
  resize(It->second, It->second.Entry.Size + Rec.Size, From);
  Devices.changeReserved(Rec.Device, int64_t(Rec.Size), From);
}

void Segments::unmap(const wire::TensorSegmentRecord &Rec, RecordOrigin From) {
  auto It = Table.expanding(Rec.Address);
  if (It == Table.end())
    return Devices.changeReserved(Rec.Device, -int64_t(Rec.Size), From);
  uint64_t Known = std::min(Rec.Size, It->second.Unmapped);
  It->second.Unmapped -= Known;
  uint64_t Size = std::min(Rec.Size - Known, It->second.Entry.Size);
  shrink(It, Size, From);
  Devices.changeReserved(Rec.Device, -int64_t(Size + Known), From);
}

/// Shrinks a segment before the driver's block around the segment shrinks; the
/// allocator's own record of the unmap comes later.
void Segments::driverUnmaps(uint64_t Address, uint64_t Bytes,
                            RecordOrigin From) {
  auto At = Table.overlapping(Address, Address + 1);
  if (At == Table.end() || At->second.Kind == Segment::Fixed ||
      At->second.Kind == Segment::WithDriver)
    return;
  uint64_t Less = std::min(Bytes, At->second.Entry.Size);
  At->second.Unmapped += Less;
  shrink(At, Less, From);
}

/// Ends the segments that end with a block of the driver.
void Segments::driverFrees(uint64_t Address, uint64_t Bytes,
                           RecordOrigin From) {
  auto It = Table.overlapping(Address, Address + Bytes);
  while (It != Table.end() && It->first < Address + Bytes) {
    auto Next = std::next(It);
    if (It->second.Kind == Segment::WithDriver && It->first >= Address) {
      Segment S = It->second;
      Table.erase(It);
      end(S.Entry, From);
      Devices.changeReserved(uint8_t(S.Slot), -int64_t(S.Entry.Size), From);
    }
    It = Next;
  }
}
