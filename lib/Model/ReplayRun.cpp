//===- ReplayRun.cpp - The events of a trace in their order -----*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/Replay.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// One event
//===----------------------------------------------------------------------===//

/// The slower way to the rows of an allocation; remembers them.
void Replay::findRows(ImageReplay &I, const Event &E, LiveSet::Entry &Entry) {
  Entry.Row = A.stackRow(I.Id, E.Heap, E.Stack);
  I.Stacks.set(E.Stack, E.Heap, Entry.Row);
  Entry.ContextRow = A.contextRow(I.Id, E.Heap, E.Context);
  if (E.Context)
    I.Contexts.set(E.Context, E.Heap, Entry.ContextRow);
}

inline LiveSet::Entry Replay::newEntry(ImageReplay &I, const Event &E) {
  LiveSet::Entry Entry;
  Entry.Size = E.Size;
  Entry.Row = I.Stacks.find(E.Stack, E.Heap);
  if (LLVM_UNLIKELY(E.Context))
    Entry.ContextRow = I.Contexts.find(E.Context, E.Heap);
  if (LLVM_UNLIKELY(!Entry.Row || (E.Context && !Entry.ContextRow)))
    findRows(I, E, Entry);
  return Entry;
}

Error Replay::allocate(ImageReplay &I, const Events &E, size_t Row,
                       const BlockInfo &At) {
  const Event &Ev = E.Rows[Row];
  LiveSet::Entry Entry = newEntry(I, Ev);
  const EventColumns &C = E.Columns;
  LiveSet::Place P;
  if (!C.Address.empty())
    P.Address = C.Address[Row];
  if (!C.Enclosing.empty())
    P.Enclosing = C.Enclosing[Row];
  BlockRef Ref{Ev.Block, Entry.Row, Entry.ContextRow}, Outer;
  if (P.Enclosing) {
    LiveSet::Cursor In = I.Live.find(P.Enclosing - 1);
    if (!In)
      return fail(At, "row " + Twine(Row) + " lies in block " +
                          Twine(P.Enclosing - 1) + ", which is not live");
    Outer = {P.Enclosing - 1, In.entry().Row, In.entry().ContextRow};
  }
  if (Options.Select && !Options.Select({Ev.TimeNs, Ev.Size, I.Id, Ev.Thread,
                                         Ev.Heap, Ev.Stack, Ev.Context}))
    Entry.Row = Refused;
  else if (Outer.Row && Outer.Row != Refused)
    A.allocateIn(Ref, Outer, Ev.Size, Ev.TimeNs, Ev.Thread);
  else
    A.allocate(Ref, Ev.Size, Ev.TimeNs, Ev.Thread);
  I.Live.add(Entry, Ev.TimeNs, Ev.Thread);
  if (P.Address || P.Enclosing)
    I.Live.setPlaceOfLast(P);
  return Error::success();
}

Error Replay::reference(ImageReplay &I, const Event &E, const BlockInfo &At) {
  LiveSet::Cursor C = I.Live.find(E.Block);
  if (LLVM_UNLIKELY(!C))
    return fail(At, "an event at " + Twine(E.TimeNs) + " ns names block " +
                        Twine(E.Block) + ", which is not live");
  LiveSet::Entry &Entry = C.entry();
  uint64_t Enclosing = C.place().Enclosing;
  bool Counts = Entry.Row != Refused;
  BlockRef Ref{E.Block, Entry.Row, Entry.ContextRow};
  if (LLVM_LIKELY(E.Kind == EventKind::Free)) {
    if (Counts)
      A.free(Ref, Entry.Size, E.TimeNs, E.Thread, Enclosing);
    I.Live.erase(C);
    return Error::success();
  }
  if (E.Kind == EventKind::Split)
    return split(I, E, At, C);
  if (Counts)
    A.resize(Ref, Entry.Size, E.Size, E.TimeNs, Enclosing);
  Entry.Size = E.Size;
  return Error::success();
}

Error Replay::split(ImageReplay &I, const Event &E, const BlockInfo &At,
                    LiveSet::Cursor C) {
  LiveSet::Entry Rest = C.entry();
  LiveSet::Place P = C.place();
  uint64_t BirthNs = C.birthNs();
  uint32_t Thread = C.thread();
  if (E.Size > Rest.Size)
    return fail(At, "block " + Twine(E.Block) + " of " + Twine(Rest.Size) +
                        " bytes is split at " + Twine(E.Size));
  if (Rest.Row != Refused)
    A.split({E.Block, Rest.Row, Rest.ContextRow}, E.TimeNs, P.Enclosing);
  C.entry().Size = E.Size;
  Rest.Size -= E.Size;
  if (P.Address)
    P.Address += E.Size;
  I.Live.add(Rest, BirthNs, Thread);
  if (P.Address || P.Enclosing)
    I.Live.setPlaceOfLast(P);
  return Error::success();
}

/// A or B, without a branch: which kind an event is cannot be foretold.
static const uint32_t *choose(bool First, const uint32_t *A,
                              const uint32_t *B) {
  uintptr_t Mask = -uintptr_t(First);
  return reinterpret_cast<const uint32_t *>(
      (reinterpret_cast<uintptr_t>(A) & Mask) |
      (reinterpret_cast<uintptr_t>(B) & ~Mask));
}

/// Rows of sums and live blocks lie all over memory: what an event will touch
/// is fetched while earlier ones are replayed, first the way to the row, then
/// it. This is the way: where the number of the row stands.
inline const uint32_t *Replay::wayToRow(const ImageReplay &I, const Event &E) {
  return choose(E.Kind == EventKind::Allocate, I.Stacks.peek(E.Stack),
                &I.Live.peek(E.Block)->Row);
}

/// Replays rows of a block without places until End or one that is neither an
/// allocation nor the free of a live block; gives that row. The path of nearly
/// all events.
template <bool FetchRows>
size_t Replay::runPlainRows(ImageReplay &I, const Events &E, size_t Row,
                            size_t End) {
  const Event *Rows = E.Rows.data();
  size_t Last = E.Rows.size() - 1;
  for (; Row != End; ++Row) {
    const Event &Ev = Rows[Row];
    const Event &Coming = Rows[std::min(Row + WayAhead, Last)];
    __builtin_prefetch(I.Live.peek(Coming.Block));
    if (FetchRows) {
      __builtin_prefetch(I.Stacks.peek(Coming.Stack));
      A.prefetchRow(*wayToRow(I, Rows[std::min(Row + RowAhead, Last)]));
    }
    if (Ev.Kind == EventKind::Allocate) {
      LiveSet::Entry Entry = newEntry(I, Ev);
      A.allocate({Ev.Block, Entry.Row, Entry.ContextRow}, Ev.Size, Ev.TimeNs,
                 Ev.Thread);
      I.Live.add(Entry, Ev.TimeNs, Ev.Thread);
      continue;
    }
    LiveSet::Cursor C = I.Live.find(Ev.Block);
    if (LLVM_UNLIKELY(!C || Ev.Kind != EventKind::Free))
      break;
    const LiveSet::Entry Entry = C.entry();
    A.free({Ev.Block, Entry.Row, Entry.ContextRow}, Entry.Size, Ev.TimeNs,
           Ev.Thread, C.place().Enclosing);
    I.Live.erase(C);
  }
  return Row;
}

/// Replays rows until End or the first at or after LimitNs; Row says how far.
Error Replay::runRows(ImageReplay &I, const Events &E, const BlockInfo &At,
                      size_t &Row, size_t End, uint64_t LimitNs) {
  auto First = E.Rows.begin();
  if (End && E.Rows[End - 1].TimeNs >= LimitNs)
    End = std::lower_bound(
              First + Row, First + End, LimitNs,
              [](const Event &X, uint64_t Ns) { return X.TimeNs < Ns; }) -
          First;
  bool Plain = I.Live.next() && E.Columns.Enclosing.empty() &&
               E.Columns.Address.empty() && !Options.Select &&
               DoneFromNs == UINT64_MAX;
  // Few rows are in the caches anyway.
  bool FetchRows = A.numStackRows() > ManyRows;
  size_t Begin = Row;
  while (Row != End) {
    if (Plain) {
      Row = FetchRows ? runPlainRows<true>(I, E, Row, End)
                      : runPlainRows<false>(I, E, Row, End);
      if (Row == End)
        break;
    }
    const Event &Ev = E.Rows[Row];
    if (Error Err = Ev.Kind == EventKind::Allocate ? allocate(I, E, Row, At)
                                                   : reference(I, Ev, At))
      return Err;
    ++Row;
    if (Ev.TimeNs >= DoneFromNs && Done()) {
      Stopped = true;
      break;
    }
  }
  I.Events += Row - Begin;
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
    if (A.isEnded(M.Image))
      return Error::success();
    A.beginStep(M.Image, M.Id, M.TimeNs);
    return Observer ? Observer->stepBegun(M.Image, M.TimeNs) : Error::success();
  case MarkKind::ImageEnd: {
    if (A.isEnded(M.Image))
      return Error::success();
    if (Observer)
      if (Error E = Observer->imageEnds(M.Image, M.TimeNs))
        return E;
    int32_t Status = !M.Values.empty() ? static_cast<int32_t>(M.Values[0]) : -1;
    uint32_t Signal =
        M.Values.size() > 1 ? static_cast<uint32_t>(M.Values[1]) : 0;
    A.endImage(M.Image, M.TimeNs, Status, Signal);
    if (ImageReplay *I = Images[M.Image].get()) {
      I->Live.clear();
      I->Stacks.clear();
      I->Contexts.clear();
    }
    return Error::success();
  }
  case MarkKind::HeapReserved:
    if (M.Heap && !M.Values.empty() && !A.isEnded(M.Image))
      A.setReserved(M.Image, M.Heap, M.Values[0]);
    return Error::success();
  case MarkKind::Loss:
    if (M.Id < NumLossKinds && !M.Values.empty())
      A.addLoss(M.Image, static_cast<LossKind>(M.Id), M.Values[0]);
    return Error::success();
  default:
    return Error::success();
  }
}

//===----------------------------------------------------------------------===//
// Blocks, epochs, the whole
//===----------------------------------------------------------------------===//

/// As IdLimits::check(), which is asked for the words only.
std::string Replay::checkIds(const Events &E, const IdLimits &Known) const {
  uint32_t Stack = 0, Context = 0, Thread = 0, Heap = 0;
  bool None = false;
  for (const Event &Ev : E.Rows) {
    Stack = std::max(Stack, Ev.Stack);
    Context = std::max(Context, Ev.Context);
    Thread = std::max(Thread, Ev.Thread);
    Heap = std::max<uint32_t>(Heap, Ev.Heap);
    None |=
        (Ev.Thread == 0) | ((Ev.Heap == 0) & (Ev.Kind == EventKind::Allocate));
  }
  bool Good = Stack <= Known.Stacks && Context <= Known.Contexts &&
              Thread <= Known.Threads && Heap <= Known.Heaps && !None &&
              E.Image != 0 && E.Image <= Known.Images;
  return Good ? std::string() : Known.check(E);
}

/// Decodes and checks the block that a cursor stands at.
Error Replay::openBlock(Cursor &C) {
  const BlockInfo &At = *C.Blocks[C.Block];
  if (SpareBuffers.empty()) {
    C.Open = std::make_unique<Events>();
  } else {
    C.Open = std::move(SpareBuffers.back());
    SpareBuffers.pop_back();
  }
  Events &E = *C.Open;
  if (Error Err = R.read(At, E))
    return Err;
  std::string Problem = checkIds(E, limitsAt(At.Offset));
  if (!Problem.empty())
    return fail(At, Problem);
  if (E.Rows.size() != At.Events || E.Image != At.Image ||
      E.Epoch != At.Epoch ||
      (!E.Rows.empty() && E.Rows.front().TimeNs != At.BeginNs))
    return fail(At, "the events are not those that the index tells of");
  ImageReplay &I = *C.I;
  C.Row = std::min<uint64_t>(I.Skip, E.Rows.size());
  I.Skip -= C.Row;
  uint64_t Next = E.FirstOrdinal;
  for (size_t Row = 0; Row < C.Row; ++Row)
    Next += E.Rows[Row].Kind == EventKind::Allocate ||
            E.Rows[Row].Kind == EventKind::Split;
  if (C.Row != E.Rows.size() && Next != I.Live.next())
    return fail(At, "events from block " + Twine(Next) + " on, but block " +
                        Twine(I.Live.next()) + " is the next");
  if (C.Row != E.Rows.size() && E.Rows[C.Row].TimeNs < A.lastEventNs())
    return fail(At, "events out of order: from " + Twine(E.Rows[C.Row].TimeNs) +
                        " ns on, after " + Twine(A.lastEventNs()) + " ns");
  C.HeadNs = C.Row != E.Rows.size() ? E.Rows[C.Row].TimeNs : At.EndNs;
  return Error::success();
}

void Replay::closeBlock(Cursor &C) {
  SpareBuffers.push_back(std::move(C.Open));
  if (++C.Block < C.Blocks.size())
    C.HeadNs = std::max(C.HeadNs, C.Blocks[C.Block]->BeginNs);
}

/// Replays the block at which the cursor stands up to LimitNs or its end.
Error Replay::runCursor(Cursor &C, uint64_t LimitNs) {
  const BlockInfo &At = *C.Blocks[C.Block];
  ImageReplay &I = *C.I;
  if (!C.Open && (I.Skip >= At.Events || I.Ignored)) {
    // The keyframe has them all.
    I.Skip -= std::min(I.Skip, At.Events);
    if (++C.Block < C.Blocks.size())
      C.HeadNs = C.Blocks[C.Block]->BeginNs;
    return Error::success();
  }
  if (!C.Open)
    if (Error E = openBlock(C))
      return E;
  const Events &E = *C.Open;
  while (C.Row != E.Rows.size() && !Stopped) {
    uint64_t Time = C.HeadNs = E.Rows[C.Row].TimeNs;
    if (Time > UntilNs)
      Stopped = true;
    if (Time >= LimitNs || Stopped)
      return Error::success();
    if (Time >= BoundaryNs)
      if (Error Err = crossBoundaries(Time))
        return Err;
    if (A.isEnded(I.Id))
      return fail(At, "an event at " + Twine(Time) + " ns of image " +
                          Twine(I.Id) + ", which has ended");
    uint64_t Stop = std::min(LimitNs, BoundaryNs);
    if (UntilNs != UINT64_MAX)
      Stop = std::min(Stop, UntilNs + 1);
    size_t End = C.Row + std::min<uint64_t>(E.Rows.size() - C.Row,
                                            I.NextStop - I.Events);
    if (Error Err = runRows(I, E, At, C.Row, End, Stop))
      return Err;
    if (I.Events == I.NextStop) {
      if (Error Err = Observer->eventStop(I.Id, E.Rows[C.Row - 1].TimeNs))
        return Err;
      I.NextStop = Observer->nextEventStop(I.Id);
    }
  }
  if (!Stopped)
    closeBlock(C);
  return Error::success();
}

/// Blocks: the event blocks of one epoch, in file order.
Error Replay::runEpoch(llvm::ArrayRef<const BlockInfo *> Blocks) {
  std::vector<Cursor> Cursors;
  std::vector<uint32_t> CursorOf(Images.size());
  for (const BlockInfo *B : Blocks) {
    if (!CursorOf[B->Image]) {
      Cursors.emplace_back();
      Cursors.back().I = Images[B->Image].get();
      CursorOf[B->Image] = Cursors.size();
    }
    Cursor &C = Cursors[CursorOf[B->Image] - 1];
    if (C.Blocks.empty())
      C.HeadNs = B->BeginNs;
    C.Blocks.push_back(B);
  }
  // A heap of cursors, the earliest on top.
  auto Later = [](const Cursor *X, const Cursor *Y) {
    return X->HeadNs != Y->HeadNs ? X->HeadNs > Y->HeadNs : X->I->Id > Y->I->Id;
  };
  std::vector<Cursor *> Heap;
  for (Cursor &C : Cursors)
    Heap.push_back(&C);
  std::make_heap(Heap.begin(), Heap.end(), Later);
  while (!Heap.empty() && !Stopped) {
    std::pop_heap(Heap.begin(), Heap.end(), Later);
    Cursor &C = *Heap.back();
    uint64_t LimitNs = UINT64_MAX;
    if (Heap.size() > 1) {
      const Cursor &Other = *Heap.front();
      LimitNs = Other.HeadNs + (C.I->Id < Other.I->Id);
    }
    if (Error E = runCursor(C, LimitNs))
      return E;
    if (C.Block == C.Blocks.size())
      Heap.pop_back();
    else
      std::push_heap(Heap.begin(), Heap.end(), Later);
  }
  return Error::success();
}

Error Replay::run(uint64_t Until) {
  UntilNs = Until;
  findBoundary();
  for (const std::unique_ptr<ImageReplay> &I : Images)
    if (I && Observer)
      I->NextStop = Observer->nextEventStop(I->Id);
  std::vector<const BlockInfo *> Epoch;
  for (const BlockInfo &B : R.blocks()) {
    if (B.Kind != BlockKind::Events || B.Events == 0)
      continue;
    if (!Epoch.empty() && Epoch.back()->Epoch != B.Epoch) {
      if (B.Epoch < Epoch.back()->Epoch)
        return fail(B, "epoch " + Twine(B.Epoch) + " after epoch " +
                           Twine(Epoch.back()->Epoch));
      if (Error E = runEpoch(Epoch))
        return E;
      Epoch.clear();
      if (Stopped)
        break;
    }
    Epoch.push_back(&B);
  }
  if (!Epoch.empty())
    if (Error E = runEpoch(Epoch))
      return E;
  // What remains has no event after it.
  bool Early = Stopped && UntilNs == UINT64_MAX;
  return Early ? Error::success() : crossBoundaries(std::min(UntilNs, EndNs));
}

Error Replay::runUntil(uint64_t FromNs, llvm::function_ref<bool()> IsDone) {
  DoneFromNs = FromNs;
  Done = IsDone;
  return run();
}
