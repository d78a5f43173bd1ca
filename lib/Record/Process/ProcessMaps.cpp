// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process has mapped.
//
// The records of mappings, breaks and thread stacks made events, and blocks of
// malloc that lie in a mapping: those of an allocator that takes its memory
// where we see it.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;
using wire::AllocFunction;
using wire::MapClass;
using wire::RecordKind;

/// Counts and writes what becomes of blocks because of one record.
class ProcessState::MapSink : public MapEvents {
public:
  MapSink(ProcessState &I, const wire::Record &Rec, uint32_t RingIndex)
      : I(I), Rec(Rec), RingIndex(RingIndex) {}

  // A block that is left out on request has no row: it is there, and nothing is
  // told of it.
  LiveEntry allocate(MapClass Class, uint64_t Size) override {
    if (!I.R.Wanted.wants(heapOf(Class), Size)) {
      LiveEntry B;
      B.Size = Size;
      return B;
    }
    uint32_t Stack = I.Stacks.stack(Rec.Stack, Rec.function());
    uint32_t Heap = I.R.hostHeap(heapOf(Class));
    begin();
    LiveEntry B;
    B.AllocationId = I.NextAllocationId++;
    B.Size = Size;
    B.AllocatedTick = Tick;
    B.Row = I.R.Stats.stackRow(I.Id, Heap, Stack);
    const Ring &S = I.Rings[RingIndex];
    B.ScopeRow = I.scopeRow(Heap, S.ScopePath);
    I.R.Stats.allocate({B.AllocationId, B.Row, B.ScopeRow}, Size, ns(),
                       S.Thread);
    I.Log.allocate(lane(), Tick, Size, Stack, I.R.Stats.scopePathOf(B.ScopeRow),
                   Heap);
    return B;
  }
  void free(const LiveEntry &B) override {
    if (!B.Row)
      return;
    I.beforeFree(B.AllocationId);
    I.emitFree(B, Rec.Tsc, RingIndex);
  }
  void resize(LiveEntry &B, uint64_t Size) override {
    if (!B.Row) {
      B.Size = Size;
      return;
    }
    begin();
    I.R.Stats.resize({B.AllocationId, B.Row, B.ScopeRow}, B.Size, Size, ns());
    I.Log.resize(lane(), Tick, B.AllocationId, Size);
    B.Size = Size;
  }
  LiveEntry split(LiveEntry &B, uint64_t Size) override {
    if (!B.Row) {
      LiveEntry Rest = B;
      Rest.Size -= Size;
      B.Size = Size;
      return Rest;
    }
    begin();
    I.R.Stats.split({B.AllocationId, B.Row, B.ScopeRow}, ns());
    I.Log.split(lane(), Tick, B.AllocationId, Size);
    LiveEntry Rest = B;
    Rest.AllocationId = I.NextAllocationId++;
    Rest.Size -= Size;
    B.Size = Size;
    return Rest;
  }

  void leave(const LiveEntry &B, uint64_t Begin, uint64_t End) override {
    if (!B.Row)
      return;
    I.beforeFree(B.AllocationId);
    if ((I.Objects.size() || I.Tensors.size()) &&
        I.R.Stats.holdsOthers(I.Id, B.AllocationId))
      I.keepOuterOf({Begin, End});
  }

private:
  HostHeap heapOf(MapClass Class) const {
    switch (Class) {
    case MapClass::Reserved:
      return HostHeap::Reserved;
    case MapClass::File:
      return HostHeap::File;
    case MapClass::Device:
      return HostHeap::Device;
    case MapClass::Stack:
      return HostHeap::Stack;
    case MapClass::Used:
      break;
    }
    return Rec.kind() == uint8_t(RecordKind::Break) ? HostHeap::Break
                                                    : HostHeap::Mmap;
  }
  /// Makes room for an event, and gives it its time.
  void begin() {
    I.makeRoom(RingIndex);
    Tick = I.R.nextTick(Rec.Tsc, I.Id);
  }
  uint64_t ns() const { return Tick * TimeUnitNs; }
  uint32_t lane() const { return I.Rings[RingIndex].Lane; }

  ProcessState &I;
  const wire::Record &Rec;
  uint32_t RingIndex;
  uint64_t Tick = 0; ///< of the event
};

void ProcessState::mapRecord(const wire::Record &Rec, uint32_t RingIndex) {
  RecordKind Kind = RecordKind(Rec.kind());
  uint64_t Flags = Rec.Address & wire::PageFlagsMask;
  uint64_t Page = Rec.Address - Flags;
  if (Rec.Address >= MaxAddress || Rec.function() >= wire::NumAllocFunctions)
    return bad();
  MapTable::Range Pages{Page, Page + Rec.size()};
  MapTable::Range Bytes{Rec.Address, Rec.Address + Rec.size()};
  MapSink Out(*this, Rec, RingIndex);
  switch (Kind) {
  case RecordKind::Map:
    if (Flags >= wire::NumMapClasses || !Rec.size())
      return bad();
    return Maps.map(Pages, MapClass(Flags), Rec.Tsc, true, Out);
  case RecordKind::Break:
    return Rec.size() ? Maps.map(Bytes, MapClass::Used, Rec.Tsc, true, Out)
                      : bad();
  case RecordKind::Unmap:
    // A child of fork may give back what it inherited; who gives back what was
    // mapped behind our back does no harm.
    if (!Maps.unmap(Bytes, Rec.Tsc, Out) && Forked)
      R.Stats.inheritedFree(Id);
    return;
  case RecordKind::Protect:
    if (Flags > uint64_t(MapClass::Reserved))
      return bad();
    return Maps.protect(Pages, MapClass(Flags), Rec.Tsc, Out);
  case RecordKind::RemapBegin: {
    if (Remaps.size() <= RingIndex)
      Remaps.resize(RingIndex + 1);
    const MapTable::Block *Old = Maps.find(Rec.Address);
    Remaps[RingIndex] = {Bytes, Rec.Tsc, Old ? Old->Class : MapClass::Used};
    return;
  }
  case RecordKind::RemapEnd:
    return endRemap(Rec, RingIndex, Out);
  case RecordKind::ThreadEnd:
    return Maps.endStack(Bytes, Rec.Tsc, Out);
  default:
    return bad();
  }
}

void ProcessState::endRemap(const wire::Record &Rec, uint32_t RingIndex,
                            MapSink &Out) {
  if (RingIndex >= Remaps.size() || !Remaps[RingIndex].Tsc)
    return bad();
  Remap Begun = Remaps[RingIndex];
  Remaps[RingIndex].Tsc = 0;
  uint64_t Flags = Rec.Address & wire::PageFlagsMask;
  if (!Rec.Address) // it failed
    return;
  if (!Rec.size())
    return bad();
  uint64_t At = Rec.Address - Flags;
  Maps.remap(Begun.Old, {At, At + Rec.size()}, Begun.Class, Flags & 1,
             Begun.Tsc, Rec.Tsc, Out);
}

/// Counts an allocation in a mapping. Its event comes next in the log.
void ProcessState::allocateIn(const MapTable::Block &In, BlockRef B,
                              uint64_t Size, uint64_t TimeNs, uint32_t Thread) {
  R.Stats.allocateIn(B,
                     {In.Entry.AllocationId, In.Entry.Row, In.Entry.ScopeRow},
                     Size, TimeNs, Thread);
  Enclosing[B.AllocationId] = In.Entry.AllocationId + 1;
  noteEnclosing(In.Entry.AllocationId);
}

/// That the block whose event comes next lies in the one of Outer.
void ProcessState::noteEnclosing(uint64_t Outer) {
  std::vector<uint64_t> &Column = Log.Columns.Enclosing;
  Column.resize(Log.size());
  Column.push_back(Outer + 1);
}

/// The allocation id + 1 of the block in which the one of AllocationId, which
/// is freed, lies; 0 when it lies in none.
uint64_t ProcessState::takeEnclosing(uint64_t AllocationId) {
  auto At = Enclosing.find(AllocationId);
  if (At == Enclosing.end())
    return 0;
  uint64_t Outer = At->second;
  if (Snapshots.holds(AllocationId))
    Given.push_back(AllocationId);
  else
    Enclosing.erase(At);
  return Outer;
}

/// The snapshot is complete: what was kept for it goes.
void ProcessState::forgetGiven() {
  for (uint64_t AllocationId : Given)
    Enclosing.erase(AllocationId);
  Given.clear();
}
