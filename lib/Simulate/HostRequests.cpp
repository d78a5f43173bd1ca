// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the requests of a recorded program to malloc.

#include "HostRequests.h"
#include "Model/Replay/EventsAhead.h"
#include "RecordedResident.h"
#include "SlotTable.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <memory>

using namespace llvm;
using namespace memkit;
using namespace memkit::wire;

namespace {
/// One pass over the events of a target: the first fills the target, each
/// further one makes commands.
class HostRequestReader {
public:
  using CommandTaker = function_ref<bool(ArrayRef<ReplayCommand>)>;

  HostRequestReader(const Trace &T, HostTarget &To) : T(T), To(To) {}
  /// Fills OtherLive of the samples, too.
  Error plan(MutableArrayRef<MemorySample> Samples) {
    Rest = Samples;
    LastRows.assign(T.threads().size() + 1, 0);
    Error E = read({});
    noteOthers(UINT64_MAX);
    return E;
  }
  Error send(CommandTaker OnBatch) {
    IsPlan = false;
    return read(OnBatch);
  }

private:
  Error read(CommandTaker OnBatch);
  Error start(ArrayRef<const SectionInfo *> Base);
  Error takeSection(const SectionInfo &B, const EventTable &E);
  template <bool Plans>
  Error takeRows(const SectionInfo &B, const EventTable &E);
  Error takeBlock(const SectionInfo &B, const EventTable &E, size_t At,
                  uint32_t Thread);
  Error add(const SectionInfo &B, uint64_t Id, uint64_t Size, uint32_t Thread,
            uint64_t TimeNs, ReplayOp Op);
  void change(const EventTable &E, size_t Ref, uint32_t Thread);
  void request(ReplayOp Op, uint32_t Thread, uint32_t Slot, uint64_t Bytes);
  void noteLive(uint64_t TimeNs);
  void noteLastRows(const EventTable &E);
  void numberThreads(const EventTable &E);
  void noteOthers(uint64_t TimeNs);
  void addOther(uint64_t Id, uint64_t Size, uint64_t TimeNs);
  void freeOther(uint64_t Id, uint64_t TimeNs);
  void noteTime(uint64_t TimeNs, uint32_t Thread);
  Error fail(const SectionInfo &At, const Twine &What) const {
    return makeTraceError(T.reader().name(), At.Offset, What);
  }

  const Trace &T;
  HostTarget &To;
  bool IsPlan = true;
  SlotTable Slots;
  std::vector<uint64_t> LastRows; ///< by thread: the row after its last, or 0
  /// Blocks of other heaps outside of `host.malloc`, with their sizes.
  DenseMap<uint64_t, uint64_t> Others;
  uint64_t OtherBytes = 0;
  MutableArrayRef<MemorySample> Rest; ///< after the last change of OtherBytes
  uint64_t LiveBytes = 0, LiveBlocks = 0;
  uint64_t NumRequests = 0, NumBlocks = 0;
  uint64_t Rows = 0;   ///< before the section
  uint64_t NextId = 0; ///< of the next block
  uint32_t NumPoints = 0;
  uint64_t NextPointNs = 0;    ///< no interval ends before this time
  size_t NumEnds = 0;          ///< in To.Ends
  std::vector<uint64_t> Sizes; ///< of the first pass: by slot
  /// The numbers of the section's threads.
  std::vector<uint32_t> Numbers;
  std::vector<ReplayCommand> Batch;
};
} // namespace

void HostRequestReader::request(ReplayOp Op, uint32_t Thread, uint32_t Slot,
                                uint64_t Bytes) {
  ++NumRequests;
  if (IsPlan)
    return;
  Batch.push_back(ReplayCommand::make(Op, Thread, Slot, Bytes));
  if (NumRequests == To.PeakRequest)
    Batch.push_back(ReplayCommand::make(ReplayOp::NotePeak, Thread));
}

/// Ends the intervals before the time. UINT64_MAX ends all.
void HostRequestReader::noteTime(uint64_t TimeNs, uint32_t Thread) {
  uint32_t End = TimeNs == UINT64_MAX ? MaxReplayPoints : To.pointOf(TimeNs);
  for (; NumPoints < End; ++NumPoints)
    Batch.push_back(ReplayCommand::make(ReplayOp::NotePoint, Thread));
  // A little early, where the product is rounded.
  constexpr double Exact = 1 - 1e-12;
  NextPointNs = uint64_t(double(NumPoints + 1) / MaxReplayPoints *
                         double(To.EndNs) * Exact);
}

/// The highest sum of live bytes is after a request.
void HostRequestReader::noteLive(uint64_t TimeNs) {
  if (!IsPlan || LiveBytes <= To.PeakBytes)
    return;
  To.PeakBytes = LiveBytes;
  To.PeakBlocks = LiveBlocks;
  To.PeakNs = TimeNs;
  To.PeakRequest = NumRequests;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Error HostRequestReader::add(const SectionInfo &B, uint64_t Id, uint64_t Size,
                             uint32_t Thread, uint64_t TimeNs, ReplayOp Op) {
  if (NumBlocks++ % To.Scale)
    return Error::success();
  if (!Slots.hasRoom())
    return fail(B, "too many live blocks for a replay");
  uint32_t Slot = Slots.add(Id);
  if (IsPlan) {
    if (Slot == Sizes.size())
      Sizes.emplace_back();
    Sizes[Slot] = Size;
    LiveBytes = SaturatingAdd(LiveBytes, Size);
    ++LiveBlocks;
  }
  request(Op, Thread, Slot, Size);
  noteLive(TimeNs);
  return Error::success();
}

void HostRequestReader::change(const EventTable &E, size_t Ref,
                               uint32_t Thread) {
  constexpr size_t Ahead = 16;
  if (Ref + Ahead < E.references())
    Slots.prefetch(E.Block[Ref + Ahead]);
  uint64_t Id = E.Block[Ref];
  size_t Row = E.RefRow[Ref];
  bool IsFree = E.Kind[Row] == EventKind::Free;
  uint32_t Slot = IsFree ? Slots.take(Id) : Slots.find(Id);
  if (Slot == SlotTable::NoSlot) {
    if (IsPlan && IsFree)
      freeOther(Id, E.TimeNs[Row]);
    return;
  }
  uint64_t New = IsFree || E.RefSize.empty() ? 0 : E.RefSize[Ref];
  if (IsPlan) {
    LiveBytes -= std::min(LiveBytes, Sizes[Slot]);
    LiveBytes = SaturatingAdd(LiveBytes, New);
    Sizes[Slot] = New;
    LiveBlocks -= IsFree;
  }
  request(IsFree ? ReplayOp::Free : ReplayOp::Resize, Thread, Slot, New);
  noteLive(E.TimeNs[Row]);
}

/// Gives OtherBytes to the samples before a change at the time.
void HostRequestReader::noteOthers(uint64_t TimeNs) {
  for (; !Rest.empty() && Rest.front().TimeNs < TimeNs;
       Rest = Rest.drop_front())
    Rest.front().OtherLive = OtherBytes;
}

void HostRequestReader::addOther(uint64_t Id, uint64_t Size, uint64_t TimeNs) {
  noteOthers(TimeNs);
  Others[Id] = Size;
  OtherBytes = SaturatingAdd(OtherBytes, Size);
  To.OtherPeakBytes = std::max(To.OtherPeakBytes, OtherBytes);
}

void HostRequestReader::freeOther(uint64_t Id, uint64_t TimeNs) {
  auto It = Others.find(Id);
  if (It == Others.end())
    return;
  noteOthers(TimeNs);
  OtherBytes -= std::min(OtherBytes, It->second);
  Others.erase(It);
}

/// Takes the allocation At of a section.
Error HostRequestReader::takeBlock(const SectionInfo &B, const EventTable &E,
                                   size_t At, uint32_t Thread) {
  uint64_t Id = E.FirstAllocationId + E.AllocationOffset[At];
  uint64_t Size = E.AllocSize[At], TimeNs = E.TimeNs[E.AllocRow[At]];
  uint32_t Heap = E.Heap[At];
  if (Heap == To.Heap)
    return add(B, Id, Size, Thread, TimeNs,
               IsPlan ? ReplayOp::Allocate : To.Functions.of(E.Stack[At]));
  if (IsPlan && !T.heap(Heap).Parent && !T.heap(Heap).Space &&
      !(T.heap(Heap).Flags & HF_OutsideTotals))
    addOther(Id, Size, TimeNs);
  return Error::success();
}

template <bool Plans>
Error HostRequestReader::takeRows(const SectionInfo &B, const EventTable &E) {
  size_t At = 0, Ref = 0;
  for (size_t Row = 0; Row != E.rows(); ++Row) {
    uint32_t Thread = 0;
    if (!Plans) {
      Thread = Numbers[E.Thread.empty() ? 0 : E.Thread[Row]];
      if (E.TimeNs[Row] >= NextPointNs)
        noteTime(E.TimeNs[Row], Thread);
    }
    if (E.Kind[Row] != EventKind::Allocate)
      change(E, Ref++, Thread);
    else if (Error Err = takeBlock(B, E, At++, Thread))
      return Err;
    if (!Plans && NumEnds != To.Ends.size() &&
        To.Ends[NumEnds].Row == Rows + Row) {
      Batch.push_back(
          ReplayCommand::make(ReplayOp::EndThread, To.Ends[NumEnds].Number));
      ++NumEnds;
    }
  }
  return Error::success();
}

/// Notes which row of each thread is the last so far.
void HostRequestReader::noteLastRows(const EventTable &E) {
  std::vector<uint64_t> Last(E.Threads.size());
  if (E.Thread.empty() && E.rows())
    Last[0] = E.rows();
  for (size_t Row = 0; Row != E.Thread.size(); ++Row)
    Last[E.Thread[Row]] = Row + 1;
  for (auto [Thread, Row] : zip_equal(E.Threads, Last))
    if (Row)
      LastRows[Thread] = std::max(LastRows[Thread], Rows + Row);
}

/// Gives new threads of a section numbers.
void HostRequestReader::numberThreads(const EventTable &E) {
  for (uint32_t Thread : E.Threads)
    if (IsPlan && To.Numbers[Thread] == UINT32_MAX)
      To.Numbers[Thread] = To.NumThreads++;
  Numbers.clear();
  for (uint32_t Thread : E.Threads)
    Numbers.push_back(To.Numbers[Thread]);
}

Error HostRequestReader::takeSection(const SectionInfo &B,
                                     const EventTable &E) {
  constexpr uint64_t MaxId = uint64_t(1) << 62;
  if (E.Process != B.Process)
    return fail(B, "the index has another process than the section");
  if (E.FirstAllocationId != NextId || NextId > MaxId)
    return fail(B, "the events of process " + Twine(E.Process) +
                       " go on with block " + Twine(E.FirstAllocationId) +
                       ", after block " + Twine(NextId));
  if (IsPlan && E.rows()) {
    To.FirstNs = std::min(To.FirstNs, E.TimeNs.front());
    To.EndNs = std::max(To.EndNs, E.TimeNs.back());
  }
  NextId += E.allocations();
  for (size_t Ref = 0; Ref != E.references(); ++Ref)
    NextId += E.Kind[E.RefRow[Ref]] == EventKind::Split;
  numberThreads(E);
  if (To.NumThreads > ReplayCommand::MaxThreads)
    return fail(B, "more than " + Twine(ReplayCommand::MaxThreads) +
                       " threads cannot be replayed");
  if (IsPlan)
    noteLastRows(E);
  Error Err = IsPlan ? takeRows<true>(B, E) : takeRows<false>(B, E);
  Rows += E.rows();
  return Err;
}

/// Adds the blocks that lived before the first events.
Error HostRequestReader::start(ArrayRef<const SectionInfo *> Base) {
  Snapshot K;
  for (const SectionInfo *B : Base) {
    if (Error E = T.reader().read(*B, K))
      return E;
    if (std::string Problem = T.limits().check(K); !Problem.empty())
      return fail(*B, Problem);
    NextId = K.NextAllocationId;
    for (const LiveBlock &L : K.Blocks)
      if (L.Heap == To.Heap && L.AllocationId < NextId &&
          Slots.find(L.AllocationId) == SlotTable::NoSlot)
        // The main thread has the number 0, as the thread 0.
        if (Error E = add(*B, L.AllocationId, L.Size, 0, K.TimeNs,
                          To.Functions.of(L.Stack)))
          return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// The sections of events of a process, and the last snapshot before them.
static void findSections(const Trace &T, uint32_t Process,
                         std::vector<const SectionInfo *> &Base,
                         std::vector<const SectionInfo *> &Events) {
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Process != Process)
      continue;
    if (B.Kind == SectionKind::Events)
      Events.push_back(&B);
    if (B.Kind != SectionKind::Snapshot || !Events.empty())
      continue;
    if (!Base.empty() && Base.back()->BeginNs != B.BeginNs)
      Base.clear();
    Base.push_back(&B);
  }
}

Error HostRequestReader::read(CommandTaker OnBatch) {
  std::vector<const SectionInfo *> Base, Events;
  findSections(T, To.Process, Base, Events);
  if (Error E = start(Base))
    return E;
  EventsAhead Ahead(
      T.reader(), Events, [&](const SectionInfo &B, const EventTable &E) {
        std::string Problem = T.limits().check(E);
        return Problem.empty() ? Error::success() : fail(B, Problem);
      });
  for (const SectionInfo *B : Events) {
    std::unique_ptr<EventTable> E;
    if (Error Err = Ahead.take(*B, E))
      return Err;
    if (Error Err = takeSection(*B, *E))
      return Err;
    Ahead.giveBack(std::move(E));
    if (!IsPlan && !OnBatch(Batch))
      return Error::success();
    Batch.clear();
  }
  if (!IsPlan) {
    noteTime(UINT64_MAX, 0);
    Batch.push_back(ReplayCommand::make(ReplayOp::End, 0));
    OnBatch(Batch);
    return Error::success();
  }
  for (auto [Thread, Row] : enumerate(LastRows))
    if (Row && To.Numbers[Thread])
      To.Ends.push_back({Row - 1, To.Numbers[Thread]});
  llvm::sort(To.Ends,
             [](const auto &A, const auto &B) { return A.Row < B.Row; });
  To.NumRequests = NumRequests;
  To.NumBlocks = NumBlocks;
  To.NumSlots = Slots.slots();
  To.EndBytes = LiveBytes;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static Error noAnswer(const Trace &T, const Twine &What) {
  return make_error<RequestError>(RequestError::RequestErrorKind::NoAnswer,
                                  RequestPart(), T.name() + ": " + What);
}

/// The selected processes with events, the most memory first. Processes without
/// a peak, as in a trace without its end, go by their events.
static std::vector<HostProcess> findProcesses(const Trace &T,
                                              const Selection &Sel) {
  std::vector<HostProcess> All(T.processes().size() + 1);
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::Events && B.Process && B.Process < All.size() &&
        Sel.hasProcess(B.Process))
      All[B.Process].Events += B.Events;
  std::vector<HostProcess> Out;
  for (auto [Id, P] : enumerate(All)) {
    if (!P.Events)
      continue;
    P.Process = uint32_t(Id);
    if (const ProcessStats *S = T.processStats(P.Process))
      P.PeakBytes = S->PeakBytes;
    Out.push_back(P);
  }
  llvm::stable_sort(Out, [](const HostProcess &A, const HostProcess &B) {
    return std::pair(A.PeakBytes, A.Events) > std::pair(B.PeakBytes, B.Events);
  });
  return Out;
}

static uint32_t findMallocHeap(const Trace &T) {
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (T.heapName(Heap) == "host.malloc")
      return Heap;
  return 0;
}

/// The main thread has the id of its process, and the number 0.
static void giveMainThread(const Trace &T, HostTarget &To) {
  To.Numbers.assign(T.threads().size() + 1, UINT32_MAX);
  To.Numbers[0] = 0;
  uint32_t Pid = T.processes()[To.Process - 1].Pid;
  for (uint32_t Thread = 1; Thread < To.Numbers.size(); ++Thread) {
    const auto &Of = T.threads()[Thread - 1];
    if (Of.Process == To.Process && Of.Tid == Pid)
      To.Numbers[Thread] = 0;
  }
}

Expected<HostTarget>
memkit::findHostTarget(const Trace &T, const Selection &Sel, uint32_t Scale) {
  if (Error E = T.requireReader("a simulation needs"))
    return std::move(E);
  HostTarget To;
  To.Scale = Scale;
  To.Heap = findMallocHeap(T);
  To.Processes = findProcesses(T, Sel);
  if (!To.Processes.empty())
    To.Process = To.Processes.front().Process;
  To.EndNs = std::max<uint64_t>(T.endNs(), 1);
  if (!To.Heap || !To.Process || !Sel.hasHeap(To.Heap))
    return noAnswer(T, "no event of host.malloc is in the trace or the "
                       "selection; a replay needs each of them");
  if (T.heap(To.Heap).SampleBytes || T.heap(To.Heap).countsWeights())
    return noAnswer(T, "host.malloc is sampled; a replay needs each event: "
                       "record without sampling");
  if (T.eventsLeftOut())
    return noAnswer(T, "events were left out when the trace was recorded; a "
                       "replay needs each event");
  To.Functions = RequestFunctions(T);
  giveMainThread(T, To);
  Expected<RecordedSamples> Samples = readRecordedSamples(T, To.Process);
  if (!Samples)
    return Samples.takeError();
  if (Error E = HostRequestReader(T, To).plan(Samples->Rss))
    return std::move(E);
  if (!To.NumBlocks)
    return noAnswer(T, "process " + T.processName(To.Process) +
                           " has no event of host.malloc; a replay needs "
                           "each of them");
  noteRecordedResident(std::move(*Samples), To);
  return To;
}

Error memkit::readHostRequests(
    const Trace &T, const HostTarget &Of,
    function_ref<bool(ArrayRef<ReplayCommand>)> OnBatch) {
  HostTarget Copy = Of;
  return HostRequestReader(T, Copy).send(OnBatch);
}
