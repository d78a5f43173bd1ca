//===- ImageTensors.cpp - Tensors of PyTorch --------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks that PyTorch's allocators report: a heap for each device,
// `torch.cpu`, `torch.cuda:0`. Each is recorded after the block that it lies in
// was allocated and before that is freed, by the same thread, so it is found
// by its address whenever it is asked for.
//
//===----------------------------------------------------------------------===//

#include "ImageState.h"
#include "TensorHeaps.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

/// The heap of a device of the image; 0: the record is nonsense.
uint32_t ImageState::tensorHeap(uint8_t Slot) {
  if (Slot >= wire::MaxTensorDevices)
    return 0;
  TensorSlot &S = TensorSlots[Slot];
  uint32_t Word =
      Shared->control().TensorDevices[Slot].load(std::memory_order_acquire);
  if (!S.Heap && Word) {
    S.Heap = R.tensorHeap(uint16_t(Word));
    S.IsHost = uint8_t(Word) == TensorHeaps::Cpu;
  }
  return S.Heap;
}

/// Those of other devices lie in no block of the host; and what lies in blocks
/// of which only a sample is known cannot be told.
bool ImageState::findTensorOuter(uint64_t Address, const LiveEntry &E,
                                 BlockRef &Out) {
  if (E.Context & OnDeviceBit || R.Wanted.SampleBytes)
    return false;
  return findMallocOf(Address, E, Out) || findMapOf(Address, E, Out);
}

void ImageState::tensorRecord(const wire::Record &Rec, uint32_t RingIndex) {
  uint8_t Slot = Rec.function();
  uint32_t Heap = tensorHeap(Slot);
  if (!Heap)
    return bad();
  switch (RecordKind(Rec.kind())) {
  case RecordKind::TensorAllocate:
    return isAddress(Rec.Address) ? putTensor(Rec, RingIndex) : bad();
  case RecordKind::TensorFree: {
    LiveEntry E;
    if (takeTensor(Rec.Address, E))
      emitTensorFree(Rec.Address, E, Rec.Tsc, RingIndex);
    else if (Forked)
      R.Sums.inheritedFree(Id);
    return;
  }
  case RecordKind::TensorReserved:
    return tensorMark(MarkKind::HeapReserved, Rec, RingIndex);
  default:
    return tensorMark(MarkKind::Oom, Rec, RingIndex);
  }
}

bool ImageState::takeTensor(uint64_t Address, LiveEntry &E) {
  if (!Tensors.take(Address, E))
    return false;
  if (LLVM_UNLIKELY(Snapshot.holds(E.Ordinal))) {
    LiveEntry Block = E;
    Block.Context &= TensorContextMask;
    Snapshot.onTake(Block,
                    2 * LiveTable::NumShards + LiveTable::shardOf(Address),
                    tensorOuterOf(Address, E));
  }
  return true;
}

void ImageState::putTensor(const wire::Record &Rec, uint32_t RingIndex) {
  uint64_t Address = Rec.Address;
  // Its free was not reported.
  if (LiveEntry Old; LLVM_UNLIKELY(Tensors.contains(Address))) {
    takeTensor(Address, Old);
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    emitTensorFree(Address, Old, Rec.Tsc, RingIndex);
  }
  makeRoom(RingIndex);
  const Ring &S = Rings[RingIndex];
  const TensorSlot &Of = TensorSlots[Rec.function()];
  uint32_t Stack = Stacks.stack(Rec.Stack, 0);
  LiveEntry E;
  E.Ordinal = NextOrdinal++;
  E.Size = Rec.size();
  E.BirthTick = R.nextTick(Rec.Tsc, Id);
  E.Row = R.Sums.stackRow(Id, Of.Heap, Stack);
  E.Context = S.Context ? contextRow(Of.Heap, S.Context) : 0;
  if (E.Context > TensorContextMask)
    E.Context = 0;
  BlockRef B{E.Ordinal, E.Row, E.Context}, Outer;
  if (!Of.IsHost)
    E.Context |= OnDeviceBit;
  Tensors.insert(Address, E);
  uint64_t Ns = E.BirthTick * TimeUnitNs;
  if (findTensorOuter(Address, E, Outer)) {
    R.Sums.allocateIn(B, Outer, E.Size, Ns, S.Thread);
    noteEnclosing(Outer.Ordinal);
  } else {
    R.Sums.allocate(B, E.Size, Ns, S.Thread);
  }
  Log.allocate(S.Lane, E.BirthTick, E.Size, Stack,
               R.Sums.contextOf(B.ContextRow), Of.Heap);
}

void ImageState::emitTensorFree(uint64_t Address, const LiveEntry &E,
                                uint64_t Tsc, uint32_t RingIndex) {
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Sums.free({E.Ordinal, E.Row, E.Context & TensorContextMask}, E.Size,
              Tick * TimeUnitNs, Rings[RingIndex].Thread,
              tensorOuterOf(Address, E));
  Log.free(Rings[RingIndex].Lane, Tick, E.Ordinal);
}

void ImageState::tensorMark(MarkKind Kind, const wire::Record &Rec,
                            uint32_t RingIndex) {
  makeThread(RingIndex);
  const Ring &S = Rings[RingIndex];
  Mark M;
  M.Kind = Kind;
  M.Image = Id;
  M.Thread = S.Thread;
  M.TimeNs = R.timeOf(Rec.Tsc);
  M.Heap = TensorSlots[Rec.function()].Heap;
  if (Kind == MarkKind::HeapReserved) {
    M.Values = {Rec.size(), Rec.Address};
  } else {
    M.Stack = Stacks.stack(Rec.Stack, 0);
    M.Context = S.Context;
    M.Values = {Rec.size(), R.Sums.heapLiveBytes(M.Heap), Rec.Address};
  }
  R.addMark(std::move(M));
}
