// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the requests of a recorded program to allocators of devices.

#include "Model/Replay/EventsAhead.h"
#include "RequestWriter.h"
#include "SlotTable.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include <memory>
#include <optional>

using namespace llvm;
using namespace memkit;

bool memkit::hasTensors(const Trace &T, uint32_t Heap, TensorSource Of) {
  StringRef Name = T.heapName(Heap);
  if (Of == TensorSource::Cpu)
    return Name == "torch.cpu";
  return T.heap(Heap).Space && Name.starts_with("torch.") &&
         !Name.ends_with(".segments");
}

namespace {
struct RefusedRequest {
  uint64_t TimeNs = 0, Bytes = 0;
  uint32_t Heap = 0, Stack = 0;
};

struct TargetRequests {
  explicit TargetRequests(const DeviceTarget &Of)
      : Target(Of), Writer(Target) {}
  DeviceTarget Target;
  RequestWriter Writer;
  RecordedUse OfMarks;      ///< for a target without segments
  bool IsFirstMark = false; ///< the last mark is the first of the peak
};

/// A process with events.
struct ProcessRequests {
  SlotTable Slots;                     ///< of live tensors and segments
  std::vector<TrackedBlock> Live;      ///< by slot
  std::vector<RefusedRequest> Refused; ///< by time
  size_t NumRefused = 0;               ///< written
  /// The last snapshot before the first events.
  std::vector<const SectionInfo *> Base;
  bool HasStarted = false;
  uint64_t NextId = 0; ///< of the next block
};

using BatchTaker =
    function_ref<void(size_t, const DeviceTarget &, const RequestBatch &)>;

class RequestReader {
public:
  RequestReader(const Trace &T, const Selection &Sel, TensorSource Which,
                uint64_t DeviceBytes, BatchTaker OnBatch);
  Error read();
  std::vector<DeviceTarget> targets() const;

private:
  bool isTensor(uint32_t Heap) const { return TensorsOf[Heap] == Heap; }
  uint32_t target(uint32_t Process, uint32_t Heap);
  void takeMark(const Mark &M);
  void takeReserved(TargetRequests &Of, const Mark &M);
  bool isRead(const SectionInfo &B) const;
  void takeSnapshot(const SectionInfo &B);
  Error takeSection(const SectionInfo &B, const EventTable &E);
  Error readSections();
  Error startProcess(ProcessRequests &P);
  Error checkIds(const SectionInfo &B, const EventTable &E, ProcessRequests &P);
  Error takeRows(const SectionInfo &B, const EventTable &E, ProcessRequests &P);
  Error add(const SectionInfo &B, ProcessRequests &P, uint64_t Id,
            uint64_t TimeNs, TrackedBlock Of, uint64_t Requested,
            uint32_t StreamNumber, uint32_t Pool);
  Error allocate(const SectionInfo &B, const EventTable &E, size_t At,
                 uint64_t TimeNs, ProcessRequests &P);
  void change(const EventTable &E, size_t Ref, ProcessRequests &P);
  void changeTensor(TrackedBlock &Of, uint64_t TimeNs, uint64_t Size);
  void writeRefused(ProcessRequests &P, uint32_t Process, uint64_t UntilNs);
  void pass(uint32_t Target);
  Error fail(const SectionInfo &At, const Twine &What) const {
    return makeTraceError(T.reader().name(), At.Offset, What);
  }

  const Trace &T;
  const Selection &Sel;
  const uint64_t DeviceBytes;
  BatchTaker OnBatch;
  /// By heap: the heap of tensors that it is, or has the segments of; 0: none.
  std::vector<uint32_t> TensorsOf;
  std::vector<std::unique_ptr<TargetRequests>> Targets;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> TargetAt;
  std::vector<std::unique_ptr<ProcessRequests>> Processes; ///< by id
};
} // namespace

RequestReader::RequestReader(const Trace &T, const Selection &Sel,
                             TensorSource Which, uint64_t DeviceBytes,
                             BatchTaker OnBatch)
    : T(T), Sel(Sel), DeviceBytes(DeviceBytes), OnBatch(OnBatch),
      TensorsOf(T.heaps().size() + 1), Processes(T.processes().size() + 1) {
  DenseMap<StringRef, uint32_t> ByName;
  for (uint32_t Heap = 1; Heap < TensorsOf.size(); ++Heap)
    if (hasTensors(T, Heap, Which) && Sel.hasHeap(Heap)) {
      TensorsOf[Heap] = Heap;
      ByName[T.heapName(Heap)] = Heap;
    }
  for (uint32_t Heap = 1; Heap < TensorsOf.size(); ++Heap) {
    StringRef Name = T.heapName(Heap);
    if (Name.consume_back(".segments"))
      TensorsOf[Heap] = ByName.lookup(Name);
  }
}

std::vector<DeviceTarget> RequestReader::targets() const {
  std::vector<DeviceTarget> Out;
  for (const auto &Of : Targets) {
    RecordedUse &R = Out.emplace_back(Of->Target).Recorded;
    if (R.HasReserved || !Of->OfMarks.HasReserved)
      continue;
    R.HasReserved = true;
    R.Reserved = Of->OfMarks.Reserved;
    R.Active = Of->OfMarks.Active;
    R.TimeNs = Of->OfMarks.TimeNs;
  }
  return Out;
}

uint32_t RequestReader::target(uint32_t Process, uint32_t Heap) {
  auto [It, IsNew] = TargetAt.try_emplace({Process, Heap}, Targets.size());
  if (IsNew) {
    DeviceTarget Of;
    Of.Process = Process;
    Of.Heap = Heap;
    if (uint32_t Space = T.heap(Heap).Space)
      Of.DeviceBytes = T.devices()[Space - 1].Bytes;
    if (!Of.DeviceBytes)
      Of.DeviceBytes = DeviceBytes;
    Targets.push_back(std::make_unique<TargetRequests>(Of));
  }
  return It->second;
}

/// Passes the requests of a target on.
void RequestReader::pass(uint32_t Target) {
  TargetRequests &Of = *Targets[Target];
  if (!Of.Writer.batch().Requests.empty())
    OnBatch(Target, Of.Target, Of.Writer.batch());
  Of.Writer.clear();
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void RequestReader::takeReserved(TargetRequests &Of, const Mark &M) {
  if (M.Values.size() < 2)
    return;
  RecordedUse &R = Of.OfMarks;
  uint64_t Reserved = M.Values[0], Active = M.Values[1];
  if (R.HasReserved && Reserved <= R.Reserved) {
    // A second mark of the peak: with the tensor that the segment was for.
    if (std::exchange(Of.IsFirstMark, false) && Reserved == R.Reserved)
      R.Active = std::max(R.Active, Active);
    return;
  }
  R.HasReserved = true;
  R.Reserved = Reserved;
  R.Active = Active;
  R.TimeNs = M.TimeNs;
  Of.IsFirstMark = true;
}

void RequestReader::takeMark(const Mark &M) {
  bool IsReserved = M.Kind == MarkKind::HeapReserved;
  if ((!IsReserved && M.Kind != MarkKind::Oom) || !M.Heap ||
      !isTensor(M.Heap) || !M.Process || !Sel.hasProcess(M.Process))
    return;
  TargetRequests &Of = *Targets[target(M.Process, M.Heap)];
  if (IsReserved)
    return takeReserved(Of, M);
  if (M.Values.empty())
    return;
  Of.Writer.rememberStreams();
  auto &P = Processes[M.Process];
  if (!P)
    P = std::make_unique<ProcessRequests>();
  P->Refused.push_back({M.TimeNs, M.Values[0], M.Heap, M.Stack});
  constexpr size_t WithFree = 4;
  if (M.Values.size() < WithFree || M.Values[3] == UnknownBytes)
    return;
  uint64_t Had = M.Values[2] + M.Values[3];
  if (Had < M.Values[2] || !Had)
    return;
  Of.Target.DeviceBytes = Had;
  Of.Target.IsMeasured = true;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// Writes the requests that failed up to a time point: a mark lies before the
/// events of its time.
void RequestReader::writeRefused(ProcessRequests &P, uint32_t Process,
                                 uint64_t UntilNs) {
  for (; P.NumRefused != P.Refused.size() &&
         P.Refused[P.NumRefused].TimeNs <= UntilNs;
       ++P.NumRefused) {
    const RefusedRequest &R = P.Refused[P.NumRefused];
    uint32_t Target = target(Process, R.Heap);
    Targets[Target]->Writer.refuse(R.TimeNs, R.Bytes, R.Stack);
  }
}

/// Adds a block that has its size and stack: as a tensor or a segment.
Error RequestReader::add(const SectionInfo &B, ProcessRequests &P, uint64_t Id,
                         uint64_t TimeNs, TrackedBlock Of, uint64_t Requested,
                         uint32_t StreamNumber, uint32_t Pool) {
  RequestWriter &To = Targets[Of.Target]->Writer;
  if (Of.IsSegment) {
    Of.Tensor = Pool;
    To.takeSegment(TimeNs, Of.Size);
  } else {
    std::optional<uint16_t> Stream = To.stream(StreamNumber, Pool);
    if (!Stream)
      return fail(B, "more than " + Twine(RequestWriter::MaxStreams) +
                         " streams and pools of " +
                         T.heapName(Targets[Of.Target]->Target.Heap) +
                         " cannot be simulated");
    Of.Stream = *Stream;
    Of.Tensor = To.allocate(TimeNs, Requested, Of.Size, *Stream, Of.Stack);
    if (To.isFull())
      pass(Of.Target);
  }
  uint32_t Slot = P.Slots.find(Id);
  if (Slot == SlotTable::NoSlot) {
    if (!P.Slots.hasRoom())
      return fail(B, "too many live tensors for a simulation");
    Slot = P.Slots.add(Id);
  }
  if (Slot == P.Live.size())
    P.Live.emplace_back();
  P.Live[Slot] = Of;
  return Error::success();
}

/// The value of an optional column.
template <class Column>
static typename Column::value_type valueAt(const Column &Of, size_t At) {
  return Of.empty() ? 0 : Of[At];
}

Error RequestReader::allocate(const SectionInfo &B, const EventTable &E,
                              size_t At, uint64_t TimeNs, ProcessRequests &P) {
  uint32_t Heap = E.Heap[At], Tensors = TensorsOf[Heap];
  if (!Tensors)
    return Error::success();
  TrackedBlock Of;
  Of.Size = E.AllocSize[At];
  Of.Target = target(E.Process, Tensors);
  Of.Stack = E.Stack[At];
  Of.IsSegment = Heap != Tensors;
  uint64_t Requested = valueAt(E.Columns.Requested, At);
  return add(B, P, E.FirstAllocationId + E.AllocationOffset[At], TimeNs, Of,
             Requested ? Requested : Of.Size, valueAt(E.Columns.Stream, At),
             valueAt(E.Columns.Pool, At));
}

/// PyTorch resizes no tensor; another recorder's tensor that changes is a free
/// and a new request.
void RequestReader::changeTensor(TrackedBlock &Of, uint64_t TimeNs,
                                 uint64_t Size) {
  RequestWriter &To = Targets[Of.Target]->Writer;
  To.free(TimeNs, Of.Tensor, Of.Size);
  Of.Size = Size;
  Of.Tensor = To.allocate(TimeNs, Size, Size, Of.Stream, Of.Stack);
}

void RequestReader::change(const EventTable &E, size_t Ref,
                           ProcessRequests &P) {
  constexpr size_t Ahead = 16;
  if (Ref + Ahead < E.references())
    P.Slots.prefetch(E.Block[Ref + Ahead]);
  uint32_t Slot = P.Slots.find(E.Block[Ref]);
  if (Slot == SlotTable::NoSlot)
    return;
  TrackedBlock &Of = P.Live[Slot];
  RequestWriter &To = Targets[Of.Target]->Writer;
  size_t Row = E.RefRow[Ref];
  uint64_t TimeNs = E.TimeNs[Row], Size = valueAt(E.RefSize, Ref);
  if (E.Kind[Row] != EventKind::Free) {
    if (!Of.IsSegment)
      return changeTensor(Of, TimeNs, Size);
    Targets[Of.Target]->Target.Recorded.HasExpanded = true;
    if (Size > Of.Size)
      To.takeSegment(TimeNs, Size - Of.Size);
    else if (Size < Of.Size)
      To.returnSegment(TimeNs, Of.Size - Size, Of.Tensor);
    Of.Size = Size;
    return;
  }
  if (Of.IsSegment)
    To.returnSegment(TimeNs, Of.Size, Of.Tensor);
  else
    To.free(TimeNs, Of.Tensor, Of.Size);
  uint32_t Target = Of.Target;
  P.Slots.take(E.Block[Ref]);
  if (To.isFull())
    pass(Target);
}

Error RequestReader::takeRows(const SectionInfo &B, const EventTable &E,
                              ProcessRequests &P) {
  size_t At = 0, Ref = 0;
  for (size_t Row = 0; Row != E.rows(); ++Row) {
    if (P.NumRefused != P.Refused.size())
      writeRefused(P, E.Process, E.TimeNs[Row]);
    if (E.Kind[Row] != EventKind::Allocate) {
      change(E, Ref++, P);
      continue;
    }
    if (Error Err = allocate(B, E, At++, E.TimeNs[Row], P))
      return Err;
  }
  return Error::success();
}

/// Adds the blocks that lived before the first events of a process.
Error RequestReader::startProcess(ProcessRequests &P) {
  P.HasStarted = true;
  llvm::stable_sort(P.Refused, [](const auto &X, const auto &Y) {
    return X.TimeNs < Y.TimeNs;
  });
  Snapshot K;
  for (const SectionInfo *B : P.Base) {
    if (Error E = T.reader().read(*B, K))
      return E;
    if (std::string Problem = T.limits().check(K); !Problem.empty())
      return fail(*B, Problem);
    P.NextId = K.NextAllocationId;
    for (const LiveBlock &L : K.Blocks) {
      uint32_t Tensors = TensorsOf[L.Heap];
      if (!Tensors || L.AllocationId >= P.NextId)
        continue;
      TrackedBlock Of;
      Of.Size = L.Size;
      Of.Target = target(K.Process, Tensors);
      Of.Stack = L.Stack;
      Of.IsSegment = L.Heap != Tensors;
      if (Error E = add(*B, P, L.AllocationId, K.TimeNs, Of, L.Size, 0, 0))
        return E;
    }
  }
  return Error::success();
}

/// The blocks of a process are numbered through all its sections.
Error RequestReader::checkIds(const SectionInfo &B, const EventTable &E,
                              ProcessRequests &P) {
  constexpr uint64_t MaxId = uint64_t(1) << 62;
  if (E.FirstAllocationId != P.NextId || E.FirstAllocationId > MaxId)
    return fail(B, "the events of process " + Twine(E.Process) +
                       " go on with block " + Twine(E.FirstAllocationId) +
                       ", after block " + Twine(P.NextId));
  P.NextId += E.allocations();
  for (size_t Ref = 0; Ref != E.references(); ++Ref)
    P.NextId += E.Kind[E.RefRow[Ref]] == EventKind::Split;
  return Error::success();
}

bool RequestReader::isRead(const SectionInfo &B) const {
  return (B.Kind == SectionKind::Events || B.Kind == SectionKind::Snapshot) &&
         B.Process && B.Process < Processes.size() && Sel.hasProcess(B.Process);
}

/// Keeps the last snapshot before the events of the process.
void RequestReader::takeSnapshot(const SectionInfo &B) {
  ProcessRequests &P = *Processes[B.Process];
  if (P.HasStarted)
    return;
  if (!P.Base.empty() && P.Base.back()->BeginNs != B.BeginNs)
    P.Base.clear();
  P.Base.push_back(&B);
}

Error RequestReader::takeSection(const SectionInfo &B, const EventTable &E) {
  if (E.Process != B.Process)
    return fail(B, "the index has another process than the section");
  ProcessRequests &P = *Processes[B.Process];
  if (!P.HasStarted)
    if (Error Err = startProcess(P))
      return Err;
  if (Error Err = checkIds(B, E, P))
    return Err;
  return takeRows(B, E, P);
}

Error RequestReader::readSections() {
  std::vector<const SectionInfo *> Events;
  for (const SectionInfo &B : T.reader().sections())
    if (isRead(B) && B.Kind == SectionKind::Events)
      Events.push_back(&B);
  EventsAhead Ahead(
      T.reader(), Events, [&](const SectionInfo &B, const EventTable &E) {
        std::string Problem = T.limits().check(E);
        return Problem.empty() ? Error::success() : fail(B, Problem);
      });
  for (const SectionInfo &B : T.reader().sections()) {
    if (!isRead(B))
      continue;
    if (!Processes[B.Process])
      Processes[B.Process] = std::make_unique<ProcessRequests>();
    if (B.Kind == SectionKind::Snapshot) {
      takeSnapshot(B);
      continue;
    }
    std::unique_ptr<EventTable> E;
    if (Error Err = Ahead.take(B, E))
      return Err;
    if (Error Err = takeSection(B, *E))
      return Err;
    Ahead.giveBack(std::move(E));
  }
  return Error::success();
}

Error RequestReader::read() {
  if (Error E = T.forEachMark([&](const Mark &M) { takeMark(M); }))
    return E;
  if (Error E = readSections())
    return E;
  for (uint32_t Id = 1; Id < Processes.size(); ++Id)
    if (Processes[Id] && Processes[Id]->HasStarted)
      writeRefused(*Processes[Id], Id, UINT64_MAX);
  for (uint32_t Target = 0; Target != Targets.size(); ++Target)
    pass(Target);
  return Error::success();
}

Expected<std::vector<DeviceTarget>>
memkit::readDeviceRequests(const Trace &T, const Selection &Sel,
                           TensorSource Which, uint64_t DeviceBytes,
                           BatchTaker OnBatch) {
  if (Error E = T.requireReader("a simulation needs"))
    return std::move(E);
  RequestReader Reader(T, Sel, Which, DeviceBytes, OnBatch);
  if (Error E = Reader.read())
    return std::move(E);
  return Reader.targets();
}
