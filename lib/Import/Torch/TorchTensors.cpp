// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a PyTorch snapshot, and failures to allocate one.

#include "Import/Build/BlockTable.h"
#include "TorchReplay.h"

using namespace llvm;
using namespace memkit;

static uint64_t keyOf(uint64_t Address) { return Address ^ BlockTable::Flip; }

//===----------------------------------------------------------------------===//
// Before the first event
//===----------------------------------------------------------------------===//

/// A block lived before the first event if its address begins with a free, or
/// has no event and a block in the snapshot. A free_completed whose
/// free_requested came before was in use; in snapshots without any
/// free_requested, it is the free. In the order of addresses.
std::vector<TorchBlock> TorchReplay::tensorsBefore(DeviceReplay &D) {
  std::vector<TorchBlock> Before;
  // Frees have the stack of their own call, or that of the allocation: those
  // with an allocation tell which.
  bool HasStack = In.SameStacks && !In.OtherStacks;
  for (const auto &[Key, A] : D.Data->Trace.Addresses) {
    if (A.First == unsigned(TorchAction::Alloc))
      continue;
    bool IsLive =
        A.First == unsigned(TorchAction::FreeRequested) || !In.HasRequests;
    // startDevice() finds the size.
    Before.push_back({keyOf(Key), 0, A.FirstSize, HasStack ? A.Stack : 0,
                      IsLive ? TorchBlock::Allocated : TorchBlock::Pending});
  }
  for (const TorchSegment &S : D.Data->Segments)
    for (const TorchBlock &B : S.Blocks) {
      if (B.State == TorchBlock::Allocated)
        D.Last[keyOf(B.Address)] = &B;
      if (!D.Data->Trace.Addresses.count(keyOf(B.Address)))
        Before.push_back(B);
    }
  llvm::sort(Before, [](const TorchBlock &A, const TorchBlock &B) {
    return A.Address < B.Address;
  });
  return Before;
}

void TorchReplay::addBefore(DeviceReplay &D, const TorchBlock &B) {
  ++NumBefore;
  if (B.State == TorchBlock::Pending)
    return beginInUse(D, B.Address, B.Size);
  if (D.Live.count(keyOf(B.Address)))
    return;
  TorchEvent E;
  E.Address = B.Address;
  E.Size = B.Requested;
  E.Stack = B.Stack;
  addTensor(D, E, B.Size);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The bytes of a new block. If the block is the last one at its address and
/// lives in the snapshot, the snapshot has the size.
uint64_t TorchReplay::sizeOf(DeviceReplay &D, const TorchEvent &E) {
  auto It = D.Data->Trace.Addresses.find(keyOf(E.Address));
  if (It == D.Data->Trace.Addresses.end() || !It->second.Allocations)
    return sizeInSegment(D, E);
  It->second.Allocations -= 1;
  const TorchBlock *B =
      It->second.Allocations ? nullptr : D.Last.lookup(keyOf(E.Address));
  if (B && B->Requested == E.Size)
    return B->Size;
  return sizeInSegment(D, E);
}

uint64_t TorchReplay::sizeInSegment(DeviceReplay &D, const TorchEvent &E) {
  if (E.Size <= TorchSizes::SmallRequest)
    return Sizes.rounded(E.Size);
  auto Around = D.Segments.around(E.Address);
  if (Around == D.Segments.all().end() || Around->second.Expands)
    return Sizes.rounded(E.Size);
  uint64_t End = Around->second.End;
  if (auto Next = D.Large.upper_bound(E.Address); Next != D.Large.end())
    End = std::min(End, Next->first);
  return Sizes.inFree(E.Size, End - E.Address);
}

void TorchReplay::allocate(DeviceReplay &D, const TorchEvent &E) {
  uint64_t Old;
  if (LLVM_UNLIKELY(freeTensor(D, E.Address, Old)))
    To.loss(Process, LossKind::DoubleAllocate);
  endInUse(D, E.Address);
  addTensor(D, E, sizeOf(D, E));
}

void TorchReplay::addTensor(DeviceReplay &D, const TorchEvent &E,
                            uint64_t Size) {
  ImportedBlock B;
  B.Size = Size;
  B.Requested = E.Size;
  B.Heap = D.TensorHeap;
  B.Stack = E.Stack;
  B.ScopePath = D.Scopes.path(E.Label);
  B.Address = E.Address;
  B.Stream = E.Stream;
  auto Around = D.Segments.around(E.Address);
  if (Around != D.Segments.all().end()) {
    B.Enclosing = Around->second.Block + 1;
    B.Pool = Around->second.Pool;
    B.Stream = E.Stream ? E.Stream : Around->second.Stream;
  }
  if (E.Pool)
    B.Pool = E.Pool - 1;
  uint64_t Block = To.allocate(Process, Thread, NowNs, B);
  D.Live[keyOf(E.Address)] = {Block, Size, In.Places.get(E.Stack),
                              D.Scopes.optimizerStep()};
  D.LiveBytes += Size;
  D.Scopes.allocated(Size, D.LiveBytes, D.Reserved);
  if (Size > TorchSizes::SmallRequest)
    D.Large[E.Address] = E.Address + Size;
}

/// False: no block is live at Address.
bool TorchReplay::freeTensor(DeviceReplay &D, uint64_t Address, uint64_t &Size,
                             uint32_t Stack) {
  auto It = D.Live.find(keyOf(Address));
  if (It == D.Live.end())
    return false;
  Size = It->second.Size;
  D.LiveBytes -= Size;
  D.Scopes.freed(Size);
  To.free(Process, Thread, NowNs, It->second.Block);
  categorize(D, It->second, false, Stack);
  D.Live.erase(It);
  if (Size > TorchSizes::SmallRequest)
    D.Large.erase(Address);
  return true;
}

/// Stack: of the free.
void TorchReplay::categorize(const DeviceReplay &D, const LiveTorchTensor &L,
                             bool IsLive, uint32_t Stack) {
  TorchTensorLife Life;
  Life.Made = L.Made;
  Life.IsLive = IsLive;
  // Frees may have the stack of their allocation.
  Life.HasFreed = Stack && In.OtherStacks;
  Life.Freed = In.Places.get(Stack);
  Life.InOptimizer = L.Optimizer != 0;
  Life.OptimizerEnded = L.Optimizer != D.Scopes.optimizerStep();
  TensorCategory C = categoryOf(Life);
  if (C != TensorCategory::Unknown)
    To.category(Process, L.Block, C);
}

void TorchReplay::requestFree(DeviceReplay &D, const TorchEvent &E) {
  uint64_t Size;
  if (!freeTensor(D, E.Address, Size, E.Stack))
    return To.loss(Process, LossKind::UnknownFree);
  beginInUse(D, E.Address, Size);
}

void TorchReplay::completeFree(DeviceReplay &D, const TorchEvent &E) {
  uint64_t Size;
  markHigh(D);
  if (D.InUse.count(keyOf(E.Address)))
    endInUse(D, E.Address);
  else if (!freeTensor(D, E.Address, Size, E.Stack))
    To.loss(Process, LossKind::UnknownFree);
}

void TorchReplay::beginInUse(DeviceReplay &D, uint64_t Address,
                             uint64_t Bytes) {
  if (!D.InUse.try_emplace(keyOf(Address), Bytes).second)
    return;
  D.InUseBytes += Bytes;
  if (Bytes > TorchSizes::SmallRequest)
    D.Large[Address] = Address + Bytes;
}

void TorchReplay::endInUse(DeviceReplay &D, uint64_t Address) {
  auto It = D.InUse.find(keyOf(Address));
  if (It == D.InUse.end())
    return;
  D.InUseBytes -= It->second;
  D.InUse.erase(It);
  D.Large.erase(Address);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// The snapshot's blocks are the truth: events may be missing.
void TorchReplay::finishTensors(DeviceReplay &D) {
  if (!In.HasSegments)
    return;
  // Where the trace has no requests, a free is known once it is complete.
  uint64_t Bytes;
  for (const TorchSegment &S : D.Data->Segments)
    for (const TorchBlock &B : S.Blocks)
      if (B.State == TorchBlock::Pending && !In.HasRequests &&
          freeTensor(D, B.Address, Bytes))
        beginInUse(D, B.Address, Bytes);
  std::vector<uint64_t> Wrong;
  for (const auto &[Key, L] : D.Live)
    if (const TorchBlock *B = D.Last.lookup(Key); !B || B->Size != L.Size)
      Wrong.push_back(keyOf(Key));
  llvm::sort(Wrong);
  for (uint64_t Address : Wrong)
    freeTensor(D, Address, Bytes);
  uint64_t NumMissing = 0;
  for (const TorchSegment &S : D.Data->Segments)
    for (const TorchBlock &B : S.Blocks) {
      if (B.State != TorchBlock::Allocated || D.Live.count(keyOf(B.Address)))
        continue;
      TorchEvent E;
      E.Address = B.Address;
      E.Size = B.Requested;
      E.Stack = B.Stack;
      addTensor(D, E, B.Size);
      ++NumMissing;
    }
  NumCorrected += std::max<uint64_t>(Wrong.size(), NumMissing);
}

void TorchReplay::categorizeLive(const DeviceReplay &D) {
  for (const auto &[Key, L] : D.Live)
    categorize(D, L, true, 0);
}

/// An out-of-memory event, with the memory of all heaps.
void TorchReplay::fail(DeviceReplay &D, const TorchEvent &E) {
  OomRecord O;
  O.Process = Process;
  O.Heap = D.TensorHeap;
  O.Thread = Thread;
  O.TimeNs = markNs();
  O.Stack = E.Stack;
  O.ScopePath = D.Scopes.path(E.Label);
  O.Requested = E.Size;
  O.Limit = LimitKind::Device;
  O.FreeKnown = E.Address != UnknownBytes;
  O.FreeBytes = O.FreeKnown ? E.Address : 0;
  std::vector<OomHeap> Heaps;
  // A file may have many devices and failures, a machine few devices.
  constexpr size_t MaxDevices = 64;
  for (const DeviceReplay &Other : Devices) {
    if (Heaps.size() >= 2 * MaxDevices && &Other != &D)
      continue;
    OomHeap H;
    if (Other.SegmentHeap) {
      H.Heap = Other.SegmentHeap;
      H.LiveBlocks = Other.Segments.all().size();
      H.LiveBytes = Other.Reserved;
      Heaps.push_back(H);
    }
    H.Heap = Other.TensorHeap;
    H.LiveBlocks = Other.Live.size();
    H.LiveBytes = Other.LiveBytes;
    H.ReservedKnown = Other.SegmentHeap != 0;
    H.ReservedBytes = Other.Reserved;
    Heaps.push_back(H);
  }
  To.outOfMemory(O, std::move(Heaps));
}
