//===- DecodeEvents.cpp - FlatBuffers to event blocks -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeHelpers.h"
#include "References.h"

using namespace memkit;

/// A block of events, its counts checked against each other.
struct Decoder::EventInput {
  uint32_t Rows = 0, Allocations = 0, References = 0, Sizes = 0;
  const uint8_t *Kind = nullptr;
  const uint8_t *Thread = nullptr; ///< null with one thread
  std::vector<uint32_t> Threads, Heaps;
  /// Where the rows of each thread begin in the columns.
  struct Group {
    uint32_t Row = 0, Allocation = 0, Size = 0, Reference = 0, Far = 0;
  };
  std::vector<Group> Groups;
  const uint8_t *Near = nullptr;
  uint32_t FarCount = 0;
};

Decoder::Problem Decoder::openEvents(const fb::Events *T, EventInput &In) {
  In.Rows = T->count();
  if (In.Rows > MaxBlockRows)
    return "too many rows in an event block";
  if (T->threads())
    In.Threads.assign(T->threads()->begin(), T->threads()->end());
  if (T->heaps())
    In.Heaps.assign(T->heaps()->begin(), T->heaps()->end());
  if (In.Threads.size() > MaxBlockThreads || (In.Rows && In.Threads.empty()))
    return "an event block of " + std::to_string(In.Threads.size()) +
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

  // How many rows each thread has, from which all else follows.
  In.Groups.resize(In.Threads.size());
  std::vector<uint32_t> Count(In.Threads.size());
  if (!In.Thread && In.Rows)
    Count[0] = In.Rows;
  else
    for (uint32_t I = 0; I != In.Rows; ++I) {
      if (In.Thread[I] >= Count.size())
        return "a row of a thread that the block does not name";
      ++Count[In.Thread[I]];
    }
  // The rows of a group stand together: whole ranges are counted at once.
  EventInput::Group At;
  for (size_t G = 0; G != Count.size(); ++G) {
    In.Groups[G] = At;
    const uint8_t *Kinds = In.Kind + At.Row, *End = Kinds + Count[G];
    if (std::any_of(Kinds, End, [](uint8_t K) { return K >= NumEventKinds; }))
      return "unknown kind of event";
    auto CountOf = [&](EventKind K) {
      return uint32_t(std::count(Kinds, End, uint8_t(K)));
    };
    uint32_t Allocations = CountOf(EventKind::Allocate);
    uint32_t References = Count[G] - Allocations;
    if (References > T->references() - At.Reference)
      return "more references than the block says";
    const uint8_t *Nears = In.Near + At.Reference;
    At.Far +=
        uint32_t(std::count(Nears, Nears + References, ReferenceCoder::Far));
    At.Row += Count[G];
    At.Allocation += Allocations;
    At.Size += Count[G] - CountOf(EventKind::Free);
    At.Reference += References;
  }
  In.Allocations = At.Allocation;
  In.References = At.Reference;
  In.Sizes = At.Size;
  In.FarCount = At.Far;
  if (In.Allocations != T->allocations() || In.References != T->references())
    return "the kinds of events do not add up to the counts of the block";
  return "";
}

/// Where each value of the columns, which stand by threads, belongs in time.
/// Which kind a row has cannot be foretold: every row writes to all lists, and
/// only those go on that it belongs to.
template <bool Threaded>
void Decoder::orderRows(const EventInput &In, EventTable &Out) {
  constexpr auto Allocate = uint8_t(EventKind::Allocate),
                 Free = uint8_t(EventKind::Free),
                 Split = uint8_t(EventKind::Split);
  struct Position {
    uint32_t Row, Allocation, Size, Reference, Own;
  };
  Position At[MaxBlockThreads] = {};
  for (size_t G = 0; G != In.Groups.size(); ++G)
    At[G] = {In.Groups[G].Row, In.Groups[G].Allocation, In.Groups[G].Size,
             In.Groups[G].Reference, 0};
  // One more than needed: what is written last may belong to nothing.
  size_t Allocations = In.Allocations + 1, References = In.References + 1;
  for (std::vector<uint32_t> *V :
       {&Out.AllocRow, &Out.AllocOrdinal, &AllocAt, &AllocSizeAt})
    V->resize(Allocations);
  for (std::vector<uint32_t> *V :
       {&Out.RefRow, &Out.RefCreated, &Out.RefOwn, &RefAt, &RefSizeAt})
    V->resize(References);
  Out.Kind.resize(In.Rows);
  uint32_t *AllocRow = Out.AllocRow.data(),
           *AllocOrdinal = Out.AllocOrdinal.data(), *RefRow = Out.RefRow.data(),
           *RefCreated = Out.RefCreated.data(), *RefOwn = Out.RefOwn.data(),
           *AllocFrom = AllocAt.data(), *AllocSizeFrom = AllocSizeAt.data(),
           *RefFrom = RefAt.data(), *RefSizeFrom = RefSizeAt.data();
  EventKind *Kinds = Out.Kind.data();
  const uint8_t *Thread = In.Thread, *KindFrom = In.Kind;
  uint32_t A = 0, R = 0, Created = 0;
  Position Only = At[0];
  for (uint32_t Row = 0; Row != In.Rows; ++Row) {
    Position &P = Threaded ? At[Thread[Row]] : Only;
    uint8_t Kind = KindFrom[P.Row++];
    uint32_t IsAllocation = Kind == Allocate;
    Kinds[Row] = EventKind(Kind);
    AllocRow[A] = RefRow[R] = Row;
    AllocOrdinal[A] = RefCreated[R] = Created;
    if (Threaded) {
      AllocFrom[A] = P.Allocation;
      RefFrom[R] = P.Reference;
    }
    AllocSizeFrom[A] = RefSizeFrom[R] = P.Size;
    RefOwn[R] = P.Own;
    P.Own = IsAllocation ? Created + 1 : P.Own;
    P.Allocation += IsAllocation;
    P.Reference += 1 - IsAllocation;
    P.Size += Kind != Free;
    A += IsAllocation;
    R += 1 - IsAllocation;
    Created += IsAllocation | (Kind == Split);
  }
  for (std::vector<uint32_t> *V : {&Out.AllocRow, &Out.AllocOrdinal})
    V->resize(In.Allocations);
  for (std::vector<uint32_t> *V : {&Out.RefRow, &Out.RefCreated, &Out.RefOwn})
    V->resize(In.References);
  Out.Thread.clear();
  if (Threaded)
    Out.Thread.assign(Thread, Thread + In.Rows);
}

/// Decodes a column with a value for each allocation, and puts it in order.
template <class T>
bool Decoder::decodeOrdered(const fb::Planes *P, size_t Values,
                            const std::vector<uint32_t> *From,
                            std::vector<T> &Scratch, std::vector<T> &Out) {
  if (!From)
    return decodePlanes(P, Values, Out);
  if (!decodePlanes(P, Values, Scratch))
    return false;
  for (size_t I = 0; I != Out.size(); ++I)
    Out[I] = Scratch[(*From)[I]];
  return true;
}

Decoder::Problem Decoder::decodeTimes(const fb::Events *T, EventTable &Out) {
  size_t Rows = Out.rows();
  std::vector<uint64_t> &Steps = Wide[0];
  if (!decodePlanes(T->time(), Rows, Steps))
    return "a column of events has the wrong length";
  // Times and ordinals stay below 2^63: nothing that follows can wrap.
  constexpr uint64_t Most = uint64_t(1) << 63;
  uint64_t Now = T->first_time_ns();
  if (Now > Most || T->first_ordinal() > Most || Now % TimeUnitNs)
    return "the first time or ordinal of an event block is out of range";
  if (Rows)
    Steps[0] = 0;
  uint64_t Used = 0;
  for (uint64_t Step : Steps)
    Used |= Step;
  Out.TimeNs.resize(Rows);
  bool Small = Used < Most / TimeUnitNs / (2 * uint64_t(MaxBlockRows));
  for (size_t I = 0; I != Rows; ++I) {
    if (!Small && Steps[I] > (Most - Now) / TimeUnitNs)
      return "a time out of range";
    Now += Steps[I] * TimeUnitNs;
    Out.TimeNs[I] = Now;
  }
  return Now > Most ? "a time out of range" : "";
}

Decoder::Problem Decoder::decodeHeaps(const fb::Events *T, const EventInput &In,
                                      EventTable &Out) {
  std::vector<uint32_t> &Local = Narrow[0];
  Local.assign(In.Allocations, 0);
  if (In.Heaps.size() > 255) {
    if (!decodePlanes(T->heap_wide(), In.Allocations, Local))
      return "the heap column has the wrong length";
  } else if (In.Heaps.size() > 1) {
    if (sizeOf(T->heap()) != In.Allocations)
      return "the heap column has the wrong length";
    if (In.Allocations)
      Local.assign(T->heap()->begin(), T->heap()->end());
  }
  Out.Heap.resize(In.Allocations);
  for (uint32_t A = 0; A != In.Allocations; ++A) {
    uint32_t Heap = Local[In.Thread ? AllocAt[A] : A];
    if (Heap >= In.Heaps.size() || In.Heaps[Heap] > UINT16_MAX)
      return "an allocation of a heap that the block does not name";
    Out.Heap[A] = uint16_t(In.Heaps[Heap]);
  }
  return "";
}

/// As ReferenceCoder::decode(), without branches.
Decoder::Problem Decoder::decodeReferences(const fb::Events *T,
                                           const EventInput &In,
                                           EventTable &Out) {
  std::vector<uint64_t> &Far = Wide[0];
  if (!decodePlanes(T->far(), In.FarCount, Far))
    return "a column of events has the wrong length";
  Far.push_back(0); // read, and not used, where no far value is left
  struct Position {
    uint64_t Last;
    uint32_t Far;
  };
  // From this no near byte leads to a block that there can be.
  constexpr uint64_t None = uint64_t(3) << 62;
  Position At[MaxBlockThreads] = {};
  for (size_t G = 0; G != In.Groups.size(); ++G)
    At[G] = {None, In.Groups[G].Far};
  Out.Block.resize(In.References);
  bool Bad = false;
  for (uint32_t I = 0; I != In.References; ++I) {
    Position &P = At[In.Thread ? In.Thread[Out.RefRow[I]] : 0];
    uint64_t Next = T->first_ordinal() + Out.RefCreated[I];
    uint8_t Near = In.Near[In.Thread ? RefAt[I] : I];
    bool IsFar = Near == ReferenceCoder::Far;
    uint64_t FarValue = Far[P.Far];
    P.Far += IsFar;
    uint64_t Back = Next - 1 - (IsFar ? FarValue : Near);
    uint64_t Step = P.Last + Near - ReferenceCoder::Middle;
    bool IsStep = !IsFar && Near >= ReferenceCoder::FirstStep;
    P.Last = Out.Block[I] = IsStep ? Step : Back;
    // A distance too large wraps to a large number.
    Bad |= P.Last >= Next;
  }
  if (!Bad)
    return "";
  uint32_t First = 0;
  while (Out.Block[First] < T->first_ordinal() + Out.RefCreated[First])
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
  TRY(decodeTimes(T, Out));
  Out.Stack.resize(In.Allocations);
  Out.AllocSize.resize(In.Allocations);
  Out.Context.resize(T->context() ? In.Allocations : 0);
  const std::vector<uint32_t> *From = In.Thread ? &AllocAt : nullptr;
  // Rarely has more than allocations a size.
  bool OnlyAllocations = In.Sizes == In.Allocations;
  if (!decodeOrdered(T->stack(), In.Allocations, From, Narrow[0], Out.Stack) ||
      (T->context() && !decodeOrdered(T->context(), In.Allocations, From,
                                      Narrow[0], Out.Context)) ||
      !decodeOrdered(T->size(), In.Sizes, OnlyAllocations ? From : &AllocSizeAt,
                     Wide[1], Out.AllocSize))
    return "a column of events has the wrong length";
  Out.RefSize.clear();
  if (!OnlyAllocations) {
    Out.RefSize.resize(In.References);
    for (uint32_t I = 0; I != In.References; ++I)
      if (Out.Kind[Out.RefRow[I]] != EventKind::Free)
        Out.RefSize[I] = Wide[1][RefSizeAt[I]];
  }
  TRY(decodeHeaps(T, In, Out));
  TRY(decodeReferences(T, In, Out));
  auto IsSplit = [](EventKind K) { return K == EventKind::Split; };
  uint32_t Splits =
      OnlyAllocations
          ? 0
          : uint32_t(std::count_if(Out.Kind.begin(), Out.Kind.end(), IsSplit));
  if (In.Allocations + Splits != T->blocks())
    return "the events do not add up to the blocks created";
  return "";
}

Decoder::Problem Decoder::decodeColumns(const fb::Events *T,
                                        const EventInput &In, EventTable &Out) {
  EventColumns &C = Out.Columns;
  C.clear();
  size_t N = In.Allocations;
  const fb::Planes *Given[] = {T->address(), T->enclosing(), T->requested(),
                               T->weight(),  T->stream(),    T->pool()};
  if (!N || std::all_of(std::begin(Given), std::end(Given),
                        [](const fb::Planes *P) { return !P; }))
    return "";
  const std::vector<uint32_t> *From = In.Thread ? &AllocAt : nullptr;
  auto Column = [&](const fb::Planes *P, auto &Scratch, auto &To) {
    if (!P)
      return true;
    To.resize(N);
    return decodeOrdered(P, N, From, Scratch, To);
  };
  if (!Column(T->requested(), Wide[0], C.Requested) ||
      !Column(T->weight(), Wide[0], C.Weight) ||
      !Column(T->stream(), Narrow[0], C.Stream) ||
      !Column(T->pool(), Narrow[0], C.Pool))
    return "an optional column of events has the wrong length";
  if (T->address()) {
    std::vector<uint64_t> &Values = Wide[0];
    if (!decodePlanes(T->address(), N, Values) || T->address_shift() > 63)
      return "the address column is malformed";
    uint64_t Last = 0;
    for (uint64_t &V : Values)
      V = (Last += uint64_t(unzigzag(V))) << T->address_shift();
    C.Address.resize(N);
    for (size_t A = 0; A != N; ++A)
      C.Address[A] = Values[From ? AllocAt[A] : A];
  }
  if (!Column(T->enclosing(), Wide[0], C.Enclosing))
    return "the enclosing column is malformed";
  for (size_t A = 0; A != C.Enclosing.size(); ++A) {
    uint64_t &V = C.Enclosing[A];
    uint64_t Own = T->first_ordinal() + Out.AllocOrdinal[A];
    if (V > Own)
      return "a block lies in one that was not created before it";
    if (V)
      V = Own - V + 1;
  }
  return "";
}

Decoder::Problem Decoder::decode(EventTable &Out) {
  const fb::Events *T = Block->body_as_Events();
  TRY(known(T, fb::Events::VT_HEAP_WIDE));
  EventInput In;
  TRY(openEvents(T, In));
  Out.Image = T->image();
  Out.Epoch = T->epoch();
  Out.FirstOrdinal = T->first_ordinal();
  Out.Threads = In.Threads;
  TRY(decodeRows(T, In, Out));
  return decodeColumns(T, In, Out);
}

/// Makes a column with a value for each row from one for each allocation.
template <class T>
static void spread(const EventTable &From, const std::vector<T> &Values,
                   std::vector<T> &To) {
  if (Values.empty())
    return;
  To.assign(From.rows(), 0);
  for (size_t A = 0; A != Values.size(); ++A)
    To[From.AllocRow[A]] = Values[A];
}

Decoder::Problem Decoder::decode(Events &Out) {
  TRY(decode(Columns));
  const EventTable &T = Columns;
  Out.Image = T.Image;
  Out.Epoch = T.Epoch;
  Out.FirstOrdinal = T.FirstOrdinal;
  Out.Rows.resize(T.rows());
  for (size_t Row = 0; Row != T.rows(); ++Row) {
    Event &E = Out.Rows[Row] = Event();
    E.TimeNs = T.TimeNs[Row];
    E.Thread = T.threadOf(Row);
    E.Kind = T.Kind[Row];
  }
  for (size_t A = 0; A != T.allocations(); ++A) {
    Event &E = Out.Rows[T.AllocRow[A]];
    E.Size = T.AllocSize[A];
    E.Block = T.FirstOrdinal + T.AllocOrdinal[A];
    E.Stack = T.Stack[A];
    E.Context = T.Context.empty() ? 0 : T.Context[A];
    E.Heap = T.Heap[A];
  }
  for (size_t I = 0; I != T.references(); ++I) {
    Event &E = Out.Rows[T.RefRow[I]];
    E.Block = T.Block[I];
    E.Size = T.RefSize.empty() ? 0 : T.RefSize[I];
  }
  Out.Columns.clear();
  spread(T, T.Columns.Address, Out.Columns.Address);
  spread(T, T.Columns.Enclosing, Out.Columns.Enclosing);
  spread(T, T.Columns.Requested, Out.Columns.Requested);
  spread(T, T.Columns.Weight, Out.Columns.Weight);
  spread(T, T.Columns.Stream, Out.Columns.Stream);
  spread(T, T.Columns.Pool, Out.Columns.Pool);
  return "";
}
