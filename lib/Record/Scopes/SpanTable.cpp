//===- SpanTable.cpp - Scopes of an image, measured -------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scopes/SpanTable.h"
#include <algorithm>
#include <bit>

using namespace memkit;

SpanTable::SpanTable(Accounts &Sums, uint32_t Image, uint64_t BeginNs)
    : Sums(Sums), Image(Image) {
  Opens.emplace_back().BeginNs = BeginNs;
  NumOpen = 1;
}

//===----------------------------------------------------------------------===//
// What changed
//===----------------------------------------------------------------------===//

SpanTable::Entry &SpanTable::Open::add(size_t Row) {
  if (Row / 64 >= Has.size())
    Has.resize(Row / 64 + 1);
  if (Row >= Entries.size())
    Entries.resize(Row + 1);
  Has[Row / 64] |= uint64_t(1) << (Row % 64);
  return Entries[Row];
}

/// The rows that have an entry, in their order.
template <class F> void SpanTable::Open::forEach(F Do) const {
  for (size_t Word = 0; Word != Has.size(); ++Word)
    for (uint64_t Bits = Has[Word]; Bits; Bits &= Bits - 1)
      Do(Word * 64 + size_t(std::countr_zero(Bits)));
}

/// The newest scope's entry of a row. Where it has none nothing changed since
/// its begin: what is noted as now was then.
SpanTable::Entry &SpanTable::entry(size_t Row) {
  if (Row >= Now.size())
    Now.resize(Row + 1);
  Open &Newest = Opens[NumOpen - 1];
  if (Newest.has(Row))
    return Newest.Entries[Row];
  Entry &E = Newest.add(Row);
  E.Before = Now[Row].Sums;
  E.Highest = E.Before.LiveBytes;
  E.Reserved = Now[Row].Reserved;
  return E;
}

void SpanTable::note(size_t Row, const Accounts::SpanSums &Is) {
  if (Row < Now.size()) {
    const Accounts::SpanSums &Was = Now[Row].Sums;
    // A domain's heaps are looked at together.
    if (Is.Allocations == Was.Allocations && Is.Frees == Was.Frees &&
        Is.AllocatedBytes == Was.AllocatedBytes &&
        Is.LiveBytes == Was.LiveBytes && Is.HighestBytes == Is.LiveBytes)
      return;
  }
  Entry &E = entry(Row);
  E.Highest = std::max(E.Highest, Is.HighestBytes);
  Now[Row].Sums = Is;
}

/// What changed since the last call, and what was highest: that is the newest
/// scope's.
void SpanTable::takeNow() {
  Sums.takeSpan(
      Image,
      [this](uint32_t Domain, const Accounts::SpanSums &Is) {
        note(rowOfDomain(Domain), Is);
      },
      [this](uint32_t Heap, const Accounts::SpanSums &Is) {
        note(rowOfHeap(Heap), Is);
      });
}

void SpanTable::noteReserved(uint32_t Heap, uint64_t Bytes, uint64_t Active) {
  Entry &E = entry(rowOfHeap(Heap));
  E.Reserved = std::max(E.Reserved, Bytes);
  RowNow &N = Now[rowOfHeap(Heap)];
  N.Reserved = Bytes;
  N.Active = Active;
  N.IsReservedKnown = true;
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

void SpanTable::begin(uint64_t Number, uint32_t Text, uint64_t TimeNs) {
  takeNow();
  if (NumOpen > MostOpen)
    remove(1);
  if (NumOpen == Opens.size())
    Opens.emplace_back();
  Open &O = Opens[NumOpen++];
  O.Number = Number;
  O.Text = Text;
  O.BeginNs = TimeNs;
  std::fill(O.Has.begin(), O.Has.end(), 0);
}

size_t SpanTable::indexOf(uint64_t Number) const {
  // Scopes end in the reverse order, nearly always.
  for (size_t I = NumOpen; I-- != 0;)
    if (Opens[I].Number == Number)
      return I;
  return NumOpen;
}

/// Of a row that changed in the scope, or did not.
Span::Row SpanTable::measureRow(size_t Index, size_t Row) const {
  static const RowNow Nothing;
  const RowNow &Is = Row < Now.size() ? Now[Row] : Nothing;
  const Accounts::SpanSums *Before = nullptr;
  Span::Row R;
  R.Peak = Is.Sums.LiveBytes;
  R.ReservedPeak = Is.Reserved;
  for (size_t J = Index; J != NumOpen; ++J) {
    if (!Opens[J].has(Row))
      continue;
    const Entry &E = Opens[J].Entries[Row];
    Before = Before ? Before : &E.Before;
    R.Peak = std::max(R.Peak, E.Highest);
    R.ReservedPeak = std::max(R.ReservedPeak, E.Reserved);
  }
  Before = Before ? Before : &Is.Sums;
  R.Allocations = Is.Sums.Allocations - Before->Allocations;
  R.Frees = Is.Sums.Frees - Before->Frees;
  R.AllocatedBytes = Is.Sums.AllocatedBytes - Before->AllocatedBytes;
  R.Before = Before->LiveBytes;
  R.After = Is.Sums.LiveBytes;
  R.FreedBytes = R.Before + R.AllocatedBytes - R.After;
  R.Reserved = Is.Reserved;
  R.Active = Is.Active;
  R.IsReservedKnown = Is.IsReservedKnown;
  return R;
}

void SpanTable::measure(size_t Index, uint64_t TimeNs, Span &Out) const {
  const Open &O = Opens[Index];
  Out.Number = O.Number;
  Out.Text = O.Text;
  Out.DurationNs = TimeNs > O.BeginNs ? TimeNs - O.BeginNs : 0;
}

void SpanTable::measureAll(size_t Index, uint64_t TimeNs, Span &Out) const {
  measure(Index, TimeNs, Out);
  Out.Rows.resize(std::max<size_t>(Sums.numHeapIdsOf(Image), 1));
  Out.Domains.resize(Sums.numDomainsOf(Image));
  for (uint32_t Domain = 0; Domain != Out.Domains.size(); ++Domain)
    Out.Domains[Domain] = measureRow(Index, rowOfDomain(Domain));
  Out.Rows[0] = Out.Domains[0];
  for (uint32_t Heap = 1; Heap < Out.Rows.size(); ++Heap)
    Out.Rows[Heap] = measureRow(Index, rowOfHeap(Heap));
}

void SpanTable::remove(size_t Index) {
  Open &Outer = Opens[Index - 1], &Gone = Opens[Index];
  Gone.forEach([&](size_t Row) {
    const Entry &E = Gone.Entries[Row];
    if (!Outer.has(Row)) {
      Outer.add(Row) = E;
      return;
    }
    Entry &To = Outer.Entries[Row];
    To.Highest = std::max(To.Highest, E.Highest);
    To.Reserved = std::max(To.Reserved, E.Reserved);
  });
  auto At = Opens.begin() + Index;
  std::rotate(At, At + 1, Opens.begin() + NumOpen);
  NumOpen -= 1;
  if (Opens.size() - NumOpen > MostSpare)
    Opens.pop_back();
}

const Span *SpanTable::end(uint64_t Number, uint64_t TimeNs, bool Keep) {
  size_t Index = indexOf(Number);
  if (!Number || Index == NumOpen)
    return nullptr;
  takeNow();
  if (Keep && Kept.size() < MostKept)
    Kept.emplace_back();
  Span &Out = Keep ? Kept[NextKept] : Running;
  if (Keep)
    NextKept = (NextKept + 1) % MostKept;
  measureAll(Index, TimeNs, Out);
  remove(Index);
  return &Out;
}

const Span *SpanTable::endChanged(uint64_t Number, uint64_t TimeNs) {
  size_t Index = indexOf(Number);
  if (!Number || Index == NumOpen)
    return nullptr;
  takeNow();
  measure(Index, TimeNs, Running);
  Running.Changed.clear();
  for (size_t J = Index; J != NumOpen; ++J)
    Opens[J].forEach([&](size_t Row) {
      uint32_t Heap = uint32_t(Row / 2);
      if (Row != rowOfHeap(Heap) || (J != Index && wasBefore(Index, J, Row)))
        return;
      if (Heap >= Running.Rows.size())
        Running.Rows.resize(Heap + 1);
      Running.Rows[Heap] = measureRow(Index, Row);
      Running.Changed.push_back(Heap);
    });
  remove(Index);
  return &Running;
}

/// Whether one of the scopes from First on, before Last, has an entry of Row.
bool SpanTable::wasBefore(size_t First, size_t Last, size_t Row) const {
  for (size_t J = First; J != Last; ++J)
    if (Opens[J].has(Row))
      return true;
  return false;
}

const Span *SpanTable::find(uint64_t Number, uint64_t TimeNs) {
  if (size_t Index = indexOf(Number); Index != NumOpen) {
    takeNow();
    measureAll(Index, TimeNs, Running);
    return &Running;
  }
  for (const Span &S : Kept)
    if (S.Number == Number)
      return &S;
  return nullptr;
}
