// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a replay that run before the events.

#include "memkit/Model/Replay.h"
#include "EventsAhead.h"
#include "memkit/Trace/TraceError.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

ReplayObserver::~ReplayObserver() = default;
Error ReplayObserver::timeStop(uint64_t, uint64_t) { return Error::success(); }
Error ReplayObserver::eventStop(uint32_t, uint64_t) { return Error::success(); }
Error ReplayObserver::stepBegun(uint32_t, uint64_t) { return Error::success(); }
Error ReplayObserver::processEnds(uint32_t, uint64_t) {
  return Error::success();
}

Replay::Replay(TraceReader &R, ReplayOptions O, ReplayObserver *Observer)
    : R(R), Options(std::move(O)), Observer(Observer) {
  assert(!Options.BlocksOnly || (!Options.Select && !Options.KeyOf));
  if (!Options.Intervals)
    A.disableIntervals();
}
Replay::~Replay() = default;

Error Replay::fail(const SectionInfo &At, const llvm::Twine &What) const {
  return makeTraceError(R.name(), At.Offset, What);
}

llvm::Expected<std::unique_ptr<Replay>>
Replay::create(TraceReader &R, ReplayOptions Options,
               ReplayObserver *Observer) {
  std::unique_ptr<Replay> Out(new Replay(R, std::move(Options), Observer));
  if (Error E = Out->readDictionary())
    return E;
  if (Error E = Out->readMarks())
    return E;
  if (Error E = Out->setUp())
    return E;
  return Out;
}

Error Replay::readDictionary() {
  // Names and stacks are of no use here, and take long in large traces.
  DictionaryOutline D;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = R.readOutline(B, D, /*WithStrings=*/false))
      return E;
    uint32_t Heap = Limits.Heaps, Process = Limits.Processes;
    std::string Problem = Limits.add(D);
    if (!Problem.empty())
      return fail(B, Problem);
    LimitsBefore.push_back({B.Offset, Limits});
    for (const memkit::Heap &H : D.Few.Heaps)
      A.addHeap(++Heap, H);
    for (IsOutside.resize(1); IsOutside.size() <= Heap;)
      IsOutside.push_back(A.isOutsideTotals(IsOutside.size()));
    for (const memkit::ProcessRecord &I : D.Few.Processes)
      A.beginProcess(++Process, I.StartNs);
  }
  Processes.resize(Limits.Processes + size_t(1));
  EventsOfProcess.resize(Limits.Processes + size_t(1));
  return Error::success();
}

/// The ids that dictionary sections before Offset define.
const IdLimits &Replay::limitsAt(uint64_t Offset) const {
  static const IdLimits None;
  auto After = std::lower_bound(
      LimitsBefore.begin(), LimitsBefore.end(), Offset,
      [](const auto &Entry, uint64_t Offset) { return Entry.first < Offset; });
  return After == LimitsBefore.begin() ? None : std::prev(After)->second;
}

Error Replay::readMarks() {
  memkit::Marks Section;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Marks)
      continue;
    if (Error E = R.read(B, Section))
      return E;
    std::string Problem = limitsAt(B.Offset).check(Section);
    if (!Problem.empty())
      return fail(B, Problem);
    A.countMarks(Section.Rows.size() + Section.Unknown);
    for (Mark &M : Section.Rows) {
      EndNs = std::max(EndNs, M.TimeNs);
      bool Applied =
          M.Kind == MarkKind::Step || M.Kind == MarkKind::ProcessEnd ||
          M.Kind == MarkKind::HeapReserved || M.Kind == MarkKind::Rss ||
          M.Kind == MarkKind::Pss || M.Kind == MarkKind::Loss;
      if (Applied && M.Process)
        Marks.push_back(std::move(M));
    }
  }
  auto Earlier = [](const Mark &X, const Mark &Y) {
    return X.TimeNs < Y.TimeNs;
  };
  std::stable_sort(Marks.begin(), Marks.end(), Earlier);
  return Error::success();
}

/// Finds the processes with events, and the snapshots before the first events
/// of their process. Events before such a snapshot are not in the trace.
Error Replay::setUp() {
  Bases.resize(Processes.size());
  LeftOut.resize(Processes.size());
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind == SectionKind::Snapshot && B.Process < Processes.size() &&
        !Processes[B.Process])
      addPart(Bases[B.Process], B);
    if (B.Kind != SectionKind::Events)
      continue;
    if (B.Process == 0 || B.Process > limitsAt(B.Offset).Processes)
      return fail(B, "events of process " + llvm::Twine(B.Process) +
                         ", there are " +
                         llvm::Twine(limitsAt(B.Offset).Processes));
    if (!Processes[B.Process])
      Processes[B.Process] = std::make_unique<ProcessReplay>(
          B.Process, Limits, Options.KeepThreads);
    EventsOfProcess[B.Process] += B.Events;
    EndNs = std::max(EndNs, B.EndNs);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Starting at a snapshot
//===----------------------------------------------------------------------===//

/// Adds B to Parts, the parts of a snapshot. B may be of the same or of a later
/// snapshot.
void Replay::addPart(SnapshotParts &Parts, const SectionInfo &B) {
  if (!Parts.empty() && Parts.back()->BeginNs != B.BeginNs)
    Parts.clear();
  Parts.push_back(&B);
}

/// Reads the number of events left out before the first event of each process.
Error Replay::readBases() {
  HasStarted = true;
  Snapshot K;
  for (size_t Id = 0; Id < Processes.size(); ++Id) {
    if (!Processes[Id] || Bases[Id].empty())
      continue;
    const SectionInfo &First = *Bases[Id].front();
    if (Error E = R.readHead(First, K))
      return E;
    if (K.NextAllocationId > MaxLeftOut)
      return fail(First, "more than " + llvm::Twine(MaxLeftOut) +
                             " allocations were left out before its events; "
                             "they cannot be replayed");
    if (K.Events > UINT64_MAX / 4)
      return fail(First, "a snapshot after more events than there can be");
    EventsOfProcess[Id] += K.Events;
    LeftOut[Id] = K.Events;
  }
  return Error::success();
}

/// Starts a process with the blocks that lived before its first event.
Error Replay::loadBase(size_t Id) {
  if (!Processes[Id] || Bases[Id].empty())
    return Error::success();
  if (Error E = loadSnapshot(Bases[Id]))
    return E;
  BaseBlocks += liveBlocks(uint32_t(Id));
  return Error::success();
}

Error Replay::startAtBases() {
  if (Error E = readBases())
    return E;
  for (size_t Id = 0; Id < Processes.size(); ++Id)
    if (Error E = loadBase(Id))
      return E;
  return Error::success();
}

Error Replay::startNear(uint64_t AtNs, bool KeepEnded) {
  if (Error E = readBases())
    return E;
  // The parts read so far of the last snapshot of each process.
  std::vector<SnapshotParts> Best(Processes.size());
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Snapshot || B.BeginNs >= AtNs ||
        B.Process >= Processes.size() || !Processes[B.Process])
      continue;
    SnapshotParts &Parts = Best[B.Process];
    if (Parts.empty() || Parts.back()->BeginNs <= B.BeginNs)
      addPart(Parts, B);
  }
  for (const Mark &M : Marks)
    if (!KeepEnded && M.Kind == MarkKind::ProcessEnd && M.TimeNs <= AtNs &&
        Processes[M.Process])
      Processes[M.Process]->Ignored = true;
  for (size_t Id = 0; Id < Processes.size(); ++Id) {
    if (!Processes[Id] || Processes[Id]->Ignored)
      continue;
    if (Error E = Best[Id].empty() ? loadBase(Id) : loadSnapshot(Best[Id]))
      return E;
  }
  return Error::success();
}

Error Replay::loadSnapshot(llvm::ArrayRef<const SectionInfo *> Parts) {
  ProcessReplay &I = process(Parts.front()->Process);
  Snapshot K;
  uint32_t Part = 0;
  bool Complete = false;
  for (const SectionInfo *B : Parts) {
    if (Error E = R.read(*B, K))
      return E;
    std::string Problem = limitsAt(B->Offset).check(K);
    if (!Problem.empty())
      return fail(*B, Problem);
    // A second snapshot of the same time point replaces the first; both have
    // equal content.
    if (K.Part == 0) {
      if (Part != 0)
        break;
      // Each event creates at most one block.
      if (K.Events > EventsOfProcess[K.Process] ||
          K.NextAllocationId > K.Events)
        return fail(*B, "a snapshot after more events than there are");
      I.Live.restart(K.NextAllocationId);
      if (K.Events < LeftOut[K.Process])
        return fail(*B, "a snapshot before the one that the events begin with");
      I.Events = K.Events;
      I.Skip = K.Events - LeftOut[K.Process];
    }
    if (K.Part != Part++ || K.Events != I.Events ||
        K.NextAllocationId != I.Live.next())
      return fail(*B, "parts of a snapshot that do not belong together");
    if (Error E = addSnapshot(I, K, B->Offset))
      return E;
    Complete = K.Last;
    if (Complete)
      break;
  }
  if (!Complete)
    return fail(*Parts.back(), "a snapshot without its last part");
  return Error::success();
}

Error Replay::addSnapshot(ProcessReplay &I, const Snapshot &K,
                          uint64_t Offset) {
  uint64_t Lowest = 0;
  for (const LiveBlock &B : K.Blocks) {
    if (B.AllocationId < Lowest || B.AllocationId >= K.NextAllocationId)
      return makeTraceError(R.name(), Offset,
                            "block " + llvm::Twine(B.AllocationId) +
                                " of a snapshot is out of order");
    Lowest = B.AllocationId + 1;
    LiveSet::LiveSetBlock To;
    To.AllocationId = B.AllocationId;
    To.AllocatedNs = B.AllocatedNs;
    To.P = {B.Address, B.Enclosing, A.countsWeights(B.Heap) ? B.Weight : 0};
    To.E.Size = B.Size;
    Allocation About{B.AllocatedNs, B.Size,  K.Process,   0,
                     B.Heap,        B.Stack, B.ScopePath, B.AllocationId};
    if (Options.Complete)
      Options.Complete(About);
    std::optional<OuterRef> Outer;
    if (LiveSet::LiveCursor In; B.Enclosing && !Options.BlocksOnly)
      if ((In = I.Live.find(B.Enclosing - 1)))
        Outer = outerRef(B.Enclosing - 1, In.entry());
    if (Options.Select && !Options.Select(About)) {
      About.TimeNs = 0; // all blocks of a snapshot are older than its events
      About.Size = B.Size;
      To.E = refusedEntry(About, Outer);
      I.Live.addOld(To);
      continue;
    }
    uint32_t Key = Options.KeyOf ? Options.KeyOf(About) : B.Stack;
    To.E.Row = stackRow(K.Process, B.Heap, Key);
    To.E.ScopeRow = scopeRow(K.Process, B.Heap, B.ScopePath);
    if (Options.BlocksOnly) {
      I.Live.addOld(To);
      continue;
    }
    BlockRef Ref{B.AllocationId, To.E.Row, To.E.ScopeRow};
    if (To.P.Weight)
      A.allocateSampled(Ref,
                        Outer && Outer->IsCounted ? Outer->Block : BlockRef(),
                        B.Size, To.P.Weight, 0, 0);
    else if (Outer)
      A.allocateIn(Ref, *Outer, B.Size, 0, 0);
    else
      A.allocate(Ref, B.Size, 0, 0);
    I.Live.addOld(To);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

uint64_t Replay::liveBlocks(uint32_t Process) const {
  return Processes[Process] ? Processes[Process]->Live.size() : 0;
}

bool Replay::lives(uint32_t Process, uint64_t AllocationId) const {
  return Processes[Process] && Processes[Process]->Live.find(AllocationId);
}

uint64_t Replay::nextAllocationId(uint32_t Process) const {
  return Processes[Process] ? Processes[Process]->Live.next() : 0;
}

LiveBlock Replay::liveBlock(uint64_t AllocationId,
                            const LiveSet::LiveSetEntry &E,
                            uint64_t AllocatedNs,
                            const LiveSet::RareValues &P) const {
  LiveBlock Out;
  Out.AllocationId = AllocationId;
  Out.Size = E.Size;
  Out.AllocatedNs = AllocatedNs;
  Out.Stack = stackOf(E);
  Out.ScopePath = scopePathOf(E);
  Out.Heap = heapOf(E);
  Out.Address = P.Address;
  Out.Enclosing = P.Enclosing;
  Out.Weight = P.Weight;
  return Out;
}

void Replay::forEachLive(
    uint32_t Process,
    llvm::function_ref<void(const LiveBlock &, uint32_t)> Do) const {
  if (!Processes[Process])
    return;
  Processes[Process]->Live.forEach([&](const LiveSet::LiveSetBlock &B) {
    if (B.E.Row != Refused)
      Do(liveBlock(B.AllocationId, B.E, B.AllocatedNs, B.P), B.Thread);
  });
}

void Replay::matchLive(
    uint32_t Process, llvm::ArrayRef<LiveBlock> Stored,
    llvm::function_ref<void(const LiveBlock &, const LiveBlock *)> Do) const {
  // The rows with the stack and heap of a block are cache misses away, so the
  // rows of several blocks are fetched before they are read.
  constexpr size_t Together = 64;
  LiveSet::LiveCursor Found[Together], Last;
  while (!Stored.empty()) {
    llvm::ArrayRef<LiveBlock> Some = Stored.take_front(Together);
    Stored = Stored.drop_front(Some.size());
    for (size_t At = 0; At != Some.size(); ++At) {
      Found[At] = LiveSet::LiveCursor();
      if (!Processes[Process])
        continue;
      Found[At] =
          Processes[Process]->Live.findNext(Some[At].AllocationId, Last);
      if (!Found[At])
        continue;
      Last = Found[At];
      if (Last.entry().Row != Refused && !Options.BlocksOnly)
        A.prefetchRow(Last.entry().Row);
    }
    for (size_t At = 0; At != Some.size(); ++At) {
      LiveSet::LiveCursor C = Found[At];
      if (!C || C.entry().Row == Refused) {
        Do(Some[At], nullptr);
        continue;
      }
      LiveBlock Is = liveBlock(Some[At].AllocationId, C.entry(),
                               C.allocatedNs(), C.place());
      Do(Some[At], &Is);
    }
  }
}
