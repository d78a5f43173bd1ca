// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder knows of a process.

#ifndef MEMKIT_LIB_RECORD_PROCESSSTATE_H
#define MEMKIT_LIB_RECORD_PROCESSSTATE_H

#include "Output/Recording.h"
#include "Process/DeviceTable.h"
#include "Process/MapTable.h"
#include "Process/SegmentTable.h"
#include "Process/SharedProcess.h"
#include "Process/SnapshotWriter.h"
#include "Scopes/ProcessScopes.h"
#include "Stacks/StackMap.h"
#include "Stacks/TensorFrames.h"
#include "memkit/Record/LiveTable.h"
#include "memkit/Record/RingMerge.h"
#include "memkit/Trace/EventLog.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <sys/types.h>

namespace memkit {

/// What the addresses of a program's blocks lie below (x86-64, five levels).
/// Records come from a program that may write what it likes.
inline constexpr uint64_t MaxAddress = uint64_t(1) << 56;
inline bool isAddress(uint64_t A) { return A - 1 < MaxAddress - 1; }

class ProcessState;

/// Gives the event that comes next in the log, of that row, a value in a
/// column.
template <class T> void setColumn(std::vector<T> &Column, size_t Row, T Value) {
  Column.resize(Row);
  Column.push_back(Value);
}

/// A ring, and whose it is.
struct RingOfProcess {
  ProcessState *Process;
  uint32_t Ring;
};

/// A recorded process: takes its records in the order of time and makes them
/// events, whatever order they came in.
///
/// Clocks of two processors may differ by a little, so a block may seem to be
/// allocated where another still lives, or freed before it was allocated. Such
/// a record is held until the one that is missing comes, at the latest until
/// the end of the next full pass; causality, not the clock, then says which is
/// first.
///
/// Belongs to the recorder's thread.
class ProcessState {
public:
  ProcessState(uint32_t Id, pid_t Pid, bool Forked,
               std::unique_ptr<SharedProcess> Shared, Recording &R);

  uint32_t id() const { return Id; }
  /// The allocation id of the next block.
  uint64_t nextAllocationId() const { return NextAllocationId; }
  pid_t pid() const { return Pid; }
  SharedProcess &shared() { return *Shared; }
  /// See CodeFrames.
  bool isDataWorker() const { return Stacks.isDataWorker(); }
  /// Gives the shared memory back; no record can be taken after it.
  void releaseShared() { Shared.reset(); }

  /// What the recorder keeps of a ring.
  struct Ring {
    uint64_t Tail = 0;
    uint64_t LostSeen = 0;
    uint32_t Thread = 0;                  ///< 0: not known yet
    uint32_t LastThread = 0, LastTid = 0; ///< also when it has ended
    uint32_t LastEpoch = 0;               ///< as Epoch, also then
    /// Of the innermost open scope, 0 without: in the trace, and its row of
    /// malloc's heap.
    uint32_t ScopePath = 0, ScopeRow = 0;
    uint32_t Epoch = 0; ///< the last in which its thread had an event
    uint32_t Lane = 0;  ///< of the thread in the log of that epoch
    enum { NoRealloc, Detached, HeldBack } Realloc = NoRealloc;
    uint64_t ReallocAddress = 0;
    LiveEntry Block; ///< detached from its address by a realloc that runs
    /// An interpreter's object that is being reallocated, and where it was; 0:
    /// none is.
    LiveEntry Object;
    uint64_t ObjectAddress = 0;
    uint32_t ObjectScopeRow = 0; ///< as ScopeRow, in their heap
  };
  Ring &ring(uint32_t I);

  /// Fetches what the first records of a batch will touch; takeUsual() goes on
  /// with it. Of: by MergedRecord::Source.
  static void prefetchFirst(llvm::ArrayRef<MergedRecord> Records,
                            const RingOfProcess *Of);
  /// Takes as many of the next records as are allocations and frees of this
  /// process that meet nothing unusual, at most UsualRoom::Max, and returns
  /// how many: what process() would do, in less time.
  size_t takeUsual(llvm::ArrayRef<MergedRecord> Records,
                   const RingOfProcess *Of);
  /// Takes the next record; exec records are returned by the caller.
  void process(const wire::Record &Rec, uint32_t RingIndex);
  /// At the end of a pass over all rings: gives up on records held since before
  /// the last pass, or on All.
  void settleHeld(bool All = false);
  /// Has the program put a mark since the last call?
  bool takeMarked() { return Scopes.takeMarked(); }
  /// No record comes any more.
  void endScopes(uint64_t TimeNs) { Scopes.finish(TimeNs); }
  /// Tells what the tensors are that live: before the process ends, or the
  /// recording.
  void endTensors();
  /// The ring's owner is gone.
  void releaseRing(uint32_t I);
  /// Counts what the program says it lost.
  void countLosses();

  /// Begins a snapshot when one is due, or goes on with the one that runs.
  void snapshot();
  /// Begins one; not while one runs. snapshot() goes on with it.
  void startSnapshot();
  bool inSnapshot() const { return Snapshots.active(); }
  /// Completes the snapshot that runs.
  void finishSnapshot();

  /// The program's allocations are recorded from now on, or let go by; frees of
  /// blocks that are known are recorded always. A mark says so.
  void setRecording(bool On, uint64_t TimeNs);
  /// There will be blocks that were let go by. Must be known a pass before the
  /// first: until then threads may publish a free with an early clock.
  void expectUnknown();

  /// Events since the last flush.
  const EventLog &log() const { return Log; }
  /// Puts the events since the last flush aside, to be written as those of
  /// Epoch and then emptied; those of the last flush are by now. Null when
  /// there are none.
  EventLog *changeLogs(uint32_t Epoch);
  /// Whether there are events that are not written yet.
  bool hasUnwritten() const { return !Log.empty() || !FullLog.empty(); }

  const std::vector<Ring> &rings() const { return Rings; }

private:
  /// A record that waits for another at its address.
  struct HeldRecord {
    wire::Record Rec;
    uint32_t Ring;
    uint32_t EarlyRing; ///< of a free: see RecentFrees; None
    uint64_t Pass;
    static constexpr uint32_t None = ~0u;
  };
  using Queue = llvm::SmallVector<HeldRecord, 2>;
  /// An object that begins to live or ceases to, and what it lies in.
  struct ObjectChange {
    LiveEntry E;
    BlockRef Outer;
    uint64_t Tick;
    uint32_t Thread, Lane;
    bool IsFree;
  };

  static bool isPut(const wire::Record &Rec) {
    return Rec.kind() == uint8_t(wire::RecordKind::Allocate) ||
           Rec.kind() == uint8_t(wire::RecordKind::ReallocEnd);
  }
  void at(const wire::Record &Rec, uint32_t RingIndex);
  bool apply(const wire::Record &Rec, uint32_t RingIndex);
  bool take(const wire::Record &Rec, uint32_t RingIndex);
  void hold(const wire::Record &Rec, uint32_t RingIndex);
  void settle(Queue &Q);
  void force(Queue &Q);
  void endRealloc(const wire::Record &Rec, uint32_t RingIndex);
  void holdBack(Queue &Q, const wire::Record &Rec, uint32_t RingIndex);
  static bool swapEarly(Queue &Q);
  void endHeldRealloc(Ring &S, uint32_t RingIndex, bool Moved);
  void noLongerHeld(const HeldRecord &H);
  void reattach(Ring &S, uint32_t RingIndex);
  void startThread(Ring &S, uint32_t Tid);
  bool resumeThread(Ring &S, const wire::Record &Rec);
  /// How many records ahead their memory is fetched.
  static constexpr size_t Ahead = 24;
  // (GCC drops calls of functions that only fetch, unless it inlines them
  // early.)
  static bool isObject(const wire::Record &Rec) {
    return Rec.kind() >= uint8_t(wire::RecordKind::ObjectAllocate);
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(const wire::Record &Rec) const {
    if (isObject(Rec))
      Objects.prefetch(Rec.Address, true);
    else
      Live.prefetch(Rec.Address, Rec.kind() != uint8_t(wire::RecordKind::Free));
    // A free has no stack: that of node 0 is near.
    Stacks.prefetch(Rec.Stack);
  }
  bool isLogged(const Ring &S) const { return S.Epoch == R.Epoch; }
  void addLane(Ring &S);
  void makeThread(uint32_t RingIndex);
  void makeRoom(uint32_t RingIndex);
  bool allocate(const wire::Record &Rec, uint32_t RingIndex);
  void emitFree(const LiveEntry &E, uint64_t Tsc, uint32_t RingIndex);

  void setScopePath(uint32_t RingIndex);
  uint32_t scopeRow(uint32_t Heap, uint32_t ScopePath);

  // ProcessMaps.cpp: mappings, and blocks that lie in them.
  class MapSink;
  void mapRecord(const wire::Record &Rec, uint32_t RingIndex);
  void endRemap(const wire::Record &Rec, uint32_t RingIndex, MapSink &Out);
  // ProcessObjects.cpp: objects of an interpreter.
  void objectRecord(const wire::Record &Rec, uint32_t RingIndex);
  void beforeFree(uint64_t Outer);
  size_t takeObjects(llvm::ArrayRef<MergedRecord> Records,
                     const RingOfProcess *Of);
  bool noteObject(const wire::Record &Rec, const Ring &S, ObjectChange &To);
  void applyObjects(llvm::ArrayRef<ObjectChange> Changes);
  bool takeObject(uint64_t Address, LiveEntry &E);
  void putObject(uint64_t Address, LiveEntry E, uint64_t Tsc,
                 uint32_t RingIndex, bool InMalloc);
  void emitObjectFree(uint64_t Address, const LiveEntry &E, uint64_t Tsc,
                      uint32_t RingIndex);
  bool findMallocOf(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;
  bool findMapOf(uint64_t Address, const LiveEntry &E, BlockRef &Out);
  void keepOuterOf(MapTable::Range Gone);
  uint64_t outerOf(uint64_t Address, const LiveEntry &E);
  uint64_t takeOuterOf(uint64_t Address, const LiveEntry &E);
  // ProcessTensors.cpp: tensors of PyTorch.
  uint32_t tensorHeap(uint8_t Slot);
  uint16_t deviceOf(uint16_t Word);
  void tensorRecord(const wire::Record &Rec, uint32_t RingIndex);
  bool takeTensor(uint64_t Address, LiveEntry &E);
  void putTensor(const wire::Record &Rec, uint32_t RingIndex);
  void emitTensorFree(uint64_t Address, const LiveEntry &E, uint64_t Tsc,
                      uint32_t RingIndex);
  void reservedMark(uint32_t Slot, uint64_t Tsc, uint32_t RingIndex);
  void oomMark(const wire::Record &Rec, uint32_t RingIndex);
  // ProcessCategories.cpp: what tensors are for.
  void noteAllocationTime(uint64_t Address, uint32_t Heap, uint32_t Node,
                          uint32_t RingIndex);
  void noteDeath(uint64_t Address, uint64_t Size, uint32_t RingIndex);
  void noteOom(const Mark &M);
  void noteHeld(const wire::Record &Rec);
  bool findTensorOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out);
  // ProcessSegments.cpp: what an allocator of PyTorch tells beside.
  bool findSegmentOf(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;
  uint32_t segmentHeap(uint8_t Slot);
  void allocatorRecord(const wire::Record &Rec, uint32_t RingIndex);
  void segmentRecord(const wire::Record &Rec, uint32_t RingIndex);
  void putSegment(const wire::Record &Rec, SegmentTable::Kinds Kind,
                  uint32_t RingIndex);
  void resizeSegment(Segment &S, uint64_t Mapped, const wire::Record &Rec,
                     uint32_t RingIndex);
  void shrinkSegment(SegmentTable::Map::iterator It, uint64_t Bytes,
                     const wire::Record &Rec, uint32_t RingIndex);
  void endSegment(const LiveEntry &E, const wire::Record &Rec,
                  uint32_t RingIndex);
  void endAllSegments(const wire::Record &Rec, uint32_t RingIndex);
  void changeReserved(const wire::Record &Rec, int64_t Bytes,
                      uint32_t RingIndex);
  void noteLive(uint64_t TimeNs);
  void noteInUse(const wire::Record &Rec, const LiveEntry &E);
  void endInUse(uint64_t Address);
  void noteRequest(uint64_t Address, uint32_t RingIndex);
  uint32_t streamOf(uint64_t Handle);
  uint32_t poolOf(uint64_t A, uint64_t B);
  // ProcessDevices.cpp: what CUDA's driver is asked for.
  uint16_t cudaDevice(uint32_t AllocationId);
  void deviceRecord(const wire::Record &Rec, uint32_t RingIndex);
  void deviceFree(const wire::Record &Rec, uint32_t RingIndex);
  void putDevice(const wire::Record &Rec, uint32_t RingIndex);
  LiveEntry beginDevice(const wire::Record &Rec, uint32_t Heap, uint64_t Size,
                        uint32_t RingIndex);
  void endDevice(DeviceBlock &B, uint64_t Tsc, uint32_t RingIndex);
  void endCudaContext(const wire::Record &Rec, uint32_t RingIndex);
  void deviceOom(const wire::Record &Rec, uint32_t RingIndex);
  bool findDeviceOf(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;
  void noteDetail(const wire::Record &Rec, uint32_t RingIndex);
  void deviceReserved(const wire::Record &Rec, uint32_t RingIndex);
  bool noteDevice(const wire::Record &Rec, DeviceUses::Look &L);
  void deviceUsed(const wire::Record &Rec, DeviceUses::Look L);
  void deviceAsk(const wire::Record &Rec, DeviceUses::Look L,
                 uint32_t RingIndex);
  // ProcessMappedDevices.cpp: physical memory, and where it is mapped.
  void putPhysical(const wire::Record &Rec, uint32_t RingIndex);
  void releasePhysical(DeviceTable::Map::iterator It, uint64_t Tsc,
                       uint32_t RingIndex);
  void countUnmapped(DeviceBlock &B, uint64_t Tsc, uint32_t RingIndex);
  void mapDevice(const wire::Record &Rec, uint32_t RingIndex);
  void unmapDevice(const wire::Record &Rec, uint32_t RingIndex);
  void shrinkRange(uint64_t Address, uint64_t Bytes, const wire::Record &Rec,
                   uint32_t RingIndex);
  void resizeDevice(LiveEntry &E, uint64_t Size, uint64_t Tsc,
                    uint32_t RingIndex);
  // ProcessPools.cpp: heaps that the program tells of.
  struct Pool {
    uint32_t Heap = 0;  ///< 0: there is none
    uint64_t Bytes = 0; ///< of its range; 0: not known
  };
  void poolRecord(const wire::Record &Rec, uint32_t RingIndex);
  void beginPool(const wire::Record &Rec);
  void endPool(const wire::Record &Rec, uint32_t RingIndex);
  void reservePool(const Pool &P, int64_t Bytes, uint64_t Tsc);
  uint64_t findRegion(uint64_t Address, uint32_t Number) const;
  void putRegion(uint64_t Key, const wire::Record &Rec, uint32_t RingIndex);
  void freeRegion(uint64_t Key, uint64_t Tsc, uint32_t RingIndex);
  void nameRegion(uint64_t Key, const wire::Record &Rec, uint32_t RingIndex);
  void stepSnapshot();
  // ProcessSamples.cpp: blocks that stand for several.
  void countSampled(const LiveEntry &Block, const MapTable::Block *In,
                    uint64_t TimeNs, uint32_t Thread);
  void noteEnclosing(uint64_t Outer);
  /// Where the block on a device whose event comes next lies.
  void noteAddress(uint64_t Address) {
    setColumn(Log.Columns.Address, Log.size(), Address);
  }
  void allocateIn(const MapTable::Block &In, BlockRef B, uint64_t Size,
                  uint64_t TimeNs, uint32_t Thread);
  uint64_t takeEnclosing(uint64_t AllocationId);
  void forgetGiven();
  void bad() { R.addLoss(Id, LossKind::BadRecord, 1); }

  uint32_t Id;
  pid_t Pid;
  bool Forked;
  bool HasStopped = false; ///< the program has let allocations go by
  uint64_t allBlocks() const;
  std::unique_ptr<SharedProcess> Shared;
  Recording &R;
  StackMap Stacks;
  ProcessScopes Scopes;
  LiveTable Live;
  std::vector<ObjectChange> ObjectChanges; ///< room for a run
  LiveTable Objects; ///< of an interpreter; their ScopeRow may have InMalloc
  /// In the ScopeRow of an object: it lies in a block of malloc.
  static constexpr uint32_t InMallocBit = 1u << 23;
  LiveTable Tensors; ///< their ScopeRow may have OnDevice
  /// In the ScopeRow of a tensor: no block of the host holds it.
  static constexpr uint32_t OnDeviceBit = 1u << 23;
  static constexpr uint32_t TensorScopeMask = OnDeviceBit - 1;
  struct TensorSlot {
    uint32_t Heap = 0; ///< 0: not known yet
    bool IsHost = false;
    uint32_t SegmentHeap = 0;             ///< 0: not known yet
    uint64_t Reserved = 0, Allocated = 0; ///< as it said last
    uint64_t Live = 0;                    ///< of tensors that are recorded
    uint64_t InUse = 0;                   ///< freed, while streams still use it
  };
  TensorSlot TensorSlots[wire::MaxTensorDevices];
  TensorFrames Makers;
  llvm::DenseMap<uint64_t, TensorCategories::Origin> Origins; ///< of Tensors
  uint64_t NextOomLook = 0; ///< not before this event of the process
  LiveTable Regions; ///< by address and, in the top byte, number of the pool
  Pool Pools[wire::MaxPools];                      ///< by number - 1
  llvm::DenseMap<uint32_t, uint64_t> PoolReserved; ///< by heap
  bool HasReserved = false;                        ///< some device's
  /// What a ring says of the tensor, or of the want of memory, that comes next.
  struct Request {
    uint64_t Address = 0, Size = 0, Stream = 0;
    uint64_t PoolA = 0, PoolB = 0;
    bool IsThere = false, HasPool = false;
  };
  std::vector<Request> Requests; ///< by ring
  SegmentTable Segments;
  DeviceTable DeviceBlocks;
  uint16_t CudaDevices[wire::MaxCudaDevices] = {}; ///< 0: not known yet
  llvm::BitVector CudaContexts; ///< that are known to live, by number
  /// What a ring says of the record of CUDA's that comes next.
  struct Detail {
    uint64_t Address = 0, Size = 0;
  };
  std::vector<Detail> Details; ///< by ring
  struct CudaPool {
    uint64_t Used = 0, Reserved = 0;
  };
  std::map<uint32_t, std::map<uint64_t, CudaPool>>
      CudaPools;                              ///< by heap and handle
  llvm::DenseMap<uint64_t, uint32_t> Streams; ///< numbers from 1, by handle
  std::map<std::pair<uint64_t, uint64_t>, uint32_t>
      PoolIds; ///< likewise, by id
  /// Freed tensors that streams still use: bytes, and the slot.
  llvm::DenseMap<uint64_t, std::pair<uint64_t, uint32_t>> InUse;
  SnapshotWriter Snapshots;
  uint64_t NextAllocationId = 0;
  std::vector<Ring> Rings;
  llvm::DenseMap<uint64_t, Queue> Held; ///< by address
  EventLog Log;                         ///< events since the last flush
  EventLog FullLog; ///< those before it, while they are written
  uint64_t TableFullSeen = 0, NoRingSeen = 0;

  /// An mremap that runs in a ring's thread. Tsc 0: none does.
  struct Remap {
    MapTable::Range Old;
    uint64_t Tsc = 0;
    wire::MapClass Class;
  };
  std::vector<Remap> Remaps; ///< by ring
  MapTable Maps;
  /// Of live tensors, and of objects in blocks of malloc: what they lie in, as
  /// Enclosing has it.
  Enclosers OuterOf;
  Enclosers Enclosing;         ///< of the live blocks that lie in a mapping
  std::vector<uint64_t> Given; ///< freed, but part of the snapshot that runs
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSTATE_H
