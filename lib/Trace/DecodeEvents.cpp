// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to event sections.

#include "DecodeEvents.h"
#include "DecodeHelpers.h"
#include "References.h"
#include "llvm/ADT/STLExtras.h"

using namespace memkit;

/// Counts the values X in V. The sums are of single bytes, so that the compiler
/// vectorizes the loop.
static uint32_t countOf(Bytes V, uint8_t X) {
  uint32_t Sum = 0;
  while (!V.empty()) {
    size_t N = std::min<size_t>(V.size(), 255);
    uint8_t Part = 0;
    for (uint8_t B : V.take_front(N))
      Part += B == X;
    Sum += Part;
    V = V.drop_front(N);
  }
  return Sum;
}

/// Counts the rows of each thread. False when a row has an unknown thread.
static bool countThreads(Bytes Threads, std::vector<uint32_t> &Count) {
  // With few threads, one pass for each thread is faster than one pass over
  // all, where each increment waits for the one before.
  constexpr size_t Few = 8;
  if (Count.size() <= Few) {
    size_t Sum = 0;
    for (size_t T = 0; T != Count.size(); ++T)
      Sum += Count[T] = countOf(Threads, uint8_t(T));
    return Sum == Threads.size();
  }
  for (uint8_t T : Threads) {
    if (T >= Count.size())
      return false;
    ++Count[T];
  }
  return true;
}

Decoder::Problem Decoder::openEvents(const fb::Events *T, EventInput &In) {
  In.Rows = T->count();
  if (In.Rows > MaxSectionRows)
    return "too many rows in an event section";
  if (T->threads())
    In.Threads.assign(T->threads()->begin(), T->threads()->end());
  if (T->heaps())
    In.Heaps.assign(T->heaps()->begin(), T->heaps()->end());
  if (In.Threads.size() > MaxSectionThreads || (In.Rows && In.Threads.empty()))
    return "an event section of " + std::to_string(In.Threads.size()) +
           " threads";
  if (In.Threads.size() > 1) {
    if (sizeOf(T->thread()) != In.Rows)
      return "the thread column has the wrong length";
    In.Thread = T->thread()->Data();
  }
  if (sizeOf(T->kind()) != In.Rows)
    return "the kind column has the wrong length";
  In.Kind = In.Rows ? T->kind()->Data() : nullptr;
  if (sizeOf(T->near()) != T->references())
    return "the reference column has the wrong length";
  In.Near = T->references() ? T->near()->Data() : nullptr;

  // The number of rows of each thread; all other counts follow from these.
  In.Groups.resize(In.Threads.size());
  std::vector<uint32_t> Count(In.Threads.size());
  if (!In.Thread && In.Rows)
    Count[0] = In.Rows;
  else if (!countThreads(Bytes(In.Thread, In.Rows), Count))
    return "a row of a thread that the section does not name";
  // The rows of a group are adjacent, so whole ranges are counted at once.
  EventInput::ThreadColumns At;
  for (size_t G = 0; G != Count.size(); ++G) {
    In.Groups[G] = At;
    Bytes Kinds(In.Kind + At.Row, Count[G]);
    uint32_t Allocations = countOf(Kinds, uint8_t(EventKind::Allocate));
    uint32_t Frees = countOf(Kinds, uint8_t(EventKind::Free));
    uint32_t References = Count[G] - Allocations;
    if (References != Frees &&
        llvm::any_of(Kinds, [](uint8_t K) { return K >= NumEventKinds; }))
      return "unknown kind of event";
    if (References > T->references() - At.Reference)
      return "more references than the section says";
    At.Far +=
        countOf(Bytes(In.Near + At.Reference, References), ReferenceCoder::Far);
    At.Row += Count[G];
    At.Allocation += Allocations;
    At.Size += Count[G] - Frees;
    At.Reference += References;
  }
  In.Allocations = At.Allocation;
  In.References = At.Reference;
  In.Sizes = At.Size;
  In.FarCount = At.Far;
  if (In.Allocations != T->allocations() || In.References != T->references())
    return "the kinds of events do not add up to the counts of the section";
  return "";
}

/// Finds the position in order of time of each value of the columns, which are
/// grouped by thread. The kind of a row is not predictable, so every row writes
/// to all lists, and only the lists of its kind advance. RefOwn becomes the
/// index of the thread's last allocation + 1, or 0 before the first.
template <bool Threaded>
void Decoder::orderRows(const EventInput &In, EventTable &Out) {
  struct ThreadPosition {
    uint32_t Row, Allocation, Own;
  };
  ThreadPosition At[MaxSectionThreads] = {};
  for (size_t G = 0; G != In.Groups.size(); ++G)
    At[G] = {In.Groups[G].Row, In.Groups[G].Allocation, 0};
  // One more than needed: the last write may be past the end of its list.
  Out.AllocRow.resize(In.Allocations + 1);
  AllocAt.resize(In.Allocations + 1);
  for (std::vector<uint32_t> *V : {&Out.RefRow, &Out.RefOwn, &RefAt})
    V->resize(In.References + 1);
  Out.Kind.resize(In.Rows);
  uint32_t *AllocRow = Out.AllocRow.data(), *RefRow = Out.RefRow.data(),
           *RefOwn = Out.RefOwn.data(), *AllocFrom = AllocAt.data(),
           *RefFrom = RefAt.data();
  EventKind *Kinds = Out.Kind.data();
  const uint8_t *Thread = In.Thread, *KindFrom = In.Kind;
  uint32_t A = 0, Own = 0;
  for (uint32_t Row = 0; Row != In.Rows; ++Row) {
    uint32_t R = Row - A;
    AllocRow[A] = RefRow[R] = Row;
    if (Threaded) {
      ThreadPosition &P = At[Thread[Row]];
      // The allocations and references of the thread before this row.
      AllocFrom[A] = P.Allocation;
      RefFrom[R] = P.Row - P.Allocation;
      RefOwn[R] = P.Own;
      uint8_t Kind = KindFrom[P.Row++];
      Kinds[Row] = EventKind(Kind);
      uint32_t IsAllocation = Kind == uint8_t(EventKind::Allocate);
      A += IsAllocation;
      P.Allocation += IsAllocation;
      P.Own = IsAllocation ? A : P.Own;
    } else {
      RefOwn[R] = Own;
      uint8_t Kind = KindFrom[Row];
      Kinds[Row] = EventKind(Kind);
      A += Kind == uint8_t(EventKind::Allocate);
      Own = A;
    }
  }
  Out.AllocRow.resize(In.Allocations);
  for (std::vector<uint32_t> *V : {&Out.RefRow, &Out.RefOwn})
    V->resize(In.References);
  Out.Thread.clear();
  if (Threaded)
    Out.Thread.assign(Thread, Thread + In.Rows);
}

/// Counts the blocks created before each row: the allocations and the few
/// splits.
void Decoder::countCreated(const EventInput &In, EventTable &Out) {
  Out.AllocationOffset.resize(In.Allocations);
  Out.RefCreated.resize(In.References);
  uint32_t *AllocationIds = Out.AllocationOffset.data(),
           *Created = Out.RefCreated.data(), *Owns = Out.RefOwn.data();
  const uint32_t *Rows = Out.RefRow.data();
  uint32_t A = 0, R = 0, Splits = 0;
  auto CountTo = [&](uint32_t AllocEnd, uint32_t RefEnd) {
    uint32_t Before = Splits;
    for (uint32_t I = A; I != AllocEnd; ++I)
      AllocationIds[I] = I + Before;
    for (uint32_t I = R; I != RefEnd; ++I)
      Created[I] = Rows[I] - I + Before;
    A = AllocEnd;
    R = RefEnd;
  };
  if (!Out.RefSize.empty())
    for (uint32_t I = 0; I != In.References; ++I)
      if (Out.Kind[Rows[I]] == EventKind::Split) {
        CountTo(Rows[I] - I, I + 1);
        ++Splits;
      }
  CountTo(In.Allocations, In.References);
  if (!Splits)
    return;
  for (uint32_t I = 0; I != In.References; ++I)
    Owns[I] = Owns[I] ? AllocationIds[Owns[I] - 1] + 1 : 0;
}

/// Whether every value fits 32 bits.
static bool isNarrow(const fb::Planes *P) {
  return !P || (!P->b4() && !P->b5() && !P->b6() && !P->b7());
}

/// Moves the sizes of resizes and splits, which are few, out of the column
/// where they lie among the sizes of allocations.
template <class S>
void Decoder::splitSizes(const EventInput &In, std::vector<S> &Sizes,
                         EventTable &Out) {
  // By number of the reference in the columns.
  std::vector<std::pair<uint32_t, uint64_t>> Others;
  // Counts up to the current row; whole ranges are counted at once.
  uint32_t Row = 0, Allocation = 0, Size = 0;
  auto GoTo = [&](uint32_t To) {
    uint32_t Count =
        countOf(Bytes(In.Kind + Row, To - Row), uint8_t(EventKind::Allocate));
    std::copy_n(Sizes.begin() + Size, Count, Sizes.begin() + Allocation);
    Allocation += Count;
    Size += Count;
    Row = To;
  };
  for (uint32_t I = 0; I != In.Rows; ++I)
    if (LLVM_UNLIKELY(In.Kind[I] > uint8_t(EventKind::Free))) {
      GoTo(I);
      Others.push_back({I - Allocation, Sizes[Size++]});
    }
  GoTo(In.Rows);
  Out.RefSize.assign(In.References, 0);
  const uint32_t *Rows = Out.RefRow.data();
  for (uint32_t I = 0; I != In.References; ++I) {
    if (LLVM_LIKELY(Out.Kind[Rows[I]] == EventKind::Free))
      continue;
    auto From = std::lower_bound(
        Others.begin(), Others.end(), In.Thread ? RefAt[I] : I,
        [](const auto &X, uint32_t Reference) { return X.first < Reference; });
    Out.RefSize[I] = From->second;
  }
}

template <class S>
bool Decoder::decodeSizes(const fb::Planes *P, const EventInput &In,
                          std::vector<S> &Scratch, EventTable &Out) {
  if (!decodePlanes(P, In.Sizes, Scratch))
    return false;
  Out.RefSize.clear();
  if (In.Sizes != In.Allocations)
    splitSizes(In, Scratch, Out);
  order(In, Scratch, Out.AllocSize);
  return true;
}

template <class S>
Decoder::Problem Decoder::decodeTimes(const fb::Events *T,
                                      std::vector<S> &Steps, EventTable &Out) {
  size_t Rows = Out.rows();
  if (!decodePlanes(T->time(), Rows, Steps))
    return "a column of events has the wrong length";
  // Times and allocation ids stay below 2^63, so no later sum can wrap.
  constexpr uint64_t Max = uint64_t(1) << 63;
  uint64_t Now = T->first_time_ns();
  if (Now > Max || T->first_allocation_id() > Max || Now % TimeUnitNs)
    return "the first time or allocation id of an event section is out of "
           "range";
  if (Rows)
    Steps[0] = 0;
  Out.TimeNs.resize(Rows);
  for (size_t I = 0; I != Rows; ++I) {
    if (sizeof(S) > 4 && Steps[I] > (Max - Now) / TimeUnitNs)
      return "a time out of range";
    Now += Steps[I] * TimeUnitNs;
    Out.TimeNs[I] = Now;
  }
  return Now > Max ? "a time out of range" : "";
}

Decoder::Problem Decoder::decodeHeaps(const fb::Events *T, const EventInput &In,
                                      EventTable &Out) {
  std::vector<uint32_t> &Local = Narrow[0];
  Out.Heap.resize(In.Allocations);
  bool Good = In.Heaps.empty() ? In.Allocations == 0 : true;
  if (In.Heaps.size() > 255) {
    if (!decodePlanes(T->heap_wide(), In.Allocations, Local))
      return "the heap column has the wrong length";
    order(In, Local, Out.Heap);
    for (uint32_t Heap : Local)
      Good &= Heap < In.Heaps.size();
  } else if (In.Heaps.size() > 1) {
    if (sizeOf(T->heap()) != In.Allocations)
      return "the heap column has the wrong length";
    const uint8_t *From = In.Allocations ? T->heap()->Data() : nullptr;
    uint8_t Max = 0;
    for (uint32_t A = 0; A != In.Allocations; ++A) {
      Max = std::max(Max, From[A]);
      Out.Heap[A] = From[In.Thread ? AllocAt[A] : A];
    }
    Good &= Max < In.Heaps.size();
  } else {
    std::fill(Out.Heap.begin(), Out.Heap.end(), 0);
  }
  // The column holds indices into the section's list of heaps.
  for (uint32_t A = 0; Good && A != In.Allocations; ++A) {
    uint32_t Heap = In.Heaps[Out.Heap[A]];
    Good &= Heap <= UINT16_MAX;
    Out.Heap[A] = uint16_t(Heap);
  }
  return Good ? "" : "an allocation of a heap that the section does not name";
}

/// As ReferenceCoder::decode(), without branches.
Decoder::Problem Decoder::decodeReferences(const fb::Events *T,
                                           const EventInput &In,
                                           EventTable &Out) {
  std::vector<uint64_t> &Far = Wide[0];
  if (!decodePlanes(T->far(), In.FarCount, Far))
    return "a column of events has the wrong length";
  Far.push_back(0); // read, but not used, when no far value is left
  struct ReferencePosition {
    uint64_t Last;
    uint32_t Far;
  };
  // No near byte leads from here to a valid block.
  constexpr uint64_t None = uint64_t(3) << 62;
  ReferencePosition At[MaxSectionThreads] = {};
  for (size_t G = 0; G != In.Groups.size(); ++G)
    At[G] = {None, In.Groups[G].Far};
  Out.Block.resize(In.References);
  bool Bad = false;
  for (uint32_t I = 0; I != In.References; ++I) {
    ReferencePosition &P = At[In.Thread ? In.Thread[Out.RefRow[I]] : 0];
    uint64_t Next = T->first_allocation_id() + Out.RefCreated[I];
    uint8_t Near = In.Near[In.Thread ? RefAt[I] : I];
    bool IsFar = Near == ReferenceCoder::Far;
    uint64_t FarValue = Far[P.Far];
    P.Far += IsFar;
    uint64_t Back = Next - 1 - (IsFar ? FarValue : Near);
    uint64_t Step = P.Last + Near - ReferenceCoder::Middle;
    bool IsStep = !IsFar && Near >= ReferenceCoder::FirstStep;
    P.Last = Out.Block[I] = IsStep ? Step : Back;
    // A distance that is too large wraps to a large number.
    Bad |= P.Last >= Next;
  }
  if (!Bad)
    return "";
  uint32_t First = 0;
  while (Out.Block[First] < T->first_allocation_id() + Out.RefCreated[First])
    ++First;
  return "row " + std::to_string(Out.RefRow[First]) +
         " names a block that was not created before it";
}

Decoder::Problem Decoder::decodeRows(const fb::Events *T, EventInput &In,
                                     EventTable &Out) {
  if (In.Thread)
    orderRows<true>(In, Out);
  else
    orderRows<false>(In, Out);
  TRY(isNarrow(T->time()) ? decodeTimes(T, Narrow[0], Out)
                          : decodeTimes(T, Wide[0], Out));
  bool Good = decodeOrdered(T->stack(), In, Narrow[0], Out.Stack);
  Out.ScopePath.clear();
  if (T->scope_path())
    Good &= decodeOrdered(T->scope_path(), In, Narrow[0], Out.ScopePath);
  Good &= isNarrow(T->size()) ? decodeSizes(T->size(), In, Narrow[0], Out)
                              : decodeSizes(T->size(), In, Wide[0], Out);
  if (!Good)
    return "a column of events has the wrong length";
  countCreated(In, Out);
  TRY(decodeHeaps(T, In, Out));
  TRY(decodeReferences(T, In, Out));
  uint32_t Splits = Out.RefSize.empty() ? 0
                                        : countOf(Bytes(In.Kind, In.Rows),
                                                  uint8_t(EventKind::Split));
  if (In.Allocations + Splits != T->blocks())
    return "the events do not add up to the blocks created";
  return "";
}
