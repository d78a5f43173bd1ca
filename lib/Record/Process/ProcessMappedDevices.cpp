// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory of CUDA.
//
// Physical memory counts once, wherever it is: as a block of its own while it
// is mapped at no address, with the stack that created it, and then as a part
// of the range of addresses that it is mapped into first. The mapped part of a
// range is one block, so that what an allocator puts there lies in it.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;
using wire::RecordKind;

void ProcessState::resizeDevice(LiveEntry &E, uint64_t Size, uint64_t Tsc,
                                uint32_t RingIndex) {
  if (E.Size == Size)
    return;
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Stats.resize({E.AllocationId, E.Row, E.ScopeRow}, E.Size, Size,
                 Tick * TimeUnitNs);
  Log.resize(Rings[RingIndex].Lane, Tick, E.AllocationId, Size);
  E.Size = Size;
}

/// Created, imported, or had once more: that one has no function.
void ProcessState::putPhysical(const wire::Record &Rec, uint32_t RingIndex) {
  DeviceTable::Map &Of = DeviceBlocks.of(CudaHeap::Physical);
  auto It = Of.find(Rec.Address);
  bool IsRetained = Rec.function() == uint8_t(CudaFunction::None);
  if (IsRetained) {
    if (It != Of.end())
      ++It->second.References;
    return;
  }
  if (It != Of.end()) {
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    endDevice(It->second, Rec.Tsc, RingIndex);
    Of.erase(It);
  }
  DeviceBlock B;
  B.End = Rec.Address + 1;
  B.Place = Rec.Extra;
  B.Bytes = Rec.size();
  // A multicast object has no memory of its own.
  B.IsImported = Rec.function() == uint8_t(CudaFunction::MemImport) ||
                 Rec.function() == uint8_t(CudaFunction::MulticastCreate);
  if (!B.IsImported) {
    uint32_t Heap = R.cudaHeap(CudaHeap::Physical,
                               cudaDevice(CudaPlace::device(Rec.Extra)));
    B.Entry = beginDevice(Rec, Heap, B.Bytes, RingIndex);
    B.Row = B.Entry.Row;
    B.ScopeRow = B.Entry.ScopeRow;
  }
  Of.emplace(Rec.Address, B);
}

/// Its block is what of it is not mapped, while someone has its handle.
void ProcessState::countUnmapped(DeviceBlock &B, uint64_t Tsc,
                                 uint32_t RingIndex) {
  uint64_t Rest = B.References && !B.IsImported ? B.Bytes - B.MappedBytes : 0;
  if (B.Entry.Row && Rest)
    return resizeDevice(B.Entry, Rest, Tsc, RingIndex);
  if (!Rest)
    return endDevice(B, Tsc, RingIndex);
  makeRoom(RingIndex);
  LiveEntry &E = B.Entry;
  E.AllocationId = NextAllocationId++;
  E.Size = Rest;
  E.AllocatedTick = R.nextTick(Tsc, Id);
  E.Row = B.Row;
  E.ScopeRow = B.ScopeRow;
  R.Stats.allocate({E.AllocationId, E.Row, E.ScopeRow}, Rest,
                   E.AllocatedTick * TimeUnitNs, Rings[RingIndex].Thread);
  Log.allocate(Rings[RingIndex].Lane, E.AllocatedTick, Rest,
               R.Stats.stackOf(E.Row), R.Stats.scopePathOf(E.ScopeRow),
               R.Stats.heapOf(E.Row));
}

/// What is mapped stays until it is unmapped.
void ProcessState::releasePhysical(DeviceTable::Map::iterator It, uint64_t Tsc,
                                   uint32_t RingIndex) {
  DeviceBlock &B = It->second;
  if (B.References && --B.References)
    return;
  countUnmapped(B, Tsc, RingIndex);
  if (!B.MappedBytes)
    DeviceBlocks.of(CudaHeap::Physical).erase(It);
}

void ProcessState::mapDevice(const wire::Record &Rec, uint32_t RingIndex) {
  uint64_t Begin = Rec.Address, Size = Rec.size();
  Detail D;
  if (RingIndex < Details.size())
    D = std::exchange(Details[RingIndex], {});
  auto &Mappings = DeviceBlocks.Mappings;
  auto Next = Mappings.lower_bound(Begin);
  if ((Next != Mappings.end() && Next->first < Begin + Size) ||
      (Next != Mappings.begin() && std::prev(Next)->second.End > Begin)) {
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    unmapDevice(Rec, RingIndex);
  }
  DeviceTable::Map &Handles = DeviceBlocks.of(CudaHeap::Physical);
  auto Of = Handles.find(D.Address);
  bool IsOurs = Of != Handles.end() && !Of->second.IsImported;
  uint64_t Counted = Size;
  uint32_t Heap;
  if (IsOurs) {
    DeviceBlock &B = Of->second;
    Counted = std::min(Size, B.Bytes - B.MappedBytes);
    B.MappedBytes += Counted;
    countUnmapped(B, Rec.Tsc, RingIndex);
    Heap = R.Stats.heapOf(B.Row);
  } else {
    Heap = R.cudaHeap(CudaHeap::Imported,
                      cudaDevice(CudaPlace::device(Rec.Extra)));
  }
  Mappings[Begin] = {Begin + Size, D.Address, Counted};
  DeviceTable::Map &Ranges = DeviceBlocks.of(CudaHeap::Reserved);
  auto In = DeviceTable::overlapping(Ranges, Begin, Begin + Size);
  if (In == Ranges.end() || In->first > Begin) {
    // It was reserved while nothing was recorded.
    DeviceBlock Range;
    Range.End =
        In == Ranges.end() ? Begin + Size : std::min(Begin + Size, In->first);
    Range.Place =
        CudaPlace::pack(CudaPlace::NoDevice, uint32_t(CudaHeap::Reserved), 0);
    In = Ranges.emplace(Begin, Range).first;
  }
  LiveEntry &Mapped = In->second.Mapped;
  if (Mapped.Row)
    resizeDevice(Mapped, Mapped.Size + Counted, Rec.Tsc, RingIndex);
  else if (Counted)
    Mapped = beginDevice(Rec, Heap, Counted, RingIndex);
}

/// Bytes of the range in which Address lies have no memory any more. A segment
/// of PyTorch's there will be said to be smaller; it must not be larger than
/// what it lies in.
void ProcessState::shrinkRange(uint64_t Address, uint64_t Bytes,
                               const wire::Record &Rec, uint32_t RingIndex) {
  DeviceTable::Map &Ranges = DeviceBlocks.of(CudaHeap::Reserved);
  auto In = DeviceTable::overlapping(Ranges, Address, Address + 1);
  if (In == Ranges.end() || !In->second.Mapped.Row || !Bytes)
    return;
  LiveEntry &Mapped = In->second.Mapped;
  auto At = Segments.overlapping(Address, Address + 1);
  if (At != Segments.end() && At->second.Kind != Segment::Fixed) {
    uint64_t Less = std::min(Bytes, At->second.Entry.Size);
    At->second.Unmapped += Less;
    shrinkSegment(At, Less, Rec, RingIndex);
  }
  if (Bytes < Mapped.Size)
    resizeDevice(Mapped, Mapped.Size - Bytes, Rec.Tsc, RingIndex);
  else
    emitFree(std::exchange(Mapped, LiveEntry()), Rec.Tsc, RingIndex);
}

void ProcessState::unmapDevice(const wire::Record &Rec, uint32_t RingIndex) {
  auto &Mappings = DeviceBlocks.Mappings;
  DeviceTable::Map &Handles = DeviceBlocks.of(CudaHeap::Physical);
  uint64_t End = Rec.Address + Rec.size();
  auto It = Mappings.lower_bound(Rec.Address);
  if (It != Mappings.begin() && std::prev(It)->second.End > Rec.Address)
    --It;
  while (It != Mappings.end() && It->first < End) {
    auto [Begin, M] = *It;
    It = Mappings.erase(It);
    shrinkRange(Begin, M.Counted, Rec, RingIndex);
    auto Of = Handles.find(M.Handle);
    if (Of == Handles.end() || Of->second.IsImported)
      continue;
    DeviceBlock &B = Of->second;
    B.MappedBytes -= std::min(B.MappedBytes, M.Counted);
    countUnmapped(B, Rec.Tsc, RingIndex);
    if (!B.References && !B.MappedBytes)
      Handles.erase(Of);
  }
}
