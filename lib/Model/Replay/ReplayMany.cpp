// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays many events at once.
//
// Replays a range of rows in three loops: all allocations, then all references
// to blocks, then the stats. No loop has to predict the kind of the next event.
// The order is correct because the allocation ids of new blocks are known in
// advance, and because the decoder has checked that each block is named only
// after its creation.

#include "memkit/Model/Replay.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

/// Whether the rows of a section need nothing that runMany() leaves out: places
/// of blocks, selections, threads of live blocks.
bool Replay::canRunMany(const ReplayCursor &C) const {
  const EventColumns &Columns = C.Open->Columns;
  return Columns.Enclosing.empty() && Columns.Address.empty() &&
         Columns.Weight.empty() && !Options.Select && !Options.KeepThreads &&
         !C.I->Live.hasPlaces() &&
         (Options.BlocksOnly || !A.hasNested(C.I->Id));
}

/// Replays the rows before End, or some of them.
Error Replay::runMany(ReplayCursor &C, size_t End) {
  const EventTable &E = *C.Open;
  // Each row creates at most one block.
  size_t Room = C.I->Live.room().Count;
  End = std::min(End, C.Row + Room);
  size_t Alloc =
      std::lower_bound(E.AllocRow.begin() + C.Alloc, E.AllocRow.end(), End) -
      E.AllocRow.begin();
  size_t FirstRef = C.ref(), Ref = End - Alloc;
  size_t Created = Alloc - C.Alloc;
  if (!E.RefSize.empty())
    for (size_t At = FirstRef; At != Ref; ++At)
      Created += E.Kind[E.RefRow[At]] == EventKind::Split;
  Changes.resize(Many);
  addBlocks(C, Alloc, Created);
  if (Error Err = changeBlocks(C, FirstRef, Ref))
    return Err;
  C.I->Live.packDue();
  if (!Options.BlocksOnly)
    A.apply(C.I->Id, llvm::ArrayRef(Changes).take_front(End - C.Row),
            &E.TimeNs[C.Row]);
  if (Options.OnEvents) {
    ReplayedRows Rows{
        &E,        C.Row,    End,
        C.Alloc,   FirstRef, llvm::ArrayRef(Changes).take_front(End - C.Row),
        &BlockRows};
    Stopped |= !Options.OnEvents(Rows);
  }
  C.Row = End;
  C.Alloc = Alloc;
  return Error::success();
}

/// Adds Created blocks: those allocated before allocation End, and empty
/// entries for blocks made by splits.
void Replay::addBlocks(ReplayCursor &C, size_t End, size_t Created) {
  const EventTable &E = *C.Open;
  ProcessReplay &I = *C.I;
  LiveSet::Room To = I.Live.room();
  size_t Allocated = End - C.Alloc, Last = E.Stack.size() - 1;
  if (Created != Allocated)
    std::fill_n(To.Entries, Created, LiveSet::LiveSetEntry());
  // Local pointers: for the compiler, a store could change the members of
  // vectors.
  const uint32_t *Rows = E.AllocRow.data(),
                 *AllocationIds = E.AllocationOffset.data(),
                 *Stacks = E.Stack.data(),
                 *ScopePaths =
                     E.ScopePath.empty() ? nullptr : E.ScopePath.data();
  const uint16_t *Heaps = E.Heap.data();
  const uint64_t *Sizes = E.AllocSize.data(), *Times = E.TimeNs.data();
  Change *ChangeOf = Changes.data();
  const bool CountsStats = !Options.BlocksOnly,
             HasKeys = static_cast<bool>(Options.KeyOf);
  auto First = static_cast<uint32_t>(I.Live.next() - E.FirstAllocationId);
  for (size_t At = C.Alloc; At != End; ++At) {
    I.Stacks.prefetch(Stacks[std::min(At + StackAhead, Last)]);
    uint32_t Row = Rows[At], Place = AllocationIds[At] - First;
    uint32_t ScopePath = ScopePaths ? ScopePaths[At] : 0;
    LiveSet::LiveSetEntry Entry =
        LLVM_UNLIKELY(HasKeys)
            ? keyedEntry({Times[Row], Sizes[At], I.Id, E.threadOf(Row),
                          Heaps[At], Stacks[At], ScopePath,
                          E.FirstAllocationId + AllocationIds[At]})
            : newEntry(I, Stacks[At], ScopePath, Heaps[At]);
    Entry.Size = Sizes[At];
    To.Entries[Place] = Entry;
    To.AllocationTimes[Place] = Times[Row];
    if (CountsStats)
      A.prefetchRow(Entry.Row);
    ChangeOf[Row - C.Row] = {Entry.Size, Entry.Row, Entry.ScopeRow,
                             Change::Allocate};
  }
  I.Live.fill(Created, Allocated);
}

/// Adds the allocations of each thread to LiveStats.
void Replay::noteAllocations(ReplayCursor &C) {
  const EventTable &E = *C.Open;
  if (C.Noted == C.Alloc)
    return;
  struct EventTotal {
    uint64_t Count, Bytes, Uncounted;
    uint32_t Last; ///< relative to the first allocation id of the section
  };
  EventTotal
      Sums[MaxSectionThreads]; // only the first E.Threads.size() are used
  std::fill_n(Sums, E.Threads.size(), EventTotal());
  for (size_t At = C.Noted; At != C.Alloc; ++At) {
    EventTotal &S = Sums[E.Thread.empty() ? 0 : E.Thread[E.AllocRow[At]]];
    S.Count += 1;
    S.Bytes += E.AllocSize[At];
    S.Uncounted += IsOutside[E.Heap[At]] ? E.AllocSize[At] : 0;
    S.Last = E.AllocationOffset[At];
  }
  for (size_t I = 0; I != E.Threads.size(); ++I)
    if (const EventTotal &S = Sums[I]; S.Count) {
      A.noteAllocations(E.Threads[I], E.FirstAllocationId + S.Last, S.Count,
                        S.Bytes);
      A.noteUncounted(E.Threads[I], S.Uncounted);
    }
  C.Noted = C.Alloc;
}

/// Applies the references from Ref to before End: frees, resizes and splits.
Error Replay::changeBlocks(ReplayCursor &C, size_t Ref, size_t End) {
  const EventTable &E = *C.Open;
  ProcessReplay &I = *C.I;
  // Entries of the next references are fetched while these are changed.
  Entries.resize(2 * Fetched);
  auto Fetch = [&](size_t From) {
    size_t Count = std::min(Fetched, End - From);
    I.Live.locate(llvm::ArrayRef(E.Block).slice(From, Count),
                  &Entries[(From - Ref) & Fetched]);
  };
  Fetch(Ref);
  for (size_t At = Ref; At < End; At += Fetched) {
    size_t Next = std::min(At + Fetched, End);
    if (Next != End)
      Fetch(Next);
    if (Error Err = changeBlocks(C, At, Next, &Entries[(At - Ref) & Fetched]))
      return Err;
  }
  return Error::success();
}

/// As above; At: the entries of the blocks.
Error Replay::changeBlocks(ReplayCursor &C, size_t Ref, size_t End,
                           LiveSet::LiveSetEntry **At) {
  const EventTable &E = *C.Open;
  ProcessReplay &I = *C.I;
  const uint32_t *Rows = E.RefRow.data(), *Owns = E.RefOwn.data();
  const uint64_t *Blocks = E.Block.data(),
                 FirstAllocationId = E.FirstAllocationId;
  const EventKind *Kinds = E.Kind.data();
  Change *ChangeOf = Changes.data();
  const bool CountsStats = !Options.BlocksOnly;
  const uint64_t LateBefore = CountsStats ? A.lateBefore(I.Id) : 0;
  for (; Ref != End; ++Ref) {
    uint32_t Row = Rows[Ref];
    LiveSet::LiveSetEntry &Entry = **At++;
    if (LLVM_UNLIKELY(Entry.Row == 0))
      return notLive(C, Ref);
    if (CountsStats)
      A.prefetchRow(Entry.Row);
    Change &To = ChangeOf[Row - C.Row];
    To = {Entry.Size, Entry.Row, Entry.ScopeRow, Change::Free};
    if (LLVM_LIKELY(Kinds[Row] == EventKind::Free)) {
      uint64_t Own = Owns[Ref] + FirstAllocationId;
      if (LLVM_UNLIKELY(Owns[Ref] == 0))
        Own = C.OwnBefore[E.Thread.empty() ? 0 : E.Thread[Row]];
      if (Own == Blocks[Ref] + 1)
        To.Kind = Change::FreeTemporary;
      if (LLVM_UNLIKELY(Blocks[Ref] < LateBefore))
        A.noteLateFree(I.Id, Entry.Row, Blocks[Ref], Entry.Size);
      I.Live.eraseSoon(Blocks[Ref], Entry);
    } else if (Kinds[Row] == EventKind::Resize) {
      bool Grows = E.RefSize[Ref] >= Entry.Size;
      To.Kind = Grows ? Change::Grow : Change::Shrink;
      To.Bytes =
          Grows ? E.RefSize[Ref] - Entry.Size : Entry.Size - E.RefSize[Ref];
      Entry.Size = E.RefSize[Ref];
    } else if (Error Err = splitMany(C, Ref, Entry)) {
      return Err;
    }
  }
  return Error::success();
}

/// Splits the block of reference Ref, whose entry is Entry.
Error Replay::splitMany(ReplayCursor &C, size_t Ref,
                        LiveSet::LiveSetEntry &Entry) {
  const EventTable &E = *C.Open;
  if (E.RefSize[Ref] > Entry.Size)
    return badSplit(C, Ref, Entry.Size);
  Change &To = Changes[E.RefRow[Ref] - C.Row];
  To.Kind = Change::Split;
  To.Bytes = 0;
  LiveSet &Live = C.I->Live;
  LiveSet::LiveSetEntry Rest = Entry;
  Rest.Size -= E.RefSize[Ref];
  Entry.Size = E.RefSize[Ref];
  Live.revive(E.FirstAllocationId + E.RefCreated[Ref], Rest,
              Live.find(E.Block[Ref]).allocatedNs());
  return Error::success();
}
