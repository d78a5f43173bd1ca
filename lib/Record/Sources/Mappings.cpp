// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the mappings of a process.

#include "Sources/Mappings.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;
using wire::AllocFunction;
using wire::MapClass;

/// Reports the events of blocks that one record causes. A block that the user
/// excluded has no row: the table holds the block, but no event is reported.
class Mappings::Events : public MapEvents {
public:
  /// Used: the heap of pages of MapClass::Used.
  Events(Mappings &M, RecordOrigin From, uint32_t Stack = 0,
         AllocFunction Function = AllocFunction::None,
         HostHeapKind Used = HostHeapKind::Mmap)
      : M(M), Sink(M.Sink), From(From), Node(Stack), Function(Function),
        Used(Used) {}

  LiveEntry allocate(MapClass Class, uint64_t Size) override {
    HostHeapKind Kind = heapOf(Class);
    if (!Sink.wanted().wants(Kind, Size)) {
      LiveEntry B;
      B.Size = Size;
      return B;
    }
    uint32_t Stack = Sink.stacks().stack(Node, uint8_t(Function));
    LiveEntry B = Sink.newBlock(From, Sink.heaps().host(Kind), Stack, Size);
    Sink.allocate(From, B);
    return B;
  }
  void free(const LiveEntry &B) override {
    if (!B.Row)
      return;
    M.Touched.limit(B.AllocationId, 0, From);
    M.Snapshots.beforeEnd(B.AllocationId);
    Sink.free(From, B, M.Snapshots.takeOuter(B.AllocationId));
  }
  void resize(LiveEntry &B, uint64_t Size) override {
    if (!B.Row) {
      B.Size = Size;
      return;
    }
    M.Touched.limit(B.AllocationId, Size, From);
    Sink.resize(From, B, Size);
  }
  LiveEntry split(LiveEntry &B, uint64_t Size) override {
    if (B.Row) {
      M.Touched.limit(B.AllocationId, Size, From);
      return Sink.split(From, B, Size);
    }
    LiveEntry Rest = B;
    Rest.Size -= Size;
    B.Size = Size;
    return Rest;
  }
  void leave(const LiveEntry &B, uint64_t Begin, uint64_t End) override {
    if (!B.Row)
      return;
    M.Snapshots.beforeEnd(B.AllocationId);
    if (M.OnLeave && Sink.stats().holdsOthers(Sink.process(), B.AllocationId))
      M.OnLeave({Begin, End});
  }

private:
  HostHeapKind heapOf(MapClass Class) const {
    switch (Class) {
    case MapClass::Reserved:
      return HostHeapKind::Reserved;
    case MapClass::File:
      return HostHeapKind::File;
    case MapClass::Device:
      return HostHeapKind::Device;
    case MapClass::Stack:
      return HostHeapKind::Stack;
    case MapClass::Used:
      break;
    }
    return Used;
  }

  Mappings &M;
  EventSink &Sink;
  RecordOrigin From;
  uint32_t Node;
  AllocFunction Function;
  HostHeapKind Used;
};

Mappings::Mappings(EventSink &Sink, BlockSnapshots &Snapshots)
    : Sink(Sink), Snapshots(Snapshots), Touched(Sink, Snapshots) {
  Snapshots.addOthers([this] { return Table.size(); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        for (const auto &[Begin, B] : Table.blocks())
                          if (B.Entry.Row)
                            To.push_back(B.Entry);
                      });
}

static bool isInRange(uint64_t Address, AllocFunction Function) {
  return Address < MaxAddress && uint8_t(Function) < wire::NumAllocFunctions;
}

void Mappings::take(const wire::MapRecord &Rec, RecordOrigin From) {
  if (!isInRange(Rec.Page, Rec.Function) || !Rec.Size ||
      uint8_t(Rec.Class) >= wire::NumMapClasses)
    return Sink.bad();
  Events Out(*this, From, Rec.Stack, Rec.Function);
  Table.map({Rec.Page, Rec.Page + Rec.Size}, Rec.Class, From.Tsc, true, Out);
}

void Mappings::take(const wire::BreakRecord &Rec, RecordOrigin From) {
  if (!isInRange(Rec.Address, Rec.Function) || !Rec.Size)
    return Sink.bad();
  Events Out(*this, From, Rec.Stack, Rec.Function, HostHeapKind::Break);
  Table.map({Rec.Address, Rec.Address + Rec.Size}, MapClass::Used, From.Tsc,
            true, Out);
}

void Mappings::take(const wire::UnmapRecord &Rec, RecordOrigin From) {
  if (Rec.Address >= MaxAddress)
    return Sink.bad();
  // A child of fork may unmap the mappings of its parent. Unmapping a range
  // whose mmap was not recorded changes nothing.
  Events Out(*this, From);
  if (!Table.unmap({Rec.Address, Rec.Address + Rec.Size}, From.Tsc, Out))
    Sink.noteInherited();
}

void Mappings::take(const wire::ProtectRecord &Rec, RecordOrigin From) {
  if (!isInRange(Rec.Page, Rec.Function) || Rec.Class > MapClass::Reserved)
    return Sink.bad();
  Events Out(*this, From, Rec.Stack, Rec.Function);
  Table.protect({Rec.Page, Rec.Page + Rec.Size}, Rec.Class, From.Tsc, Out);
}

void Mappings::take(const wire::RemapBeginRecord &Rec, RecordOrigin From) {
  if (Rec.Address >= MaxAddress)
    return Sink.bad();
  if (Remaps.size() <= From.Ring)
    Remaps.resize(From.Ring + 1);
  const MapTable::MapBlock *Old = Table.find(Rec.Address);
  Remaps[From.Ring] = {{Rec.Address, Rec.Address + Rec.Size},
                       From.Tsc,
                       Old ? Old->Class : MapClass::Used};
}

void Mappings::take(const wire::RemapEndRecord &Rec, RecordOrigin From) {
  if (!isInRange(Rec.Page, Rec.Function) || From.Ring >= Remaps.size())
    return Sink.bad();
  const RunningRemap &Begun = Remaps[From.Ring];
  if (!Rec.Page) // the call failed
    return;
  if (!Rec.Size)
    return Sink.bad();
  Events Out(*this, From, Rec.Stack, Rec.Function);
  Table.remap(Begun.Old, {Rec.Page, Rec.Page + Rec.Size}, Begun.Class,
              Rec.OldStays, Begun.Tsc, From.Tsc, Out);
}

void Mappings::endThread(const wire::ThreadEndRecord &Rec, RecordOrigin From) {
  if (Rec.Begin >= MaxAddress)
    return Sink.bad();
  Events Out(*this, From);
  Table.endStack({Rec.Begin, Rec.Begin + Rec.Size}, From.Tsc, Out);
}

void Mappings::touch(const TouchedMapping &M, uint64_t Tsc) {
  auto It = Table.blocks().find(M.Begin);
  if (It == Table.blocks().end() || It->second.Class != MapClass::Reserved ||
      !It->second.Entry.Row || It->second.Entry.AllocationId != M.Id)
    return;
  uint64_t Size = It->second.End - M.Begin;
  Touched.sample(It->second.Entry,
                 {std::min(M.Bytes, Size), Tsc, M.Grow, M.Exact});
}

void Mappings::leaveTouched(uint64_t Address, RecordOrigin From) {
  const MapTable::MapBlock *In = Table.find(Address);
  if (!In || In->Class != MapClass::Reserved || !In->Entry.Row)
    return;
  Touched.leave(In->Entry.AllocationId, From);
}

bool Mappings::findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out) {
  const MapTable::MapBlock *In = Table.enclosing(Address);
  if (!In || !In->Entry.Row)
    return false;
  if (LLVM_UNLIKELY(In->Entry.AllocationId > E.AllocationId))
    return false; // E lies in an earlier mapping at this address.
  Out = {In->Entry.AllocationId, In->Entry.Row, In->Entry.ScopeRow};
  return true;
}
