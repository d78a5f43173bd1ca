//===- ImageObjects.cpp - Objects of an interpreter -------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of an interpreter's own allocators: heap python.object. They come
// in order, because the interpreter's lock is held, so that none waits for
// another. One that is not known was allocated before we could see it, or by a
// parent.
//
// Nearly each lies in another block: an arena that the interpreter has mapped,
// or, if it is large, a block of malloc. Which it is follows from its address
// whenever it is asked, so that nothing need be kept for it: what was there
// when the object was allocated is older than it.
//
//===----------------------------------------------------------------------===//

#include "ImageState.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

/// How far into a block of malloc an object lies: the interpreter's debug
/// functions put theirs behind 16 bytes, in one domain or in both.
static constexpr uint64_t Offsets[] = {0, 16, 32};

/// The block of malloc in which the object lies.
bool ImageState::findMallocOf(uint64_t Address, const LiveEntry &E,
                              BlockRef &Out) const {
  for (uint64_t Offset : Offsets) {
    LiveEntry In;
    if (Address < Offset || !Live.get(Address - Offset, &In) ||
        In.Ordinal >= E.Ordinal || In.Size < E.Size + Offset)
      continue;
    Out = {In.Ordinal, In.Row, In.Context};
    return true;
  }
  return false;
}

/// The live block in which the object lies.
bool ImageState::findOuter(uint64_t Address, const LiveEntry &E,
                           BlockRef &Out) {
  if (LLVM_UNLIKELY(E.Context & InMallocBit))
    return findMallocOf(Address, E, Out);
  const MapTable::Block *In = Maps.enclosing(Address);
  if (!In || !In->Entry.Row)
    return false;
  Out = {In->Entry.Ordinal, In->Entry.Row, In->Entry.Context};
  if (LLVM_LIKELY(Out.Ordinal < E.Ordinal))
    return true;
  // What has been cut off counts as in the first part.
  Out.Ordinal = In->CutFrom - 1;
  return In->CutFrom && Out.Ordinal < E.Ordinal;
}

void ImageState::objectRecord(const wire::Record &Rec, uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  RecordKind Kind = RecordKind(Rec.kind());
  bool IsEnd = Kind == RecordKind::ObjectReallocEnd;
  if (IsEnd && Rec.Address <= wire::Unrecorded) {
    // One that failed is where it was: it was freed when it began.
    if (uint64_t At = std::exchange(S.ObjectAddress, 0); At && !Rec.Address)
      putObject(At, S.Object, Rec.Tsc, RingIndex,
                S.Object.Context & InMallocBit);
    return;
  }
  if (!isAddress(Rec.Address) ||
      !R.Wanted.wants(HostHeap::PythonObject)) // nobody has asked for it
    return bad();
  if (IsEnd || Kind == RecordKind::ObjectAllocate) {
    S.ObjectAddress = 0;
    LiveEntry E;
    E.Size = Rec.size();
    E.Row = Stacks.objectRow(Rec.Stack, Rec.function());
    E.Context = S.ObjectContextRow;
    return putObject(Rec.Address, E, Rec.Tsc, RingIndex, Rec.Context != 0);
  }
  LiveEntry E;
  if (!takeObject(Rec.Address, E)) {
    if (Forked)
      R.Sums.inheritedFree(Id);
    return;
  }
  if (Kind == RecordKind::ObjectReallocBegin) {
    S.ObjectAddress = Rec.Address;
    S.Object = E;
  }
  emitObjectFree(Rec.Address, E, Rec.Tsc, RingIndex);
}

bool ImageState::takeObject(uint64_t Address, LiveEntry &E) {
  if (!Objects.take(Address, E))
    return false;
  if (LLVM_UNLIKELY(Snapshot.holds(E.Ordinal))) {
    LiveEntry Block = E;
    Block.Context &= InMallocBit - 1;
    Snapshot.onTake(Block, LiveTable::NumShards + LiveTable::shardOf(Address),
                    outerOf(Address, E));
  }
  return true;
}

/// E: all but its ordinal and its birth.
void ImageState::putObject(uint64_t Address, LiveEntry E, uint64_t Tsc,
                           uint32_t RingIndex, bool InMalloc) {
  // Its free was not seen: others stood in the table of allocators meanwhile.
  if (LiveEntry Old; LLVM_UNLIKELY(takeObject(Address, Old))) {
    R.addLoss(Id, LossKind::DoubleAllocate, 1);
    emitObjectFree(Address, Old, Tsc, RingIndex);
  }
  // A flush writes what was there before.
  makeRoom(RingIndex);
  E.Ordinal = NextOrdinal++;
  E.BirthTick = R.nextTick(Tsc, Id);
  E.Context &= InMallocBit - 1;
  BlockRef B{E.Ordinal, E.Row, E.Context}, Outer;
  if (InMalloc && findMallocOf(Address, E, Outer))
    E.Context |= InMallocBit;
  Objects.insert(Address, E);
  const Ring &S = Rings[RingIndex];
  uint64_t Ns = E.BirthTick * TimeUnitNs;
  if (Outer.Row || findOuter(Address, E, Outer)) {
    R.Sums.allocateIn(B, Outer, E.Size, Ns, S.Thread);
    noteEnclosing(Outer.Ordinal);
  } else {
    R.Sums.allocate(B, E.Size, Ns, S.Thread);
  }
  Log.allocate(S.Lane, E.BirthTick, E.Size, R.Sums.stackOf(E.Row),
               R.Sums.contextOf(B.ContextRow),
               R.hostHeap(HostHeap::PythonObject));
}

void ImageState::emitObjectFree(uint64_t Address, const LiveEntry &E,
                                uint64_t Tsc, uint32_t RingIndex) {
  makeRoom(RingIndex);
  uint64_t Tick = R.nextTick(Tsc, Id);
  R.Sums.free({E.Ordinal, E.Row, E.Context & (InMallocBit - 1)}, E.Size,
              Tick * TimeUnitNs, Rings[RingIndex].Thread, outerOf(Address, E));
  Log.free(Rings[RingIndex].Lane, Tick, E.Ordinal);
}
