// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the sources of memory and the recording.
//
// A source (HostHeap, Tensors, ...) takes the records of one kind of memory of
// one process, keeps its tables, and reports the events of blocks here. The
// sink gives events their ids, times, stats and rows of the log.

#ifndef MEMKIT_LIB_RECORD_EVENTSINK_H
#define MEMKIT_LIB_RECORD_EVENTSINK_H

#include "Output/ProcessLog.h"
#include "Output/Recording.h"
#include "Shared/RecordOrigin.h"
#include "Shared/SharedProcess.h"
#include "Sources/LiveTable.h"
#include "Stacks/StackMap.h"
#include <sys/types.h>

namespace memkit {

/// Upper bound of the addresses of a program's blocks (x86-64, five levels). A
/// program may write any value into its records.
inline constexpr uint64_t MaxAddress = uint64_t(1) << 56;
inline bool isAddress(uint64_t A) { return A - 1 < MaxAddress - 1; }

/// A bit of a live block's ScopeRow for the use of a source; rows of scopes in
/// such a source are below this bit.
inline constexpr uint32_t ScopeRowFlag = 1u << 23;

/// The recorder's state of a ring and of the ring's thread.
struct RingThread {
  uint64_t Tail = 0; ///< of the ring: number of records taken
  uint64_t LostSeen = 0;
  uint32_t Thread = 0;                  ///< 0: not known yet
  uint32_t LastThread = 0, LastTid = 0; ///< also valid after the thread's end
  uint32_t Epoch = 0;     ///< the last with an event of the thread
  uint32_t LastEpoch = 0; ///< as Epoch, also valid after the thread's end
  uint32_t Lane = 0;      ///< of the thread, in the log of Epoch
  /// The path of the innermost open scope, and the path's rows in the two heaps
  /// with nearly all blocks; 0: no scope is open.
  uint32_t ScopePath = 0, MallocScopeRow = 0, ObjectScopeRow = 0;
};

/// Sets the value of Column for the event of row Row, the next event of the
/// log.
template <class T> void setColumn(std::vector<T> &Column, size_t Row, T Value) {
  Column.resize(Row);
  Column.push_back(Value);
}

/// The sink of one process. Has more functions than other classes because it is
/// the one interface between eight sources and the recording: each function is
/// one question or one report. Belongs to the recorder's thread.
class EventSink {
public:
  EventSink(uint32_t Process, pid_t Pid, bool Forked, SharedProcess &Shared,
            Recording &R);
  EventSink(const EventSink &) = delete;
  EventSink &operator=(const EventSink &) = delete;

  //===--------------------------------------------------------------------===//
  // The process
  //===--------------------------------------------------------------------===//

  uint32_t process() const { return Process; }
  pid_t pid() const { return Pid; }
  /// Whether fork made the process: it may hold blocks of its parent.
  bool isForked() const { return Forked; }
  SharedProcess &shared() { return Shared; }
  StackMap &stacks() { return Stacks; }
  const StackMap &stacks() const { return Stacks; }
  /// Names and ids of heaps and devices.
  RecordedHeaps &heaps() { return R.heaps(); }
  LiveStats &stats() { return R.stats(); }
  const LiveStats &stats() const { return R.stats(); }
  const HeapChoice &wanted() const { return R.wanted(); }
  CategoryTable &categories() { return R.categories(); }
  OomLog &ooms() { return R.ooms(); }
  void addOom(OomLog::OomTimePoint M) {
    R.ooms().add(std::move(M));
    R.partials().hurry();
  }
  /// The category of a block of this process, and its dtype, a string.
  void noteCategory(uint64_t AllocationId, TensorCategory Is, uint32_t Dtype) {
    R.addCategory(Log, AllocationId, Is, Dtype);
  }
  /// The id of the string Text, for marks.
  uint32_t string(llvm::StringRef Text) { return R.names().Names.string(Text); }
  /// The program has left allocations unrecorded, so frees of unknown blocks
  /// are expected.
  bool HasUnknown = false;

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  RingThread &ring(uint32_t I) {
    if (I >= Rings.size())
      Rings.resize(I + 1);
    return Rings[I];
  }
  const std::vector<RingThread> &rings() const { return Rings; }
  /// A ring below rings().size().
  RingThread &knownRing(uint32_t I) { return Rings[I]; }
  /// The thread of the ring has announced its start.
  void startThread(uint32_t Ring, uint32_t Tid);
  /// The thread of the ring goes on after it announced its end in the ring
  /// EndedRing - 1. False: EndedRing is no ring of the thread.
  bool resumeThread(uint32_t Ring, uint32_t Tid, uint64_t EndedRing);
  /// The thread of the ring; made here if the program has not announced it.
  uint32_t threadOf(uint32_t Ring) {
    RingThread &S = Rings[Ring];
    if (LLVM_UNLIKELY(!S.Thread))
      nameThread(Ring);
    return S.Thread;
  }
  /// From TimeNs on, the ring's thread and its allocations are in the scope
  /// path.
  void setScopePath(uint32_t Ring, uint32_t ScopePath, uint64_t TimeNs);

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// A new block of a heap, with id, time and rows. Makes room in the log for
  /// the block's event. Stack: an id of the trace. The caller calls allocate()
  /// before any other event of the process.
  LiveEntry newBlock(RecordOrigin From, uint32_t Heap, uint32_t Stack,
                     uint64_t Size) {
    return newBlockIn(From, Heap, Stack, Size, Rings[From.Ring].ScopePath);
  }
  /// As newBlock(), in the scope path ScopePath.
  LiveEntry newBlockIn(RecordOrigin From, uint32_t Heap, uint32_t Stack,
                       uint64_t Size, uint32_t ScopePath);
  /// As newBlock(), for known rows.
  LiveEntry newBlockOfRows(RecordOrigin From, uint32_t Row, uint32_t ScopeRow,
                           uint64_t Size);
  /// Counts and logs a block of newBlock(). Outer: the block around it, or Row
  /// 0. E.ScopeRow: a row, without flags. A block of a sampled heap counts as
  /// its sample says.
  void allocate(RecordOrigin From, const LiveEntry &E,
                const BlockRef &Outer = {});
  /// How many blocks a sampled block stands for, which follows from its size
  /// and id; 0: its heap is not sampled.
  uint32_t weightOf(const LiveEntry &E) const;
  /// Outer: id + 1 of the block around E; 0: none.
  void free(RecordOrigin From, const LiveEntry &E, uint64_t Outer);
  /// Sets E.Size. Outer: as in free().
  void resize(RecordOrigin From, LiveEntry &E, uint64_t Size,
              uint64_t Outer = 0);
  /// Cuts E down to its first Size bytes; returns the block of the remainder.
  LiveEntry split(RecordOrigin From, LiveEntry &E, uint64_t Size);

  // Each function below sets one value of the next event of the log:
  /// its address on a device,
  void noteAddress(uint64_t V) { setColumn(Log.Now.Columns.Address, row(), V); }
  /// the bytes that were requested,
  void noteRequested(uint64_t V) {
    setColumn(Log.Now.Columns.Requested, row(), V);
  }
  /// its stream, and the pool of its memory; 0 is no value,
  void noteStream(uint32_t V) {
    if (V)
      setColumn(Log.Now.Columns.Stream, row(), V);
  }
  void notePool(uint32_t V) {
    if (V)
      setColumn(Log.Now.Columns.Pool, row(), V);
  }
  /// and the enclosing block, where the caller counts the event itself.
  void noteOuter(uint64_t Id) {
    setColumn(Log.Now.Columns.Enclosing, row(), Id + 1);
  }

  //===--------------------------------------------------------------------===//
  // Marks and losses
  //===--------------------------------------------------------------------===//

  /// The time of a mark at clock Tsc.
  uint64_t markNs(uint64_t Tsc) const { return R.times().markNs(Tsc); }
  uint64_t lastNs() const { return R.times().lastNs(); }
  /// The time at clock Tsc.
  uint64_t clockNs(uint64_t Tsc) const { return R.times().Clock.toNs(Tsc); }
  /// A mark of the process at the time of the record, with the ring's thread.
  Mark markOf(MarkKind Kind, RecordOrigin From);
  /// The mark that the heap's allocator reserves Reserved bytes from now on;
  /// the caller adds the mark with add(). Earlier events of the heap have
  /// earlier times. Thread: 0 or the ring's.
  Mark reservedMark(RecordOrigin From, uint32_t Heap, uint64_t Reserved,
                    uint32_t Thread);
  void add(Mark M) { R.addMark(std::move(M)); }
  /// Adds one piece of a device's work to its row, and to the spans.
  void add(const DeviceTimeStats &One) {
    R.deviceTimes().add(One);
    Log.Spans.add({One.Device, One.Stream, One.Kind, One.Name, One.Graph,
                   One.ScopePath, One.BeginNs, One.DurationNs});
    if (Log.Spans.isFull())
      R.flush();
  }
  void lose(LossKind Kind, uint64_t Count) { R.addLoss(Process, Kind, Count); }
  void bad() { R.addLoss(Process, LossKind::BadRecord, 1); }
  void doubleAllocate() { R.addLoss(Process, LossKind::DoubleAllocate, 1); }
  /// Counts a free of an unknown block.
  void unknownFree();
  /// Counts a free of an unknown block if the process is forked: its parent may
  /// have allocated the block.
  void noteInherited() {
    if (Forked)
      R.stats().inheritedFree(Process);
  }

  //===--------------------------------------------------------------------===//
  // Runs of events: for the hot paths of HostHeap and PythonObjects
  //===--------------------------------------------------------------------===//

  uint64_t nextId() const { return Log.NextAllocationId; }
  uint64_t takeId() { return Log.NextAllocationId++; }
  void setNextId(uint64_t Id) { Log.NextAllocationId = Id; }
  uint64_t tickAt(uint64_t Tsc) const { return R.times().tickAt(Tsc, Process); }
  void setTick(uint64_t Tick) { R.times().setTick(Tick, Process); }
  EventTimes::TickRun tickRun() const { return {R.times(), Process}; }
  void setTick(const EventTimes::TickRun &Run) { R.times().setTick(Run); }
  EventLog &log() { return Log.Now; }
  const EventLog &log() const { return Log.Now; }
  /// Whether Events more fit into the log.
  bool hasRoom(size_t Events) const {
    return Log.Now.size() + Events <= MaxSectionRows && !Log.Scopes.isFull();
  }
  /// Empties the log when it is full.
  void makeRoom() {
    if (LLVM_UNLIKELY(Log.Now.full() || Log.Scopes.isFull()))
      R.emptyLogs();
  }
  /// Makes room in the log for one more event of the ring's thread.
  void makeRoom(uint32_t Ring);
  /// The number of the log's section; a ring has a lane if its Epoch is equal.
  uint32_t epoch() const { return R.epoch(); }
  /// Gives the ring's thread a lane in the log, unless the thread has one.
  /// False: call makeRoom() first.
  bool hasLane(RingThread &S) {
    if (LLVM_LIKELY(S.Epoch == R.epoch()))
      return true;
    if (!S.Thread || Log.Now.numThreads() >= MaxSectionThreads)
      return false;
    addLane(S);
    return true;
  }
  /// The row of the blocks of a scope path in a heap; 0 if the row is too large
  /// for a live block.
  uint32_t scopeRow(uint32_t Heap, uint32_t ScopePath) {
    uint32_t Row = R.stats().scopeRow(Process, Heap, ScopePath);
    return Row < LiveEntry::MaxScopeRow ? Row : 0;
  }

  ProcessLog Log;

private:
  void nameThread(uint32_t Ring);
  void addLane(RingThread &S);
  size_t row() const { return Log.Now.size(); }

  uint32_t Process;
  pid_t Pid;
  bool Forked;
  SharedProcess &Shared;
  Recording &R;
  StackMap Stacks;
  std::vector<RingThread> Rings;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_EVENTSINK_H
