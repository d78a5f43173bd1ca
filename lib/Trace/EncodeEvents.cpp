// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Event sections to FlatBuffers.
//
// Rows come in order of time. On disk they are grouped by thread, because the
// events of one thread repeat more than the mixture of all threads. The thread
// column, in order of time, restores the order.

#include "Encode.h"
#include "EventLog.h"
#include "References.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cassert>

using namespace memkit;
using namespace llvm;

/// The threads of the events, and buffers for columns grouped by thread. The
/// plan is kept for all sections, so the buffers of a full section are
/// allocated once, and a long recording does not fragment its heap.
struct Encoder::EventPlan {
  /// The lanes of the events of one class in order of time, and the index in
  /// the class's columns at which the group of each lane begins.
  struct Class {
    std::vector<uint8_t> Lanes;
    std::array<uint32_t, MaxSectionThreads> Begin;
  };
  /// A column before and after grouping; nothing is copied when all events are
  /// of one thread.
  template <class T> struct GroupedColumn {
    ArrayRef<T> Values;
    std::vector<T> Grouped;
  };
  /// A 32 bit column, with Widened used when a value needs more than 32 bits.
  struct WideColumn : GroupedColumn<uint64_t> {
    std::vector<uint64_t> Widened;
  };
  Class Rows, Allocations, Sized, References, Fars;
  GroupedColumn<uint8_t> Kind, Near;
  GroupedColumn<uint16_t> Heap;
  GroupedColumn<uint32_t> Stack, ScopePath, Size, Far;
  WideColumn WideSize, WideFar;
  // By allocation in column order, when there are optional columns.
  std::vector<uint32_t> AllocationRow;
  std::vector<uint64_t> AllocationBlock;
  /// Holds Events converted to columns.
  EventLog Log;
};

Encoder::Encoder() : Plan(std::make_unique<EventPlan>()) {}
Encoder::~Encoder() = default;

static bool hasSize(uint8_t K) { return K != uint8_t(EventKind::Free); }
static bool isAllocation(uint8_t K) {
  return K == uint8_t(EventKind::Allocate);
}

/// Fills Out with the lanes of the rows of Of for which Is is true.
template <class Class, class F>
static void select(ArrayRef<uint8_t> Of, size_t Count, Class &Out, F Is) {
  // The loop writes one value past the last selected.
  Out.Lanes.resize(Count + 1);
  uint8_t *To = Out.Lanes.data();
  for (size_t I = 0, N = Of.size(), Next = 0; I != N; ++I) {
    To[Next] = Of[I];
    Next += Is(I);
  }
  Out.Lanes.resize(Count);
}

/// Counts the lanes of the class and finds where the group of each lane begins.
template <class Class> static void findBegins(Class &C, size_t NumLanes) {
  // Two tables: neighbours often share a lane, and an increment of one counter
  // waits for the increment before.
  std::array<uint32_t, MaxSectionThreads> Odd{};
  C.Begin = {};
  size_t I = 0, N = C.Lanes.size();
  for (; I + 1 < N; I += 2) {
    ++C.Begin[C.Lanes[I]];
    ++Odd[C.Lanes[I + 1]];
  }
  if (I != N)
    ++C.Begin[C.Lanes[I]];
  uint32_t Sum = 0;
  for (size_t L = 0; L != NumLanes; ++L) {
    uint32_t Here = C.Begin[L] + Odd[L];
    C.Begin[L] = Sum;
    Sum += Here;
  }
}

/// Sets the column to Values, grouped by lane.
template <class Class, class Column, class T>
static void group(const Class &C, Column &Out, ArrayRef<T> Values) {
  if (C.Lanes.empty() || Values.empty()) {
    Out.Values = Values;
    return;
  }
  Out.Grouped.resize(Values.size());
  std::array<uint32_t, MaxSectionThreads> At = C.Begin;
  const uint8_t *Lane = C.Lanes.data();
  T *To = Out.Grouped.data();
  for (size_t I = 0, N = Values.size(); I != N; ++I)
    To[At[Lane[I]]++] = Values[I];
  Out.Values = Out.Grouped;
}

/// Finds the threads of the events of each class. With one thread the classes
/// stay empty: no grouping is needed.
void Encoder::planEvents(const EventLog &L) {
  EventPlan &P = *Plan;
  for (EventPlan::Class *C :
       {&P.Rows, &P.Allocations, &P.Sized, &P.References, &P.Fars})
    C->Lanes.clear();
  if (L.Lanes.size() <= 1)
    return;
  ArrayRef<uint8_t> Lanes(L.ThreadOf.get(), L.Count);
  const uint8_t *Kind = L.Kind.get(), *Near = L.Near.get();
  P.Rows.Lanes.assign(Lanes.begin(), Lanes.end());
  select(Lanes, L.Allocations, P.Allocations,
         [=](size_t I) { return isAllocation(Kind[I]); });
  select(Lanes, L.References, P.References,
         [=](size_t I) { return !isAllocation(Kind[I]); });
  select(P.References.Lanes, L.Fars, P.Fars,
         [=](size_t I) { return Near[I] == ReferenceCoder::Far; });
  if (L.Sizes == L.Allocations)
    P.Sized.Lanes = P.Allocations.Lanes;
  else
    select(Lanes, L.Sizes, P.Sized, [=](size_t I) { return hasSize(Kind[I]); });
  for (EventPlan::Class *C :
       {&P.Rows, &P.Allocations, &P.Sized, &P.References, &P.Fars})
    findBegins(*C, L.Lanes.size());
}

/// The values at full width, with the wide values put in.
template <class WideList>
static std::vector<uint64_t> widen(ArrayRef<uint32_t> Low,
                                   const WideList &Wide) {
  std::vector<uint64_t> Out(Low.begin(), Low.end());
  for (const auto &W : Wide)
    Out[W.At] = W.Value;
  return Out;
}

/// The column of low parts, or of whole values if any is wide.
template <class Class, class Narrow, class Whole, class WideList>
static void groupWide(const Class &C, Narrow &Low, Whole &All,
                      ArrayRef<uint32_t> Values, const WideList &Wide) {
  All.Values = {};
  if (LLVM_LIKELY(Wide.empty()))
    return group(C, Low, Values);
  All.Widened = widen(Values, Wide);
  group(C, All, ArrayRef<uint64_t>(All.Widened));
}

void Encoder::gatherEvents(const EventLog &L) {
  EventPlan &P = *Plan;
  auto Column = [](const auto &A, size_t N) { return ArrayRef(A.get(), N); };
  group(P.Rows, P.Kind, Column(L.Kind, L.Count));
  group(P.Allocations, P.Stack, Column(L.Stack, L.Allocations));
  group(P.Allocations, P.ScopePath, ArrayRef<uint32_t>(L.ScopePathOf));
  group(P.Allocations, P.Heap, ArrayRef<uint16_t>(L.HeapOf));
  group(P.References, P.Near, Column(L.Near, L.References));
  groupWide(P.Sized, P.Size, P.WideSize, Column(L.Size, L.Sizes), L.WideSizes);
  groupWide(P.Fars, P.Far, P.WideFar, Column(L.Far, L.Fars), L.WideFars);
}

/// Finds the row and the block of each allocation in column order.
void Encoder::orderAllocations(const EventLog &L, EventPlan &P) {
  P.AllocationRow.resize(L.Allocations);
  P.AllocationBlock.resize(L.Allocations);
  std::array<uint32_t, MaxSectionThreads> At{};
  if (!P.Allocations.Lanes.empty())
    At = P.Allocations.Begin;
  uint64_t Block = L.FirstAllocationId;
  for (uint32_t I = 0; I != L.Count; ++I) {
    if (isAllocation(L.Kind[I])) {
      uint32_t To = At[L.ThreadOf[I]]++;
      P.AllocationRow[To] = I;
      P.AllocationBlock[To] = Block;
    }
    Block += isAllocation(L.Kind[I]) || L.Kind[I] == uint8_t(EventKind::Split);
  }
}

/// The values of an optional column for the allocations in column order.
template <class T>
static std::vector<uint64_t> pick(const std::vector<T> &Column,
                                  ArrayRef<uint32_t> Rows) {
  std::vector<uint64_t> Out;
  if (Column.empty())
    return Out;
  Out.reserve(Rows.size());
  for (uint32_t Row : Rows)
    Out.push_back(Row < Column.size() ? Column[Row] : 0);
  return Out;
}

/// The optional columns; null offsets for absent columns.
void Encoder::optionalColumns(const EventLog &L, EventPlan &P, Optional &Out) {
  const EventColumns &C = L.Columns;
  bool Any = !C.Address.empty() || !C.Enclosing.empty() || !C.Stream.empty() ||
             !C.Pool.empty() || !C.Requested.empty() || !C.Weight.empty();
  if (!Any || !L.Allocations)
    return;
  orderAllocations(L, P);
  // A column given by the caller is written even if all values are 0, so that
  // readers can distinguish absent from zero.
  auto Add = [&](unsigned I, std::vector<uint64_t> V, bool Given) {
    if (!Given)
      return;
    Out.Columns[I] = planes(ArrayRef<uint64_t>(V));
    if (Out.Columns[I].IsNull())
      Out.Columns[I] = fb::CreatePlanes(B);
  };
  std::vector<uint64_t> Address = pick(C.Address, P.AllocationRow);
  uint64_t Bits = 0;
  for (uint64_t A : Address)
    Bits |= A;
  Out.Shift = Bits ? uint8_t(llvm::countr_zero(Bits)) : 0;
  uint64_t LastAddress = 0;
  for (uint64_t &A : Address) {
    uint64_t Shifted = A >> Out.Shift;
    A = zigzag(int64_t(Shifted - LastAddress));
    LastAddress = Shifted;
  }
  std::vector<uint64_t> Enclosing = pick(C.Enclosing, P.AllocationRow);
  for (size_t I = 0; I != Enclosing.size(); ++I)
    if (Enclosing[I])
      Enclosing[I] = P.AllocationBlock[I] - (Enclosing[I] - 1);
  Add(0, std::move(Address), !C.Address.empty());
  Add(1, std::move(Enclosing), !C.Enclosing.empty());
  Add(2, pick(C.Stream, P.AllocationRow), !C.Stream.empty());
  Add(3, pick(C.Pool, P.AllocationRow), !C.Pool.empty());
  Add(4, pick(C.Requested, P.AllocationRow), !C.Requested.empty());
  Add(5, pick(C.Weight, P.AllocationRow), !C.Weight.empty());
}

Bytes Encoder::finishEvents(const EventLog &L) {
  begin();
  EventPlan &P = *Plan;
  Off<flatbuffers::Vector<uint8_t>> Thread, Heap;
  Off<fb::Planes> HeapWide;
  if (L.Lanes.size() > 1)
    Thread = bytes({L.ThreadOf.get(), L.Count});
  if (L.Heaps.size() > 255) {
    HeapWide = planes(P.Heap.Values);
  } else if (L.Heaps.size() > 1) {
    std::vector<uint8_t> Narrow(P.Heap.Values.begin(), P.Heap.Values.end());
    Heap = bytes(Narrow);
  }
  ArrayRef<uint32_t> Times(L.Time.get(), L.Count);
  auto Time = L.WideTimes.empty()
                  ? planes(Times)
                  : planes(ArrayRef<uint64_t>(widen(Times, L.WideTimes)));
  auto Kind = bytes(P.Kind.Values);
  auto Stack = planes(P.Stack.Values);
  auto ScopePath = planes(P.ScopePath.Values);
  auto Size =
      L.WideSizes.empty() ? planes(P.Size.Values) : planes(P.WideSize.Values);
  auto Near = bytes(P.Near.Values);
  auto Far =
      L.WideFars.empty() ? planes(P.Far.Values) : planes(P.WideFar.Values);
  Optional O;
  optionalColumns(L, P, O);

  std::vector<uint32_t> ThreadIds;
  for (const EventLog::Lane &Lane : L.Lanes)
    ThreadIds.push_back(Lane.Thread);
  auto Threads = B.CreateVector(ThreadIds);
  auto Heaps = B.CreateVector(L.Heaps);
  return finish(
      fb::Body::Events,
      fb::CreateEvents(B, L.Process, L.Epoch, L.beginNs(), L.FirstAllocationId,
                       L.Count, uint32_t(L.Next - L.FirstAllocationId),
                       L.Allocations, L.References, Threads, Thread, Heaps,
                       Time, Kind, Stack, ScopePath, Heap, Size, Near, Far,
                       O.Shift, O.Columns[0], O.Columns[1], O.Columns[2],
                       O.Columns[3], O.Columns[4], O.Columns[5], HeapWide)
          .Union());
}

Bytes Encoder::encode(const Events &E) {
  assert(E.Rows.size() <= MaxSectionRows);
  EventLog &L = Plan->Log;
  L.start(E.FirstAllocationId);
  L.Process = E.Process;
  L.Epoch = E.Epoch;
  L.Columns = E.Columns;
  // 64 bits, because a DenseMap reserves the highest ids, which texts may have.
  DenseMap<uint64_t, uint32_t> Lanes;
  for (const Event &R : E.Rows) {
    auto [It, New] = Lanes.try_emplace(R.Thread, L.numThreads());
    if (New)
      L.addThread(R.Thread);
    uint32_t Lane = It->second;
    uint64_t Tick = R.TimeNs / TimeUnitNs;
    switch (R.Kind) {
    case EventKind::Allocate:
      assert(R.Block == L.nextAllocationId() &&
             "allocation ids are in sequence");
      L.allocate(Lane, Tick, R.Size, R.Stack, R.ScopePath, R.Heap);
      break;
    case EventKind::Free:
      L.free(Lane, Tick, R.Block);
      break;
    case EventKind::Resize:
      L.resize(Lane, Tick, R.Block, R.Size);
      break;
    case EventKind::Split:
      L.split(Lane, Tick, R.Block, R.Size);
      break;
    }
  }
  return encode(L);
}
