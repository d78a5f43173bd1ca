// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that is being written.

#ifndef MEMKIT_LIB_RECORD_RECORDING_H
#define MEMKIT_LIB_RECORD_RECORDING_H

#include "Devices/DeviceUses.h"
#include "Output/Catalog.h"
#include "Output/HostHeaps.h"
#include "Output/PageToucher.h"
#include "Output/WriteQueue.h"
#include "Process/RecentFrees.h"
#include "Scopes/CategoryTable.h"
#include "Scopes/ScopeTree.h"
#include "memkit/Record/LiveTable.h"
#include "memkit/Record/TscClock.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/EventLog.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/Support/Regex.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

class ProcessState;

/// Where usual records stand between the steps that they take together.
struct UsualRoom {
  static constexpr size_t Max = 256;
  Change Changes[Max];
  uint64_t TimesNs[Max];
  EventLog::Usual Logged[Max];
  uint32_t ScopePaths[Max];
};

/// What the processes of a recording share: the ids, the sums, the one order of
/// time, and the writer. Belongs to the recorder's thread.
///
/// Events get their times here, so that (time, process, row) orders the trace's
/// events exactly as they were counted: a reader that replays them finds the
/// same peaks.
class Recording {
public:
  /// Out must outlive it. Writes the header.
  static llvm::Expected<std::unique_ptr<Recording>>
  create(Sink &Out, const Header &H, const TscClock &Clock,
         const HeapChoice &Wanted = {});
  ~Recording();

  Catalog Names;
  ScopeTree ScopePaths{Names};
  LiveStats Stats;
  PageToucher Pages; ///< of what stands before it
  /// Of the scopes of processes that have ended.
  std::vector<LayerStats> ScopeTotals;
  CategoryTable Categories{Stats};
  OomLog Ooms;
  TscClock Clock;
  uint32_t MallocHeap = 0; ///< `host.malloc`
  /// A heap of the host; malloc's is there from the start, each of the others
  /// is made when its first block comes.
  uint32_t hostHeap(HostHeap H);
  /// The heap of a device of PyTorch, as TensorHeaps has it; made on the way.
  uint32_t tensorHeap(uint16_t Device);
  /// The memory space of a heap of tensors plus 1; 0: the heap is none. A
  /// memory space has one such heap.
  uint32_t spaceOfTensors(uint32_t Heap) const {
    return Heap < SpaceOfTensors.size() ? SpaceOfTensors[Heap] : 0;
  }
  bool isTensorHeap(uint32_t Heap) const { return spaceOfTensors(Heap) != 0; }
  const std::vector<uint32_t> &tensorHeaps() const { return HeapsOfTensors; }
  /// `nvtx.NAME`, made on the way. Beyond MaxPoolHeaps they are one.
  uint32_t poolHeap(llvm::StringRef Name);
  /// The heap of the segments in which a device's tensors lie: a heap of the
  /// device, and the parent of its tensors' when it is made first.
  uint32_t segmentHeap(uint16_t Device);
  /// The device of CUDA that D is, as the three above have devices: known by
  /// its UUID, in whatever process and by whatever allocation id it is seen.
  uint16_t cudaDevice(uint32_t AllocationId, Device D);
  /// A heap of CUDA's driver; Device NoCudaDevice: of none.
  uint32_t cudaHeap(wire::CudaHeap H, uint16_t Device);
  static constexpr uint16_t NoCudaDevice = 0;
  /// The device of the trace that a device of CUDA is, made on the way.
  uint32_t cudaSpace(uint16_t Device);
  /// What is known of it.
  const Device &cudaInfo(uint16_t Device);
  /// What lives on it now, with what the driver's pools keep for more.
  uint64_t cudaAccounted(uint16_t Device) const;
  DeviceUses Uses{*this};
  /// The name of a heap that one of those gave.
  llvm::StringRef heapName(uint32_t Heap) const;
  /// `host` or `cuda:0`; empty: there is no such memory space.
  std::string spaceName(uint32_t Space) const;
  HeapChoice Wanted;
  /// Ranges of such a name end the steps, and nothing else does; without, it is
  /// the program's to say, or its first optimizer's.
  std::optional<llvm::Regex> StepRange;
  bool HasSteps = false; ///< there was one, in any process
  uint64_t MaxSteps = 0; ///< of one process
  /// Told of each new binary: id, path, build-id, the process it was seen in.
  std::function<void(uint32_t, const std::string &,
                     const std::vector<uint8_t> &, uint32_t)>
      OnBinary;
  UsualRoom Room;
  uint64_t Pass = 0; ///< of the recorder's loop
  RecentFrees Recent;
  uint32_t Epoch = 1;

  /// The time in TimeUnitNs of the next event, if it is of Process: that of its
  /// clock, or later to keep the order.
  uint64_t tickAt(uint64_t Tsc, uint32_t Process) const {
    uint64_t Tick = Clock.toNs(Tsc) / TimeUnitNs;
    return Tick > LastTick ? Tick : LastTick + (Process < LastProcess);
  }
  /// An event of Process has come, at a Tick from tickAt().
  void setTick(uint64_t Tick, uint32_t Process) {
    LastTick = Tick;
    LastProcess = Process;
  }
  uint64_t nextTick(uint64_t Tsc, uint32_t Process) {
    uint64_t Tick = tickAt(Tsc, Process);
    setTick(Tick, Process);
    return Tick;
  }
  /// A time, AtLeast or later, that lies after all events so far and before all
  /// later ones.
  uint64_t boundaryNs(uint64_t AtLeast = 0);
  /// When a mark of that clock was: no earlier than the events before it.
  uint64_t timeOf(uint64_t Tsc) const {
    return std::max(Clock.toNs(Tsc), lastNs());
  }
  /// Of the last event.
  uint64_t lastNs() const { return LastTick * TimeUnitNs; }
  uint64_t nowNs() const { return Clock.toNs(readTsc()); }

  void addProcess(ProcessState &I) { Processes.push_back(&I); }
  void removeProcess(ProcessState &I);
  void addMark(Mark M);
  void addLoss(uint32_t Process, LossKind Kind, uint64_t Count);
  /// From now on no events are written, and no snapshots: they are counted as
  /// left out.
  void leaveOutEvents();
  bool takesEvents() const { return TakesEvents; }
  /// When that was; none: not yet.
  std::optional<uint64_t> eventsEndNs() const { return EventsEndNs; }
  /// What the file should have at most: events end so far from it that the rest
  /// fits in, mostly. 0: any number.
  uint64_t MaxBytes = 0;
  /// Keeps the last events alone, in Tail.
  void keepLast(std::unique_ptr<EventTail> Tail);
  /// Turns the tail when that is due: then each process needs a snapshot, and
  /// true is returned. Not while one is being made.
  bool turnTail();
  /// Cuts the interval of Process that ends at TimeNs, a boundary.
  void cutInterval(uint32_t Process, uint64_t TimeNs);
  /// The same without its rows, which come by goOnCutting(), some at a time;
  /// not while Stats.isCutting() the process.
  void beginCut(uint32_t Process, uint64_t TimeNs);
  void goOnCutting(uint32_t Process, size_t MaxRows = CutRows);
  void addClockMark();

  // What is to be written waits in a queue, and work() writes it step by step:
  // whoever adds to it needs no more than the order in which things are added.

  /// Adds all that was gathered: what is new in the dictionary, the events of
  /// all processes as one epoch, marks, intervals. Events that still wait, and
  /// what stands before them, are written first: a process has two logs.
  void flush();
  /// Room for events in the logs: by a flush, or, when the trace takes no more
  /// events, by leaving out those that they hold, with nothing else written.
  void emptyLogs();
  /// Adds what is new in the dictionary when it has become much.
  void flushNames() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(D.NodeFrames.size() >= MaxPendingNodes ||
                      D.Symbols.size() >= MaxPendingSymbols) &&
        !isWriting())
      writeMaxNames();
  }
  /// Adds all when there are many marks, or new scope paths.
  void flushMarks() {
    const Dictionary &D = Names.pending();
    if (LLVM_UNLIKELY(PendingMarks.Rows.size() >= MaxPendingMarks ||
                      D.ScopePaths.size() >= MaxPendingMarks ||
                      D.Strings.size() >= MaxPendingMarks))
      flush();
  }
  /// Adds a part of a snapshot (after a flush of what it names).
  void write(Snapshot K);
  bool isWriting() const { return !Queue->empty(); }
  /// Writes for about ForNs, if there is something to write.
  void work(uint64_t ForNs);
  /// Writes all that waits.
  void complete() { work(UINT64_MAX); }
  /// Of all snapshots so far; Default when there is none.
  double snapshotBytesPerBlock(double Default) const {
    uint64_t Blocks = Queue->snapshotBlocks();
    return Blocks ? double(Queue->snapshotBytes()) / double(Blocks) : Default;
  }
  /// Writes a summary of what was until now, for readers of a trace that is cut
  /// off later. Takes milliseconds for each 100,000 stacks.
  void summarizeNow();
  /// Writes the summary and the end of the trace.
  void finish();

  /// True once writing has failed; from then on nothing is written.
  bool failed() const { return Failed; }
  /// Why, once.
  llvm::Error takeError();
  uint64_t bytes() const { return Writer->bytes(); }
  /// Of all events and snapshots so far, those that are gone again among them.
  uint64_t eventBytes() const { return Writer->eventBytes(); }
  /// Of all that was written, wherever to.
  uint64_t producedBytes() const { return bytes() + (Tail ? eventBytes() : 0); }
  uint64_t losses() const { return Losses; }

private:
  Recording(const TscClock &Clock) : Clock(Clock) {}
  bool check(llvm::Error E);
  void writeNames();
  void writeMaxNames();
  void addInterval(uint32_t Process, Interval &Part);
  void flushIntervals();
  void writeOoms(uint64_t EndNs);
  bool writeSums();
  void turnLogs();
  void addLeftOut(uint32_t Process, uint64_t Count);
  void tellLeftOut();
  bool nearsEnd();
  void addLossMark(uint32_t Process, LossKind Kind, uint64_t Count);
  template <class T>
  void writeParts(const std::vector<T> &Rows, std::vector<T> Summary::*To,
                  uint64_t EndNs);

  std::unique_ptr<EventTail> Tail;
  std::unique_ptr<TraceWriter> Writer;
  std::unique_ptr<WriteQueue> Queue;
  uint32_t HostHeaps[NumHostHeaps] = {};
  struct TensorHeap {
    uint32_t Heap = 0, Segments = 0;
    uint32_t Space = 0;
    std::string Name, SegmentsName;
    uint32_t Cuda[wire::NumCudaHeaps] = {};
    std::string CudaNames[wire::NumCudaHeaps];
    Device Facts; ///< all but its memory space; empty: not known
  };
  static void nameDevice(TensorHeap &T, uint16_t Device, Catalog &Names);
  uint32_t addTensorHeap(TensorHeap &T, uint16_t Device,
                         const std::string &Name, uint32_t Parent,
                         uint32_t Flags = HF_None);
  std::map<uint16_t, TensorHeap> DeviceHeaps; ///< by device
  std::vector<uint32_t> HeapsOfTensors;       ///< of those, in no order
  std::vector<uint32_t> SpaceOfTensors; ///< by heap: memory space + 1; 0: none
  std::map<std::string, uint32_t> PoolHeaps; ///< by name
  static constexpr size_t MaxPoolHeaps = 64;
  uint64_t nextAllocationId(uint32_t Process) const;
  std::vector<ProcessState *> Processes;
  Marks PendingMarks;
  /// What waits for the next flush is bounded, so that it does not grow with
  /// the number of stacks.
  static constexpr size_t MaxPendingNodes = 16384, MaxPendingSymbols = 2048,
                          MaxPendingRows = 16384, MaxPendingMarks = 16384;
  static constexpr size_t MaxWaiting = 8; ///< sections, before a flush
  std::vector<std::pair<uint32_t, Interval>> PendingIntervals;
  size_t PendingRows = 0;                 ///< of the intervals
  static constexpr size_t CutRows = 2048; ///< at a time
  uint64_t LastTick = 0;
  uint32_t LastProcess = 0;
  uint64_t Losses = 0;
  bool TakesEvents = true;
  /// Events left out, by process, of which no mark tells yet.
  std::map<uint32_t, uint64_t> LeftOut;
  bool TellsLeftOut = false; ///< the next flush does
  uint64_t FlushedBytes = 0; ///< of the file, at the last flush
  std::optional<uint64_t> EventsEndNs;
  uint64_t LastFlushNs = 0;
  uint32_t NumSummaries = 0;
  bool Failed = false;
  std::string Why;
};

/// How many blocks one stands for; 0: its heap is recorded in whole.
uint32_t weightOf(const Recording &R, const LiveEntry &Block);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDING_H
