// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the events of a trace in order.

#include "EventsAhead.h"
#include "memkit/Model/Replay.h"
#include <algorithm>
#include <utility>

using namespace memkit;
using llvm::Error;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// One event
//===----------------------------------------------------------------------===//

/// Finds the rows of an allocation without the cache, then caches them.
void Replay::findRows(ProcessReplay &I, uint32_t Stack, uint32_t ScopePath,
                      uint32_t Heap, LiveSet::LiveSetEntry &Entry) {
  Entry.Row = stackRow(I.Id, Heap, Stack);
  I.Stacks.set(Stack, Heap, Entry.Row);
  Entry.ScopeRow = scopeRow(I.Id, Heap, ScopePath);
  if (ScopePath)
    I.ScopePaths.set(ScopePath, Heap, Entry.ScopeRow);
}

/// Calls OnEvent for the row of the cursor. About: the values of the block.
void Replay::tell(const ReplayCursor &C, ReplayedEvent About,
                  const LiveSet::LiveSetEntry &E) {
  if (LLVM_LIKELY(!Options.OnEvent) || E.Row == Refused)
    return;
  About.TimeNs = C.Open->TimeNs[C.Row];
  if (About.TimeNs < Options.OnEventFromNs)
    return;
  About.Kind = C.Open->Kind[C.Row];
  About.Process = C.I->Id;
  About.Thread = C.Open->threadOf(C.Row);
  About.Heap = heapOf(E);
  About.Stack = stackOf(E);
  About.ScopePath = scopePathOf(E);
  Stopped |= !Options.OnEvent(About);
}

Error Replay::notLive(const ReplayCursor &C, size_t Ref) const {
  const EventTable &E = *C.Open;
  return fail(C, "an event at " + Twine(E.TimeNs[E.RefRow[Ref]]) +
                     " ns names block " + Twine(E.Block[Ref]) +
                     ", which is not live");
}

Error Replay::notAround(const ReplayCursor &C, uint64_t Outer) const {
  return fail(C, "row " + Twine(C.Row) + " lies in block " + Twine(Outer) +
                     ", which is not live");
}

Error Replay::badSplit(const ReplayCursor &C, size_t Ref, uint64_t Size) const {
  return fail(C, "block " + Twine(C.Open->Block[Ref]) + " of " + Twine(Size) +
                     " bytes is split at " + Twine(C.Open->RefSize[Ref]));
}

Error Replay::allocate(ReplayCursor &C) {
  const EventTable &E = *C.Open;
  ProcessReplay &I = *C.I;
  size_t At = C.Alloc;
  uint32_t Stack = E.Stack[At], Heap = E.Heap[At];
  uint32_t ScopePath = E.ScopePath.empty() ? 0 : E.ScopePath[At];
  uint32_t Thread = E.threadOf(C.Row);
  uint64_t TimeNs = E.TimeNs[C.Row], Size = E.AllocSize[At];
  Allocation About{TimeNs, Size,  I.Id,      Thread,
                   Heap,   Stack, ScopePath, I.Live.next()};
  bool Counts = !Options.Select || Options.Select(About);
  LiveSet::LiveSetEntry Entry;
  if (LLVM_UNLIKELY(static_cast<bool>(Options.KeyOf)) && Counts) {
    Entry = keyedEntry(About);
  } else {
    Entry = newEntry(I, Stack, ScopePath, Heap);
  }
  Entry.Size = Size;
  LiveSet::RareValues P;
  if (!E.Columns.Address.empty())
    P.Address = E.Columns.Address[At];
  if (!E.Columns.Enclosing.empty())
    P.Enclosing = E.Columns.Enclosing[At];
  if (!E.Columns.Weight.empty() && A.countsWeights(Heap))
    if (Error Err = readWeight(C, P))
      return Err;
  if (Options.BlocksOnly) {
    if (P.Enclosing && !I.Live.find(P.Enclosing - 1))
      return notAround(C, P.Enclosing - 1);
    // A sampled block is never a temporary, as in LiveStats.
    if (!P.Weight)
      A.noteAllocation(Thread, I.Live.next(), Size);
    tell(C,
         {.AllocatedNs = TimeNs,
          .Block = I.Live.next(),
          .Size = Size,
          .Weight = P.Weight,
          .AllocatedBy = Thread},
         Entry);
    I.Live.add(Entry, TimeNs, Thread);
    if (P.isAny())
      I.Live.setPlaceOfLast(P);
    return Error::success();
  }
  BlockRef Ref{I.Live.next(), Entry.Row, Entry.ScopeRow};
  std::optional<OuterRef> Outer;
  if (P.Enclosing) {
    LiveSet::LiveCursor In = I.Live.find(P.Enclosing - 1);
    if (!In)
      return notAround(C, P.Enclosing - 1);
    Outer = outerRef(P.Enclosing - 1, In.entry());
  }
  if (!Counts)
    Entry = refusedEntry(About, Outer);
  else if (P.Weight)
    A.allocateSampled(Ref,
                      Outer && Outer->IsCounted ? Outer->Block : BlockRef(),
                      Size, P.Weight, TimeNs, Thread);
  else if (Outer)
    A.allocateIn(Ref, *Outer, Size, TimeNs, Thread);
  else
    A.allocate(Ref, Size, TimeNs, Thread);
  tell(C,
       {.AllocatedNs = TimeNs,
        .Block = Ref.AllocationId,
        .Size = Size,
        .Weight = P.Weight,
        .AllocatedBy = Thread},
       Entry);
  I.Live.add(Entry, TimeNs, Thread);
  if (P.isAny())
    I.Live.setPlaceOfLast(P);
  return Error::success();
}

/// A live block, for events of a block inside; nothing: it is refused, and lies
/// in no selected block.
std::optional<OuterRef> Replay::outerRef(uint64_t AllocationId,
                                         const LiveSet::LiveSetEntry &E) {
  if (E.Row != Refused)
    return BlockRef{AllocationId, E.Row, E.ScopeRow};
  if (E.ScopeRow)
    return OuterRef::uncounted(AllocationId, E.ScopeRow);
  return std::nullopt;
}

/// The entry of an allocation that Select refused, inside the block In.
LiveSet::LiveSetEntry Replay::refusedEntry(const Allocation &B,
                                           std::optional<OuterRef> In) {
  LiveSet::LiveSetEntry Entry;
  Entry.Size = B.Size;
  Entry.Row = Refused;
  if (In && Options.BytesCountOnce &&
      A.allocateUncountedIn(B.Heap, *In, B.Size, B.TimeNs))
    Entry.ScopeRow = In->Block.Row;
  return Entry;
}

/// Reads the weight of the next allocation.
Error Replay::readWeight(const ReplayCursor &C, LiveSet::RareValues &P) const {
  uint64_t Weight = C.Open->Columns.Weight[C.Alloc];
  if (Weight > UINT32_MAX)
    return fail(C, "row " + Twine(C.Row) + " has weight " + Twine(Weight));
  P.Weight = static_cast<uint32_t>(Weight);
  return Error::success();
}

Error Replay::reference(ReplayCursor &C) {
  const EventTable &E = *C.Open;
  ProcessReplay &I = *C.I;
  uint64_t AllocationId = E.Block[C.ref()], TimeNs = E.TimeNs[C.Row];
  LiveSet::LiveCursor Block = I.Live.find(AllocationId);
  if (LLVM_UNLIKELY(!Block))
    return notLive(C, C.ref());
  LiveSet::LiveSetEntry &Entry = Block.entry();
  LiveSet::RareValues P = Block.place();
  bool Counts = Entry.Row != Refused && !Options.BlocksOnly;
  bool IsInside = Entry.Row == Refused && Entry.ScopeRow;
  BlockRef Ref{AllocationId, Entry.Row, Entry.ScopeRow};
  if (LLVM_LIKELY(E.Kind[C.Row] == EventKind::Free)) {
    if (Counts && P.Weight)
      A.freeSampled(Ref, Entry.Size, P.Weight, TimeNs);
    else if (Counts)
      A.free(Ref, Entry.Size, TimeNs, E.threadOf(C.Row), P.Enclosing);
    else if (LLVM_UNLIKELY(IsInside))
      A.freeUncounted(AllocationId, Entry.ScopeRow, Entry.Size, TimeNs,
                      P.Enclosing);
    tell(C,
         {.AllocatedNs = Block.allocatedNs(),
          .Block = AllocationId,
          .Size = Entry.Size,
          .Weight = P.Weight,
          .AllocatedBy = Block.thread()},
         Entry);
    I.Live.erase(Block);
    return Error::success();
  }
  if (P.Weight)
    return fail(C, "block " + Twine(AllocationId) +
                       ", which stands for several, is resized or split");
  if (E.Kind[C.Row] == EventKind::Split)
    return split(C, Block);
  uint64_t Size = E.RefSize[C.ref()];
  if (Counts)
    A.resize(Ref, Entry.Size, Size, TimeNs, P.Enclosing);
  else if (IsInside)
    A.resizeUncounted(Entry.ScopeRow, Entry.Size, Size, TimeNs, P.Enclosing);
  uint64_t SizeBefore = std::exchange(Entry.Size, Size);
  tell(C,
       {.AllocatedNs = Block.allocatedNs(),
        .Block = AllocationId,
        .Size = Size,
        .SizeBefore = SizeBefore,
        .AllocatedBy = Block.thread()},
       Entry);
  return Error::success();
}

Error Replay::split(ReplayCursor &C, LiveSet::LiveCursor Block) {
  LiveSet::LiveSetEntry Rest = Block.entry();
  LiveSet::RareValues P = Block.place();
  uint64_t AllocatedNs = Block.allocatedNs(), Size = C.Open->RefSize[C.ref()];
  uint32_t Thread = Block.thread();
  if (Size > Rest.Size)
    return badSplit(C, C.ref(), Rest.Size);
  uint64_t TimeNs = C.Open->TimeNs[C.Row];
  if (Rest.Row != Refused && !Options.BlocksOnly)
    A.split({C.Open->Block[C.ref()], Rest.Row, Rest.ScopeRow}, TimeNs,
            P.Enclosing);
  else if (Rest.Row == Refused && Rest.ScopeRow)
    A.splitUncounted(Rest.ScopeRow, TimeNs, P.Enclosing);
  Block.entry().Size = Size;
  tell(C,
       {.AllocatedNs = AllocatedNs,
        .Block = C.Open->Block[C.ref()],
        .Size = Size,
        .SizeBefore = Rest.Size,
        .AllocatedBy = Thread},
       Rest);
  Rest.Size -= Size;
  if (P.Address)
    P.Address += Size;
  C.I->Live.add(Rest, AllocatedNs, Thread);
  if (P.Address || P.Enclosing)
    C.I->Live.setPlaceOfLast(P);
  return Error::success();
}

/// Replays the row of the cursor.
Error Replay::runOne(ReplayCursor &C) {
  constexpr size_t Ahead = 8;
  if (size_t Ref = C.ref() + Ahead; Ref < C.Open->Block.size())
    C.I->Live.prefetch(C.Open->Block[Ref]);
  bool Allocates = C.Open->Kind[C.Row] == EventKind::Allocate;
  if (Error E = Allocates ? allocate(C) : reference(C))
    return E;
  C.Alloc += Allocates;
  C.Row += 1;
  return Error::success();
}

/// Replays rows until End or the first at or after LimitNs.
Error Replay::runRows(ReplayCursor &C, size_t End, uint64_t LimitNs) {
  const std::vector<uint64_t> &Times = C.Open->TimeNs;
  if (End && Times[End - 1] >= LimitNs)
    End =
        std::lower_bound(Times.begin() + C.Row, Times.begin() + End, LimitNs) -
        Times.begin();
  size_t Begin = C.Row;
  // IsDone and OnEvent must be called after each event.
  uint64_t SingleFromNs = DoneFromNs;
  if (Options.OnEvent && !Options.OnEvents)
    SingleFromNs = std::min(SingleFromNs, Options.OnEventFromNs);
  size_t ManyEnd = canRunMany(C) ? End : 0;
  if (ManyEnd && Times[ManyEnd - 1] >= SingleFromNs)
    ManyEnd = std::lower_bound(Times.begin() + C.Row, Times.begin() + End,
                               SingleFromNs) -
              Times.begin();
  C.Noted = C.Alloc;
  while (C.Row != End) {
    if (C.Row + Few <= ManyEnd) {
      if (Error E = runMany(C, std::min(ManyEnd, C.Row + Many)))
        return E;
      if (Stopped)
        break;
      continue;
    }
    noteAllocations(C);
    uint64_t TimeNs = Times[C.Row];
    if (Error E = runOne(C))
      return E;
    C.Noted = C.Alloc;
    IsDone = TimeNs >= DoneFromNs && Done();
    Stopped |= IsDone;
    if (Stopped)
      break;
  }
  noteAllocations(C);
  if (C.Row != Begin)
    LastNs = Times[C.Row - 1];
  C.I->Events += C.Row - Begin;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Boundaries
//===----------------------------------------------------------------------===//

void Replay::findBoundary() {
  BoundaryNs = NextMark < Marks.size() ? Marks[NextMark].TimeNs : UINT64_MAX;
  if (Observer)
    BoundaryNs = std::min(BoundaryNs, Observer->nextTimeStop());
}

/// Applies all marks and stops up to TimeNs. At the same time, stops come
/// first.
Error Replay::crossBoundaries(uint64_t TimeNs) {
  while (BoundaryNs <= TimeNs && BoundaryNs != UINT64_MAX) {
    if (Observer && Observer->nextTimeStop() == BoundaryNs) {
      uint64_t NextNs = TimeNs;
      if (NextMark < Marks.size())
        NextNs = std::min(NextNs, Marks[NextMark].TimeNs);
      if (Error E = Observer->timeStop(BoundaryNs, NextNs))
        return E;
    } else if (Error E = applyMark(Marks[NextMark++])) {
      return E;
    }
    findBoundary();
  }
  return Error::success();
}

Error Replay::applyMark(const Mark &M) {
  switch (M.Kind) {
  case MarkKind::Step:
    if (A.isEnded(M.Process))
      return Error::success();
    A.beginStep(M.Process, M.Id, M.TimeNs);
    return Observer ? Observer->stepBegun(M.Process, M.TimeNs)
                    : Error::success();
  case MarkKind::ProcessEnd: {
    if (A.isEnded(M.Process))
      return Error::success();
    if (Observer)
      if (Error E = Observer->processEnds(M.Process, M.TimeNs))
        return E;
    int32_t Status = !M.Values.empty() ? static_cast<int32_t>(M.Values[0]) : -1;
    uint32_t Signal =
        M.Values.size() > 1 ? static_cast<uint32_t>(M.Values[1]) : 0;
    if (M.Values.size() > 2)
      A.noteResident(M.Process, M.Values[2], 0);
    A.endProcess(M.Process, M.TimeNs, Status, Signal);
    if (ProcessReplay *I = Processes[M.Process].get()) {
      I->Live.clear();
      I->Stacks.clear();
      I->ScopePaths.clear();
    }
    return Error::success();
  }
  case MarkKind::HeapReserved:
    if (M.Heap && !M.Values.empty() && !A.isEnded(M.Process))
      A.setReserved(M.Process, M.Heap, M.Values[0]);
    return Error::success();
  case MarkKind::Rss:
  case MarkKind::Pss:
    if (!M.Values.empty())
      A.noteResident(M.Process, M.Kind == MarkKind::Rss ? M.Values[0] : 0,
                     M.Kind == MarkKind::Pss ? M.Values[0] : 0);
    return Error::success();
  case MarkKind::Loss:
    if (!M.Values.empty())
      A.addLoss(M.Process, lossKindOf(M.Id), M.Values[0]);
    return Error::success();
  default:
    return Error::success();
  }
}

//===----------------------------------------------------------------------===//
// Sections, epochs, the whole
//===----------------------------------------------------------------------===//

/// Starts to decode the sections that run() will need.
void Replay::decodeAhead() {
  // To hand over a smaller section takes longer than to decode it.
  constexpr uint64_t FewBytes = 8 << 10;
  std::vector<const SectionInfo *> Wanted;
  std::vector<uint64_t> Skip(Processes.size());
  for (const std::unique_ptr<ProcessReplay> &I : Processes)
    if (I)
      Skip[I->Id] = I->Ignored ? UINT64_MAX : I->Skip;
  auto Add = [&](const SectionInfo &B) {
    bool Skipped = Skip[B.Process] >= B.Events;
    Skip[B.Process] -=
        Skip[B.Process] == UINT64_MAX ? 0 : std::min(Skip[B.Process], B.Events);
    if (!Skipped && B.BeginNs <= UntilNs && B.Raw >= FewBytes)
      Wanted.push_back(&B);
  };
  // A run that goes on is in the middle of an epoch.
  for (const ReplayCursor *C : Earliest)
    for (size_t At = C->Section + (C->Open != nullptr); At < C->Sections.size();
         ++At)
      Add(*C->Sections[At]);
  std::sort(Wanted.begin(), Wanted.end());
  for (const SectionInfo &B : R.sections().drop_front(NextSection))
    if (B.Kind == SectionKind::Events && B.Events)
      Add(B);
  auto Check = [this](const SectionInfo &B, const EventTable &E) {
    std::string Problem = limitsAt(B.Offset).check(E);
    return Problem.empty() ? Error::success() : fail(B, Problem);
  };
  Ahead = std::make_unique<EventsAhead>(R, std::move(Wanted), Check);
}

/// Gets and checks the section of a cursor.
Error Replay::openSection(ReplayCursor &C) {
  const SectionInfo &At = *C.Sections[C.Section];
  if (Error Err = Ahead->take(At, C.Open))
    return Err;
  EventTable &E = *C.Open;
  size_t Rows = E.rows();
  if (Rows != At.Events || E.Process != At.Process || E.Epoch != At.Epoch ||
      (Rows && E.TimeNs.front() != At.BeginNs))
    return fail(At, "the events do not match the index");
  ProcessReplay &I = *C.I;
  I.Stacks.open();
  I.ScopePaths.open();
  C.Row = std::min<uint64_t>(I.Skip, Rows);
  I.Skip -= C.Row;
  C.Alloc = std::lower_bound(E.AllocRow.begin(), E.AllocRow.end(), C.Row) -
            E.AllocRow.begin();
  auto IsSplit = [](EventKind K) { return K == EventKind::Split; };
  uint64_t Next =
      E.FirstAllocationId + C.Alloc +
      std::count_if(E.Kind.begin(), E.Kind.begin() + C.Row, IsSplit);
  if (C.Row != Rows && Next != I.Live.next())
    return fail(At, "events from block " + Twine(Next) + " on, but block " +
                        Twine(I.Live.next()) + " is the next");
  if (C.Row != Rows && E.TimeNs[C.Row] < LastNs)
    return fail(At, "events out of order: from " + Twine(E.TimeNs[C.Row]) +
                        " ns on, after " + Twine(LastNs) + " ns");
  C.HeadNs = C.Row != Rows ? E.TimeNs[C.Row] : At.EndNs;
  C.OwnBefore.clear();
  for (uint32_t Thread : E.Threads)
    C.OwnBefore.push_back(A.lastAllocation(Thread));
  return Error::success();
}

void Replay::closeSection(ReplayCursor &C) {
  Ahead->giveBack(std::move(C.Open));
  if (++C.Section < C.Sections.size())
    C.HeadNs = std::max(C.HeadNs, C.Sections[C.Section]->BeginNs);
}

/// Replays the section of the cursor up to LimitNs or its end.
Error Replay::runCursor(ReplayCursor &C, uint64_t LimitNs) {
  const SectionInfo &At = *C.Sections[C.Section];
  ProcessReplay &I = *C.I;
  if (!C.Open && (I.Skip >= At.Events || I.Ignored)) {
    // The snapshot already includes all events of the section.
    I.Skip -= std::min(I.Skip, At.Events);
    if (++C.Section < C.Sections.size())
      C.HeadNs = C.Sections[C.Section]->BeginNs;
    return Error::success();
  }
  if (!C.Open)
    if (Error E = openSection(C))
      return E;
  const EventTable &E = *C.Open;
  while (C.Row != E.rows() && !Stopped) {
    uint64_t Time = C.HeadNs = E.TimeNs[C.Row];
    if (Time >= LimitNs)
      return Error::success();
    // No other process has an earlier event.
    if (Time > UntilNs) {
      Stopped = Passed = true;
      return Error::success();
    }
    if (Time >= BoundaryNs)
      if (Error Err = crossBoundaries(Time))
        return Err;
    if (A.isEnded(I.Id))
      return fail(At, "an event at " + Twine(Time) + " ns of process " +
                          Twine(I.Id) + ", which has ended");
    if (Observer)
      BoundaryNs = std::min(BoundaryNs, Observer->nextTimeStopWith(I.Id, Time));
    uint64_t Stop = std::min(LimitNs, BoundaryNs);
    if (UntilNs != UINT64_MAX)
      Stop = std::min(Stop, UntilNs + 1);
    size_t End =
        C.Row + std::min<uint64_t>(E.rows() - C.Row, I.NextStop - I.Events);
    if (Error Err = runRows(C, End, Stop))
      return Err;
    if (I.Events == I.NextStop) {
      if (Error Err = Observer->eventStop(I.Id, E.TimeNs[C.Row - 1]))
        return Err;
      I.NextStop = Observer->nextEventStop(I.Id);
    }
  }
  if (!Stopped)
    closeSection(C);
  return Error::success();
}

/// Sections: the event sections of one epoch, in file order.
void Replay::openEpoch(llvm::ArrayRef<const SectionInfo *> Sections) {
  Cursors.clear();
  std::vector<uint32_t> CursorOf(Processes.size());
  for (const SectionInfo *B : Sections) {
    if (!CursorOf[B->Process]) {
      Cursors.emplace_back();
      Cursors.back().I = Processes[B->Process].get();
      CursorOf[B->Process] = Cursors.size();
    }
    ReplayCursor &C = Cursors[CursorOf[B->Process] - 1];
    if (C.Sections.empty())
      C.HeadNs = B->BeginNs;
    C.Sections.push_back(B);
  }
  for (ReplayCursor &C : Cursors)
    Earliest.push_back(&C);
}

/// Opens the next epoch; after the last, no cursor is left.
Error Replay::nextEpoch() {
  std::vector<const SectionInfo *> Epoch;
  for (; NextSection != R.sections().size(); ++NextSection) {
    const SectionInfo &B = R.sections()[NextSection];
    if (B.Kind != SectionKind::Events || B.Events == 0)
      continue;
    if (!Epoch.empty() && Epoch.back()->Epoch != B.Epoch) {
      if (B.Epoch < Epoch.back()->Epoch)
        return fail(B, "epoch " + Twine(B.Epoch) + " after epoch " +
                           Twine(Epoch.back()->Epoch));
      break;
    }
    Epoch.push_back(&B);
  }
  openEpoch(Epoch);
  return Error::success();
}

/// Replays the cursors, also from the middle.
Error Replay::runEpoch() {
  auto Later = [](const ReplayCursor *X, const ReplayCursor *Y) {
    return X->HeadNs != Y->HeadNs ? X->HeadNs > Y->HeadNs : X->I->Id > Y->I->Id;
  };
  std::make_heap(Earliest.begin(), Earliest.end(), Later);
  while (!Earliest.empty() && !Stopped) {
    std::pop_heap(Earliest.begin(), Earliest.end(), Later);
    ReplayCursor &C = *Earliest.back();
    uint64_t LimitNs = UINT64_MAX;
    if (Earliest.size() > 1) {
      const ReplayCursor &Other = *Earliest.front();
      LimitNs = Other.HeadNs + (C.I->Id < Other.I->Id);
    }
    if (Error E = runCursor(C, LimitNs))
      return E;
    if (C.Section == C.Sections.size())
      Earliest.pop_back();
    else
      std::push_heap(Earliest.begin(), Earliest.end(), Later);
  }
  return Error::success();
}

Error Replay::run(uint64_t Until) {
  UntilNs = Until;
  Passed = false;
  if (!HasStarted)
    if (Error E = startAtBases())
      return E;
  findBoundary();
  for (const std::unique_ptr<ProcessReplay> &I : Processes)
    if (I && Observer) {
      // A stop at or before the start of the replay never occurs.
      I->NextStop = Observer->nextEventStop(I->Id);
      if (I->NextStop <= I->Events)
        I->NextStop = UINT64_MAX;
    }
  decodeAhead();
  return resume();
}

Error Replay::resume() {
  Stopped = false;
  while (!Stopped) {
    if (Earliest.empty())
      if (Error E = nextEpoch())
        return E;
    if (Earliest.empty())
      break;
    if (Error E = runEpoch())
      return E;
  }
  AtEnd = !Stopped || Passed || IsDone;
  if (!AtEnd)
    return Error::success();
  Ahead.reset();
  if (IsDone)
    return Error::success();
  // Remaining marks and stops have no event after them.
  return crossBoundaries(std::min(UntilNs, EndNs));
}

Error Replay::runUntil(uint64_t FromNs, std::function<bool()> IsLast) {
  DoneFromNs = FromNs;
  Done = std::move(IsLast);
  return run();
}
