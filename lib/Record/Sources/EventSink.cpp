// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the sources of memory and the recording.

#include "Sources/EventSink.h"
#include "Shared/ProcFs.h"
#include "memkit/Trace/Sampling.h"

using namespace llvm;
using namespace memkit;

EventSink::EventSink(uint32_t Process, pid_t Pid, bool Forked,
                     SharedProcess &Shared, Recording &R)
    : Log(Process), Process(Process), Pid(Pid), Forked(Forked), Shared(Shared),
      R(R), Stacks(Shared, R, Process) {}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void EventSink::startThread(uint32_t Ring, uint32_t Tid) {
  RingThread &S = Rings[Ring];
  Thread T;
  T.Process = Process;
  T.Tid = Tid;
  T.Name = string(procfs::threadName(Pid, pid_t(Tid)));
  T.StartNs = R.times().nowNs();
  S.Thread = S.LastThread = R.names().addThread(T);
  S.LastTid = Tid;
  S.Epoch = S.LastEpoch = 0;
}

bool EventSink::resumeThread(uint32_t Ring, uint32_t Tid, uint64_t EndedRing) {
  if (!EndedRing || EndedRing > Rings.size() ||
      Rings[EndedRing - 1].LastTid != Tid)
    return false;
  const RingThread &Old = Rings[EndedRing - 1];
  RingThread &S = Rings[Ring];
  S.Thread = S.LastThread = Old.LastThread;
  S.LastTid = Tid;
  // A section lists a thread once: readers find a thread's last allocation by
  // the thread's rows.
  S.Epoch = S.LastEpoch = Old.LastEpoch;
  S.Lane = Old.Lane;
  return S.Thread != 0;
}

void EventSink::nameThread(uint32_t Ring) {
  startThread(Ring,
              Shared.ringHeader(Ring).Tid.load(std::memory_order_relaxed));
}

void EventSink::setScopePath(uint32_t Ring, uint32_t ScopePath,
                             uint64_t TimeNs) {
  RingThread &S = Rings[Ring];
  if (LLVM_LIKELY(S.Thread))
    Log.Scopes.add(Ring, S.Thread, TimeNs, ScopePath);
  if (S.ScopePath == ScopePath)
    return;
  S.MallocScopeRow = scopeRow(R.heaps().malloc(), ScopePath);
  S.ScopePath = S.MallocScopeRow ? ScopePath : 0;
  if (R.wanted().wants(HostHeapKind::PythonObject))
    S.ObjectScopeRow =
        scopeRow(R.heaps().host(HostHeapKind::PythonObject), S.ScopePath);
  if (S.ObjectScopeRow >= ScopeRowFlag)
    S.ObjectScopeRow = 0;
}

/// Only while the thread has no lane of this epoch.
void EventSink::addLane(RingThread &S) {
  S.Epoch = S.LastEpoch = R.epoch();
  S.Lane = Log.Now.addThread(S.Thread);
}

void EventSink::makeRoom(uint32_t Ring) {
  threadOf(Ring);
  RingThread &S = Rings[Ring];
  bool HasLane = S.Epoch == R.epoch();
  if (LLVM_UNLIKELY(Log.Now.full() ||
                    (!HasLane && Log.Now.numThreads() >= MaxSectionThreads)))
    R.emptyLogs();
  if (S.Epoch != R.epoch())
    addLane(S);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LiveEntry EventSink::newBlockOfRows(RecordOrigin From, uint32_t Row,
                                    uint32_t ScopeRow, uint64_t Size) {
  makeRoom(From.Ring);
  return {takeId(), Size, R.times().nextTick(From.Tsc, Process), Row, ScopeRow};
}

LiveEntry EventSink::newBlockIn(RecordOrigin From, uint32_t Heap,
                                uint32_t Stack, uint64_t Size,
                                uint32_t ScopePath) {
  LiveEntry E = newBlockOfRows(From, 0, 0, Size);
  E.Row = R.stats().stackRow(Process, Heap, Stack);
  E.ScopeRow = ScopePath ? scopeRow(Heap, ScopePath) : 0;
  return E;
}

uint32_t EventSink::weightOf(const LiveEntry &E) const {
  if (LLVM_LIKELY(!R.wanted().SampleBytes) ||
      !R.heaps().isSampled(R.stats().heapOf(E.Row)))
    return 0;
  return sampleWeight(E.Size, R.wanted().SampleBytes, E.AllocationId);
}

void EventSink::allocate(RecordOrigin From, const LiveEntry &E,
                         const BlockRef &Outer) {
  const RingThread &S = Rings[From.Ring];
  BlockRef B{E.AllocationId, E.Row, E.ScopeRow};
  uint64_t Ns = E.AllocatedTick * TimeUnitNs;
  if (uint32_t Weight = weightOf(E); LLVM_UNLIKELY(Weight)) {
    R.stats().allocateSampled(B, Outer, E.Size, Weight, Ns, S.Thread);
    setColumn(Log.Now.Columns.Weight, Log.Now.size(), uint64_t(Weight));
    if (Outer.Row)
      noteOuter(Outer.AllocationId);
  } else if (Outer.Row) {
    R.stats().allocateIn(B, Outer, E.Size, Ns, S.Thread);
    noteOuter(Outer.AllocationId);
  } else {
    R.stats().allocate(B, E.Size, Ns, S.Thread);
  }
  Log.Now.allocate(S.Lane, E.AllocatedTick, E.Size, R.stats().stackOf(E.Row),
                   R.stats().scopePathOf(E.ScopeRow), R.stats().heapOf(E.Row));
}

void EventSink::free(RecordOrigin From, const LiveEntry &E, uint64_t Outer) {
  makeRoom(From.Ring);
  const RingThread &S = Rings[From.Ring];
  uint64_t Tick = R.times().nextTick(From.Tsc, Process);
  BlockRef B{E.AllocationId, E.Row, E.ScopeRow};
  if (uint32_t Weight = weightOf(E); LLVM_UNLIKELY(Weight))
    R.stats().freeSampled(B, E.Size, Weight, Tick * TimeUnitNs);
  else
    R.stats().free(B, E.Size, Tick * TimeUnitNs, S.Thread, Outer);
  Log.Now.free(S.Lane, Tick, E.AllocationId);
}

void EventSink::resize(RecordOrigin From, LiveEntry &E, uint64_t Size,
                       uint64_t Outer) {
  makeRoom(From.Ring);
  uint64_t Tick = R.times().nextTick(From.Tsc, Process);
  R.stats().resize({E.AllocationId, E.Row, E.ScopeRow}, E.Size, Size,
                   Tick * TimeUnitNs, Outer);
  Log.Now.resize(Rings[From.Ring].Lane, Tick, E.AllocationId, Size);
  E.Size = Size;
}

LiveEntry EventSink::split(RecordOrigin From, LiveEntry &E, uint64_t Size) {
  makeRoom(From.Ring);
  uint64_t Tick = R.times().nextTick(From.Tsc, Process);
  R.stats().split({E.AllocationId, E.Row, E.ScopeRow}, Tick * TimeUnitNs);
  Log.Now.split(Rings[From.Ring].Lane, Tick, E.AllocationId, Size);
  LiveEntry Rest = E;
  Rest.AllocationId = takeId();
  Rest.Size -= Size;
  E.Size = Size;
  return Rest;
}

//===----------------------------------------------------------------------===//
// Marks and losses
//===----------------------------------------------------------------------===//

Mark EventSink::markOf(MarkKind Kind, RecordOrigin From) {
  Mark M;
  M.Kind = Kind;
  M.Process = Process;
  M.Thread = threadOf(From.Ring);
  M.TimeNs = R.times().markNs(From.Tsc);
  return M;
}

/// A replay and the stats change the reserved bytes at the same boundary.
Mark EventSink::reservedMark(RecordOrigin From, uint32_t Heap,
                             uint64_t Reserved, uint32_t Thread) {
  Mark M;
  M.Kind = MarkKind::HeapReserved;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.boundaryNs(R.times().Clock.toNs(From.Tsc));
  M.Heap = Heap;
  R.stats().setReserved(Process, Heap, Reserved);
  return M;
}

void EventSink::unknownFree() {
  if (Forked)
    R.stats().inheritedFree(Process);
  // With HasUnknown the free may be of an unrecorded block.
  else if (!HasUnknown)
    R.addLoss(Process, LossKind::UnknownFree, 1);
}
