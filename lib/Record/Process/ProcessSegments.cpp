// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's device allocator tells *- C++.
//
// What the caching allocator of PyTorch tells beside its blocks: segments, a
// heap of each device in whose blocks the tensors lie; what was asked for, on
// which stream, of which pool; blocks that are free but for a stream.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;
using wire::SegmentChange;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// What a program makes up must not fill our memory.
static constexpr size_t MaxStreams = 1 << 16, MaxInUse = 1 << 20;

/// 0 for the default stream, others in the order in which they are seen.
uint32_t ProcessState::streamOf(uint64_t Handle) {
  // The two highest are no keys of the map, nor handles.
  if (!Handle || Handle >= ~uint64_t(1) ||
      (Streams.size() == MaxStreams && !Streams.count(Handle)))
    return 0;
  return Streams.try_emplace(Handle, Streams.size() + 1).first->second;
}

/// Likewise of pools, 0 for the allocator's own.
uint32_t ProcessState::poolOf(uint64_t A, uint64_t B) {
  if (PoolIds.size() == MaxStreams && !PoolIds.count({A, B}))
    return 0;
  return PoolIds.try_emplace({A, B}, PoolIds.size() + 1).first->second;
}

/// The event of the tensor at Address comes next in the log: what its ring said
/// of it goes into the columns.
void ProcessState::noteRequest(uint64_t Address, uint32_t RingIndex) {
  if (RingIndex >= Requests.size())
    return;
  Request Q = std::exchange(Requests[RingIndex], {});
  if (!Q.IsThere || Q.Address != Address)
    return;
  EventColumns &C = Log.Columns;
  setColumn(C.Requested, Log.size(), Q.Size);
  if (uint32_t Stream = streamOf(Q.Stream))
    setColumn(C.Stream, Log.size(), Stream);
  if (uint32_t Pool = Q.HasPool ? poolOf(Q.PoolA, Q.PoolB) : 0)
    setColumn(C.Pool, Log.size(), Pool);
}

/// Of a tensor that is freed: its memory can be used when its streams are done.
void ProcessState::noteInUse(const wire::Record &Rec, const LiveEntry &E) {
  if (!Rec.size() || InUse.size() == MaxInUse)
    return;
  uint32_t Slot = Rec.function();
  if (InUse.try_emplace(Rec.Address, E.Size, Slot).second)
    TensorSlots[Slot].InUse += E.Size;
}

/// No stream uses what was at Address: it has been said, or there is another
/// tensor by now.
void ProcessState::endInUse(uint64_t Address) {
  auto It = InUse.find(Address);
  if (It == InUse.end())
    return;
  TensorSlots[It->second.second].InUse -= It->second.first;
  InUse.erase(It);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

bool ProcessState::findSegmentOf(uint64_t Address, const LiveEntry &E,
                                 BlockRef &Out) const {
  const Segment *S = Segments.size() ? Segments.find(Address) : nullptr;
  // One that came later is not what the block was put into.
  if (!S || S->Entry.AllocationId > E.AllocationId)
    return false;
  Out = {S->Entry.AllocationId, S->Entry.Row, S->Entry.ScopeRow};
  return true;
}

/// As tensorHeap().
uint32_t ProcessState::segmentHeap(uint8_t Slot) {
  if (Slot >= wire::MaxTensorDevices)
    return 0;
  TensorSlot &S = TensorSlots[Slot];
  uint32_t Word =
      Shared->control().TensorDevices[Slot].load(std::memory_order_acquire);
  if (!S.SegmentHeap && Word)
    S.SegmentHeap = R.segmentHeap(deviceOf(uint16_t(Word)));
  return S.SegmentHeap;
}

void ProcessState::putSegment(const wire::Record &Rec, SegmentTable::Kinds Kind,
                              uint32_t RingIndex) {
  uint64_t Begin = Rec.Address, End = Begin + Rec.size();
  if (!isAddress(Begin) || !Rec.size())
    return bad();
  for (auto It = Segments.overlapping(Begin, End); It != Segments.end();
       It = Segments.overlapping(Begin, End)) {
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    endSegment(It->second.Entry, Rec, RingIndex);
    changeReserved(Rec, -int64_t(It->second.Entry.Size), RingIndex);
    Segments.erase(It);
  }
  makeRoom(RingIndex);
  const Ring &Of = Rings[RingIndex];
  uint32_t Heap = TensorSlots[Rec.function()].SegmentHeap;
  uint32_t Stack = Stacks.stack(Rec.Stack, CodeFrames::SegmentFunction);
  // Not what was requested: it is not asked for.
  Request Q = std::exchange(Requests[RingIndex], {});
  bool IsTold = Q.IsThere && Q.Address == Begin;
  if (uint32_t Stream = IsTold ? streamOf(Q.Stream) : 0)
    setColumn(Log.Columns.Stream, Log.size(), Stream);
  if (uint32_t Pool = IsTold && Q.HasPool ? poolOf(Q.PoolA, Q.PoolB) : 0)
    setColumn(Log.Columns.Pool, Log.size(), Pool);
  Segment S;
  S.End = End;
  S.Slot = Rec.function();
  S.Kind = Kind;
  S.Entry.AllocationId = NextAllocationId++;
  S.Entry.Size = Rec.size();
  S.Entry.AllocatedTick = R.nextTick(Rec.Tsc, Id);
  S.Entry.Row = R.Stats.stackRow(Id, Heap, Stack);
  S.Entry.ScopeRow = Of.ScopePath ? scopeRow(Heap, Of.ScopePath) : 0;
  BlockRef B{S.Entry.AllocationId, S.Entry.Row, S.Entry.ScopeRow}, Outer;
  uint64_t Ns = S.Entry.AllocatedTick * TimeUnitNs;
  // Its memory is the driver's.
  if (findDeviceOf(Begin, S.Entry, Outer)) {
    R.Stats.allocateIn(B, Outer, S.Entry.Size, Ns, Of.Thread);
    Enclosing[S.Entry.AllocationId] = Outer.AllocationId + 1;
    noteEnclosing(Outer.AllocationId);
  } else {
    R.Stats.allocate(B, S.Entry.Size, Ns, Of.Thread);
  }
  noteAddress(Begin);
  Log.allocate(Of.Lane, S.Entry.AllocatedTick, S.Entry.Size, Stack,
               R.Stats.scopePathOf(S.Entry.ScopeRow), Heap);
  Segments.add(Begin, S);
  changeReserved(Rec, int64_t(S.Entry.Size), RingIndex);
}

/// Of a segment that expands: Mapped bytes are there now.
void ProcessState::resizeSegment(Segment &S, uint64_t Mapped,
                                 const wire::Record &Rec, uint32_t RingIndex) {
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Rec.Tsc, Id);
  R.Stats.resize({S.Entry.AllocationId, S.Entry.Row, S.Entry.ScopeRow},
                 S.Entry.Size, Mapped, Tick * TimeUnitNs,
                 Enclosing.lookup(S.Entry.AllocationId));
  Log.resize(Rings[RingIndex].Lane, Tick, S.Entry.AllocationId, Mapped);
  S.Entry.Size = Mapped;
  S.Kind = Segment::Expands;
}

/// Takes Bytes, at most all that it has, out of a segment that expands.
void ProcessState::shrinkSegment(SegmentTable::Map::iterator It, uint64_t Bytes,
                                 const wire::Record &Rec, uint32_t RingIndex) {
  Segment &S = It->second;
  if (Bytes && Bytes != S.Entry.Size) {
    resizeSegment(S, S.Entry.Size - Bytes, Rec, RingIndex);
  } else if (Bytes) {
    endSegment(S.Entry, Rec, RingIndex);
    Segments.erase(It);
  }
}

void ProcessState::endSegment(const LiveEntry &E, const wire::Record &Rec,
                              uint32_t RingIndex) {
  emitFree(E, Rec.Tsc, RingIndex);
}

void ProcessState::endAllSegments(const wire::Record &Rec, uint32_t RingIndex) {
  for (; Segments.size(); Segments.erase(Segments.first()))
    endSegment(Segments.first()->second.Entry, Rec, RingIndex);
}

/// libc10 says so, too, but only with the device's next block.
void ProcessState::changeReserved(const wire::Record &Rec, int64_t Bytes,
                                  uint32_t RingIndex) {
  TensorSlot &Of = TensorSlots[Rec.function()];
  Of.Reserved += uint64_t(std::max(Bytes, -int64_t(Of.Reserved)));
  Of.Allocated = Of.Live;
  reservedMark(Rec.function(), Rec.Tsc, RingIndex);
}

void ProcessState::segmentRecord(const wire::Record &Rec, uint32_t RingIndex) {
  uint64_t Begin = Rec.Address, Size = Rec.size();
  switch (SegmentChange(Rec.Extra)) {
  case SegmentChange::Allocate:
    return putSegment(Rec, Segment::Fixed, RingIndex);
  case SegmentChange::First:
    return putSegment(Rec, Segment::Unknown, RingIndex);
  case SegmentChange::Free: {
    if (!Begin)
      return endAllSegments(Rec, RingIndex);
    auto It = Segments.at(Begin);
    // One that was taken while nothing was recorded is reserved, too.
    if (It == Segments.end())
      return changeReserved(Rec, -int64_t(Size), RingIndex);
    Size = It->second.Entry.Size;
    endSegment(It->second.Entry, Rec, RingIndex);
    Segments.erase(It);
    return changeReserved(Rec, -int64_t(Size), RingIndex);
  }
  case SegmentChange::Map: {
    auto It = Segments.expanding(Begin);
    auto Next = Segments.overlapping(Begin, Begin + Size);
    if (It == Segments.end() || (Next != Segments.end() && Next != It))
      return putSegment(Rec, Segment::Expands, RingIndex);
    Requests[RingIndex] = {};
    It->second.End = std::max(It->second.End, Begin + Size);
    resizeSegment(It->second, It->second.Entry.Size + Size, Rec, RingIndex);
    return changeReserved(Rec, int64_t(Size), RingIndex);
  }
  case SegmentChange::Unmap: {
    auto It = Segments.expanding(Begin);
    if (It == Segments.end())
      return changeReserved(Rec, -int64_t(Size), RingIndex);
    uint64_t Known = std::min(Size, It->second.Unmapped);
    It->second.Unmapped -= Known;
    Size = std::min(Size - Known, It->second.Entry.Size);
    shrinkSegment(It, Size, Rec, RingIndex);
    return changeReserved(Rec, -int64_t(Size + Known), RingIndex);
  }
  }
  bad();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void ProcessState::allocatorRecord(const wire::Record &Rec,
                                   uint32_t RingIndex) {
  uint8_t Slot = Rec.function();
  // The segments' first: it is the tensors' parent.
  bool IsSegment = Rec.kind() == uint8_t(RecordKind::TensorSegment);
  if ((IsSegment && !segmentHeap(Slot)) || !tensorHeap(Slot))
    return bad();
  makeThread(RingIndex);
  if (Requests.size() <= RingIndex)
    Requests.resize(RingIndex + 1);
  Request &Q = Requests[RingIndex];
  switch (RecordKind(Rec.kind())) {
  case RecordKind::TensorRequest:
    Q.Address = Rec.Address;
    Q.Size = Rec.size();
    Q.Stream = uint64_t(Rec.Extra) << 32 | Rec.Stack;
    Q.IsThere = true;
    return;
  case RecordKind::TensorPool:
    Q = {};
    Q.PoolA = Rec.Address;
    Q.PoolB = Rec.size();
    Q.HasPool = true;
    return;
  case RecordKind::TensorReusable:
    return isAddress(Rec.Address) ? endInUse(Rec.Address) : bad();
  default:
    return segmentRecord(Rec, RingIndex);
  }
}
