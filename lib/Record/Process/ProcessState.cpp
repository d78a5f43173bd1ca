// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder knows of a process.

#include "Process/ProcessState.h"
#include "Launch/ProcFs.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

ProcessState::ProcessState(uint32_t Id, pid_t Pid, bool Forked,
                           std::unique_ptr<SharedProcess> S, Recording &R)
    : Id(Id), Pid(Pid), Forked(Forked), Shared(std::move(S)), R(R),
      Stacks(*Shared, R, Id), Scopes(*Shared, R, Id, R.nowNs()),
      Makers(*Shared) {
  Log.Process = FullLog.Process = Id;
}

EventLog *ProcessState::changeLogs(uint32_t Epoch) {
  bool Any = !Log.empty();
  if (Any) {
    Log.Epoch = Epoch;
    std::swap(Log, FullLog);
  }
  Log.start(NextAllocationId);
  return Any ? &FullLog : nullptr;
}

ProcessState::Ring &ProcessState::ring(uint32_t I) {
  if (I >= Rings.size())
    Rings.resize(I + 1);
  return Rings[I];
}

void ProcessState::startThread(Ring &S, uint32_t Tid) {
  Thread T;
  T.Process = Id;
  T.Tid = Tid;
  T.Name = R.Names.Names.string(procfs::threadName(Pid, pid_t(Tid)));
  T.StartNs = R.nowNs();
  S.Thread = S.LastThread = R.Names.addThread(T);
  S.LastTid = Tid;
  S.Epoch = S.LastEpoch = 0;
}

/// A thread that goes on after it has said that it ends.
bool ProcessState::resumeThread(Ring &S, const wire::Record &Rec) {
  uint64_t Before = Rec.size();
  if (!Before || Before > Rings.size() ||
      Rings[Before - 1].LastTid != uint32_t(Rec.Address))
    return false;
  const Ring &Old = Rings[Before - 1];
  S.Thread = S.LastThread = Old.LastThread;
  S.LastTid = uint32_t(Rec.Address);
  // A thread stands once in a block: readers tell by its rows which block it
  // has allocated last.
  S.Epoch = S.LastEpoch = Old.LastEpoch;
  S.Lane = Old.Lane;
  return S.Thread != 0;
}

void ProcessState::releaseRing(uint32_t I) {
  Ring &S = Rings[I];
  // A block that was being reallocated lives on where it was; a free of one not
  // known then stays a free.
  if (S.Realloc == Ring::HeldBack)
    endHeldRealloc(S, I, true);
  else
    reattach(S, I);
  S.ObjectAddress = 0;
  S.Thread = 0;
  S.Epoch = 0;
  Scopes.endRing(I, R.lastNs());
  setScopePath(I);
}

/// The row of a scope path's blocks in a heap; 0 when there are more than live
/// blocks can name.
uint32_t ProcessState::scopeRow(uint32_t Heap, uint32_t ScopePath) {
  uint32_t Row = R.Stats.scopeRow(Id, Heap, ScopePath);
  return Row < LiveEntry::MaxScopeRow ? Row : 0;
}

/// What the ring allocates from now on is of its innermost scope.
void ProcessState::setScopePath(uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  uint32_t ScopePath = Scopes.scopePath(RingIndex);
  if (S.ScopePath == ScopePath)
    return;
  S.ScopeRow = scopeRow(R.MallocHeap, ScopePath);
  S.ScopePath = S.ScopeRow ? ScopePath : 0;
  if (R.Wanted.wants(HostHeap::PythonObject))
    S.ObjectScopeRow =
        scopeRow(R.hostHeap(HostHeap::PythonObject), S.ScopePath);
  if (S.ObjectScopeRow >= InMallocBit)
    S.ObjectScopeRow = 0;
}

/// Does it say that there are blocks that were not recorded?
static bool isStop(const wire::Record &Rec) {
  return Rec.kind() == uint8_t(RecordKind::Mark) &&
         (Rec.size() == uint64_t(wire::MarkWhat::On) ||
          Rec.size() == uint64_t(wire::MarkWhat::Off));
}

void ProcessState::process(const wire::Record &Rec, uint32_t RingIndex) {
  switch (RecordKind(Rec.kind())) {
  case RecordKind::Allocate:
  case RecordKind::Free:
  case RecordKind::ReallocBegin:
    return at(Rec, RingIndex);
  case RecordKind::ReallocEnd:
    return endRealloc(Rec, RingIndex);
  case RecordKind::ObjectAllocate:
  case RecordKind::ObjectFree:
  case RecordKind::ObjectReallocBegin:
  case RecordKind::ObjectReallocEnd:
    return objectRecord(Rec, RingIndex);
  case RecordKind::TensorAllocate:
  case RecordKind::TensorFree:
  case RecordKind::TensorReserved:
  case RecordKind::TensorOom:
    return tensorRecord(Rec, RingIndex);
  case RecordKind::PoolBegin:
  case RecordKind::PoolEnd:
  case RecordKind::PoolAllocate:
  case RecordKind::PoolFree:
  case RecordKind::PoolResize:
  case RecordKind::PoolName:
    return poolRecord(Rec, RingIndex);
  case RecordKind::TensorRequest:
  case RecordKind::TensorPool:
  case RecordKind::TensorSegment:
  case RecordKind::TensorReusable:
    return allocatorRecord(Rec, RingIndex);
  case RecordKind::TensorHeld:
    return noteHeld(Rec);
  case RecordKind::DeviceAllocate:
  case RecordKind::DeviceFree:
  case RecordKind::DeviceOom:
  case RecordKind::DeviceDetail:
  case RecordKind::DeviceContextEnd:
  case RecordKind::DeviceMap:
  case RecordKind::DeviceUnmap:
  case RecordKind::DeviceUsed:
  case RecordKind::DeviceReserved:
  case RecordKind::DeviceAsk:
    return deviceRecord(Rec, RingIndex);
  case RecordKind::ThreadStart:
    releaseRing(RingIndex);
    if (!resumeThread(Rings[RingIndex], Rec))
      startThread(Rings[RingIndex], uint32_t(Rec.Address));
    return;
  case RecordKind::Exec:
  case RecordKind::ExecFailed:
  case RecordKind::Spawned:
    return bad();
  case RecordKind::ScopeBegin:
  case RecordKind::ScopeEnd:
  case RecordKind::Mark:
  case RecordKind::Ask:
  case RecordKind::ScopeName:
    HasStopped |= isStop(Rec);
    makeThread(RingIndex);
    if (!Scopes.take(Rec, RingIndex, Rings[RingIndex].Thread))
      bad();
    setScopePath(RingIndex);
    return R.flushMarks();
  case RecordKind::ThreadEnd:
    Scopes.endRing(RingIndex, R.Clock.toNs(Rec.Tsc));
    setScopePath(RingIndex);
    return mapRecord(Rec, RingIndex);
  default:
    return mapRecord(Rec, RingIndex);
  }
}

/// Gives the ring's thread a lane in the log. Only while there is one.
void ProcessState::addLane(Ring &S) {
  S.Epoch = S.LastEpoch = R.Epoch;
  S.Lane = Log.addThread(S.Thread);
}

/// Sees to it that the ring has a thread.
void ProcessState::makeThread(uint32_t RingIndex) {
  if (!Rings[RingIndex].Thread)
    startThread(Rings[RingIndex], Shared->ringHeader(RingIndex).Tid.load(
                                      std::memory_order_relaxed));
}

/// Sees to it that the log takes one more event of the ring's thread.
void ProcessState::makeRoom(uint32_t RingIndex) {
  Ring &S = Rings[RingIndex];
  makeThread(RingIndex);
  if (LLVM_UNLIKELY(Log.full() ||
                    (!isLogged(S) && Log.numThreads() >= MaxSectionThreads)))
    R.emptyLogs();
  if (!isLogged(S))
    addLane(S);
}

/// The block that the record says begins to live; false when one lives there.
bool ProcessState::allocate(const wire::Record &Rec, uint32_t RingIndex) {
  uint32_t Row = Stacks.row(Rec.Stack, Rec.function());
  uint64_t Tick = R.tickAt(Rec.Tsc, Id), Size = Rec.size();
  uint32_t InScopeRow = Rings[RingIndex].ScopeRow;
  if (LLVM_UNLIKELY(!Live.insert(
          Rec.Address, {NextAllocationId, Size, Tick, Row, InScopeRow})))
    return false;
  // A flush writes what was there before.
  makeRoom(RingIndex);
  R.setTick(Tick, Id);
  const Ring &S = Rings[RingIndex];
  uint64_t AllocationId = NextAllocationId++;
  BlockRef B{AllocationId, Row, InScopeRow};
  const MapTable::Block *In = Maps.enclosing(Rec.Address);
  if (LLVM_UNLIKELY(R.Wanted.SampleBytes))
    countSampled({AllocationId, Size, Tick, Row, InScopeRow}, In,
                 Tick * TimeUnitNs, S.Thread);
  else if (LLVM_UNLIKELY(In && In->Entry.Row))
    allocateIn(*In, B, Size, Tick * TimeUnitNs, S.Thread);
  else
    R.Stats.allocate(B, Size, Tick * TimeUnitNs, S.Thread);
  Log.allocate(S.Lane, Tick, Size, R.Stats.stackOf(Row), S.ScopePath,
               R.MallocHeap);
  return true;
}

void ProcessState::emitFree(const LiveEntry &Block, uint64_t Tsc,
                            uint32_t RingIndex) {
  makeRoom(RingIndex);
  const Ring &S = Rings[RingIndex];
  uint64_t Tick = R.nextTick(Tsc, Id);
  uint64_t In =
      LLVM_UNLIKELY(!Enclosing.empty()) ? takeEnclosing(Block.AllocationId) : 0;
  BlockRef B{Block.AllocationId, Block.Row, Block.ScopeRow};
  uint32_t Weight =
      LLVM_UNLIKELY(R.Wanted.SampleBytes) ? weightOf(R, Block) : 0;
  if (LLVM_UNLIKELY(Weight))
    R.Stats.freeSampled(B, Block.Size, Weight, Tick * TimeUnitNs);
  else
    R.Stats.free(B, Block.Size, Tick * TimeUnitNs, S.Thread, In);
  Log.free(S.Lane, Tick, Block.AllocationId);
}

uint64_t ProcessState::allBlocks() const {
  return Live.size() + Objects.size() + Tensors.size() + Regions.size() +
         Maps.size() + Segments.size() + DeviceBlocks.size();
}

void ProcessState::snapshot() {
  if (!Snapshots.active()) {
    if (!R.takesEvents() ||
        !Snapshots.due(R.Stats.events(Id), allBlocks(), R.producedBytes()))
      return;
    startSnapshot();
  }
  stepSnapshot();
  if (!Snapshots.active())
    forgetGiven();
}

void ProcessState::startSnapshot() {
  SmallVector<LiveEntry, 8> Detached;
  for (const Ring &S : Rings)
    if (S.Realloc == Ring::Detached)
      Detached.push_back(S.Block);
  for (const auto &[Begin, B] : Maps.blocks())
    if (B.Entry.Row)
      Detached.push_back(B.Entry);
  for (const auto &[Begin, S] : Segments.all())
    Detached.push_back(S.Entry);
  DeviceBlocks.forEach([&](const DeviceBlock &B) {
    for (const LiveEntry &E : {B.Entry, B.Mapped})
      if (E.Row)
        Detached.push_back(E);
  });
  Snapshots.start(NextAllocationId, R.Stats.events(Id), R.lastNs(), allBlocks(),
                  Detached, Enclosing);
}

void ProcessState::setRecording(bool On, uint64_t TimeNs) {
  std::atomic<uint32_t> &Bits = Shared->control().Settings.Recording;
  if (bool(Bits.load(std::memory_order_relaxed) & wire::RB_On) == On)
    return;
  if (On)
    Bits.fetch_or(wire::RB_On, std::memory_order_relaxed);
  else
    Bits.fetch_and(~uint32_t(wire::RB_On), std::memory_order_relaxed);
  expectUnknown();
  Mark M;
  M.Kind = On ? MarkKind::RecordOn : MarkKind::RecordOff;
  M.Process = Id;
  M.TimeNs = std::max(TimeNs, R.lastNs());
  R.addMark(std::move(M));
}

void ProcessState::expectUnknown() {
  HasStopped = true;
  Shared->control().Settings.Recording.fetch_or(wire::RB_SomeUnknown,
                                                std::memory_order_relaxed);
}

void ProcessState::stepSnapshot() {
  auto Outer = [this](const LiveEntry &E, uint64_t Address) {
    return outerOf(Address, E);
  };
  auto TensorOuter = [this](const LiveEntry &E, uint64_t) {
    return OuterOf.lookup(E.AllocationId);
  };
  const LiveSource Sources[] = {{Live},
                                {Objects, Outer, InMallocBit - 1},
                                {Tensors, TensorOuter, TensorScopeMask},
                                {Regions}};
  Snapshots.step(Sources, R, Id);
}

void ProcessState::finishSnapshot() {
  while (Snapshots.active())
    stepSnapshot();
  forgetGiven();
}

void ProcessState::countLosses() {
  auto Count = [this](uint64_t Now, uint64_t &Seen, LossKind Kind) {
    // A counter that ran backwards is nonsense.
    if (Now > Seen && Now - Seen < uint64_t(1) << 40)
      R.addLoss(Id, Kind, Now - Seen);
    Seen = std::max(Seen, Now);
  };
  wire::Control &C = Shared->control();
  Count(C.LostTableFull.load(std::memory_order_relaxed), TableFullSeen,
        LossKind::TableFull);
  Count(C.LostNoRing.load(std::memory_order_relaxed) +
            C.LostReentrant.load(std::memory_order_relaxed),
        NoRingSeen, LossKind::NoRing);
  for (uint32_t I = 0; I != Rings.size(); ++I)
    Count(Shared->ringHeader(I).Lost.load(std::memory_order_relaxed),
          Rings[I].LostSeen, LossKind::RingFull);
}
