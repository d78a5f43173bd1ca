// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory of CUDA: physical memory and its mappings.

#include "Sources/BlockSnapshots.h"
#include "Sources/CudaDriver.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;

void CudaDriver::resize(LiveEntry &E, uint64_t Size, RecordOrigin From) {
  if (E.Size != Size)
    Sink.resize(From, E, Size);
}

/// The handle was created, imported or retained; a retain has no function.
void CudaDriver::putPhysical(const wire::DeviceAllocateRecord &Rec,
                             RecordOrigin From) {
  DeviceTable::DeviceBlockMap &Of = Blocks.of(CudaHeap::Physical);
  auto It = Of.find(Rec.Address);
  if (Rec.Function == CudaFunction::None) {
    if (It != Of.end())
      ++It->second.References;
    return;
  }
  if (It != Of.end()) {
    Sink.doubleAllocate();
    end(It->second, From);
    Of.erase(It);
  }
  DeviceBlock B;
  B.End = Rec.Address + 1;
  B.Place = Rec.Place;
  B.Bytes = Rec.Size;
  // A multicast object has no memory of its own.
  B.IsImported = Rec.Function == CudaFunction::MemImport ||
                 Rec.Function == CudaFunction::MulticastCreate;
  if (!B.IsImported) {
    uint32_t Heap = Sink.heaps().cuda(CudaHeap::Physical, deviceOf(Rec.Place));
    B.Entry = begin({Rec.Address, B.Bytes, Rec.Function, Rec.Stack, Rec.Place,
                     Heap, /*IsMapped=*/false},
                    From);
    B.Row = B.Entry.Row;
    B.ScopeRow = B.Entry.ScopeRow;
  }
  Of.emplace(Rec.Address, B);
}

/// The block of physical memory counts its unmapped part, while the program
/// holds the handle.
void CudaDriver::countUnmapped(DeviceBlock &B, RecordOrigin From) {
  uint64_t Rest = B.References && !B.IsImported ? B.Bytes - B.MappedBytes : 0;
  if (B.Entry.Row && Rest)
    return resize(B.Entry, Rest, From);
  if (!Rest)
    return end(B, From);
  // Start the block with the stack and scope path of the handle's creation.
  B.Entry = Sink.newBlockOfRows(From, B.Row, B.ScopeRow, Rest);
  Sink.allocate(From, B.Entry);
}

/// Mapped memory stays until unmapped.
void CudaDriver::releasePhysical(DeviceTable::DeviceBlockMap::iterator It,
                                 RecordOrigin From) {
  DeviceBlock &B = It->second;
  if (B.References && --B.References)
    return;
  countUnmapped(B, From);
  if (!B.MappedBytes)
    Blocks.of(CudaHeap::Physical).erase(It);
}

void CudaDriver::take(const wire::DeviceMapRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, Rec.Function) || !isAddress(Rec.Address) || !Rec.Size)
    return Sink.bad();
  noteChange(Rec.Place, From);
  uint64_t Begin = Rec.Address, Size = Rec.Size;
  uint64_t Handle = takeDetail(From.Ring).Handle;
  auto &Mapped = Blocks.Mappings;
  auto Next = Mapped.lower_bound(Begin);
  if ((Next != Mapped.end() && Next->first < Begin + Size) ||
      (Next != Mapped.begin() && std::prev(Next)->second.End > Begin)) {
    Sink.doubleAllocate();
    unmap(Begin, Size, From);
  }
  DeviceTable::DeviceBlockMap &Handles = Blocks.of(CudaHeap::Physical);
  auto Of = Handles.find(Handle);
  bool IsOurs = Of != Handles.end() && !Of->second.IsImported;
  uint64_t Counted = Size;
  uint32_t Heap;
  if (IsOurs) {
    DeviceBlock &B = Of->second;
    Counted = std::min(Size, B.Bytes - B.MappedBytes);
    B.MappedBytes += Counted;
    countUnmapped(B, From);
    Heap = Sink.stats().heapOf(B.Row);
  } else {
    Heap = Sink.heaps().cuda(CudaHeap::Imported, deviceOf(Rec.Place));
  }
  Mapped[Begin] = {Begin + Size, Handle, Counted};
  DeviceTable::DeviceBlockMap &Ranges = Blocks.of(CudaHeap::Reserved);
  auto In = DeviceTable::overlapping(Ranges, Begin, Begin + Size);
  if (In == Ranges.end() || In->first > Begin) {
    // The range was reserved while nothing was recorded.
    DeviceBlock Range;
    Range.End =
        In == Ranges.end() ? Begin + Size : std::min(Begin + Size, In->first);
    Range.Place =
        CudaPlace::pack(CudaPlace::NoDevice, uint32_t(CudaHeap::Reserved), 0);
    In = Ranges.emplace(Begin, Range).first;
  }
  LiveEntry &Block = In->second.Mapped;
  if (Block.Row)
    resize(Block, Block.Size + Counted, From);
  else if (Counted)
    Block = begin({Begin, Counted, Rec.Function, Rec.Stack, Rec.Place, Heap,
                   /*IsMapped=*/true},
                  From);
}

/// Bytes of the range around Address lose their memory.
void CudaDriver::shrinkRange(uint64_t Address, uint64_t Bytes,
                             RecordOrigin From) {
  DeviceTable::DeviceBlockMap &Ranges = Blocks.of(CudaHeap::Reserved);
  auto In = DeviceTable::overlapping(Ranges, Address, Address + 1);
  if (In == Ranges.end() || !In->second.Mapped.Row || !Bytes)
    return;
  LiveEntry &Block = In->second.Mapped;
  if (OnShrink)
    OnShrink(Address, Bytes, From);
  if (Bytes < Block.Size)
    resize(Block, Block.Size - Bytes, From);
  else
    emitFree(Block, From);
}

void CudaDriver::take(const wire::DeviceUnmapRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction::None) || !isAddress(Rec.Address))
    return Sink.bad();
  noteChange(Rec.Place, From);
  unmap(Rec.Address, Rec.Size, From);
}

void CudaDriver::unmap(uint64_t Address, uint64_t Size, RecordOrigin From) {
  auto &Mapped = Blocks.Mappings;
  DeviceTable::DeviceBlockMap &Handles = Blocks.of(CudaHeap::Physical);
  uint64_t End = Address + Size;
  auto It = Mapped.lower_bound(Address);
  if (It != Mapped.begin() && std::prev(It)->second.End > Address)
    --It;
  while (It != Mapped.end() && It->first < End) {
    auto [Begin, M] = *It;
    It = Mapped.erase(It);
    shrinkRange(Begin, M.Counted, From);
    auto Of = Handles.find(M.Handle);
    if (Of == Handles.end() || Of->second.IsImported)
      continue;
    DeviceBlock &B = Of->second;
    B.MappedBytes -= std::min(B.MappedBytes, M.Counted);
    countUnmapped(B, From);
    if (!B.References && !B.MappedBytes)
      Handles.erase(Of);
  }
}
