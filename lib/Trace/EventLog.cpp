// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events that a recorder collects for the next section.

#include "EventLog.h"
#include "References.h"
#include <algorithm>
#include <utility>

using namespace memkit;

void EventLog::start(uint64_t NextAllocationId) {
  Columns.clear();
  Count = Allocations = Sizes = References = Fars = 0;
  FirstAllocationId = Next = NextAllocationId;
  FirstTick = LastTick = 0;
  WideTimes.clear();
  WideSizes.clear();
  WideFars.clear();
  Lanes.clear();
  HeapOf.clear();
  ScopePathOf.clear();
  Heaps.clear();
  LocalHeap.clear();
  OneHeap = NoHeap;
  HasScopePaths = 0;
}

uint32_t EventLog::addThread(uint32_t Thread) {
  assert(Lanes.size() < MaxSectionThreads);
  Lanes.push_back({Thread, NoBlock});
  return uint32_t(Lanes.size() - 1);
}

/// Does not zero the array: unused pages stay untouched.
template <class T>
static void regrow(std::unique_ptr<T[]> &Old, size_t Used, size_t Capacity) {
  std::unique_ptr<T[]> New(new T[Capacity]);
  std::copy_n(Old.get(), Used, New.get());
  Old = std::move(New);
}

void EventLog::grow() {
  uint32_t New = std::min(std::max(Capacity * 4, 1024u), MaxSectionRows);
  regrow(Time, Count, New);
  regrow(Kind, Count, New);
  regrow(ThreadOf, Count, New);
  regrow(Stack, Allocations, New);
  regrow(Size, Sizes, New);
  regrow(Near, References, New);
  // append() may write one value past the last.
  regrow(Far, Fars, New + size_t(1));
  Capacity = New;
}

void EventLog::takeLarger(EventLog &Other) {
  assert(empty() && Other.empty());
  if (Other.Capacity <= Capacity)
    return;
  std::swap(Capacity, Other.Capacity);
  std::swap(Time, Other.Time);
  std::swap(Kind, Other.Kind);
  std::swap(ThreadOf, Other.ThreadOf);
  std::swap(Stack, Other.Stack);
  std::swap(Size, Other.Size);
  std::swap(Near, Other.Near);
  std::swap(Far, Other.Far);
}

void EventLog::append(llvm::ArrayRef<FastEvent> Events, uint32_t Heap,
                      const uint32_t *ScopePaths) {
  if (Events.empty())
    return;
  while (Capacity - Count < Events.size())
    grow();
  if (Heaps.empty())
    noteHeap(Heap);
  if (Count == 0)
    FirstTick = LastTick = Events.front().Tick;
  uint64_t Risen = Events.back().Tick - LastTick, Largest = 0;
  for (const FastEvent &E : Events)
    Largest |= E.SizeOrBlock;
  if ((Risen | Largest | Next) >> 32)
    return appendOneByOne(Events, Heap, ScopePaths);
  if (Heap != OneHeap)
    noteHeaps(Events, Heap);
  if (ScopePaths || HasScopePaths)
    noteScopePaths(Events, ScopePaths);
  // Local variables: the compiler must assume that a stored byte changes any
  // member.
  uint32_t *Times = Time.get() + Count, *Stacks = Stack.get() + Allocations,
           *SizeTo = Size.get() + Sizes, *FarTo = Far.get() + Fars;
  uint8_t *Kinds = Kind.get() + Count, *Threads = ThreadOf.get() + Count,
          *NearTo = Near.get() + References;
  Lane *const LaneAt = Lanes.data();
  uint64_t Tick = LastTick, AllocationId = Next;
  uint32_t NumAllocations = 0, NumFars = 0;
  for (size_t I = 0, N = Events.size(); I != N; ++I) {
    const FastEvent &E = Events[I];
    Times[I] = uint32_t(E.Tick - Tick);
    Tick = E.Tick;
    Kinds[I] = uint8_t(E.IsFree ? EventKind::Free : EventKind::Allocate);
    Threads[I] = uint8_t(E.Lane);
    if (!E.IsFree) {
      Stacks[NumAllocations] = E.Stack;
      SizeTo[NumAllocations++] = uint32_t(E.SizeOrBlock);
      ++AllocationId;
      continue;
    }
    uint64_t Distance = AllocationId - 1 - E.SizeOrBlock;
    uint32_t Code = codeOf(LaneAt[E.Lane], E.SizeOrBlock, Distance);
    NearTo[I - NumAllocations] = uint8_t(Code);
    FarTo[NumFars] = uint32_t(Distance);
    NumFars += Code == 255;
  }
  Count += uint32_t(Events.size());
  Allocations += NumAllocations;
  Sizes += NumAllocations;
  References += uint32_t(Events.size()) - NumAllocations;
  Fars += NumFars;
  LastTick = Tick;
  Next = AllocationId;
}

void EventLog::appendOneByOne(llvm::ArrayRef<FastEvent> Events, uint32_t Heap,
                              const uint32_t *ScopePaths) {
  for (size_t I = 0; I != Events.size(); ++I) {
    const FastEvent &E = Events[I];
    if (E.IsFree)
      free(E.Lane, E.Tick, E.SizeOrBlock);
    else
      allocate(E.Lane, E.Tick, E.SizeOrBlock, E.Stack,
               ScopePaths ? ScopePaths[I] : 0, Heap);
  }
}

/// The value at index I of a column of low parts.
template <class List>
static uint64_t valueAt(const std::unique_ptr<uint32_t[]> &Low,
                        const List &Wide, uint32_t I) {
  for (const auto &W : Wide)
    if (W.At == I)
      return W.Value;
  return Low[I];
}

std::vector<Event> EventLog::rows() const {
  std::vector<Event> Out(Count);
  ReferenceCoder Coders[MaxSectionThreads];
  uint64_t Tick = FirstTick, Block = FirstAllocationId;
  uint32_t A = 0, S = 0, R = 0, F = 0;
  for (uint32_t I = 0; I != Count; ++I) {
    Event &E = Out[I];
    Tick += valueAt(Time, WideTimes, I);
    E.TimeNs = Tick * TimeUnitNs;
    E.Kind = EventKind(Kind[I]);
    E.Thread = Lanes[ThreadOf[I]].Thread;
    E.Block = Block;
    if (E.Kind == EventKind::Allocate) {
      E.Stack = Stack[A];
      E.Heap = uint16_t(Heaps[HeapOf.empty() ? 0 : HeapOf[A]]);
      E.ScopePath = ScopePathOf.empty() ? 0 : ScopePathOf[A];
      ++A;
    } else {
      bool IsFar = Near[R] == ReferenceCoder::Far;
      Coders[ThreadOf[I]].decode(
          Near[R++], IsFar ? valueAt(Far, WideFars, F) : 0, Block, E.Block);
      F += IsFar;
    }
    if (E.Kind != EventKind::Free)
      E.Size = valueAt(Size, WideSizes, S++);
    Block += E.Kind == EventKind::Allocate || E.Kind == EventKind::Split;
  }
  return Out;
}

/// Handles an allocation of a heap other than OneHeap.
void EventLog::noteHeap(uint32_t Heap) {
  if (Heaps.empty()) {
    Heaps.push_back(Heap);
    LocalHeap[Heap] = 0;
    OneHeap = Heap;
    return;
  }
  // From the second heap on, the column has the heap of each allocation.
  if (HeapOf.empty())
    HeapOf.resize(Allocations);
  OneHeap = NoHeap;
  if (!HeapOf.empty() && Heaps[HeapOf.back()] == Heap) {
    HeapOf.push_back(HeapOf.back());
    return;
  }
  auto [It, New] = LocalHeap.try_emplace(Heap, uint16_t(Heaps.size()));
  if (New)
    Heaps.push_back(Heap);
  HeapOf.push_back(It->second);
}

/// Call before the allocations among Events are counted.
void EventLog::noteHeaps(llvm::ArrayRef<FastEvent> Events, uint32_t Heap) {
  size_t More = 0;
  for (const FastEvent &E : Events)
    More += !E.IsFree;
  if (!More)
    return;
  noteHeap(Heap);
  HeapOf.insert(HeapOf.end(), More - 1, HeapOf.back());
}

/// Likewise.
void EventLog::noteScopePaths(llvm::ArrayRef<FastEvent> Events,
                              const uint32_t *ScopePaths) {
  for (size_t I = 0; I != Events.size(); ++I)
    if (!Events[I].IsFree)
      noteScopePath(ScopePaths ? ScopePaths[I] : 0);
}

void EventLog::noteScopePath(uint32_t ScopePath) {
  if (!HasScopePaths)
    ScopePathOf.resize(Allocations);
  HasScopePaths = 1;
  ScopePathOf.push_back(ScopePath);
}
