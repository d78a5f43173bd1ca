// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of PyTorch.
//
// The blocks that PyTorch's allocators report: a heap for each device,
// `torch.cpu`, `torch.cuda:0`. Each is recorded after the block that it lies in
// was allocated and before that is freed, by the same thread, so it is found
// by its address whenever it is asked for.

#include "Output/TensorHeaps.h"
#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

/// The heap of a device of the process; 0: the record is nonsense.
uint32_t ProcessState::tensorHeap(uint8_t Slot) {
  if (Slot >= wire::MaxTensorDevices)
    return 0;
  TensorSlot &S = TensorSlots[Slot];
  uint32_t Word =
      Shared->control().TensorDevices[Slot].load(std::memory_order_acquire);
  if (!S.Heap && Word) {
    S.Heap = R.tensorHeap(deviceOf(uint16_t(Word)));
    S.IsHost = uint8_t(Word) == TensorHeaps::Cpu;
  }
  return S.Heap;
}

/// A device of c10's as the recording has it.
uint16_t ProcessState::deviceOf(uint16_t Word) {
  uint32_t Index = Word >> 8;
  return uint8_t(Word) == TensorHeaps::Cuda && Index < wire::MaxCudaDevices
             ? cudaDevice(Index)
             : Word;
}

/// Those of other devices lie in no block of the host, but in a segment; and
/// what lies in blocks of which only a sample is known cannot be told. Found
/// once and kept: what a tensor lies in may be gone before it.
bool ProcessState::findTensorOuter(uint64_t Address, const LiveEntry &E,
                                   BlockRef &Out) {
  if (E.ScopeRow & OnDeviceBit)
    return findSegmentOf(Address, E, Out) || findDeviceOf(Address, E, Out);
  if (R.Wanted.SampleBytes)
    return false;
  return findMallocOf(Address, E, Out) || findMapOf(Address, E, Out);
}

void ProcessState::tensorRecord(const wire::Record &Rec, uint32_t RingIndex) {
  uint8_t Slot = Rec.function();
  uint32_t Heap = tensorHeap(Slot);
  if (!Heap)
    return bad();
  switch (RecordKind(Rec.kind())) {
  case RecordKind::TensorAllocate:
    return isAddress(Rec.Address) ? putTensor(Rec, RingIndex) : bad();
  case RecordKind::TensorFree: {
    LiveEntry E;
    if (takeTensor(Rec.Address, E)) {
      noteInUse(Rec, E);
      emitTensorFree(Rec.Address, E, Rec.Tsc, RingIndex);
      TensorSlots[Slot].Live -= std::min(TensorSlots[Slot].Live, E.Size);
      if (HasReserved && E.ScopeRow & OnDeviceBit)
        noteLive(R.lastNs());
    } else if (Forked)
      R.Stats.inheritedFree(Id);
    else if (!HasStopped) // else it may be of one that was not recorded
      R.addLoss(Id, LossKind::UnknownFree, 1);
    return;
  }
  case RecordKind::TensorReserved:
    // Its segments may have said so.
    if (HasReserved && TensorSlots[Slot].Reserved == Rec.size())
      return;
    TensorSlots[Slot].Reserved = Rec.size();
    TensorSlots[Slot].Allocated = Rec.Address;
    return reservedMark(Slot, Rec.Tsc, RingIndex);
  default:
    return oomMark(Rec, RingIndex);
  }
}

bool ProcessState::takeTensor(uint64_t Address, LiveEntry &E) {
  if (!Tensors.take(Address, E))
    return false;
  if (LLVM_UNLIKELY(Snapshots.holds(E.AllocationId))) {
    LiveEntry Block = E;
    Block.ScopeRow &= TensorScopeMask;
    Snapshots.onTake(Block,
                     2 * LiveTable::NumShards + LiveTable::shardOf(Address),
                     OuterOf.lookup(E.AllocationId));
  }
  return true;
}

void ProcessState::putTensor(const wire::Record &Rec, uint32_t RingIndex) {
  uint64_t Address = Rec.Address;
  // Its free was not reported.
  if (LiveEntry Old; LLVM_UNLIKELY(Tensors.contains(Address))) {
    takeTensor(Address, Old);
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    emitTensorFree(Address, Old, Rec.Tsc, RingIndex);
  }
  makeRoom(RingIndex);
  const Ring &S = Rings[RingIndex];
  TensorSlot &Of = TensorSlots[Rec.function()];
  uint32_t Stack = Stacks.stack(Rec.Stack, 0);
  LiveEntry E;
  E.AllocationId = NextAllocationId++;
  E.Size = Rec.size();
  E.AllocatedTick = R.nextTick(Rec.Tsc, Id);
  E.Row = R.Stats.stackRow(Id, Of.Heap, Stack);
  E.ScopeRow = S.ScopePath ? scopeRow(Of.Heap, S.ScopePath) : 0;
  if (E.ScopeRow > TensorScopeMask)
    E.ScopeRow = 0;
  BlockRef B{E.AllocationId, E.Row, E.ScopeRow}, Outer;
  if (!Of.IsHost)
    E.ScopeRow |= OnDeviceBit;
  Tensors.insert(Address, E);
  if (LLVM_UNLIKELY(!InUse.empty()))
    endInUse(Address);
  noteRequest(Address, RingIndex);
  uint64_t Ns = E.AllocatedTick * TimeUnitNs;
  if (findTensorOuter(Address, E, Outer)) {
    OuterOf[E.AllocationId] = Outer.AllocationId + 1;
    R.Stats.allocateIn(B, Outer, E.Size, Ns, S.Thread);
    noteEnclosing(Outer.AllocationId);
  } else {
    R.Stats.allocate(B, E.Size, Ns, S.Thread);
  }
  if (!Of.IsHost)
    noteAddress(Address);
  Log.allocate(S.Lane, E.AllocatedTick, E.Size, Stack,
               R.Stats.scopePathOf(B.ScopeRow), Of.Heap);
  noteAllocationTime(Address, Of.Heap, Rec.Stack, RingIndex);
  Of.Live += E.Size;
  if (HasReserved && !Of.IsHost)
    noteLive(Ns);
}

/// Scopes are measured by what devices have reserved, and what of it is live.
void ProcessState::noteLive(uint64_t TimeNs) {
  uint64_t Live = 0, Reserved = 0;
  for (const TensorSlot &S : TensorSlots) {
    if (!S.Reserved)
      continue;
    Live += S.Live;
    Reserved += S.Reserved;
  }
  Scopes.reserved().set(TimeNs, Live, Reserved);
}

void ProcessState::emitTensorFree(uint64_t Address, const LiveEntry &E,
                                  uint64_t Tsc, uint32_t RingIndex) {
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Stats.free({E.AllocationId, E.Row, E.ScopeRow & TensorScopeMask}, E.Size,
               Tick * TimeUnitNs, Rings[RingIndex].Thread,
               OuterOf.lookup(E.AllocationId));
  OuterOf.erase(E.AllocationId);
  Log.free(Rings[RingIndex].Lane, Tick, E.AllocationId);
  noteDeath(Address, E.Size, RingIndex);
}

/// Sums have what is reserved from the same moment on as a replay.
void ProcessState::reservedMark(uint32_t Slot, uint64_t Tsc,
                                uint32_t RingIndex) {
  makeThread(RingIndex);
  const TensorSlot &Of = TensorSlots[Slot];
  Mark M;
  M.Kind = MarkKind::HeapReserved;
  M.Process = Id;
  M.Thread = Rings[RingIndex].Thread;
  M.TimeNs = R.boundaryNs(R.Clock.toNs(Tsc));
  M.Heap = Of.Heap;
  M.Values = {Of.Reserved, Of.Allocated + Of.InUse};
  R.Stats.setReserved(Id, M.Heap, Of.Reserved);
  Scopes.noteReserved(M.Heap, M.Values[0], M.Values[1]);
  HasReserved = true;
  noteLive(M.TimeNs);
  R.addMark(std::move(M));
}

/// Live, reserved and, where it is known, what is free on the device.
void ProcessState::oomMark(const wire::Record &Rec, uint32_t RingIndex) {
  makeThread(RingIndex);
  const Ring &S = Rings[RingIndex];
  Mark M;
  M.Kind = MarkKind::Oom;
  M.Process = Id;
  M.Thread = S.Thread;
  M.TimeNs = R.timeOf(Rec.Tsc);
  M.Heap = TensorSlots[Rec.function()].Heap;
  M.Stack = Stacks.stack(Rec.Stack, 0);
  M.ScopePath = S.ScopePath;
  uint64_t Requested = Rec.size() | uint64_t(Rec.Extra) << 48;
  M.Values = {Requested, R.Stats.heapLiveBytes(M.Heap), Rec.Address};
  if (RingIndex < Requests.size() && Requests[RingIndex].IsThere) {
    M.Values.push_back(Requests[RingIndex].Address);
    Requests[RingIndex] = {};
  }
  noteOom(M);
  R.addMark(std::move(M));
}
