// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole sections of events.

#include "DecodeEvents.h"
#include "DecodeHelpers.h"

using namespace memkit;

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
  auto Column = [&](const fb::Planes *P, auto &Scratch, auto &To) {
    return !P || decodeOrdered(P, In, Scratch, To);
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
    order(In, Values, C.Address);
  }
  if (!Column(T->enclosing(), Wide[0], C.Enclosing))
    return "the enclosing column is malformed";
  for (size_t A = 0; A != C.Enclosing.size(); ++A) {
    uint64_t &V = C.Enclosing[A];
    uint64_t Own = T->first_allocation_id() + Out.AllocationOffset[A];
    if (V > Own)
      return "a block lies in one that was not created before it";
    if (V)
      V = Own - V + 1;
  }
  return "";
}

Decoder::Problem Decoder::decode(EventTable &Out) {
  const fb::Events *T = Root->body_as_Events();
  TRY(known(T, fb::Events::VT_HEAP_WIDE));
  EventInput In;
  TRY(openEvents(T, In));
  Out.Process = T->process();
  Out.Epoch = T->epoch();
  Out.FirstAllocationId = T->first_allocation_id();
  Out.Threads = In.Threads;
  TRY(decodeRows(T, In, Out));
  return decodeColumns(T, In, Out);
}

/// Expands a column of values for each allocation to one of values for each
/// row.
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
  Out.Process = T.Process;
  Out.Epoch = T.Epoch;
  Out.FirstAllocationId = T.FirstAllocationId;
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
    E.Block = T.FirstAllocationId + T.AllocationOffset[A];
    E.Stack = T.Stack[A];
    E.ScopePath = T.ScopePath.empty() ? 0 : T.ScopePath[A];
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
