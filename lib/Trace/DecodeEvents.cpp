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
  /// Where the rows of each thread begin in the columns; moved on as rows are
  /// decoded.
  struct Group {
    uint32_t Row = 0, Allocation = 0, Size = 0, Reference = 0, Far = 0;
    ReferenceCoder Coder;
  };
  std::vector<Group> Groups;
  const uint8_t *Near = nullptr;
  uint32_t FarCount = 0;
};

static bool isReference(uint8_t K) { return K != uint8_t(EventKind::Allocate); }
static bool hasSize(uint8_t K) { return K != uint8_t(EventKind::Free); }

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

Decoder::Problem Decoder::decodeRows(const fb::Events *T, EventInput &In,
                                     Events &Out) {
  std::vector<uint32_t> &Stack = Narrow[0], &Context = Narrow[1],
                        &Heap = Narrow[2];
  std::vector<uint64_t> &Time = Wide[0], &Size = Wide[1], &Far = Wide[2];
  if (!decodePlanes(T->stack(), In.Allocations, Stack) ||
      !decodePlanes(T->context(), In.Allocations, Context) ||
      !decodePlanes(T->time(), In.Rows, Time) ||
      !decodePlanes(T->size(), In.Sizes, Size) ||
      !decodePlanes(T->far(), In.FarCount, Far))
    return "a column of events has the wrong length";
  Heap.assign(In.Allocations, 0);
  if (In.Heaps.size() > 255) {
    if (!decodePlanes(T->heap_wide(), In.Allocations, Heap))
      return "the heap column has the wrong length";
  } else if (In.Heaps.size() > 1) {
    if (sizeOf(T->heap()) != In.Allocations)
      return "the heap column has the wrong length";
    if (In.Allocations)
      Heap.assign(T->heap()->begin(), T->heap()->end());
  }

  // Times and ordinals stay below 2^63: nothing that follows can wrap.
  constexpr uint64_t Most = uint64_t(1) << 63;
  uint64_t Now = T->first_time_ns(), Next = T->first_ordinal();
  if (Now > Most || Next > Most || Now % TimeUnitNs)
    return "the first time or ordinal of an event block is out of range";
  Out.Rows.resize(In.Rows);
  for (uint32_t I = 0; I != In.Rows; ++I) {
    unsigned Local = In.Thread ? In.Thread[I] : 0;
    EventInput::Group &G = In.Groups[Local];
    Event &R = Out.Rows[I];
    if (I) {
      if (Time[I] > (Most - Now) / TimeUnitNs)
        return "a time out of range";
      Now += Time[I] * TimeUnitNs;
    }
    R = Event();
    R.TimeNs = Now;
    R.Thread = In.Threads[Local];
    uint8_t Kind = In.Kind[G.Row++];
    R.Kind = EventKind(Kind);
    if (hasSize(Kind))
      R.Size = Size[G.Size++];
    if (isReference(Kind)) {
      uint8_t Near = In.Near[G.Reference++];
      uint64_t Distance = Near == ReferenceCoder::Far ? Far[G.Far++] : 0;
      if (!G.Coder.decode(Near, Distance, Next, R.Block))
        return "row " + std::to_string(I) +
               " names a block that was not created before it";
    } else {
      uint32_t A = G.Allocation++;
      if (Heap[A] >= In.Heaps.size() || In.Heaps[Heap[A]] > UINT16_MAX)
        return "an allocation of a heap that the block does not name";
      R.Stack = Stack[A];
      R.Context = Context[A];
      R.Heap = uint16_t(In.Heaps[Heap[A]]);
      R.Block = Next;
    }
    Next += Kind == uint8_t(EventKind::Allocate) ||
            Kind == uint8_t(EventKind::Split);
  }
  if (Next - T->first_ordinal() != T->blocks())
    return "the events do not add up to the blocks created";
  return "";
}

Decoder::Problem Decoder::decodeColumns(const fb::Events *T,
                                        const EventInput &In, Events &Out) {
  Out.Columns.clear();
  const fb::Planes *Given[] = {T->address(), T->enclosing(), T->requested(),
                               T->weight(),  T->stream(),    T->pool()};
  if (!In.Allocations || std::all_of(std::begin(Given), std::end(Given),
                                     [](const fb::Planes *P) { return !P; }))
    return "";
  // The row of each allocation, in column order.
  std::vector<uint32_t> RowOf(In.Allocations);
  {
    std::vector<uint32_t> At;
    uint32_t Sum = 0;
    for (size_t G = 0; G != In.Threads.size(); ++G) {
      At.push_back(Sum);
      for (uint32_t I = 0; I != In.Rows; ++I)
        Sum += (In.Thread ? In.Thread[I] : 0) == G &&
               Out.Rows[I].Kind == EventKind::Allocate;
    }
    for (uint32_t I = 0; I != In.Rows; ++I)
      if (Out.Rows[I].Kind == EventKind::Allocate)
        RowOf[At[In.Thread ? In.Thread[I] : 0]++] = I;
  }
  auto Column = [&](const fb::Planes *P, auto &To) {
    if (!P)
      return true;
    auto Values = To;
    if (!decodePlanes(P, In.Allocations, Values))
      return false;
    To.assign(In.Rows, 0);
    for (uint32_t A = 0; A != In.Allocations; ++A)
      To[RowOf[A]] = Values[A];
    return true;
  };
  EventColumns &C = Out.Columns;
  if (!Column(T->requested(), C.Requested) || !Column(T->weight(), C.Weight) ||
      !Column(T->stream(), C.Stream) || !Column(T->pool(), C.Pool))
    return "an optional column of events has the wrong length";
  std::vector<uint64_t> &Values = Wide[3];
  if (T->address()) {
    if (!decodePlanes(T->address(), In.Allocations, Values) ||
        T->address_shift() > 63)
      return "the address column is malformed";
    C.Address.assign(In.Rows, 0);
    uint64_t Last = 0;
    for (uint32_t A = 0; A != In.Allocations; ++A) {
      Last += uint64_t(unzigzag(Values[A]));
      C.Address[RowOf[A]] = Last << T->address_shift();
    }
  }
  if (T->enclosing()) {
    if (!decodePlanes(T->enclosing(), In.Allocations, Values))
      return "the enclosing column is malformed";
    C.Enclosing.assign(In.Rows, 0);
    for (uint32_t A = 0; A != In.Allocations; ++A) {
      if (!Values[A])
        continue;
      uint64_t Own = Out.Rows[RowOf[A]].Block;
      if (Values[A] > Own)
        return "a block lies in one that was not created before it";
      C.Enclosing[RowOf[A]] = Own - Values[A] + 1;
    }
  }
  return "";
}

Decoder::Problem Decoder::decode(Events &Out) {
  const fb::Events *T = Block->body_as_Events();
  TRY(known(T, fb::Events::VT_HEAP_WIDE));
  EventInput In;
  TRY(openEvents(T, In));
  Out.Image = T->image();
  Out.Epoch = T->epoch();
  Out.FirstOrdinal = T->first_ordinal();
  TRY(decodeRows(T, In, Out));
  return decodeColumns(T, In, Out);
}
