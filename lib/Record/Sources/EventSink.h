// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a source of memory may ask of the recorder.
//
// A source (HostHeap, Tensors, ...) takes the records of one kind of memory of
// one process, keeps its tables, and reports what happens to blocks here. The
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

/// What the addresses of a program's blocks lie below (x86-64, five levels).
/// Records come from a program that may write what it likes.
inline constexpr uint64_t MaxAddress = uint64_t(1) << 56;
inline bool isAddress(uint64_t A) { return A - 1 < MaxAddress - 1; }

/// The bit of a live block's ScopeRow that a source may use: such a source's
/// rows of scopes are below it.
inline constexpr uint32_t ScopeRowFlag = 1u << 23;

/// What the recorder knows of a ring and of the thread that owns the ring.
struct RingThread {
  uint64_t Tail = 0; ///< of the ring: records taken
  uint64_t LostSeen = 0;
  uint32_t Thread = 0;                  ///< 0: not known yet
  uint32_t LastThread = 0, LastTid = 0; ///< also when the thread has ended
  uint32_t Epoch = 0;     ///< the last in which the thread had an event
  uint32_t LastEpoch = 0; ///< the same, also when the thread has ended
  uint32_t Lane = 0;      ///< of the thread in the log of that epoch
  /// Of the innermost open scope, 0 without: its path, and the path's rows of
  /// the two heaps that have nearly all blocks.
  uint32_t ScopePath = 0, MallocScopeRow = 0, ObjectScopeRow = 0;
};

/// Gives the event that comes next in the log, of that row, a value in a
/// column.
template <class T> void setColumn(std::vector<T> &Column, size_t Row, T Value) {
  Column.resize(Row);
  Column.push_back(Value);
}

/// Of one process. Has more functions than other classes, because it is the one
/// interface between eight sources and the recording: each function is one
/// question or one report. Belongs to the recorder's thread.
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
  SharedProcess &shared() { return Shared; }
  StackMap &stacks() { return Stacks; }
  const StackMap &stacks() const { return Stacks; }
  /// Names and ids of heaps and devices.
  RecordedHeaps &heaps() { return R.Heaps; }
  LiveStats &stats() { return R.Stats; }
  const LiveStats &stats() const { return R.Stats; }
  const HeapChoice &wanted() const { return R.Wanted; }
  CategoryTable &categories() { return R.Categories; }
  OomLog &ooms() { return R.Ooms; }
  /// The string of a text, for marks.
  uint32_t string(llvm::StringRef Text) { return R.Names.Names.string(Text); }
  /// The program has let allocations go by, so frees of blocks come that are
  /// not known.
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
  /// The ring's owner has said that it starts.
  void startThread(uint32_t Ring, uint32_t Tid);
  /// The ring's owner goes on after it has said in the ring EndedRing - 1 that
  /// it ends. False: nonsense.
  bool resumeThread(uint32_t Ring, uint32_t Tid, uint64_t EndedRing);
  /// The thread of the ring, made where the program has not named it.
  uint32_t threadOf(uint32_t Ring) {
    RingThread &S = Rings[Ring];
    if (LLVM_UNLIKELY(!S.Thread))
      nameThread(Ring);
    return S.Thread;
  }
  /// What the ring allocates from now on is of that scope path.
  void setScopePath(uint32_t Ring, uint32_t ScopePath);

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// A block that begins to live in a heap, with its id, time and rows; the log
  /// takes its event. Stack: of the trace. allocate() follows, with nothing of
  /// the process between the two.
  LiveEntry newBlock(RecordOrigin From, uint32_t Heap, uint32_t Stack,
                     uint64_t Size);
  /// The same of known rows.
  LiveEntry newBlockOfRows(RecordOrigin From, uint32_t Row, uint32_t ScopeRow,
                           uint64_t Size);
  /// Counts and logs a block of newBlock(), which lies in Outer; Outer.Row 0:
  /// in none. E.ScopeRow: a row, no flags.
  void allocate(RecordOrigin From, const LiveEntry &E,
                const BlockRef &Outer = {});
  /// Outer: id + 1 of the block in which the freed one lies; 0: in none.
  void free(RecordOrigin From, const LiveEntry &E, uint64_t Outer);
  /// Sets E.Size. Outer: as free().
  void resize(RecordOrigin From, LiveEntry &E, uint64_t Size,
              uint64_t Outer = 0);
  /// E keeps its first Size bytes; the block that the rest becomes.
  LiveEntry split(RecordOrigin From, LiveEntry &E, uint64_t Size);

  // The event that comes next in the log has a value in a column:
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
  /// and, where the caller counts the event itself, what the block lies in.
  void noteOuter(uint64_t Id) {
    setColumn(Log.Now.Columns.Enclosing, row(), Id + 1);
  }

  //===--------------------------------------------------------------------===//
  // Marks and losses
  //===--------------------------------------------------------------------===//

  /// When a mark of that clock was.
  uint64_t markNs(uint64_t Tsc) const { return R.Times.markNs(Tsc); }
  uint64_t lastNs() const { return R.Times.lastNs(); }
  /// A mark of the process at the record's time; Thread: the ring's.
  Mark markOf(MarkKind Kind, RecordOrigin From);
  /// From now on the heap's allocator reserves Reserved bytes. Thread: 0 or the
  /// ring's. The mark, to be added with add(): events of the heap before it
  /// have earlier times.
  Mark reservedMark(RecordOrigin From, uint32_t Heap, uint64_t Reserved,
                    uint32_t Thread);
  void add(Mark M) { R.addMark(std::move(M)); }
  void bad() { R.addLoss(Process, LossKind::BadRecord, 1); }
  void doubleAllocate() { R.addLoss(Process, LossKind::DoubleAllocate, 1); }
  /// A free of a block that is not known.
  void unknownFree();
  /// The same, where only a fork explains it.
  void noteInherited() {
    if (Forked)
      R.Stats.inheritedFree(Process);
  }

  //===--------------------------------------------------------------------===//
  // Many at once: what the hot paths of HostHeap and PythonObjects need
  //===--------------------------------------------------------------------===//

  uint64_t nextId() const { return Log.NextAllocationId; }
  uint64_t takeId() { return Log.NextAllocationId++; }
  uint64_t tickAt(uint64_t Tsc) const { return R.Times.tickAt(Tsc, Process); }
  void setTick(uint64_t Tick) { R.Times.setTick(Tick, Process); }
  EventLog &log() { return Log.Now; }
  const EventLog &log() const { return Log.Now; }
  /// Empties the log when it is full.
  void makeRoom() {
    if (LLVM_UNLIKELY(Log.Now.full()))
      R.emptyLogs();
  }
  /// Sees to it that the log takes one more event of the ring's thread.
  void makeRoom(uint32_t Ring);
  /// Gives the ring's thread a lane in the log, if it has none. False:
  /// makeRoom() must.
  bool hasLane(RingThread &S) {
    if (LLVM_LIKELY(S.Epoch == R.Epoch))
      return true;
    if (!S.Thread || Log.Now.numThreads() >= MaxSectionThreads)
      return false;
    addLane(S);
    return true;
  }
  /// The row of a scope path's blocks in a heap; 0 when there are more than
  /// live blocks can name.
  uint32_t scopeRow(uint32_t Heap, uint32_t ScopePath) {
    uint32_t Row = R.Stats.scopeRow(Process, Heap, ScopePath);
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
