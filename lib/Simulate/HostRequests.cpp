// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the requests of a recorded program to malloc.

#include "HostRequests.h"
#include "Model/EventsAhead.h"
#include "RecordedResident.h"
#include "RequestFunctions.h"
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

  HostRequestReader(const Trace &T, HostTarget &To)
      : T(T), To(To), Functions(T) {}
  /// Fills OtherLive of the samples, too.
  Error plan(MutableArrayRef<MemorySample> Samples) {
    Rest = Samples;
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
  Error takeRows(const SectionInfo &B, const EventTable &E);
  Error add(const SectionInfo &B, uint64_t Id, uint64_t Size, uint32_t Thread,
            uint64_t TimeNs, ReplayOp Op);
  void change(const EventTable &E, size_t Ref, uint32_t Thread);
  void request(ReplayOp Op, uint32_t Thread, uint32_t Slot, uint64_t Bytes);
  void noteLive(uint64_t TimeNs);
  void endThreads(const EventTable &E);
  void noteOthers(uint64_t TimeNs);
  void addOther(uint64_t Id, uint64_t Size, uint64_t TimeNs);
  uint32_t numberOf(uint32_t Thread);
  void noteTime(uint64_t TimeNs, uint32_t Thread);
  Error fail(const SectionInfo &At, const Twine &What) const {
    return makeTraceError(T.reader().name(), At.Offset, What);
  }

  const Trace &T;
  HostTarget &To;
  const RequestFunctions Functions;
  bool IsPlan = true;
  SlotTable Slots;
  /// Blocks of other heaps outside of `host.malloc`, with their sizes.
  DenseMap<uint64_t, uint64_t> Others;
  uint64_t OtherBytes = 0;
  MutableArrayRef<MemorySample> Rest; ///< after the last change of OtherBytes
  uint64_t LiveBytes = 0, LiveBlocks = 0;
  uint64_t NumRequests = 0, NumBlocks = 0;
  uint64_t Rows = 0;   ///< before the section
  uint64_t NextId = 0; ///< of the next block
  uint32_t NumPoints = 0;
  std::vector<ReplayCommand> Batch;
};
} // namespace

/// The number of a thread; the first pass gives numbers.
uint32_t HostRequestReader::numberOf(uint32_t Thread) {
  return To.Numbers[Thread];
}

void HostRequestReader::request(ReplayOp Op, uint32_t Thread, uint32_t Slot,
                                uint64_t Bytes) {
  ++NumRequests;
  if (IsPlan)
    return;
  Batch.push_back(ReplayCommand::make(Op, numberOf(Thread), Slot, Bytes));
  if (NumRequests == To.PeakRequest)
    Batch.push_back(ReplayCommand::make(ReplayOp::NotePeak, numberOf(Thread)));
}

/// Ends the intervals before the time. UINT64_MAX ends all.
void HostRequestReader::noteTime(uint64_t TimeNs, uint32_t Thread) {
  uint32_t End = TimeNs == UINT64_MAX ? MaxReplayPoints : To.pointOf(TimeNs);
  for (; NumPoints < End; ++NumPoints)
    Batch.push_back(ReplayCommand::make(ReplayOp::NotePoint, Thread));
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
  uint32_t Slot = Slots.add(Id, Size);
  LiveBytes = SaturatingAdd(LiveBytes, Size);
  ++LiveBlocks;
  request(Op, Thread, Slot, Size);
  noteLive(TimeNs);
  return Error::success();
}

void HostRequestReader::change(const EventTable &E, size_t Ref,
                               uint32_t Thread) {
  uint64_t Id = E.Block[Ref];
  size_t Row = E.RefRow[Ref];
  uint32_t Slot = Slots.find(Id);
  if (Slot == SlotTable::NoSlot) {
    if (IsPlan && E.Kind[Row] == EventKind::Free)
      if (auto It = Others.find(Id); It != Others.end()) {
        noteOthers(E.TimeNs[Row]);
        OtherBytes -= std::min(OtherBytes, It->second);
        Others.erase(It);
      }
    return;
  }
  uint64_t &Size = Slots.sizeOf(Slot);
  LiveBytes -= std::min(LiveBytes, Size);
  if (E.Kind[Row] == EventKind::Free) {
    Slots.remove(Id);
    --LiveBlocks;
    return request(ReplayOp::Free, Thread, Slot, 0);
  }
  Size = E.RefSize.empty() ? 0 : E.RefSize[Ref];
  LiveBytes = SaturatingAdd(LiveBytes, Size);
  request(ReplayOp::Resize, Thread, Slot, Size);
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

Error HostRequestReader::takeRows(const SectionInfo &B, const EventTable &E) {
  size_t At = 0, Ref = 0;
  for (size_t Row = 0; Row != E.rows(); ++Row) {
    uint32_t Thread = E.threadOf(Row);
    if (!IsPlan)
      noteTime(E.TimeNs[Row], numberOf(Thread));
    if (E.Kind[Row] != EventKind::Allocate) {
      change(E, Ref++, Thread);
    } else {
      uint64_t Id = E.FirstAllocationId + E.AllocationOffset[At];
      uint32_t Heap = E.Heap[At];
      uint64_t Size = E.AllocSize[At];
      uint32_t Stack = E.Stack[At++];
      if (Heap == To.Heap) {
        if (Error Err =
                add(B, Id, Size, Thread, E.TimeNs[Row], Functions.of(Stack)))
          return Err;
      } else if (IsPlan && !T.heap(Heap).Parent && !T.heap(Heap).Space &&
                 !(T.heap(Heap).Flags & HF_OutsideTotals)) {
        addOther(Id, Size, E.TimeNs[Row]);
      }
    }
    if (IsPlan)
      To.LastRows[Thread] = Rows + Row + 1;
    else if (To.LastRows[Thread] == Rows + Row + 1 && numberOf(Thread))
      Batch.push_back(
          ReplayCommand::make(ReplayOp::EndThread, numberOf(Thread)));
  }
  Rows += E.rows();
  return Error::success();
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
  for (uint32_t Thread : E.Threads)
    if (IsPlan && To.Numbers[Thread] == UINT32_MAX)
      To.Numbers[Thread] = To.NumThreads++;
  if (To.NumThreads > ReplayCommand::MaxThreads)
    return fail(B, "more than " + Twine(ReplayCommand::MaxThreads) +
                       " threads cannot be replayed");
  return takeRows(B, E);
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
                          Functions.of(L.Stack)))
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

/// The selected process with the most events; 0: none. NumProcesses: those with
/// events.
static uint32_t findProcess(const Trace &T, const Selection &Sel,
                            uint32_t &NumProcesses) {
  std::vector<uint64_t> Rows(T.processes().size() + 1);
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::Events && B.Process && B.Process < Rows.size() &&
        Sel.hasProcess(B.Process))
      Rows[B.Process] += B.Events;
  NumProcesses = uint32_t(Rows.size() - llvm::count(Rows, 0));
  auto Most = llvm::max_element(Rows);
  return *Most ? uint32_t(Most - Rows.begin()) : 0;
}

static uint32_t findMallocHeap(const Trace &T) {
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (T.heapName(Heap) == "host.malloc")
      return Heap;
  return 0;
}

/// The main thread has the id of its process, and the number 0.
static void giveMainThread(const Trace &T, HostTarget &To) {
  To.LastRows.assign(T.threads().size() + 1, 0);
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
  To.Process = findProcess(T, Sel, To.NumProcesses);
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
